import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Kind } from '../api/endpoints.ts';
import { getKind, valueFromForm } from './rules.ts';

interface DefaultControlProps {
  label: string;
  error: string | undefined;
  kind: Kind;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Edits a value of the field itself. A text without a value of its kind is kept. */
export function DefaultControl({ label, error, kind, value, onChange }: DefaultControlProps) {
  const [typed, setTyped] = useState('');
  if (getKind(kind).control === 'checkbox') {
    return (
      <NativeSelect
        label={label}
        error={error}
        value={String(value ?? '')}
        data={[
          { value: '', label: 'None' },
          { value: 'true', label: 'Checked' },
          { value: 'false', label: 'Not checked' },
        ]}
        onChange={(event) => onChange(valueOfText(kind, event.currentTarget.value))}
      />
    );
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
