import { ActionIcon, Button, Fieldset, NativeSelect, TagsInput, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { NumberInput } from '../../components/form/number-input.tsx';
import { TrashIcon } from '../../components/icons.tsx';
import { enteredNumber, numberText } from '../../texts/numbers.ts';
import { conditionTexts as texts } from '../draft/condition-texts.ts';
import {
  type Comparison,
  comparisonOf,
  comparisonsOf,
  conditionOn,
  listOf,
  withComparison,
  withList,
} from '../draft/conditions.ts';
import type { LooseDefinition } from '../draft/draft.ts';
import { labelsOf } from '../draft/form-options.ts';
import { capitalize } from '../draft/messages.ts';
import { type Condition, type Conditions, MAX_CONDITIONS } from '../draft/rules.ts';
import classes from './conditions-control.module.css';

interface ConditionsControlProps {
  /** What the conditions decide, for example `Shown only if`. */
  legend: string;
  /** The place of the conditions in the paths of problems, such as `showIf`. */
  path: string;
  value: Conditions | undefined;
  /** The fields that the conditions may name. */
  fields: readonly LooseDefinition[];
  /** Messages by path, such as `showIf.all.0.value`. */
  problems: Readonly<Record<string, string>>;
  /** Shown below the conditions. */
  children?: ReactNode;
  onChange: (value: Conditions | undefined) => void;
}

/** Edits conditions on fields, such as those under which a field is shown or required. */
export function ConditionsControl(props: ConditionsControlProps) {
  const { legend, path, value, fields, problems, children, onChange } = props;
  const list = value ? listOf(value) : [];
  const mode = value?.any ? 'any' : 'all';
  const [first] = fields;
  const change = (next: readonly Condition[]): void => onChange(withList(value, next));
  return (
    <Fieldset legend={legend} className={classes.conditions ?? ''}>
      {list.length > 1 && (
        <NativeSelect
          aria-label={`${legend}: ${texts.mode}`}
          value={mode}
          data={[
            { value: 'all', label: texts.all },
            { value: 'any', label: texts.any },
          ]}
          onChange={({ currentTarget }) => onChange(currentTarget.value === 'any' ? { any: list } : { all: list })}
        />
      )}
      {list.map((condition, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no identity but its place
          key={index}
          legend={legend}
          place={index + 1}
          condition={condition}
          fields={fields}
          problemOf={(part) => capitalize(problems[`${path}.${mode}.${index}${part}`])}
          onChange={(next) => change(list.with(index, next))}
          onRemove={() => change(list.toSpliced(index, 1))}
        />
      ))}
      {first ? (
        <Button
          variant="default"
          size="xs"
          className={classes.add ?? ''}
          disabled={list.length >= MAX_CONDITIONS}
          onClick={() => change([...list, conditionOn(first)])}
        >
          {texts.add}
        </Button>
      ) : (
        <Text size="xs" c="dimmed">
          {texts.noEarlier}
        </Text>
      )}
      {[problems[path], problems[`${path}.${mode}`]].map(
        (problem) =>
          problem && (
            <Text key={problem} c="var(--mantine-color-error)">
              {capitalize(problem)}
            </Text>
          ),
      )}
      {children}
    </Fieldset>
  );
}

interface RowProps {
  legend: string;
  place: number;
  condition: Condition;
  fields: readonly LooseDefinition[];
  /** The message of a part such as `.value`. */
  problemOf: (part: string) => string | undefined;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
}

function Row({ legend, place, condition, fields, problemOf, onChange, onRemove }: RowProps) {
  const named = fields.find(({ key }) => key === condition.field);
  const comparisons = named ? comparisonsOf(named) : [];
  const current = comparisonOf(condition);
  // A value that nobody entered yet is no mistake of theirs.
  const [wasLeft, setLeft] = useState(false);
  const isUnknown = named !== undefined && !comparisons.includes(current);
  return (
    <div className={classes.row}>
      <NativeSelect
        aria-label={`${legend}: ${texts.field(place)}`}
        value={condition.field}
        error={problemOf('.field') ?? problemOf('')}
        data={[
          ...(named ? [] : [{ value: condition.field, label: condition.field || texts.chooseField }]),
          ...fields.map(({ key, label }) => ({ value: key, label: label || key })),
        ]}
        onChange={({ currentTarget }) => {
          const next = fields.find(({ key }) => key === currentTarget.value);
          if (next) onChange(conditionOn(next));
        }}
      />
      <NativeSelect
        aria-label={`${legend}: ${texts.operator(place)}`}
        value={current}
        error={problemOf('.op')}
        data={[...(named && !isUnknown ? [] : [current]), ...comparisons].map((one) => ({
          value: one,
          label: comparisonName(one, named),
        }))}
        onChange={({ currentTarget }) => {
          const next = comparisons.find((one) => one === currentTarget.value);
          if (next && named) onChange(withComparison(condition, next, named));
        }}
      />
      {condition.op !== 'exists' && (
        <ValueControl
          label={`${legend}: ${texts.value(place)}`}
          condition={condition}
          named={named}
          onLeave={() => setLeft(true)}
          error={
            wasLeft || condition.value !== undefined
              ? (problemOf('.value') ?? firstOfList(condition, problemOf))
              : undefined
          }
          onChange={(value) =>
            onChange({ field: condition.field, op: condition.op, ...(value !== undefined && { value }) })
          }
        />
      )}
      <ActionIcon variant="subtle" color="gray" aria-label={`${legend}: ${texts.remove(place)}`} onClick={onRemove}>
        <TrashIcon size={16} />
      </ActionIcon>
    </div>
  );
}

/** The message of the first value of a list that has one. */
function firstOfList({ value }: Condition, problemOf: RowProps['problemOf']): string | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((_, index) => problemOf(`.value.${index}`)).find((problem) => problem !== undefined);
}

