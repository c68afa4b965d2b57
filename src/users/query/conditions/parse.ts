import { InvalidInput, type Issue } from '../../../core/errors.ts';
import type { FieldDefinition } from '../../../fields/definition.ts';
import { FIELD_KEY_PATTERN } from '../../../fields/kind.ts';
import type { PendingRenames } from '../../../fields/renames.ts';
import { comparisonOf, isOperator, OPERATORS_OF, type Operator } from './operators.ts';
import type { Predicate, Sort, Target } from './predicate.ts';

/** The part of an app's newest schema that decides what a path means. */
export interface QuerySchema {
  fields: readonly Pick<FieldDefinition, 'key' | 'kind'>[];
  rejectUnknown: boolean;
  /** The renames whose values are being moved, if any. */
  renames?: PendingRenames | undefined;
}

/** The most `where` of a query and the most characters of a value (spec 8). */
export const MAX_WHERE = 20;
export const MAX_VALUE_LENGTH = 1_000;

/** Paths of the record itself. */
const OWN_TARGETS: readonly Target[] = [
  { path: 'email', type: 'email' },
  { path: 'createdAt', type: 'time' },
  { path: 'updatedAt', type: 'time' },
  { path: 'confirmedAt', type: 'time' },
  { path: 'schemaVersion', type: 'number' },
];
const OWN = new Map(OWN_TARGETS.map((target) => [target.path, target]));

export const CREATED_AT = OWN.get('createdAt') as Target;
export const EMAIL = OWN.get('email') as Target;

/** The schema of queries over several apps: only the members of the record are known. */
export const NO_FIELDS: QuerySchema = { fields: [], rejectUnknown: true };

/**
 * Parses the `where` parameters of a query (spec 4.3).
 * @throws {InvalidInput} with an issue for each invalid one
 */
export function parseWhere(where: readonly string[], schema: QuerySchema): Predicate[] {
  if (where.length > MAX_WHERE) throw invalid([{ path: 'where', message: `must be given at most ${MAX_WHERE} times` }]);
  const issues: Issue[] = [];
  const predicates: Predicate[] = [];
  for (const [index, text] of where.entries()) {
    const parsed = parseOne(text, schema);
    if (typeof parsed === 'string') issues.push({ path: `where.${index}`, message: parsed });
    else predicates.push(parsed);
  }
  if (issues.length > 0) throw invalid(issues);
  return predicates;
}

/**
 * Parses `sort` and `order`; by default the newest records are first (spec 4.3).
 * @throws {InvalidInput} when the app has no such field
 */
export function parseSort(sort: string | undefined, order: 'asc' | 'desc' | undefined, schema: QuerySchema): Sort {
  const target = targetOf(sort ?? CREATED_AT.path, schema);
  if (!target) throw invalid([{ path: 'sort', message: 'is not a field of the app' }]);
  const isNewestFirst = target.type === 'time';
  const isField = target.key === undefined || schema.fields.some(({ key }) => key === target.key);
  return {
    target: isField ? target : { ...target, type: 'mixed' },
    direction: (order ?? (isNewestFirst ? 'desc' : 'asc')) === 'desc' ? -1 : 1,
  };
}

/** The member that a path names; undefined when the app has no such field. */
export function targetOf(path: string, { fields, rejectUnknown, renames }: QuerySchema): Target | undefined {
  const own = OWN.get(path);
  if (own) return own;
  const key = path.startsWith('data.') ? path.slice('data.'.length) : '';
  if (!FIELD_KEY_PATTERN.test(key)) return undefined;
  const kind = fields.find((field) => field.key === key)?.kind;
  if (kind === undefined && rejectUnknown) return undefined;
  const type = kind === undefined || kind === 'select' ? 'text' : kind;
  const former = formerOf(key, renames);
  return { path, key, type, ...(former && { former }) };
}

/** Where the value of a key is in records that are still to be moved. */
function formerOf(key: string, renames: PendingRenames | undefined): Target['former'] {
  const pair = renames?.pairs.find(({ to }) => to === key);
  return pair && renames ? { path: `data.${pair.from}`, key: pair.from, below: renames.version } : undefined;
}

/** Returns the predicate, or what is wrong with the text. */
function parseOne(text: string, schema: QuerySchema): Predicate | string {
  const [path = '', operator = ''] = text.split(':', 2);
  const value = text.slice(path.length + operator.length + 2);
  const target = targetOf(path, schema);
  if (!target) return 'does not begin with the path of a field of the app';
  if (!isOperator(operator)) return 'has no known operator after its path';
  if (!OPERATORS_OF[target.type].includes(operator)) return `has an operator that ${target.type} fields do not have`;
  if (value.length > MAX_VALUE_LENGTH) return `has a value of more than ${MAX_VALUE_LENGTH} characters`;
  return predicateOf(target, operator, value);
}

function predicateOf(target: Target, operator: Operator, value: string): Predicate | string {
  const test = comparisonOf(target.type, operator, value);
  return typeof test === 'string' ? test : { target, ...test };
}

function invalid(issues: readonly Issue[]): InvalidInput {
  return new InvalidInput('Invalid query parameters', issues);
}
