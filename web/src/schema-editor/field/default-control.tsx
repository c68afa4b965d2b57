import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Kind } from '../../api/endpoints.ts';
import { NumberInput } from '../../components/form/number-input.tsx';
import { t } from '../../texts/texts.ts';
import type { LooseDefinition } from '../draft/draft.ts';
import { getKind, valueFromForm } from '../draft/rules.ts';

interface DefaultControlProps {
  label: string;
  error: string | undefined;
  definition: LooseDefinition;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Edits a value of the field itself. A text without a value of its kind is kept. */
export function DefaultControl({ label, error, definition, value, onChange }: DefaultControlProps) {
  const { kind } = definition;
  const [typed, setTyped] = useState('');
  if (getKind(kind).control === 'checkbox') {
    return (
      <NativeSelect
        label={label}
        error={error}
        value={String(value ?? '')}
        data={[
          { value: '', label: t.schemaEditor.noDefault },
          { value: 'true', label: t.schemaEditor.checked },
          { value: 'false', label: t.schemaEditor.notChecked },
        ]}
        onChange={(event) => onChange(valueOfText(kind, event.currentTarget.value))}
      />
    );
  }
  if (getKind(kind).control === 'checkboxes') {
    const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
    const choices = Array.isArray(definition.enum) ? [...new Set(definition.enum.map(String))] : [];
    return (
      <Checkbox.Group
        label={label}
        error={error}
        value={choices.filter((choice) => chosen.includes(choice))}
        onChange={(next) => onChange(next.length === 0 ? undefined : choices.filter((choice) => next.includes(choice)))}
      >
        <Stack gap={6} mt={6}>
          {choices.map((choice) => (
            <Checkbox key={choice} value={choice} label={choice} />
          ))}
        </Stack>
      </Checkbox.Group>
    );
  }
  if (getKind(kind).control === 'number') {
    return <NumberInput label={label} error={error} value={value} onChange={onChange} />;
  }
  // Keeps the typed text while it represents the value. Shows a value that was changed elsewhere.
  const shown = Object.is(valueOfText(kind, typed), value) ? typed : String(value ?? '');
  return (
    <TextInput
      label={label}
      error={error}
      value={shown}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onChange(valueOfText(kind, event.currentTarget.value));
      }}
    />
  );
}

function valueOfText(kind: Kind, text: string): unknown {
  const converted = valueFromForm({ kind }, [text]);
  return converted && ('value' in converted ? converted.value : text);
}
