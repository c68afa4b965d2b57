import { parseInstant } from '../../fields/base/iso-date.ts';
import { FIELD_KEY_PATTERN } from '../../fields/base/kind.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { PendingRenames } from '../../fields/renames.ts';
import { InvalidInput } from '../../platform/core/errors.ts';
import { type Given, type Issue, type Reason, say, toReason } from '../../platform/languages/reasons.ts';
import {
  HIGHEST,
  type Interval,
  isDay,
  LOWEST,
  type Ordered,
  type Predicate,
  type Sort,
  type Target,
  type ValueType,
} from './condition-filters.ts';
import { valuesInList } from './value-list.ts';

const OPERATORS = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'prefix', 'contains', 'exists', 'empty'] as const;
type Operator = (typeof OPERATORS)[number];

function isOperator(text: string): text is Operator {
  return (OPERATORS as readonly string[]).includes(text);
}

const OF_TEXT = ['eq', 'ne', 'in', 'prefix', 'contains', 'exists', 'empty'] as const;
const OF_ORDER = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists', 'empty'] as const;

const OPERATORS_OF: Record<ValueType, readonly Operator[]> = {
  email: OF_TEXT,
  text: OF_TEXT,
  number: OF_ORDER,
  date: OF_ORDER,
  time: OF_ORDER,
  checkbox: ['eq', 'ne', 'exists', 'empty'],
  array: ['contains', 'exists', 'empty'],
  multiselect: ['contains', 'in', 'exists', 'empty'],
  file: ['exists'],
};

/** Spec 8. */
const MAX_IN = 100;

const DAY_MS = 86_400_000;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

type Comparison = Pick<Predicate, 'test' | 'isNot'>;

interface Refused {
  problem: Reason;
}

/** Returns the comparison, or the problem of the value. */
function parseComparison(type: ValueType, operator: Operator, value: string): Comparison | Refused {
  if (operator === 'exists' || operator === 'empty') return presence(operator, value);
  if (type === 'array') return { test: { is: 'item', values: spellings(value) }, isNot: false };
  // Its only operators are those above.
  if (type === 'file') return { problem: say('notBooleanValue') };
  const values = operator === 'in' ? valuesInList(value) : [value];
  if (values.length > MAX_IN) return { problem: say('tooManyValues', { max: MAX_IN }) };
  if (type === 'multiselect') return { test: { is: 'chosen', choices: values }, isNot: false };
  if (type === 'text' || type === 'email') {
    return textual(operator, type === 'email' ? values.map((text) => text.toLowerCase()) : values);
  }
  return within(type, operator, values);
}

function presence(operator: 'exists' | 'empty', value: string): Comparison | Refused {
  if (value !== 'true' && value !== 'false') return { problem: say('notBooleanValue') };
  const test = operator === 'exists' ? ({ is: 'absent' } as const) : ({ is: 'empty' } as const);
  return { test, isNot: (operator === 'exists') === (value === 'true') };
}

function textual(operator: Operator, texts: readonly string[]): Comparison {
  const [text = ''] = texts;
  if (operator === 'prefix' || operator === 'contains') return { test: { is: operator, text }, isNot: false };
  return { test: { is: 'equal', texts }, isNot: operator === 'ne' };
}

function spellings(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = parseNumber(text);
  return number === undefined ? [text] : [text, number];
}

