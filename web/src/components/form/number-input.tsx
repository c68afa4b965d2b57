import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { enteredNumber, numberText } from '../../texts/numbers.ts';

interface NumberInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: unknown;
  /** Is called with `undefined` for no text, and with the text itself when it is no number. */
  onChange: (value: number | string | undefined) => void;
}

/** An input of a number in the notation of the page. Rules explain a text that is no number. */
export function NumberInput({ value, onChange, ...input }: NumberInputProps) {
  const [typed, setTyped] = useState('');
  // Keeps the typed text while it represents the value. Shows a value that was changed elsewhere.
  const shown = Object.is(enteredNumber(typed), value) ? typed : numberText(value);
  return (
    <TextInput
      inputMode="decimal"
      {...input}
      value={shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(enteredNumber(currentTarget.value));
      }}
    />
  );
}
