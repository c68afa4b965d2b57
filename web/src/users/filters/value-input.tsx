import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { listOfValues, valuesInList } from '#src/features/search/value-list.ts';
import { inputProps } from '../../components/form/input.ts';
import { numbers } from '../../texts/numbers.ts';
import { t } from '../../texts/texts.ts';
import { DAY, type Target, yesOrNo } from './condition.ts';
import classes from './filters.module.css';

/** The most characters of a value. */
const MAX_LENGTH = 1_000;

interface ValueInputProps {
  target: Target;
  operator: string;
  /** The label of an input for a number or a date. */
  label?: string;
  value: string;
  /** Whether the value is no number. */
  isRefused?: boolean;
  onChange: (value: string) => void;
}

/** The input for the value of a condition, by the kind of the field. */
export function ValueInput({ target, operator, label, value, isRefused, onChange }: ValueInputProps) {
  const texts = t.users.filters;
  const { type, choices } = target;
  const hasChoices = type === 'choice' || type === 'choices';
  if (hasChoices && operator === 'in') {
    return (
      <Checkbox.Group
        label={texts.values}
        value={value === '' ? [] : valuesInList(value)}
        onChange={(all) => onChange(listOfValues(all))}
      >
        <Stack gap="xs" mt={4} className={classes.choices ?? ''}>
          {choices
            .filter((choice) => choice.value !== '')
            .map((choice) => (
              <Checkbox key={choice.value} value={choice.value} label={choice.label} />
            ))}
        </Stack>
      </Checkbox.Group>
    );
  }
  if (hasChoices || type === 'checkbox') {
    const options = hasChoices ? choices : yesOrNo();
    return (
      <NativeSelect
        label={texts.value}
        {...inputProps(value, onChange)}
        data={[{ value: '', label: texts.chooseValue, disabled: true }, ...options.filter((one) => one.value !== '')]}
      />
    );
  }
  const shared = {
    value,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value),
    autoComplete: 'off',
    maxLength: MAX_LENGTH,
  };
  if (type === 'number') {
    const error = isRefused && texts.notNumber;
    return operator === 'in' ? (
      <TextInput label={texts.values} description={texts.separated[numbers.separator]} error={error} {...shared} />
    ) : (
      <TextInput label={label ?? texts.number} error={error} {...shared} />
    );
  }
  if (operator === 'in') return <TextInput label={texts.values} description={texts.commas} {...shared} />;
  if (type === 'date') return <DateInput key={target.path} label={label ?? texts.date} {...shared} />;
  return <TextInput label={texts.text} {...shared} />;
}

/** A link or a bar of a chart can name a time, for which the input of a date has no place. */
function DateInput({ value, ...input }: React.ComponentProps<typeof TextInput> & { value: string }) {
  const [isDay] = useState(value === '' || DAY.test(value));
  return (
    <TextInput {...input} {...(isDay && { type: 'date', description: t.users.filters.daysBegin })} value={value} />
  );
}
