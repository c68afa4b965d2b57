import mongoose, { type Connection, mongo } from 'mongoose';

/** The driver's typed collection. */
export type Collection<Document extends mongo.Document> = mongo.Collection<Document>;

/** A Mongoose schema as far as it is used here: it declares a collection's shape and indexes. */
export interface SchemaDeclaration {
  index(keys: Record<string, 1 | -1>, options?: mongo.CreateIndexesOptions): this;
  indexes(): [mongo.IndexSpecification, mongo.CreateIndexesOptions & { background?: boolean }][];
}

interface SchemaOptions {
  collection: string;
  versionKey: false;
  minimize?: false;
}

/** Mongoose's own types of this take the compiler ten seconds: it compares their sixteen parameters wherever a schema is passed on. */
export const Schema = mongoose.Schema as unknown as {
  new (definition: Record<string, unknown>, options: SchemaOptions): SchemaDeclaration;
  Types: { ObjectId: unknown; UUID: unknown; Mixed: unknown };
};

/**
 * Which fields to leave undecoded: none. The driver looks names up in a plain object, where `constructor` and `toString` are found, so it handed out the arrays in fields of these
 * names as raw bytes.
 */
const NOTHING_RAW = Object.fromEntries(Object.getOwnPropertyNames(Object.prototype).map((name) => [name, false]));

/** A document out of its bytes, as reading it from a collection would give it. */
export function decode<Document>(bytes: Uint8Array): Document {
  return mongo.BSON.deserialize(bytes, { fieldsAsRaw: NOTHING_RAW }) as Document;
}

/** How long the database works on one statement at most, in milliseconds, unless the caller sets another limit. */
export const STATEMENT_TIME_MS = 3_000;

/** An index build on a large collection takes minutes. */
export const INDEX_BUILD_TIME_MS = 60 * 60 * 1_000;

/** Where each method of a collection takes its options. */
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
 * Gives every statement of a collection a time limit (`maxTimeMS`), so that the database stops work whose request has
 * ended. A statement that sets its own limit keeps it. Returns the collection.
 */
export function limitStatementTime<Document extends mongo.Document>(
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

/** A collection as a model file declares it. */
export interface Model<Document extends mongo.Document> {
  schema: SchemaDeclaration;
  collection: Collection<Document>;
}

/**
 * Joins a Mongoose schema with the driver's own collection, which reads and writes: what is read here by the thousand has no need of documents with
 * behaviour (docs/decisions/0010-native-collections.md).
 */
export function createModel<Document extends mongo.Document>(
  connection: Connection,
  name: string,
  schema: SchemaDeclaration,
): Model<Document> {
  const models = connection as unknown as {
    model(name: string, schema: SchemaDeclaration): { collection: { collectionName: string } };
  };
  const { collectionName } = models.model(name, schema).collection;
  const database = connection.getClient().db(connection.name);
  const collection = database.collection<Document>(collectionName, { fieldsAsRaw: NOTHING_RAW });
  return { schema, collection: limitStatementTime(collection) };
}

/**
 * Creates the indexes that models declare, and resolves when they are there. The service must not listen before: without its unique index two first
 * submissions of one email would make two records (invariant 2). Safe when several servers do it at once.
 */
export async function ensureIndexes(
  models: readonly { schema: SchemaDeclaration; collection: unknown }[],
): Promise<void> {
  for (const { schema, collection } of models) {
    for (const [keys, { background: _, ...options }] of schema.indexes()) {
      await (collection as Collection<mongo.Document>).createIndex(keys, {
        ...options,
        maxTimeMS: INDEX_BUILD_TIME_MS,
      });
    }
  }
}
