import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { enteredNumber, numberText } from '../../texts/numbers.ts';

interface NumberInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: unknown;
  /** Whether it may be negative: the keyboard of iPhones for decimals has no minus. */
  isSigned?: boolean;
  /** Is called with `undefined` for no text, and with the text itself when it is no number. */
  onChange: (value: number | string | undefined) => void;
}

/** An input of a number in the notation of the page. Rules explain a text that is no number. */
export function NumberInput({ value, isSigned = true, onChange, ...input }: NumberInputProps) {
  const [typed, setTyped] = useState('');
  // Keeps the typed text while it represents the value. Shows a value that was changed elsewhere.
  const shown = Object.is(enteredNumber(typed), value) ? typed : numberText(value);
  return (
    <TextInput
      inputMode={isSigned ? undefined : 'decimal'}
      {...input}
      value={shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(enteredNumber(currentTarget.value));
      }}
    />
  );
}