function comparisonName(comparison: Comparison, named: LooseDefinition | undefined): string {
  if (comparison === 'notExists') return texts.notExists;
  const ofDates: Partial<Record<Comparison, string>> = named?.kind === 'date' ? texts.dateOperators : {};
  return ofDates[comparison] ?? texts.operators[comparison];
}

interface ValueControlProps {
  label: string;
  /** Called when the control loses the focus. */
  onLeave: () => void;
  condition: Condition;
  named: LooseDefinition | undefined;
  error: string | undefined;
  onChange: (value: Condition['value']) => void;
}

/** The control of a value by the kind of the field that the condition names. */
function ValueControl({ label, condition: { op, value }, named, error, onLeave, onChange }: ValueControlProps) {
  const choices =
    named?.kind !== 'text' && Array.isArray(named?.enum) ? [...new Set(named.enum.map(String))] : undefined;
  const shared = { 'aria-label': label, error, onBlur: onLeave };
  const isNumber = named?.kind === 'number';
  if (op === 'in') {
    const entered = [value ?? []].flat().map(numberText);
    return (
      <TagsInput
        {...shared}
        description={entered.length === 0 ? texts.severalValues : undefined}
        value={entered}
        data={choices ?? []}
        // A comma can be a part of a value.
        splitChars={[]}
        isDuplicate={(text, list) => list.includes(text)}
        acceptValueOnBlur
        onChange={(next) =>
          onChange(
            next.length === 0 ? undefined : next.map((text) => (isNumber ? (enteredNumber(text) ?? text) : text)),
          )
        }
      />
    );
  }
  if (named?.kind === 'checkbox') {
    return (
      <NativeSelect
        {...shared}
        value={String(value)}
        data={[
          { value: 'true', label: texts.ticked },
          { value: 'false', label: texts.notTicked },
        ]}
        onChange={({ currentTarget }) => onChange(currentTarget.value === 'true')}
      />
    );
  }
  // A part of a choice need not be one.
  if (choices && (op !== 'contains' || named?.kind === 'multiselect')) {
    const labels = labelsOf(named?.enumLabels);
    return <Choices {...shared} choices={choices} labels={labels} value={value} onChange={onChange} />;
  }
  if (isNumber) {
    return <NumberInput {...shared} isSigned={!(Number(named?.min) >= 0)} value={value} onChange={onChange} />;
  }
  return <LineInput key={named?.kind} {...shared} isDate={named?.kind === 'date'} value={value} onChange={onChange} />;
}

interface LineInputProps {
  'aria-label': string;
  onBlur: () => void;
  error: string | undefined;
  isDate: boolean;
  value: Condition['value'];
  onChange: (value: string | undefined) => void;
}

function LineInput({ isDate, value, onChange, ...shared }: LineInputProps) {
  const text = String(value ?? '');
  // Another control in the place of one in which somebody types would lose what is typed.
  const [isDay] = useState(isDate && /^(?:\d{4}-\d{2}-\d{2})?$/.test(text));
  return (
    <TextInput
      {...shared}
      type={isDay ? 'date' : 'text'}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}

interface ChoicesProps {
  'aria-label': string;
  onBlur: () => void;
  error: string | undefined;
  choices: readonly string[];
  labels: Readonly<Record<string, string>>;
  value: Condition['value'];
  onChange: (value: string) => void;
}

function Choices({ choices, labels, value, onChange, ...shared }: ChoicesProps) {
  const current = String(value ?? '');
  const offered = choices.includes(current) ? choices : [current, ...choices];
  return (
    <NativeSelect
      {...shared}
      value={current}
      data={offered.map((one) => ({ value: one, label: Object.hasOwn(labels, one) ? (labels[one] ?? one) : one }))}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
