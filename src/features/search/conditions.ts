import { FIELD_KEY_PATTERN } from '../../core/fields/base/kind.ts';
import {
  type Asked,
  askText,
  OF_TEXT,
  type QueriedValues,
  type QueryOperator,
  type Refused,
} from '../../core/fields/base/queries.ts';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import { date } from '../../core/fields/kinds/date.ts';
import { number } from '../../core/fields/kinds/number.ts';
import { EXTRA_KINDS, getKind } from '../../core/fields/kinds/registry.ts';
import { InvalidInput } from '../../platform/core/errors.ts';
import { type Given, type Issue, say, toReason } from '../../platform/languages/reasons.ts';
import { indexText } from '../../platform/text/index-value.ts';
import type { PendingRenames } from '../renames/renames.ts';
import type { Predicate, Sort, Target } from './condition-filters.ts';
import { valuesInList } from './value-list.ts';

const OPERATORS = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'prefix', 'contains', 'exists', 'empty'] as const;

const isOperator = (text: string): text is QueryOperator => (OPERATORS as readonly string[]).includes(text);

/** Spec 8. */
const MAX_IN = 100;

/** Addresses are stored in lower case. */
const EMAILS: QueriedValues = {
  name: 'email',
  operators: OF_TEXT,
  ask: (operator, texts) =>
    askText(
      operator,
      texts.map((text) => text.toLowerCase()),
    ),
  sortValue: (value) => (typeof value === 'string' ? value : undefined),
  chart: 'none',
};

const TIMES: QueriedValues = {
  ...date.queried,
  name: 'time',
  sortValue: (value) => (value instanceof Date ? value.getTime() : undefined),
  storedAs: 'time',
  chart: 'times',
};

/** The values of an unknown key sort as numbers, then texts, then booleans. */
const sortMixed = (value: unknown): string | number | boolean | undefined =>
  typeof value === 'number' || typeof value === 'boolean' ? value : (indexText(value) ?? undefined);

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
  { path: 'email', values: EMAILS },
  { path: 'createdAt', values: TIMES },
  { path: 'updatedAt', values: TIMES },
  { path: 'confirmedAt', values: TIMES },
  { path: 'schemaVersion', values: number.queried },
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
  const isNewestFirst = target.values === TIMES;
  const isField = target.key === undefined || schema.fields.some(({ key }) => key === target.key);
  return {
    target: isField ? target : { ...target, values: { ...target.values, sortValue: sortMixed } },
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
  const values = getKind(kind ?? EXTRA_KINDS.one).queried;
  const former = formerPlace(key, renames);
  return { path, key, values, ...(former && { former }) };
}

function formerPlace(key: string, renames: PendingRenames | undefined): Target['former'] {
  const pair = renames?.pairs.find(({ to }) => to === key);
  return pair && renames ? { path: `data.${pair.from}`, key: pair.from, below: renames.version } : undefined;
}

function parseOne(text: string, schema: QuerySchema): Predicate | Refused {
  const [path = '', operator = ''] = text.split(':', 2);
  const value = text.slice(path.length + operator.length + 2);
  const target = findTarget(path, schema);
  if (!target) return { problem: say('namesNoField') };
  if (!isOperator(operator)) return { problem: say('notOperator', { values: OPERATORS.join(', ') }) };
  const { name, operators } = target.values;
  if (!operators.includes(operator)) return { problem: say('operatorOfOtherKind', { kind: name }) };
  if (value.length > MAX_VALUE_LENGTH) return { problem: say('valueTooLong', { max: MAX_VALUE_LENGTH }) };
  const asked = ask(target.values, operator, value);
  return 'problem' in asked ? asked : { target, ...asked };
}

/** Returns what the condition asks, or the problem of the value. */
function ask(values: QueriedValues, operator: QueryOperator, value: string): Asked | Refused {
  if (operator === 'exists' || operator === 'empty' || !values.ask) {
    if (value !== 'true' && value !== 'false') return { problem: say('notBooleanValue') };
    return {
      test: { is: operator === 'empty' ? 'empty' : 'absent' },
      isNot: (operator === 'exists') === (value === 'true'),
    };
  }
  const texts = operator === 'in' ? valuesInList(value) : [value];
  return texts.length > MAX_IN ? { problem: say('tooManyValues', { max: MAX_IN }) } : values.ask(operator, texts);
}

/** The error for one parameter of a query. */
export const invalidQuery = (path: string, problem: Given): InvalidInput => invalid([{ path, ...toReason(problem) }]);

function invalid(issues: readonly Issue[]): InvalidInput {
  return new InvalidInput('invalidQuery', issues);
}
