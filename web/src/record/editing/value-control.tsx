import { Checkbox, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Field } from '../../api/endpoints.ts';
import { fieldName, labelOf } from '../../components/form/labels.ts';
import { t } from '../../texts/texts.ts';
import { chosenIn } from './draft.ts';

const DAY = /^(?:\d{4}-\d{2}-\d{2})?$/;
/** A longer text gets several lines. */
const MAX_LINE = 80;
const NO_VALUE = { value: '', label: t.record.editing.noValue };

interface ValueControlProps {
  field: Field;
  text: string;
  error?: string | undefined;
  autoFocus?: boolean;
  onChange: (text: string) => void;
}

/** The control for the value of a field. An empty one represents no value. */
export function ValueControl({ field, text, error, autoFocus = false, onChange }: ValueControlProps) {
  // Another control in the place of one in which somebody types would take its focus.
  const [first] = useState(text);
  const shared = {
    label: fieldName(field),
    // An edit needs no field that depends on others.
    withAsterisk: field.required === true && !field.showIf && !field.requiredIf,
    error,
    value: text,
    autoComplete: 'off',
    ...(autoFocus && { 'data-autofocus': true }),
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
      onChange(event.currentTarget.value),
  };
  if (field.kind === 'select') {
    const choices = field.enum.filter((value) => value !== '');
    const known = text === '' || choices.includes(text) ? choices : [...choices, text];
    return (
      <NativeSelect
        {...shared}
        data={[NO_VALUE, ...known.map((value) => ({ value, label: String(labelOf(field, value)) }))]}
      />
    );
  }
  if (field.kind === 'multiselect') {
    const chosen = chosenIn(text);
    const choices = [...new Set([...field.enum, ...chosen])];
    return (
      <Checkbox.Group
        label={shared.label}
        withAsterisk={shared.withAsterisk}
        error={error}
        value={chosen}
        onChange={(next) => {
          // In the order in which the service keeps them, so that the same choices are no change.
          const ordered = choices.filter((choice) => next.includes(choice));
          onChange(ordered.length === 0 ? '' : JSON.stringify(ordered));
        }}
      >
        <Stack gap={6} mt={6}>
          {choices.map((choice, index) => (
            <Checkbox
              key={choice}
              value={choice}
              label={String(labelOf(field, choice))}
              {...(autoFocus && index === 0 && { 'data-autofocus': true })}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    );
  }
  if (field.kind === 'checkbox') {
    const choices = [
      NO_VALUE,
      { value: 'true', label: t.record.editing.yes },
      { value: 'false', label: t.record.editing.no },
    ];
    return <NativeSelect {...shared} data={choices} />;
  }
  if (field.kind === 'date') {
    return DAY.test(first) ? (
      <TextInput {...shared} type="date" />
    ) : (
      <TextInput {...shared} description={t.record.editing.dateNote} />
    );
  }
  if (field.kind === 'number') {
    // The keyboard of iPhones for decimals has no minus.
    return <TextInput {...shared} inputMode={Number(field.min) >= 0 ? 'decimal' : undefined} />;
  }
  const isLong = (field.kind === 'text' && field.ui === 'textarea') || first.includes('\n') || first.length > MAX_LINE;
  return isLong ? <Textarea {...shared} autosize maxRows={10} /> : <TextInput {...shared} />;
}
