import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { listOfValues, valuesInList } from '#src/features/search/value-list.ts';
import { Form } from '../../components/form/form.tsx';
import { inputProps } from '../../components/form/input.ts';
import { numbers } from '../../texts/numbers.ts';
import { t } from '../../texts/texts.ts';
import { BETWEEN, COMPARISONS, type Comparison, type Condition, type Target, targetOf } from './condition.ts';
import { ValueInput } from './value-input.tsx';

interface ConditionFormProps {
  targets: readonly Target[];
  /** The condition to change; undefined for a new one. */
  condition?: Condition | undefined;
  onApply: (conditions: Condition[]) => void;
  onCancel: () => void;
}

/** Builds one condition: a field, a comparison in words and a value. */
export function ConditionForm({ targets, condition, onApply, onCancel }: ConditionFormProps) {
  const [path, setPath] = useState(condition?.path ?? targets[0]?.path ?? 'email');
  const target = targetOf(path, targets);
  const comparisons = COMPARISONS[target.type];
  const [words, setWords] = useState(() => (condition ? wordsOf(condition, comparisons) : undefined));
  const comparison = comparisons.find((one) => one.words === words) ?? (comparisons[0] as Comparison);
  const [typed, setTyped] = useState(() => (condition ? typedValue(condition, target) : ''));
  const [typedEnd, setTypedEnd] = useState('');
  const value = comparison.value ?? normalized(typed, comparison.operator, target);
  const end = normalized(typedEnd, comparison.operator, target);
  const hasChoices = hasChoicesOf(target.type);
  const isBetween = comparison.operator === BETWEEN;
  const isWhole = Boolean(value) && (!isBetween || Boolean(end));
  // A path from a link that the newest schema does not have can be kept.
  const known = targets.some((one) => one.path === path) ? targets : [...targets, target];

  const choosePath = (next: string): void => {
    setPath(next);
    setWords(undefined);
    setTyped('');
    setTypedEnd('');
  };
  const chooseWords = (next: string): void => {
    const { operator } = comparisons.find((one) => one.words === next) ?? {};
    // A list of choices is no single choice.
    if (hasChoices && (operator === 'in') !== (comparison.operator === 'in')) setTyped('');
    setWords(next);
  };
  const submit = (): void => {
    if (!value) return;
    const range = [
      { path, operator: 'gte', value },
      { path, operator: 'lte', value: end ?? '' },
    ];
    if (isWhole) onApply(isBetween ? range : [{ path, operator: comparison.operator, value }]);
  };
  return (
    <Form onSubmit={submit}>
      <Stack gap="sm">
        <NativeSelect
          label={t.users.filters.field}
          {...inputProps(path, choosePath)}
          data={known.map((one) => ({ value: one.path, label: one.label }))}
        />
        <NativeSelect
          label={t.users.filters.condition}
          {...inputProps(comparison.words, chooseWords)}
          data={comparisons.map((one) => ({ value: one.words, label: t.users.filters.comparisons[one.words] }))}
        />
        {comparison.value === undefined && (
          <ValueInput
            target={target}
            operator={comparison.operator}
            {...(isBetween && { label: t.users.filters.from })}
            value={typed}
            isRefused={value === undefined}
            onChange={setTyped}
          />
        )}
        {isBetween && (
          <ValueInput
            target={target}
            operator={BETWEEN}
            label={t.users.filters.to}
            value={typedEnd}
            isRefused={end === undefined}
            onChange={setTypedEnd}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" size="xs" onClick={onCancel}>
            {t.common.cancel}
          </Button>
          <Button type="submit" size="xs" disabled={!isWhole}>
            {t.users.filters.apply}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

function wordsOf({ operator, value }: Condition, comparisons: readonly Comparison[]): string | undefined {
  return comparisons.find((one) => one.operator === operator && (one.value ?? value) === value)?.words;
}

/**
 * The text of the inputs for the value of a condition; that of choices is as the service takes it.
 */
function typedValue({ operator, value }: Condition, { type }: Target): string {
  const shown = (text: string): string => (type === 'number' && isNumber(text) ? numbers.write(Number(text)) : text);
  if (hasChoicesOf(type) || operator !== 'in') return shown(value);
  if (type === 'number') return valuesInList(value).map(shown).join(`${numbers.separator} `);
  return value;
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

const hasChoicesOf = (type: Target['type']): boolean => type === 'choice' || type === 'choices';

/** The value for the service, without spaces around commas; undefined for what is no number. */
function normalized(typed: string, operator: string, { type }: Target): string | undefined {
  if (hasChoicesOf(type)) return typed;
  const isList = operator === 'in';
  if (type !== 'number') {
    if (!isList) return typed.trim();
    const values = valuesInList(typed).map((text) => text.trim());
    return listOfValues(values.filter((text) => text !== ''));
  }
  const texts = isList ? typed.split(numbers.separator).filter((text) => text.trim() !== '') : [typed];
  const read = texts.map((text) => (text.trim() === '' ? '' : numbers.read(text)));
  return read.includes(undefined) ? undefined : read.map(String).join(',');
}
