import { Alert, Button, Checkbox, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Field } from '../api/endpoints.ts';
import { count } from '../components/count.ts';
import classes from './preview.module.css';
import { compileSchema, type FieldDefinition, formControl } from './rules.ts';

type Values = Readonly<Record<string, string | boolean>>;

interface PreviewProps {
  schema: { rejectUnknown: boolean; fields: FieldDefinition[] };
  /** Whether invalid fields are missing from `schema`. */
  isPartial: boolean;
}

/** A form for the schema. It validates with the service's rules and sends nothing. */
export function Preview({ schema, isPartial }: PreviewProps) {
  const [values, setValues] = useState<Values>({});
  const [isChecked, setChecked] = useState(false);
  const validator = useMemo(() => compileSchema(schema), [schema]);
  const data = dataOf(schema.fields, values);
  const issues = isChecked ? validator.issues(data) : [];
  const issueOf = (key: string): string | undefined => {
    const at = `data.${key}`;
    return issues.find(({ path }) => path === at || path.startsWith(`${at}.`))?.message;
  };
  return (
    <Stack p="md" gap="sm">
      <div>
        <Title order={2} size="h4">
          Preview
        </Title>
        <Text size="sm" c="dimmed">
          {isPartial ? 'Invalid fields are not shown.' : 'Test what the form accepts. Nothing is sent.'}
        </Text>
      </div>
      <TextInput label="Email" defaultValue="ada@example.com" />
      {schema.fields.map((field) => (
        <Control
          key={`${field.key} ${field.kind}`}
          field={field}
          value={values[field.key]}
          error={issueOf(field.key)}
          onChange={(value) => setValues((before) => ({ ...before, [field.key]: value }))}
        />
      ))}
      <Button variant="light" onClick={() => setChecked(true)}>
        Check
      </Button>
      <div aria-live="polite">
        {isChecked && issues.length === 0 && (
          <Alert variant="light" color="green" p="xs">
            This submission would be accepted.
          </Alert>
        )}
        {isChecked && issues.length > 0 && (
          <Alert variant="light" color="red" p="xs">
            This submission would be rejected: {count(issues.length, 'problem')}.
          </Alert>
        )}
      </div>
      {isChecked && <pre className={classes.data}>{JSON.stringify(data, null, 2)}</pre>}
    </Stack>
  );
}

interface ControlProps {
  field: Field;
  value: string | boolean | undefined;
  error: string | undefined;
  onChange: (value: string | boolean) => void;
}

function Control({ field, value, error, onChange }: ControlProps) {
  const label = field.label || field.key;
  const shared = { label, error, withAsterisk: field.required };
  const text = typeof value === 'string' ? value : '';
  const { type, choices } = formControl(field);
  switch (type) {
    case 'checkbox':
      return (
        <Checkbox
          label={field.required ? `${label} *` : label}
          error={error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'select':
      return (
        <NativeSelect
          {...shared}
          value={text}
          data={[{ value: '', label: 'Select an option' }, ...choices.filter(Boolean)]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextInput
          {...shared}
          type={type === 'date' ? 'date' : 'text'}
          inputMode={type === 'number' ? 'decimal' : undefined}
          placeholder={type === 'list' ? 'Item to append' : undefined}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

/** The data that a form would submit: empty inputs are omitted and numbers are converted. */
function dataOf(fields: readonly Field[], values: Values): Record<string, unknown> {
  const entries = fields.flatMap((field): [string, unknown][] => {
    const { key, required } = field;
    const { type } = formControl(field);
    const value = values[key];
    if (type === 'checkbox') return value === true || required ? [[key, value === true]] : [];
    if (value === undefined || value === '') return [];
    if (type === 'number') return [[key, Number.isFinite(Number(value)) ? Number(value) : value]];
    return [[key, type === 'list' ? [value] : value]];
  });
  return Object.fromEntries(entries);
}
