import { type Db, type Document, MongoServerError } from 'mongodb';
import type { CollectionSchema, IndexDeclaration } from '../../platform/database/mongoose.ts';
import { type Context, isSharded, STATEMENT_MS } from './context.ts';
import { duration, type Finding, fault, good, reasonOf, warning } from './findings.ts';

/** A declared index and what the database has in its place. */
interface IndexState {
  collection: string;
  keys: IndexDeclaration[0];
  options: IndexDeclaration[1];
  state: 'exact' | 'other' | 'missing';
}

/** The options that change what an index refuses, finds or removes. */
const DECISIVE = ['unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds', 'collation'] as const;

/** The options that decide what an index does, as text. `unique: false` counts as absent. */
export function decisive(options: Document): string {
  return JSON.stringify(DECISIVE.map((name) => (options[name] === false ? undefined : options[name]) ?? null));
}

/** Resolves with the indexes of a collection; undefined when it does not exist. */
export async function readIndexes(database: Db, name: string): Promise<Document[] | undefined> {
  try {
    return await database.collection(name).listIndexes({ maxTimeMS: STATEMENT_MS }).toArray();
  } catch (error) {
    if (error instanceof MongoServerError && error.codeName === 'NamespaceNotFound') return undefined;
    throw error;
  }
}

/** Compares all declared indexes with those of the database. Undefined: no collection exists. */
async function compareIndexes({ database, services }: Context): Promise<IndexState[] | undefined> {
  const states: IndexState[] = [];
  let exists = false;
  for (const schema of services.collections) {
    const name = schema.options.collection;
    const found = await readIndexes(database, name);
    exists ||= found !== undefined;
    for (const [keys, options] of schema.indexes()) {
      const same = found?.filter(({ key }) => JSON.stringify(key) === JSON.stringify(keys)) ?? [];
      const isExact = same.some((index) => decisive(index) === decisive(options));
      const state = isExact ? 'exact' : same.length > 0 ? 'other' : 'missing';
      states.push({ collection: name, keys, options, state });
    }
  }
  return exists ? states : undefined;
}

const nameOf = ({ collection, keys }: Pick<IndexState, 'collection' | 'keys'>): string =>
  `${collection} { ${Object.entries(keys)
    .map(([key, order]) => `${key}: ${order}`)
    .join(', ')} }`;

/** Every declared index with its options; a missing unique one is a fault. */
export async function checkIndexes(context: Context): Promise<Finding[]> {
  const states = await compareIndexes(context);
  if (!states) return [warning('the database is empty', 'Start a server on it, which creates the indexes.')];
  const findings = states
    .filter(({ state }) => state !== 'exact')
    .map((index) => {
      const { state, options } = index;
      const kind = options.unique ? 'unique index' : 'index';
      const advice =
        state === 'missing'
          ? 'Start a server, which creates it.'
          : 'Drop that index and start a server, which creates the right one.';
      const found = `the ${kind} ${nameOf(index)} ${state === 'missing' ? 'is missing' : 'has other options'}`;
      return options.unique
        ? fault(`${found}: nothing prevents duplicates`, `Stop submissions, see "duplicates". ${advice}`)
        : warning(found, advice);
    });
  return findings.length > 0 ? findings : [good(`all ${states.length} indexes are there`)];
}

/** The documents of a collection in which duplicates are sought, the newest ones. */
const SOUGHT = 100_000;
const SHOWN = 3;
const SEEK_MS = 15_000;

/** Looks for values that occur twice, where a unique index is missing. */
export async function checkDuplicates(context: Context): Promise<Finding[]> {
  const states = (await compareIndexes(context)) ?? [];
  const missing = states.filter(({ state, options }) => state !== 'exact' && options.unique);
  if (missing.length === 0) return [good('the unique indexes prevent them')];
  const findings: Finding[] = [];
  for (const index of missing) findings.push(await seekDuplicates(context.database, index));
  return findings;
}

async function seekDuplicates(database: Db, index: IndexState): Promise<Finding> {
  const { collection, keys, options } = index;
  const name = nameOf(index);
  const paths = Object.keys(keys);
  // The paths of one index are in one array at most.
  const arrays = new Set(paths.filter((path) => path.includes('.')).map((path) => path.split('.')[0]));
  const isIndexed = options.sparse ? { $or: paths.map((path) => ({ [path]: { $exists: true } })) } : {};
  try {
    const total = await database.collection(collection).estimatedDocumentCount({ maxTimeMS: STATEMENT_MS });
    const found = await database
      .collection(collection)
      .aggregate<{ ids: unknown[] }>(
        [
          { $sort: { _id: -1 } },
          { $limit: SOUGHT },
          { $match: options.partialFilterExpression ?? isIndexed },
          { $project: Object.fromEntries(paths.map((path) => [path, 1])) },
          ...[...arrays].map((array) => ({ $unwind: `$${array}` })),
          { $group: { _id: paths.map((path) => `$${path}`), ids: { $addToSet: '$_id' } } },
          { $match: { 'ids.1': { $exists: true } } },
          { $limit: SHOWN },
        ],
        { hint: { _id: 1 }, maxTimeMS: SEEK_MS, allowDiskUse: false },
      )
      .toArray();
    return judgeDuplicates(name, found, total);
  } catch (error) {
    const advice = 'Look for duplicates yourself before you create the index.';
    return warning(`${name} could not be looked at (${reasonOf(error)})`, advice);
  }
}