function parseNumber(text: string): number | undefined {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

type Bounded = Exclude<ValueType, 'text' | 'email' | 'array' | 'multiselect' | 'file'>;

function within(type: Bounded, operator: Operator, values: readonly string[]): Comparison | Refused {
  const intervals: Interval[] = [];
  for (const value of values) {
    const read = READERS[type](value);
    if ('problem' in read) return read;
    intervals.push(compared(operator, read));
  }
  return { test: { is: 'within', intervals }, isNot: operator === 'ne' };
}

/** The values that a text represents: one of them, or those of a day. */
const READERS: Record<Bounded, (text: string) => Interval | Refused> = {
  number: (text) => {
    const number = parseNumber(text);
    return number === undefined ? { problem: say('notNumberValue') } : only(number);
  },
  checkbox: (text) =>
    text === 'true' || text === 'false' ? only(text === 'true') : { problem: say('notBooleanValue') },
  date: readDate,
  time: readDate,
};

function readDate(text: string): Interval | Refused {
  const instant = parseInstant(text);
  if (instant === undefined) return { problem: say('notDateValue') };
  const { low, high } = only(instant);
  return { low, high: isDay(text) ? { value: instant + DAY_MS, isAfter: false } : high };
}

const only = (value: Ordered): Interval => ({ low: { value, isAfter: false }, high: { value, isAfter: true } });

/** The values with this relation to all values of `given`. */
function compared(operator: Operator, given: Interval): Interval {
  const { low, high } = given;
  if (operator === 'gt') return { low: high, high: HIGHEST };
  if (operator === 'gte') return { low, high: HIGHEST };
  if (operator === 'lt') return { low: LOWEST, high: low };
  if (operator === 'lte') return { low: LOWEST, high };
  return given;
}

/** The part of an app's newest schema that defines the paths of queries. */
export interface QuerySchema {
  fields: readonly Pick<FieldDefinition, 'key' | 'kind'>[];
  rejectUnknown: boolean;
  /** The renames whose values are being moved. */
  renames?: PendingRenames | undefined;
  /** Whether the index of words is still complete. Undefined: the search reads each record. */
  isSearchReady?: (() => Promise<boolean>) | undefined;
}

/** Spec 8. */
export const MAX_WHERE = 20;
const MAX_VALUE_LENGTH = 1_000;

const OWN_TARGETS: readonly Target[] = [
  { path: 'email', type: 'email' },
  { path: 'createdAt', type: 'time' },
  { path: 'updatedAt', type: 'time' },
  { path: 'confirmedAt', type: 'time' },
  { path: 'schemaVersion', type: 'number' },
];
const OWN = new Map(OWN_TARGETS.map((target) => [target.path, target]));

export const CREATED_AT = OWN.get('createdAt') as Target;

/** For queries over several apps: only the members of the record are known. */
export const NO_FIELDS: QuerySchema = { fields: [], rejectUnknown: true };

/** Parses `where` (spec 4.3). @throws {InvalidInput} with an issue for each invalid one */
export function parseWhere(where: readonly string[], schema: QuerySchema): Predicate[] {
  if (where.length > MAX_WHERE) throw invalidQuery('where', say('tooManyTimes', { max: MAX_WHERE }));
  const issues: Issue[] = [];
  const predicates: Predicate[] = [];
  for (const [index, text] of where.entries()) {
    const parsed = parseOne(text, schema);
    if ('problem' in parsed) issues.push({ path: `where.${index}`, ...parsed.problem });
    else predicates.push(parsed);
  }
  if (issues.length > 0) throw invalid(issues);
  return predicates;
}

/** Whether a query of an app with this schema may have the condition. */
export function isCondition(text: string, schema: QuerySchema): boolean {
  return !('problem' in parseOne(text, schema));
}

/** By default the newest records are first (spec 4.3). @throws {InvalidInput} for unknown fields */
export function parseSort(sort: string | undefined, order: 'asc' | 'desc' | undefined, schema: QuerySchema): Sort {
  const target = findTarget(sort ?? CREATED_AT.path, schema);
  if (!target) throw invalidQuery('sort', 'notAppField');
  const isNewestFirst = target.type === 'time';
  const isField = target.key === undefined || schema.fields.some(({ key }) => key === target.key);
  return {
    target: isField ? target : { ...target, type: 'mixed' },
    direction: (order ?? (isNewestFirst ? 'desc' : 'asc')) === 'desc' ? -1 : 1,
  };
}

/** Returns undefined when the app has no such field. */
export function findTarget(path: string, { fields, rejectUnknown, renames }: QuerySchema): Target | undefined {
  const own = OWN.get(path);
  if (own) return own;
  const key = path.startsWith('data.') ? path.slice('data.'.length) : '';
  if (!FIELD_KEY_PATTERN.test(key)) return undefined;
  const kind = fields.find((field) => field.key === key)?.kind;
  if (kind === undefined && rejectUnknown) return undefined;
  const type = kind === undefined || kind === 'select' ? 'text' : kind;
  const former = formerPlace(key, renames);
  return { path, key, type, ...(former && { former }) };
}

function formerPlace(key: string, renames: PendingRenames | undefined): Target['former'] {
  const pair = renames?.pairs.find(({ to }) => to === key);
  return pair && renames ? { path: `data.${pair.from}`, key: pair.from, below: renames.version } : undefined;
}

/** Returns the predicate, or the problem of the text. */
function parseOne(text: string, schema: QuerySchema): Predicate | Refused {
  const [path = '', operator = ''] = text.split(':', 2);
  const value = text.slice(path.length + operator.length + 2);
  const target = findTarget(path, schema);
  if (!target) return { problem: say('namesNoField') };
  if (!isOperator(operator)) return { problem: say('notOperator', { values: OPERATORS.join(', ') }) };
  if (!OPERATORS_OF[target.type].includes(operator))
    return { problem: say('operatorOfOtherKind', { kind: target.type }) };
  if (value.length > MAX_VALUE_LENGTH) return { problem: say('valueTooLong', { max: MAX_VALUE_LENGTH }) };
  const test = parseComparison(target.type, operator, value);
  return 'problem' in test ? test : { target, ...test };
}

/** The error for one parameter of a query. */
export const invalidQuery = (path: string, problem: Given): InvalidInput => invalid([{ path, ...toReason(problem) }]);

function invalid(issues: readonly Issue[]): InvalidInput {
  return new InvalidInput('invalidQuery', issues);
}
