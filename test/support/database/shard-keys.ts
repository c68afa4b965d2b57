import type { Document, MongoClient } from 'mongodb';
import { SLOT_NAMES } from '../../../src/features/indexes/index-slots.ts';
import type { CollectionSchema } from '../../../src/platform/database/mongoose.ts';

/** The members of the shard key of each sharded collection, by its name. */
type ShardKeys = ReadonlyMap<string, readonly string[]>;

export function shardKeysOf(collections: readonly CollectionSchema[]): ShardKeys {
  return new Map(
    collections.flatMap(({ options: { collection, shardKey } }) =>
      shardKey ? [[collection, Object.keys(shardKey)] as const] : [],
    ),
  );
}

interface Allowed {
  /**
   * The command, its collection and the members of its filter, as in the message of a violation.
   */
  statement: string | RegExp;
  reason: string;
}

/** Statements over all apps, which a cluster sends to each shard. */
export const ALLOWED: readonly Allowed[] = [
  { statement: 'find users {outbox.0.at $exists}', reason: 'the relay reads the events of all apps' },
  { statement: /^find users \{.*\} from \{_id\}$/, reason: 'admins list the records of all apps, by id' },
  { statement: 'find users {_id $in}', reason: 'admins read a page of all apps by ids' },
  ...SLOT_NAMES.map((slot) => ({
    statement: `find users {} from {appId, ${slot}, _id}`,
    reason: 'reads the keys of a slot alone, between bounds that name the app',
  })),
  {
    statement: /^find submissions \{\} from \{appId, (s0|done), _id\}$/,
    reason: 'reads the keys of emails or of marks alone, between bounds that name the app',
  },
  { statement: 'aggregate users {appId $gt}', reason: 'counts the records of each app for admins' },
  {
    statement: /^(find|aggregate|\$unionWith) files\.files \{metadata\.checkAt \$lte\}$/,
    reason: 'a job examines the files of all apps',
  },
  { statement: 'find files.files {}', reason: 'asks whether there are files, at most every 5 seconds' },
  { statement: 'distinct deliveries {state}', reason: 'the dispatcher looks for endpoints with work in all apps' },
  {
    statement: 'aggregate files.files {metadata.network, uploadDate $gt}',
    reason: 'sums the files that a network sent to all apps',
  },
  {
    statement: /^(find|aggregate|\$unionWith) files\.files \{metadata\.scan( \$in)?(, _id \$gt)?\}$/,
    reason: 'a job scans the files of all apps that wait for it',
  },
  { statement: 'find deliveries {webhookId, state}', reason: 'finds the app of an endpoint that was deleted' },
];

/**
 * What violates the rules of sharded collections (docs/sharding.md) in a command: the statement and
 * the rule. Undefined when all hold.
 */
export function findViolation(command: Document, keys: ShardKeys): string | undefined {
  const [name = ''] = Object.keys(command);
  if (HARMLESS.has(name)) return undefined;
  const collection: unknown = command[name];
  const key = typeof collection === 'string' ? keys.get(collection) : undefined;
  const problem =
    name === 'aggregate'
      ? pipelineProblem(command.pipeline, key, keys)
      : key && (CHECKS[name] ?? unknown)(command, key);
  if (problem === undefined) return undefined;
  const statement = `${name} ${collection} ${shapeOf(command)}`.trimEnd();
  if (ALLOWED.some((one) => isStatement(one, statement))) return undefined;
  return `${statement}: ${problem}`;
}

const isStatement = ({ statement }: Allowed, sent: string): boolean =>
  typeof statement === 'string' ? statement === sent : statement.test(sent);

/** Commands that continue or describe; none reads documents by a filter. */
const HARMLESS = new Set(['getMore', 'killCursors', 'listIndexes', 'dropIndexes', 'create', 'explain']);

type Check = (command: Document, key: readonly string[]) => string | undefined;

const unknown: Check = () => 'is no statement whose shard key is checked';

