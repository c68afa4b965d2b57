import { Alert, Group, Text, Textarea } from '@mantine/core';
import { useMemo, useState } from 'react';
import { CopyButton } from '../components/content/copy-button.tsx';
import { inputProps } from '../components/form/input.ts';
import { reasonText } from '../texts/reasons.ts';
import { t } from '../texts/texts.ts';
import { type Draft, strictDefinition, withDefinitions } from './draft/draft.ts';
import {
  completeDefinition,
  definitionIssues,
  type FieldDefinition,
  FieldDefinitionInput,
  MAX_FIELDS,
  reasonIn,
  safeParse,
} from './draft/rules.ts';
import type { DraftEditor } from './draft/use-draft.ts';
import classes from './json-tab.module.css';

const MAX_PROBLEMS = 10;

/** Edits the draft as JSON, in the format of the API. Only valid text updates the draft. */
export function JsonTab({ editor }: { editor: DraftEditor }) {
  const current = textOf(editor.draft);
  const [typed, setTyped] = useState({ text: current, draft: current });
  // Shows the draft when it was changed elsewhere, for example by discarding the changes.
  const text = editor.json ?? (typed.draft === current ? typed.text : current);
  const parsed = useMemo(() => parseSchema(text), [text]);
  const problems = 'problems' in parsed ? parsed.problems : [];
  const change = (next: string): void => {
    const schema = parseSchema(next);
    if ('problems' in schema) {
      editor.keepJson(next);
      return;
    }
    const draft = withDefinitions(editor.draft, schema);
    setTyped({ text: next, draft: textOf(draft) });
    editor.edit(() => draft);
  };
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Text c="dimmed">{t.schemaEditor.jsonNote(<code>PUT /auth/apps/…/schema</code>)}</Text>
        <CopyButton text={text} />
      </Group>
      <Textarea
        aria-label={t.schemaEditor.schemaAsJson}
        classNames={{ input: classes.input ?? '' }}
        rows={22}
        spellCheck={false}
        {...inputProps(text, change)}
        error={problems.length > 0}
      />
      {problems.length > 0 && (
        <Alert color="red" mt="sm" role="alert" title={t.schemaEditor.notApplied}>
          <ul className={classes.problems}>
            {problems.slice(0, MAX_PROBLEMS).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Alert>
      )}
    </>
  );
}

function textOf({ rejectUnknown, fields }: Draft): string {
  const definitions = fields.map(({ definition }) => strictDefinition(definition));
  return JSON.stringify({ rejectUnknown, fields: definitions }, null, 2);
}

/** Parses and validates a schema. @returns the schema or the problems */
function parseSchema(text: string): { rejectUnknown: boolean; fields: FieldDefinition[] } | { problems: string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : t.schemaEditor.invalidJson] };
  }
  if (typeof json !== 'object' || json === null) return { problems: [t.schemaEditor.notAnObject] };
  const { rejectUnknown, fields, ...others } = json as Record<string, unknown>;
  const problems = Object.keys(others).map(t.schemaEditor.unknownProperty);
  if (typeof rejectUnknown !== 'boolean') problems.push(t.schemaEditor.notBoolean);
  const Fields = FieldDefinitionInput.array().max(MAX_FIELDS, t.schemaEditor.tooManyFields(MAX_FIELDS));
  const parsed = safeParse(Fields, fields);
  if (!parsed.success) {
    problems.push(
      ...parsed.error.issues.map((issue) => `${['fields', ...issue.path].join('.')}: ${reasonText(reasonIn(issue))}`),
    );
  } else {
    problems.push(...definitionIssues(parsed.data).map((issue) => `${issue.path}: ${reasonText(issue)}`));
    if (problems.length === 0)
      return { rejectUnknown: rejectUnknown === true, fields: parsed.data.map(completeDefinition) };
  }
  return { problems };
}
