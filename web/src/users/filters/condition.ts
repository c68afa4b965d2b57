import { valuesInList } from '#src/features/search/value-list.ts';
import type { Field } from '../../api/endpoints.ts';
import { calendarDay, dateTime } from '../../components/content/time.tsx';
import { fieldName, labelOf } from '../../components/form/labels.ts';
import { locale } from '../../texts/language.ts';
import { numbers } from '../../texts/numbers.ts';
import { type Texts, t } from '../../texts/texts.ts';

/** A condition as the service reads it: `<path>:<operator>:<value>`. */
export interface Condition {
  path: string;
  operator: string;
  value: string;
}

type TargetType = 'text' | 'choice' | 'choices' | 'number' | 'date' | 'checkbox' | 'array' | 'file';

/** The subject of a condition. */
export interface Target {
  path: string;
  label: string;
  type: TargetType;
  /** The values of a choice with their labels. */
  choices: { value: string; label: string }[];
  /** Whether an index has its values. `possible`: the schema could ask for one. */
  index: 'present' | 'possible' | 'never';
}

/**
 * A way to compare, with the name of its words. One with `value` needs no other: `empty` with
 * `true`.
 */
export interface Comparison {
  operator: string;
  words: Words;
  value?: 'true' | 'false';
}

type Words = keyof Texts['users']['filters']['comparisons'];

const EMPTY: Comparison[] = [
  { operator: 'empty', words: 'isEmpty', value: 'true' },
  { operator: 'empty', words: 'isNotEmpty', value: 'false' },
];
const PRESENT: Comparison[] = [
  { operator: 'exists', words: 'exists', value: 'true' },
  { operator: 'exists', words: 'doesNotExist', value: 'false' },
];
const EQUAL: Comparison[] = [
  { operator: 'eq', words: 'is' },
  { operator: 'ne', words: 'isNot' },
];
/** Becomes two conditions: `gte` and `lte`. */
export const BETWEEN = 'between';
const ONE_OF: Comparison = { operator: 'in', words: 'isOneOf' };

/** The comparisons that the filter builder offers, by the type of the values. */
export const COMPARISONS: Record<TargetType, readonly Comparison[]> = {
  text: [
    { operator: 'contains', words: 'contains' },
    { operator: 'prefix', words: 'beginsWith' },
    ...EQUAL,
    ONE_OF,
    ...EMPTY,
  ],
  choice: [...EQUAL, ONE_OF, ...EMPTY],
  choices: [{ operator: 'contains', words: 'includes' }, { operator: 'in', words: 'includesOneOf' }, ...EMPTY],
  number: [
    ...EQUAL,
    { operator: 'gte', words: 'atLeast' },
    { operator: 'lte', words: 'atMost' },
    { operator: 'gt', words: 'moreThan' },
    { operator: 'lt', words: 'lessThan' },
    { operator: BETWEEN, words: 'between' },
    ONE_OF,
    ...EMPTY,
  ],
  date: [
    { operator: 'eq', words: 'on' },
    { operator: 'ne', words: 'notOn' },
    { operator: 'lt', words: 'before' },
    { operator: 'lte', words: 'onOrBefore' },
    { operator: 'gt', words: 'after' },
    { operator: 'gte', words: 'onOrAfter' },
    { operator: BETWEEN, words: 'between' },
    ...EMPTY,
  ],
  checkbox: [...EQUAL, ...EMPTY],
  array: [{ operator: 'contains', words: 'contains' }, ...EMPTY],
  file: PRESENT,
};

/** Comparisons that only links have. */
const OTHERS: readonly Comparison[] = [
  ...PRESENT,
  ...COMPARISONS.text,
  { operator: 'in', words: 'isOneOf' },
  // Of a field that has become a text, or is gone.
  ...COMPARISONS.number,
];

/** The values of a checkbox with their labels. */
export const yesOrNo = (): Target['choices'] => [
  { value: 'true', label: t.users.filters.yes },
  { value: 'false', label: t.users.filters.no },
];
/** A date without a time. */
export const DAY = /^\d{4}-\d{2}-\d{2}$/;
export const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 });

/** The targets of an app: the email, the fields of its newest schema, and the times. */
export function targetsOf(fields: readonly Field[]): Target[] {
  return [
    { path: 'email', label: t.common.email, type: 'text', choices: [], index: 'present' },
    ...fields.map(
      (field): Target => ({
        path: `data.${field.key}`,
        label: fieldName(field),
        type: field.kind === 'select' ? 'choice' : field.kind === 'multiselect' ? 'choices' : field.kind,
        choices: choicesOf(field),
        index: indexOf(field),
      }),
    ),
    { path: 'createdAt', label: t.common.created, type: 'date', choices: [], index: 'present' },
    { path: 'updatedAt', label: t.common.updated, type: 'date', choices: [], index: 'never' },
    { path: 'schemaVersion', label: t.users.filters.schemaVersion, type: 'number', choices: [], index: 'never' },
  ];
}

/** The target of a path. A key that is not in the newest schema is compared as a text. */
export function targetOf(path: string, targets: readonly Target[]): Target {
  const known = targets.find((target) => target.path === path);
  return known ?? { path, label: path.replace(/^data\./, ''), type: 'text', choices: [], index: 'never' };
}

export function parseCondition(text: string): Condition {
  const [path = '', operator = ''] = text.split(':', 2);
  return { path, operator, value: text.slice(path.length + operator.length + 2) };
}

export function conditionText({ path, operator, value }: Condition): string {
  return `${path}:${operator}:${value}`;
}

/** The comparison of a condition; undefined for one that the dashboard does not know. */
function comparisonOf({ operator, value }: Condition, { type }: Target): Comparison | undefined {
  return [...COMPARISONS[type], ...OTHERS].find(
    (comparison) => comparison.operator === operator && (comparison.value ?? value) === value,
  );
}

/** A condition in words, for example `Age at least 18`. */
export function conditionWords(condition: Condition, target: Target): string {
  const comparison = comparisonOf(condition, target);
  const { comparisons: words } = t.users.filters;
  if (comparison?.value !== undefined) return t.users.filters.conditionOf(target.label, words[comparison.words]);
  const values = condition.operator === 'in' ? valuesInList(condition.value) : [condition.value];
  const shown = values
    .map((value) => valueWords(value, target))
    .join(`${target.type === 'number' ? numbers.separator : ','} `);
  const compared = comparison ? words[comparison.words] : condition.operator;
  return t.users.filters.conditionOfValue(target.label, compared, shown);
}

function valueWords(value: string, target: Target): string {
  const { type } = target;
  if (type === 'date' && !Number.isNaN(Date.parse(value))) {
    return DAY.test(value) ? calendarDay(value) : dateTime.format(new Date(value));
  }
  if (type === 'number' && value !== '' && Number.isFinite(Number(value))) return number.format(Number(value));
  return choiceLabel(value, target);
}

/** The label of a value that can be chosen; others are shown as they are. */
export function choiceLabel(value: string, { type, choices }: Target): string {
  const known = type === 'checkbox' ? yesOrNo() : choices;
  return known.find((choice) => choice.value === value)?.label ?? value;
}

function indexOf(field: Field): Target['index'] {
  if (field.kind === 'array' || field.kind === 'multiselect' || field.kind === 'file') return 'never';
  return field.indexed ? 'present' : 'possible';
}

function choicesOf(field: Field): Target['choices'] {
  if (field.kind !== 'select' && field.kind !== 'multiselect') return [];
  return field.enum.map((value) => ({ value, label: String(labelOf(field, value)) }));
}