const CHECKS: Record<string, Check> = {
  insert: ({ documents }, key) => firstProblem(documents, (document) => insertProblem(document, key)),
  update: ({ updates }, key) =>
    firstProblem(updates, ({ q, u, multi }) => writeProblem(q, key, multi === true) ?? changeProblem(u, key)),
  delete: ({ deletes }, key) => firstProblem(deletes, ({ q, limit }) => writeProblem(q, key, limit === 0)),
  findAndModify: ({ query, update, upsert }, key) =>
    writeProblem(query, key, false) ?? changeProblem(withoutMove(update ?? {}, upsert), key),
  find: ({ filter }, key) => readProblem(filter, key),
  count: ({ query }, key) => readProblem(query, key),
  distinct: ({ query }, key) => readProblem(query, key),
  createIndexes: ({ indexes }, key) => firstProblem(indexes, (index) => indexProblem(index, key)),
};

/**
 * A cluster moves one document whose key `$set` changes, in a transaction of its own, if the filter
 * names the whole key before. The driver repeats the command, as `retryWrites` demands.
 */
function withoutMove(update: Document | Document[], upsert: unknown): Document | Document[] {
  if (Array.isArray(update) || upsert || !Object.keys(update).every((name) => name.startsWith('$'))) return update;
  const { $set: _, ...rest } = update;
  return rest;
}

