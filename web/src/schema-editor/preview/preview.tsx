import { Alert, Button, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { Fragment, useMemo, useState } from 'react';
import { languageName, useServiceTexts, useTranslatedLanguages } from '../../languages/languages.ts';
import { reasonText } from '../../texts/reasons.ts';
import { t } from '../../texts/texts.ts';
import { conditionTexts } from '../draft/condition-texts.ts';
import {
  compileSchema,
  type FieldDefinition,
  type FormControl,
  formControl,
  pagesOf,
  publicFields,
  valueFromForm,
} from '../draft/rules.ts';
import classes from './preview.module.css';
import { PreviewControl } from './preview-control.tsx';

/** The texts that were entered, by field key. */
type Values = Readonly<Record<string, string>>;

interface PreviewProps {
  schema: { rejectUnknown: boolean; fields: FieldDefinition[] };
  /** Whether invalid fields are missing from `schema`. */
  isPartial: boolean;
}

/** A form for the schema. It validates with the service's rules and sends nothing. */
export function Preview({ schema, isPartial }: PreviewProps) {
  const [values, setValues] = useState<Values>({});
  const [isChecked, setChecked] = useState(false);
  const [tag, setTag] = useState('');
  const tags = useTranslatedLanguages();
  const email = useServiceTexts(tag || 'en').email;
  const validator = useMemo(() => compileSchema(schema), [schema]);
  const fields = publicFields(schema.fields);
  const entered = dataOf(fields, values);
  const states = validator.states(entered, true);
  const isShown = (key: string): boolean => states?.shown.has(key) ?? true;
  const data = Object.fromEntries(Object.entries(entered).filter(([key]) => isShown(key)));
  const pages = pagesOf(fields);
  // A page without a field to show is skipped.
  const beginsPage = (index: number): boolean =>
    pages[index] !== 1 && fields.findIndex(({ key }, at) => pages[at] === pages[index] && isShown(key)) === index;
  const issues = isChecked ? validator.issues(data, 'staff', false, states) : [];
  const issueOf = (key: string): string | undefined => {
    const at = `data.${key}`;
    const issue = issues.find(({ path }) => path === at || path.startsWith(`${at}.`));
    return issue && reasonText(issue);
  };
  return (
    <Stack p="md" gap="sm" className={classes.form ?? ''}>
      <div>
        <Title order={2} size="h4">
          {t.schemaEditor.preview}
        </Title>
        <Text c="dimmed">{isPartial ? t.schemaEditor.invalidNotShown : t.schemaEditor.previewNote}</Text>
      </div>
      {tags.length > 0 && (
        <NativeSelect
          label={t.schemaEditor.language}
          value={tag}
          data={[
            { value: '', label: t.schemaEditor.original },
            ...tags.map((one) => ({ value: one, label: languageName(one) })),
          ]}
          onChange={(event) => setTag(event.currentTarget.value)}
        />
      )}
      <TextInput label={String(email)} defaultValue="ada@example.com" wrapperProps={{ lang: tag || 'en' }} />
      {fields.map((field, index) => (
        <Fragment key={`${field.key} ${field.kind}`}>
          {beginsPage(index) && (
            <Title order={3} size="h5">
              {conditionTexts.pageNumber(pages[index] ?? 1)}
            </Title>
          )}
          {isShown(field.key) && (
            <PreviewControl
              control={{ ...formControl(field, tag), required: states?.required.has(field.key) ?? field.required }}
              text={textOf(formControl(field), values)}
              error={issueOf(field.key)}
              onChange={(text) => setValues((before) => ({ ...before, [field.key]: text }))}
            />
          )}
        </Fragment>
      ))}
      {states && (
        <Text c="dimmed" role="status">
          {shownText(fields.filter(({ key }) => !isShown(key)))}
        </Text>
      )}
      {isChecked && <pre className={classes.data}>{JSON.stringify(data, null, 2)}</pre>}
      <div className={classes.verdict}>
        <Button variant="light" fullWidth onClick={() => setChecked(true)}>
          {t.schemaEditor.check}
        </Button>
        <div aria-live="polite">
          {isChecked && issues.length === 0 && (
            <Alert color="green" p="xs">
              {t.schemaEditor.accepted}
            </Alert>
          )}
          {isChecked && issues.length > 0 && (
            <Alert color="red" p="xs">
              {t.schemaEditor.rejected(issues.length)}
            </Alert>
          )}
        </div>
      </div>
    </Stack>
  );
}

function shownText(notShown: readonly FieldDefinition[]): string {
  const labels = notShown.map(({ label, key }) => label || key);
  return labels.length === 0 ? conditionTexts.allShown : conditionTexts.notShown(labels.join(', '));
}

/** The data that a form would submit. A text without a value stays, so that the rules refuse it. */
function dataOf(fields: readonly FieldDefinition[], values: Values): Record<string, unknown> {
  const entries = fields.flatMap((field): [string, unknown][] => {
    const text = textOf(formControl(field), values);
    if (formControl(field).type === 'checkbox') {
      return text === 'true' || field.required ? [[field.key, text === 'true']] : [];
    }
    const converted = valueFromForm(field, [text]);
    if (!converted) return [];
    return [[field.key, 'value' in converted ? converted.value : text]];
  });
  return Object.fromEntries(entries);
}

function textOf(control: FormControl, values: Values): string {
  return values[control.key] ?? control.default ?? '';
}
