import { CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { Field } from '../api/endpoints.ts';
import { SearchIcon } from '../components/icons.tsx';
import type { ListParameters } from './list-parameters.ts';
import classes from './toolbar.module.css';

const DEBOUNCE_MS = 250;

interface ToolbarProps {
  parameters: ListParameters;
  change: (part: Partial<ListParameters>) => void;
  fields: readonly Field[];
}

/** Search by email and filter by the value of one field. */
export function Toolbar({ parameters, change, fields }: ToolbarProps) {
  // Array fields have no single value to compare with.
  const filterable = fields.filter(({ kind }) => kind !== 'array');
  const field = filterable.find(({ key }) => key === parameters.field);
  return (
    <search className={classes.toolbar}>
      <DebouncedInput
        label="Search by email"
        value={parameters.search}
        icon
        onChange={(search) => change({ search })}
        className={classes.search}
      />
      {filterable.length > 0 && (
        <NativeSelect
          aria-label="Filter by field"
          value={field?.key ?? ''}
          data={[
            { value: '', label: 'Filter by field' },
            ...filterable.map(({ key, label }) => ({ value: key, label: label || key })),
          ]}
          onChange={(event) => change({ field: event.currentTarget.value, value: '' })}
        />
      )}
      {field && <FilterValue key={field.key} field={field} value={parameters.value} change={change} />}
    </search>
  );
}

function FilterValue({ field, value, change }: { field: Field; value: string; change: ToolbarProps['change'] }) {
  const label = `${field.label || field.key} is`;
  const choices =
    field.kind === 'select'
      ? field.enum.map((choice) => ({ value: choice, label: choice }))
      : [
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ];
  if (field.kind !== 'select' && field.kind !== 'checkbox') {
    return <DebouncedInput label={label} value={value} onChange={(text) => change({ value: text })} />;
  }
  return (
    <NativeSelect
      aria-label={label}
      value={value}
      data={[{ value: '', label: 'Any' }, ...choices]}
      onChange={(event) => change({ value: event.currentTarget.value })}
    />
  );
}

interface DebouncedInputProps {
  label: string;
  value: string;
  icon?: boolean;
  className?: string | undefined;
  onChange: (value: string) => void;
}

/** Calls `onChange` when typing pauses, so that not every key press sends a request. */
function DebouncedInput({ label, value, icon, className, onChange }: DebouncedInputProps) {
  const [typed, setTyped] = useState(value);
  const debouncedChange = useDebouncedCallback(onChange, DEBOUNCE_MS);
  // The URL can change elsewhere, for example with the browser's Back button.
  useEffect(() => setTyped(value), [value]);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      className={className ?? ''}
      leftSection={icon ? <SearchIcon size={16} /> : undefined}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        debouncedChange(event.currentTarget.value.trim());
      }}
      rightSection={
        typed !== '' && (
          <CloseButton
            aria-label="Clear"
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