function firstProblem(parts: readonly Document[], problemOf: (part: Document) => string | undefined) {
  for (const part of parts) {
    const problem = problemOf(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function insertProblem(document: Document, key: readonly string[]): string | undefined {
  const missing = key.filter((member) => valueAt(document, member) === undefined || valueAt(document, member) === null);
  return missing.length > 0 ? `the document has no ${missing.join(', ')}` : undefined;
}

function valueAt(document: Document, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], document);
}

/** Whether a change of one path changes what is at the other. */
const isWithin = (path: string, other: string): boolean => path === other || path.startsWith(`${other}.`);

/** A write of several documents may name several values of a member. */
function writeProblem(filter: Document | undefined, key: readonly string[], isOfMany: boolean): string | undefined {
  const named = namedBy(filter ?? {});
  const missing = key.filter((member) => {
    const how = named.get(member);
    return how !== 'one' && !(isOfMany && how === 'some');
  });
  return missing.length > 0 ? `the filter does not name ${missing.join(', ')} by equality` : undefined;
}

function changeProblem(update: Document | Document[], key: readonly string[]): string | undefined {
  const isReplacement = !Array.isArray(update) && !Object.keys(update).every((name) => name.startsWith('$'));
  if (isReplacement) return insertProblem(update, key);
  for (const part of Array.isArray(update) ? update : [update]) {
    for (const [operator, change] of Object.entries(part)) {
      if (operator === '$setOnInsert') continue;
      const paths =
        typeof change === 'string' ? [change] : Array.isArray(change) ? change : Object.keys(Object(change));
      const changed = key.filter((member) =>
        paths.some((path) => isWithin(String(path), member) || isWithin(member, String(path))),
      );
      if (changed.length > 0) return `${operator} changes ${changed.join(', ')}`;
    }
  }
  return undefined;
}

function readProblem(filter: Document | undefined, [first = '']: readonly string[]): string | undefined {
  const how = namedBy(filter ?? {}).get(first);
  // The ids of an app are a range where the id begins with that of the app.
  if (how === 'one' || how === 'some' || (how === 'range' && first === '_id')) return undefined;
  return `the filter does not name ${first} by equality`;
}

/** The driver sends the members of an index as a map. */
function indexProblem({ key: members, unique }: Document, key: readonly string[]): string | undefined {
  const names = members instanceof Map ? [...members.keys()] : Object.keys(members);
  if (!unique || key.every((member, at) => names[at] === member)) return undefined;
  return `the unique index does not begin with ${key.join(', ')}`;
}

function pipelineProblem(
  pipeline: readonly Document[],
  key: readonly string[] | undefined,
  keys: ShardKeys,
): string | undefined {
  if (key) {
    const problem = readProblem(pipeline[0]?.$match, key);
    if (problem !== undefined) return problem;
  }
  return firstProblem(pipeline, (stage) => {
    const [name = ''] = Object.keys(stage);
    const { coll, from, into, on, pipeline: inner = [] } = Object(stage[name]);
    const other = keys.get(coll ?? from ?? into ?? (name === '$out' ? stage.$out : ''));
    if (!other) return undefined;
    if (name === '$unionWith') {
      const statement = `${name} ${coll} ${shapeOf({ pipeline: inner })}`;
      return ALLOWED.some((one) => isStatement(one, statement)) ? undefined : pipelineProblem(inner, other, keys);
    }
    if (name === '$merge') return mergeProblem(pipeline, on, other);
    return `${name} uses a sharded collection`;
  });
}

function mergeProblem(pipeline: readonly Document[], on: unknown, key: readonly string[]): string | undefined {
  const members = [on ?? '_id'].flat();
  const missing = key.filter((member) => !members.includes(member));
  if (missing.length > 0) return `"on" of $merge does not name ${missing.join(', ')}`;
  const projected = pipeline.findLast(({ $project }) => $project)?.$project ?? {};
  if (key.every((member) => projected[member])) return undefined;
  const documents = pipeline.flatMap(({ $project }) => $project?.document?.$literal ?? []);
  if (documents.length === 0) return 'the documents of $merge are not known';
  return firstProblem(documents, (document) => insertProblem(document, key));
}

/** How a filter names a member: `one` value, `some` values, or a `range` with both ends. */
type Named = 'one' | 'some' | 'range';

function namedBy(filter: Document): Map<string, Named> {
  const named = new Map<string, Named>();
  const note = (member: string, how: Named | undefined): void => {
    if (how && named.get(member) !== 'one') named.set(member, how);
  };
  for (const [member, condition] of Object.entries(filter)) {
    if (member === '$and') {
      for (const part of condition) for (const [name, how] of namedBy(part)) note(name, how);
    } else if (member === '$or') {
      const branches: Map<string, Named>[] = condition.map(namedBy);
      for (const name of branches[0]?.keys() ?? []) {
        const all = branches.map((branch) => branch.get(name));
        if (all.every((how) => how === 'one' || how === 'some')) note(name, 'some');
        else if (all.every((how) => how !== undefined)) note(name, 'range');
      }
    } else note(member, howNamed(condition));
  }
  return named;
}

function howNamed(condition: unknown): Named | undefined {
  if (condition === null || condition === undefined || condition instanceof RegExp) return undefined;
  const operators = operatorsOf(condition);
  if (operators.length === 0) return 'one';
  if (operators.includes('$eq')) return 'one';
  if (operators.includes('$in')) return 'some';
  const has = (...names: string[]) => names.some((name) => operators.includes(name));
  return has('$gt', '$gte') && has('$lt', '$lte') ? 'range' : undefined;
}

const operatorsOf = (condition: unknown): string[] =>
  Object.keys(Object(condition)).filter((name) => name.startsWith('$'));

/** The members of the filters of a command, without values: `{appId, _id $in}`. */
function shapeOf({ filter, query, updates, deletes, pipeline, documents, min }: Document): string {
  const filters: Document[] = updates ?? deletes ?? [{ q: filter ?? query ?? pipeline?.[0]?.$match ?? {} }];
  if (documents) return '';
  const shapes = new Set(filters.map(({ q }) => `{${[...new Set(membersOf(q))].join(', ')}}`));
  const between = min ? ` from {${Object.keys(min).join(', ')}}` : '';
  return [...shapes].slice(0, 3).join(' ') + between;
}

function membersOf(filter: Document): string[] {
  return Object.entries(filter).flatMap(([member, condition]) =>
    member === '$and' || member === '$or'
      ? condition.flatMap(membersOf)
      : [[member, ...operatorsOf(condition)].join(' ')],
  );
}

const violations: string[] = [];

/** Watches the commands of a client, which must have the option `monitorCommands`. */
export function watchShardKeys(
  client: MongoClient,
  collections: readonly CollectionSchema[],
  report = (violation: string) => void violations.push(violation),
): void {
  const keys = shardKeysOf(collections);
  client.on('commandStarted', ({ command }) => {
    const violation = findViolation(command, keys);
    if (violation !== undefined) report(`${violation}\n${placeOf()}`);
  });
}

/** Returns the violations since the last call. */
export const takeViolations = (): string[] => violations.splice(0);

/**
 * The lines of this project in the stack: the event is emitted within the call of the statement.
 */
function placeOf(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const stack = new Error().stack ?? '';
  Error.stackTraceLimit = stackTraceLimit;
  const lines = stack
    .split('\n')
    .filter((line) => /\/(src|test)\//.test(line) && !/node_modules|database\/shard-keys\.ts/.test(line));
  return lines.slice(0, 4).join('\n') || '    (the call is not in the stack)';
}
