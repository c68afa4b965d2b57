import {
  BSON,
  type CreateIndexesOptions,
  type MongoClient,
  type Collection as MongoCollection,
  type Document as MongoDocument,
  MongoNetworkTimeoutError,
} from 'mongodb';
import type { Connection } from './client.ts';

export type Collection<Document extends MongoDocument> = MongoCollection<Document>;

export type IndexDeclaration = [keys: Record<string, 1 | -1>, options: CreateIndexesOptions];

/** A key that MongoDB can split by ranges, and zones can divide by app. */
export type ShardKey = Readonly<Record<string, 1>>;

/** Where a sharded cluster keeps a collection: divided by a key, or on its primary shard. */
interface Placement {
  shardKey?: ShardKey;
  reason: string;
}

/**
 * Declares that a cluster divides the collection by this key (docs/sharding.md). Every write names
 * the whole key by equality, and every read its first member. No write changes the key. A unique
 * index begins with the key, or is that on `_id` of ids that the app in the key determines.
 */
export const shardedBy = (shardKey: ShardKey, reason: string): Placement => ({ shardKey, reason });

/** Declares that a cluster keeps the whole collection on its primary shard. */
export const onPrimaryShard = (reason: string): Placement => ({ reason });

/** A collection's name, place and indexes. Its documents are declared by a type. */
export interface CollectionDeclaration {
  name: string;
  placement: Placement;
  indexes: readonly IndexDeclaration[];
  /** Returns the declaration with one more index. */
  index(...index: [keys: IndexDeclaration[0], options?: IndexDeclaration[1]]): CollectionDeclaration;
}

/** Declares a collection without any index but that on `_id`. */
export function declareCollection(
  name: string,
  placement: Placement,
  indexes: readonly IndexDeclaration[] = [],
): CollectionDeclaration {
  const index: CollectionDeclaration['index'] = (keys, options = {}) =>
    declareCollection(name, placement, [...indexes, [keys, options]]);
  return { name, placement, indexes, index };
}

/**
 * The driver looks field names up in a plain object, which inherits `constructor` and `toString`;
 * without these entries it returns arrays in fields of these names as raw bytes.
 */
const NO_RAW_FIELDS = Object.fromEntries(Object.getOwnPropertyNames(Object.prototype).map((name) => [name, false]));

/** Decodes a BSON document, with the same result as reading it from a collection. */
export function decode<Document>(bytes: Uint8Array): Document {
  return BSON.deserialize(bytes, { fieldsAsRaw: NO_RAW_FIELDS }) as Document;
}

/** Decodes a BSON document so that `serialize` returns the same types. */
export function decodeExactly<Document>(bytes: Uint8Array): Document {
  const options = { promoteValues: false, bsonRegExp: true, fieldsAsRaw: NO_RAW_FIELDS };
  return BSON.deserialize(bytes, options) as Document;
}

/** Default time limit of one statement in the database, in milliseconds. */
export const STATEMENT_TIME_MS = 3_000;

/** Asks a server for its part in the deployment, and for its time. */
export function hello(client: MongoClient): Promise<MongoDocument> {
  return client.db('admin').command({ hello: 1, maxTimeMS: STATEMENT_TIME_MS });
}

/** When its time is over, MongoDB aborts the build; that of a very large collection takes hours. */
export const INDEX_BUILD_TIME_MS = 24 * 60 * 60 * 1_000;

/** Index of the options argument of each collection method. */
const OPTIONS_INDEX = {
  aggregate: 1,
  bulkWrite: 1,
  countDocuments: 1,
  createIndex: 1,
  deleteMany: 1,
  deleteOne: 1,
  distinct: 2,
  dropIndex: 1,
  find: 1,
  findOne: 1,
  findOneAndUpdate: 2,
  findOneAndDelete: 1,
  findOneAndReplace: 2,
  insertMany: 1,
  insertOne: 1,
  replaceOne: 2,
  updateMany: 2,
  updateOne: 2,
} as const;

/**
 * Sets a default time limit on every statement of a collection, so that the database stops work for
 * requests that have ended. A limit of the caller takes precedence. Returns the collection.
 */
export function limitStatementTime<Document extends MongoDocument>(
  collection: Collection<Document>,
): Collection<Document> {
  const methods = collection as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const [name, index] of Object.entries(OPTIONS_INDEX)) {
    const method = methods[name];
    if (!method) throw new Error(`the driver has no collection method ${name}`);
    methods[name] = (...args) => {
      args[index] = { maxTimeMS: STATEMENT_TIME_MS, ...(args[index] as object | undefined) };
      return method.apply(collection, args);
    };
  }
  return collection;
}

/** A collection of the database with its declaration. */
export interface Model<Document extends MongoDocument> {
  declaration: CollectionDeclaration;
  collection: Collection<Document>;
}

/** A model of any document, for the creation of its indexes. */
export type CollectionIndexes = { declaration: CollectionDeclaration };

export function createModel<Document extends MongoDocument>(
  connection: Connection,
  declaration: CollectionDeclaration,
): Model<Document> {
  const database = connection.getClient().db(connection.name);
  const collection = database.collection<Document>(declaration.name, { fieldsAsRaw: NO_RAW_FIELDS });
  return { declaration, collection: limitStatementTime(collection) };
}

/**
 * The command that creates indexes of a collection, with the names that the driver gives. The
 * driver's own method removes the time limit from its options.
 */
export const indexCommand = (collection: string, indexes: readonly IndexDeclaration[]) => ({
  createIndexes: collection,
  indexes: indexes.map(([key, options]) => ({ key, name: Object.entries(key).flat().join('_'), ...options })),
  maxTimeMS: INDEX_BUILD_TIME_MS,
});

/**
 * Creates the indexes that models declare. The service must not listen before: without the unique
 * index, concurrent first submissions of one email create two records (invariant 2). Submissions to
 * other servers pass while an index is built.
 */
export async function ensureIndexes(connection: Connection, models: readonly CollectionIndexes[]): Promise<void> {
  const client = connection.getClient();
  const { setName, msg } = await hello(client);
  // By default a build waits for all members, also for one that is down.
  const quorum = setName !== undefined || msg === 'isdbgrid' ? { commitQuorum: 'majority' as const } : {};
  for (const { declaration } of models) {
    if (declaration.indexes.length === 0) continue;
    const durable = { ...quorum, writeConcern: { w: 'majority', j: true } };
    const command = { ...indexCommand(declaration.name, declaration.indexes), ...durable };
    await build(() => client.db(connection.name).command(command));
  }
}

/**
 * Repeats the statement when the connection ends: the driver gives a connection up that is silent
 * for 30 s, but the build continues, and the same statement joins it.
 */
async function build(create: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + INDEX_BUILD_TIME_MS;
  for (;;) {
    try {
      await create();
      return;
    } catch (error) {
      if (!(error instanceof MongoNetworkTimeoutError) || performance.now() > until) throw error;
    }
  }
}

/** A regular expression that matches this text only. */
export function literal(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every ASCII character is meant
  return text.replace(/[\x00-\x7f]/g, (character) =>
    /[A-Za-z0-9]/.test(character) ? character : `\\x{${character.charCodeAt(0).toString(16)}}`,
  );
}
