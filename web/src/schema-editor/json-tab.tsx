import { Alert, Group, Text, Textarea } from '@mantine/core';
import { useMemo, useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { type Draft, strictDefinition, withDefinitions } from './draft.ts';
import classes from './json-tab.module.css';
import { completeDefinition, definitionIssues, FieldDefinitionInput, MAX_FIELDS } from './rules.ts';
import type { SchemaWork } from './use-work.ts';

const MAX_PROBLEMS = 10;

/** The draft as the text that the API takes. What is right goes into the draft at once; while it is not, the draft stays as it was. */
export function JsonTab({ work }: { work: SchemaWork }) {
  const current = textOf(work.draft);
  const [typed, setTyped] = useState({ text: current, draft: current });
  // A draft that changed elsewhere, as when changes are discarded, replaces what was typed.
  const text = typed.draft === current ? typed.text : current;
  const read = useMemo(() => schemaOf(text), [text]);
  const problems = 'problems' in read ? read.problems : [];
  const change = (next: string): void => {
    const schema = schemaOf(next);
    if ('problems' in schema) return void setTyped({ text: next, draft: current });
    const draft = withDefinitions(work.draft, schema);
    setTyped({ text: next, draft: textOf(draft) });
    work.edit(() => draft);
  };
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          The body of <code>PUT /auth/apps/…/schema</code>. Paste a schema here, or copy this one.
        </Text>
        <CopyButton text={text} />
      </Group>
      <Textarea
        aria-label="Schema as JSON"
        classNames={{ input: classes.input ?? '' }}
        rows={22}
        spellCheck={false}
        value={text}
        error={problems.length > 0}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {problems.length > 0 && (
        <Alert variant="light" color="red" mt="sm" role="alert" title="Not taken over yet">
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

type Read = ReturnType<typeof completeDefinition>;

/** @returns the schema that a text spells, or what is wrong with it */
function schemaOf(text: string): { rejectUnknown: boolean; fields: Read[] } | { problems: string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : 'is not JSON'] };
  }
  if (typeof json !== 'object' || json === null) return { problems: ['It must be an object'] };
  const { rejectUnknown, fields, ...others } = json as Record<string, unknown>;
  const problems = Object.keys(others).map((name) => `${name} is not a known property`);
  if (typeof rejectUnknown !== 'boolean') problems.push('rejectUnknown must be true or false');
  const parsed = FieldDefinitionInput.array()
    .max(MAX_FIELDS, `must have at most ${MAX_FIELDS} entries`)
    .safeParse(fields);
  if (!parsed.success) {
    problems.push(...parsed.error.issues.map(({ path, message }) => `${['fields', ...path].join('.')}: ${message}`));
  } else {
    problems.push(...definitionIssues(parsed.data).map(({ path, message }) => `${path}: ${message}`));
    if (problems.length === 0)
      return { rejectUnknown: rejectUnknown === true, fields: parsed.data.map(completeDefinition) };
  }
  return { problems };
}
