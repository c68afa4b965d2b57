import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { inputProps } from '../../components/form/input.ts';
import { t } from '../../texts/texts.ts';
import { type Target, YES_OR_NO } from './condition.ts';
import classes from './filters.module.css';

/** The most characters of a value. */
const MAX_LENGTH = 1_000;

interface ValueInputProps {
  target: Target;
  operator: string;
  /** The label of an input for a number or a date. */
  label?: string;
  value: string;
  onChange: (value: string) => void;
}

/** The input for the value of a condition, by the kind of the field. */
export function ValueInput({ target, operator, label, value, onChange }: ValueInputProps) {
  const texts = t.users.filters;
  const { type, choices } = target;
  const hasChoices = type === 'choice' || type === 'choices';
  if (hasChoices && operator === 'in') {
    return (
      <Checkbox.Group
        label={texts.values}
        value={value === '' ? [] : value.split(',')}
        onChange={(all) => onChange(all.join(','))}
      >
        <Stack gap="xs" mt={4} className={classes.choices ?? ''}>
          {/* The values of this comparison are separated by commas. */}
          {choices
            .filter((choice) => !choice.value.includes(',') && choice.value !== '')
            .map((choice) => (
              <Checkbox key={choice.value} value={choice.value} label={choice.label} />
            ))}
        </Stack>
      </Checkbox.Group>
    );
  }
  if (hasChoices || type === 'checkbox') {
    const options = hasChoices ? choices : YES_OR_NO;
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
  if (operator === 'in') return <TextInput label={texts.values} description={texts.commas} {...shared} />;
  if (type === 'date')
    return <TextInput type="date" label={label ?? texts.date} description={texts.daysBegin} {...shared} />;
  if (type === 'number') return <TextInput type="number" step="any" label={label ?? texts.number} {...shared} />;
  return <TextInput label={texts.text} {...shared} />;
}
