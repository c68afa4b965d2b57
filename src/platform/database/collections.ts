import { BSON, type MongoClient, type Collection as MongoCollection, type Document as MongoDocument } from 'mongodb';
import { Unavailable } from '../core/errors.ts';
import { withTimeout } from '../core/timeouts.ts';
import { LATE_WRITE_ENDS_MS, STATEMENT_TIME_MS } from './lateness.ts';

export type Collection<Document extends MongoDocument> = MongoCollection<Document>;

/**
 * The driver looks field names up in a plain object, which inherits `constructor` and `toString`;
 * without these entries it returns arrays in fields of these names as raw bytes.
 */
export const NO_RAW_FIELDS = Object.fromEntries(
  Object.getOwnPropertyNames(Object.prototype).map((name) => [name, false]),
);

/** Decodes a BSON document, with the same result as reading it from a collection. */
export function decode<Document>(bytes: Uint8Array): Document {
  return BSON.deserialize(bytes, { fieldsAsRaw: NO_RAW_FIELDS }) as Document;
}

/** Decodes a BSON document so that `serialize` returns the same types. */
export function decodeExactly<Document>(bytes: Uint8Array): Document {
  const options = { promoteValues: false, bsonRegExp: true, fieldsAsRaw: NO_RAW_FIELDS };
  return BSON.deserialize(bytes, options) as Document;
}

/** Asks a server for its part in the deployment, and for its time. */
export function hello(client: MongoClient): Promise<MongoDocument> {
  return client.db('admin').command({ hello: 1, maxTimeMS: STATEMENT_TIME_MS });
}

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
  findOneAndReplace: 2,
  insertMany: 1,
  insertOne: 1,
  replaceOne: 2,
  updateMany: 2,
  updateOne: 2,
} satisfies { [Method in keyof MongoCollection]?: number };

/** The methods that send documents, which may be large. */
const SENDING: ReadonlySet<string> = new Set([
  'bulkWrite',
  'findOneAndReplace',
  'findOneAndUpdate',
  'insertMany',
  'insertOne',
  'replaceOne',
  'updateMany',
  'updateOne',
]);

/**
 * Settles like a statement that sends documents, and rejects when writes count as ended. The driver
 * never settles a large one whose connection it closes while the network does not take the rest: it
 * waits for the socket's `drain` only.
 * @param statement may give the signal to the driver: at the end, the connection then leaves its
 *   pool, which otherwise counts it until the process ends
 * @throws {Unavailable}
 */
export async function untilEnded<Result>(
  statement: (signal: AbortSignal) => Promise<Result>,
  ms = LATE_WRITE_ENDS_MS,
): Promise<Result> {
  const ending = new AbortController();
  return withTimeout(statement(ending.signal), ms, () => {
    ending.abort();
    return new Unavailable();
  });
}

/**
 * Returns the collection with a default time limit for every statement, so that the database stops
 * work for requests that have ended. A limit of the caller takes precedence. The driver has no such
 * option: its `timeoutMS` has no effect.
 * @param endsMs replaces {@link LATE_WRITE_ENDS_MS} in tests only
 */
export function limitStatementTime<Document extends MongoDocument>(
  collection: Collection<Document>,
  endsMs = LATE_WRITE_ENDS_MS,
): Collection<Document> {
  const limited = Object.create(collection);
  for (const [name, index] of Object.entries(OPTIONS_INDEX)) {
    const method: (...args: unknown[]) => unknown = limited[name];
    const run = (args: unknown[], signal?: AbortSignal): unknown => {
      args[index] = { maxTimeMS: STATEMENT_TIME_MS, ...(args[index] as object | undefined), ...(signal && { signal }) };
      return method.apply(collection, args);
    };
    // A signal reduces the rate of submissions, which are written in bulk, by 7 % (decision 36).
    const hasSignal = name !== 'bulkWrite';
    limited[name] = SENDING.has(name)
      ? (...args: unknown[]) => untilEnded(async (signal) => run(args, hasSignal ? signal : undefined), endsMs)
      : (...args: unknown[]) => run(args);
  }
  return limited;
}

/** A regular expression that matches this text only. */
export function literal(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every ASCII character is meant
  return text.replace(/[\x00-\x7f]/g, (character) =>
    /[A-Za-z0-9]/.test(character) ? character : `\\x{${character.charCodeAt(0).toString(16)}}`,
  );
}
