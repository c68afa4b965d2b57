import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { t } from '../../texts/first-texts.ts';
import { SearchIcon } from '../icons.tsx';
import classes from './search-box.module.css';

const DEBOUNCE_MS = 250;
const MAX_LENGTH = 100;

interface SearchBoxProps {
  label: string;
  value: string;
  maxLength?: number;
  onChange: (value: string) => void;
}

/** Calls `onChange` when typing pauses, so that not every key press sends a request. */
export function SearchBox({ label, value, maxLength = MAX_LENGTH, onChange }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  const debouncedChange = useDebouncedCallback(onChange, DEBOUNCE_MS);
  // The URL can change elsewhere, for example with the browser's Back button. A space at the end of
  // what is typed stays: the next word follows.
  useEffect(() => setTyped((text) => (text.trim() === value ? text : value)), [value]);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      className={classes.search ?? ''}
      leftSection={<SearchIcon size={16} />}
      maxLength={maxLength}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        debouncedChange(event.currentTarget.value.trim());
      }}
      rightSection={
        typed !== '' && (
          <CloseButton
            aria-label={t.components.clear}
            size="sm"
            onClick={() => {
              setTyped('');
              onChange('');
            }}
          />
        )
      }
    />
  );
}