function judgeDuplicates(name: string, found: readonly { ids: unknown[] }[], total: number): Finding {
  const looked = total > SOUGHT ? `the newest ${SOUGHT} of about ${total} documents` : `all ${total} documents`;
  if (found.length > 0) {
    // Ids are no personal data; the values, such as emails, are.
    const groups = found.map(({ ids }) => ids.slice(0, 2).map(String).join(' and ')).join('; ');
    return fault(
      `${name} has duplicates in ${looked}, such as the documents ${groups}`,
      'Decide which document of each pair stays, remove the others, then start a server.',
    );
  }
  const result = `${name} has no duplicates in ${looked}`;
  if (total <= SOUGHT) return warning(result, 'Start a server, which creates the index.');
  return warning(`${result}; the others were not looked at`, 'Start a server: the index is refused if there are any.');
}

const LATE_MS = 10 * 60_000;
const VERY_LATE_MS = 24 * 3_600_000;

/** The oldest document that a time-to-live index should have removed, over all collections. */
export async function checkExpiry({ database, services, now }: Context): Promise<Finding> {
  let worst: { name: string; lateMs: number } | undefined;
  let looked = 0;
  const expiring = services.collections.flatMap((schema) =>
    schema
      .indexes()
      .flatMap(([keys, { expireAfterSeconds }]) =>
        expireAfterSeconds === undefined ? [] : [{ name: schema.options.collection, keys, expireAfterSeconds }],
      ),
  );
  for (const { name, keys, expireAfterSeconds } of expiring) {
    const [path = ''] = Object.keys(keys);
    const dueMs = now.getTime() - expireAfterSeconds * 1_000;
    const options = { projection: { [path]: 1 }, sort: keys, hint: keys, limit: 1, maxTimeMS: STATEMENT_MS };
    try {
      const late = { [path]: { $lt: new Date(dueMs - LATE_MS) } };
      const [oldest] = await database.collection<Document>(name).find(late, options).toArray();
      looked += 1;
      const lateMs = oldest ? dueMs - oldest[path].getTime() : 0;
      if (lateMs > (worst?.lateMs ?? 0)) worst = { name, lateMs };
    } catch (error) {
      // Without the index, which another check reports, nothing is removed.
      if (!(error instanceof MongoServerError) || error.codeName !== 'BadValue') throw error;
    }
  }
  if (!worst) return good(`nothing is overdue in ${looked} collections`);
  const found = `${worst.name} has documents that should have been removed ${duration(worst.lateMs)} ago`;
  const advice = 'Check that ttlMonitorEnabled is true on the primary, and the load of its disk.';
  return worst.lateMs > VERY_LATE_MS ? fault(found, advice) : warning(found, advice);
}

interface ShardedCollection {
  _id: string;
  key?: Document;
}

/** On a sharded cluster: whether each collection has its shard key. */
export async function checkShardKeys(context: Context): Promise<Finding | Finding[]> {
  if (!isSharded(context)) return good('the database is not sharded');
  const { databaseName } = context.database;
  const ids = declaredKeys(context.services.collections).map(([name]) => `${databaseName}.${name}`);
  const sharded = await context.client
    .db('config')
    .collection<ShardedCollection>('collections')
    .find({ _id: { $in: ids } }, { projection: { key: 1 }, maxTimeMS: STATEMENT_MS })
    .toArray();
  return judgeShardKeys(databaseName, context.services.collections, sharded);
}

function declaredKeys(collections: readonly CollectionSchema[]): [string, Document][] {
  return collections.flatMap(({ options: { collection, shardKey } }): [string, Document][] =>
    shardKey ? [[collection, shardKey]] : [],
  );
}

export function judgeShardKeys(
  databaseName: string,
  collections: readonly CollectionSchema[],
  sharded: readonly ShardedCollection[],
): Finding | Finding[] {
  const keys = declaredKeys(collections);
  const found = new Map(sharded.map(({ _id, key }) => [_id, key]));
  const findings = keys.flatMap(([name, key]): Finding[] => {
    const actual = found.get(`${databaseName}.${name}`);
    if (JSON.stringify(actual) === JSON.stringify(key)) return [];
    if (!actual) {
      return [warning(`${name} is not sharded: it is on one shard`, 'Run `user-collection-service shard --apply`.')];
    }
    return [
      fault(`${name} has the shard key ${JSON.stringify(actual)} instead of ${JSON.stringify(key)}`, 'Reshard it.'),
    ];
  });
  return findings.length > 0 ? findings : good(`all ${keys.length} collections have their shard key`);
}
