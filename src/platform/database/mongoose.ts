import {
  Binary,
  type CountDocumentsOptions,
  type CreateIndexesOptions,
  type DeleteResult,
  type Filter,
  type FindOneAndUpdateOptions,
  type FindOptions,
  type MongoClient,
  type Document as MongoDocument,
  type ObjectId,
  type OptionalUnlessRequiredId,
  type UpdateFilter,
  type UpdateOptions,
  type UpdateResult,
  UUID,
} from 'mongodb';
import mongoose from 'mongoose';
import { type Collection, limitStatementTime, untilEnded } from './collections.ts';
import { STATEMENT_TIME_MS } from './lateness.ts';

/**
 * The declarations of all collections, in the language of Mongoose. Only this file imports it, and
 * only what this file declares of its types is used: those of Mongoose take the compiler 200,000
 * types (decision 10).
 */

/** The part of Mongoose that this file uses. */
interface Library {
  Schema: { new (definition: object, options: object): LibrarySchema; Types: TypeClasses };
  createConnection(): LibraryConnection;
}

type TypeClasses = Record<string, TypeClass> & Record<'Array' | 'DocumentArray' | 'Mixed', TypeClass>;

interface LibrarySchema {
  eachPath(visit: (path: string, type: SchemaType) => void): void;
}

interface LibraryConnection {
  setClient(client: MongoClient): void;
  useDb(name: string): LibraryConnection;
  model(name: string, schema: object): LibraryModel;
  destroy(): Promise<void>;
}

interface LibraryModel {
  new (document: object): { validate(): Promise<void> };
  findOne(filter: object, projection: object | undefined, options: object): Promise<never>;
  find(filter: object, projection: object | undefined, options: object): Promise<never>;
  countDocuments(filter: object, options: object): Promise<number>;
  updateOne(filter: object, update: object, options: object): Promise<UpdateResult>;
  updateMany(filter: object, update: object, options: object): Promise<UpdateResult>;
  findOneAndUpdate(filter: object, update: object, options: object): Promise<never>;
  deleteOne(filter: object, options: object): Promise<DeleteResult>;
  deleteMany(filter: object, options: object): Promise<DeleteResult>;
}

/** What Mongoose knows of one member of a document. */
interface SchemaType {
  path: string;
  instance: string;
  isRequired: boolean;
  allowNull(isAllowed: boolean): void;
  default(value: undefined): void;
  cast(value: unknown, ...others: unknown[]): unknown;
}

interface TypeClass {
  // biome-ignore lint/suspicious/noExplicitAny: the constructors of the types differ
  new (...args: any[]): SchemaType;
  cast(caster: false): void;
  checkRequired(isPresent: (value: unknown) => boolean): void;
}

/** An error of Mongoose, of one path or of several. */
interface Refusal extends Error {
  path?: string;
  errors?: object;
}

interface Statics {
  Mongoose: new (options: object) => Library;
  SchemaType: TypeClass & { prototype: { $conditionalHandlers: object } };
  Error: (new () => Refusal) & {
    CastError: new (type: string, value: unknown, path: string, reason: undefined, of: SchemaType) => Error;
  };
}

const { Mongoose, SchemaType: BaseType, Error: Errors } = mongoose as unknown as Statics;

/** An instance of its own, so that the types below are no others' types. */
const library = new Mongoose({
  createInitialConnection: false,
  autoIndex: false,
  autoCreate: false,
  // A connection may have two models of a collection, with the members of other parts.
  overwriteModels: true,
});
const { Types } = library.Schema;

// A value of another type is an error, and is never converted.
for (const name of ['String', 'Number', 'Boolean', 'Date', 'ObjectId']) {
  const Type = class extends (Types[name] as TypeClass) {};
  Type.cast(false);
  Types[name] = Type;
}
// By default an empty string counts as absent.
Types.String?.checkRequired((value) => value !== undefined && value !== null);

Types.UUID = exactType('UUID', (value) => value instanceof UUID);
Types.Binary = exactType('Binary', (value) => value instanceof Binary);

/** A type of values as the driver reads and writes them, whose ranges can be queried. */
function exactType(name: string, isOfType: (value: unknown) => boolean): TypeClass {
  const cast = function (this: SchemaType, value: unknown): unknown {
    return this.cast(value);
  };
  return class extends BaseType {
    static schemaName = name;

    readonly $conditionalHandlers = {
      ...BaseType.prototype.$conditionalHandlers,
      $gt: cast,
      $gte: cast,
      $lt: cast,
      $lte: cast,
    };

    constructor(path: string, options: object, _schemaOptions: unknown, parent: unknown) {
      super(path, options, name, parent);
    }

    override cast(value: unknown): unknown {
      if (value === undefined || value === null || isOfType(value)) return value;
      throw new Errors.CastError(name, value, this.path, undefined, this);
    }

    toJSONSchema(): object {
      return { bsonType: 'binData' };
    }
  };
}

function assertArray(value: unknown, type: SchemaType): void {
  if (value === undefined || value === null || Array.isArray(value)) return;
  throw new Errors.CastError('Array', value, type.path, undefined, type);
}

Types.Array = class extends Types.Array {
  constructor(path: string, item: { name?: string }, ...others: unknown[]) {
    // By default Mongoose takes the types of items from another list than its instance's.
    super(path, Types[item.name ?? ''] ?? item, ...others);
  }

  override cast(value: unknown, ...others: unknown[]): unknown {
    assertArray(value, this);
    return super.cast(value, ...others);
  }
};

Types.DocumentArray = class extends Types.DocumentArray {
  override cast(value: unknown, ...others: unknown[]): unknown {
    assertArray(value, this);
    return super.cast(value, ...others);
  }
};

declare const mixed: unique symbol;

/** Any value. A document with any members is declared as `Object`. */
export const Mixed = Types.Mixed as unknown as { [mixed]: true };

/** The type of a member of a document, as Mongoose names it. */
type TypeOf<Value> = [Value] extends [string]
  ? StringConstructor
  : [Value] extends [number]
    ? NumberConstructor
    : [Value] extends [boolean]
      ? BooleanConstructor
      : [Value] extends [Date]
        ? DateConstructor
        : [Value] extends [ObjectId]
          ? typeof ObjectId
          : [Value] extends [UUID]
            ? typeof UUID
            : [Value] extends [Binary]
              ? typeof Binary
              : [Value] extends [readonly (infer Item)[]]
                ? readonly [TypeOf<Item>]
                : [Value] extends [object]
                  ? Schema<Value> | ObjectConstructor
                  : typeof Mixed;

interface Path<Value> {
  type: TypeOf<Value>;
  /** The only values, also of the items of an array. */
  enum?: readonly (Value extends readonly (infer Item)[] ? Item : Value)[];
}

/** A path for every member, with `required` exactly where a document must have the member. */
export type Definition<Document> = { readonly [Name in keyof Document]-?: PathOf<Document[Name]> };

type PathOf<Value> = undefined extends Value
  ? TypeOf<Exclude<Value, undefined>> | (Path<Exclude<Value, undefined>> & { required?: never })
  : null extends Value
    ? Path<Exclude<Value, null>> & { allowNull: true }
    : Path<Value> & { required: true };

declare const narrowed: unique symbol;

/** A type of Mongoose for some of its values only. */
type Narrowed<Type, Value> = Type & { readonly [narrowed]: Value };

/** Narrows the values of a path for the compiler: `only<'user' | 'admin'>(String)`. */
export const only = <Value>(type: TypeOf<Value>): Narrowed<typeof type, Value> => type as Narrowed<typeof type, Value>;

/** A type of Mongoose, a schema of embedded documents, or a list of one of them. */
type AnyType = object | readonly [object];

/** A path without `required` may be absent. */
interface AnyPath {
  type: AnyType;
  required?: true;
  allowNull?: true;
  enum?: readonly unknown[];
}

/** The values of a type, as Mongoose names it. */
type ValueOf<Type> = Type extends { readonly [narrowed]: infer Value }
  ? Value
  : Type extends StringConstructor
    ? string
    : Type extends NumberConstructor
      ? number
      : Type extends BooleanConstructor
        ? boolean
        : Type extends DateConstructor
          ? Date
          : Type extends typeof ObjectId
            ? ObjectId
            : Type extends typeof UUID
              ? UUID
              : Type extends typeof Binary
                ? Binary
                : Type extends typeof Mixed
                  ? unknown
                  : Type extends readonly [infer Item]
                    ? ValueOf<Item>[]
                    : Type extends Schema<infer Embedded>
                      ? Embedded
                      : Type extends ObjectConstructor
                        ? Record<string, unknown>
                        : never;

type ValueOfPath<Declared> = Declared extends { type: infer Type; enum: readonly (infer Only)[] }
  ? Type extends readonly unknown[]
    ? Only[]
    : Only
  : Declared extends { type: infer Type }
    ? ValueOf<Type> | (Declared extends { allowNull: true } ? null : never)
    : ValueOf<Declared>;

/** The members of every document: those with `required`, or with null in place of absence. */
type RequiredOf<Paths> = {
  [Name in keyof Paths]: Paths[Name] extends { required: true } | { allowNull: true } ? Name : never;
}[keyof Paths];

type Flat<Members> = { [Name in keyof Members]: Members[Name] };

/** The documents of a declaration, and what a document has of the paths of a part. */
export type MembersOf<Paths> = Flat<
  { -readonly [Name in RequiredOf<Paths>]: ValueOfPath<Paths[Name]> } & {
    -readonly [Name in Exclude<keyof Paths, RequiredOf<Paths>>]?: ValueOfPath<Paths[Name]>;
  }
>;

declare const documents: unique symbol;

/** The shape of documents, or of documents within them. */
export interface Schema<Document> {
  readonly [documents]: Document;
  readonly obj: object;
}

export type DocumentOf<Of> = Of extends Schema<infer Document> ? Document : never;

export type IndexDeclaration = [keys: Record<string, 1 | -1>, options: CreateIndexesOptions];

/** A key that MongoDB can split by ranges, and zones can divide by app. */
export type ShardKey = Readonly<Record<string, 1>>;

interface CollectionOptions {
  collection: string;
  /**
   * A sharded cluster divides the collection by this key (docs/sharding.md); without it, the
   * collection stays on the primary shard. Every write names the whole key by equality, and every
   * read its first member. No write changes the key. A unique index begins with the key, or is that
   * on `_id` of ids that the app in the key determines.
   */
  shardKey?: ShardKey;
  /** The reason for the key, or for its absence. */
  placement: string;
}

/** What a schema declares of its collection. */
export interface CollectionSchema {
  readonly options: Readonly<Omit<CollectionOptions, 'shardKey'> & { shardKey: ShardKey | null }>;
  /** Adds an index. */
  index(keys: IndexDeclaration[0], options?: IndexDeclaration[1]): this;
  indexes(): IndexDeclaration[];
  /** The shape of its documents for `$jsonSchema`. */
  toJSONSchema(options: { useBsonType: true }): MongoDocument;
}

const OPTIONS = {
  autoIndex: false,
  autoCreate: false,
  bufferCommands: false,
  id: false,
  versionKey: false,
  timestamps: false,
  minimize: false,
  strict: 'throw',
  strictQuery: 'throw',
  suppressReservedKeysWarning: true,
};

type AnyPaths = Readonly<Record<string, AnyType | AnyPath>>;

/**
 * Declares a collection or, without options, documents within others, which get no `_id`. The type
 * of the documents follows from the paths ({@link DocumentOf}).
 */
export function schema<const Paths extends AnyPaths>(
  paths: Paths,
  options: CollectionOptions,
): Schema<MembersOf<Paths>> & CollectionSchema;
export function schema<const Paths extends AnyPaths>(paths: Paths): Schema<MembersOf<Paths>>;
export function schema(paths: Record<string, object>, options: object = { _id: false }): unknown {
  const declared = new library.Schema(paths, { ...OPTIONS, ...options });
  declared.eachPath((path, type) => {
    const isNullable = type.instance === 'Mixed' || Object(paths[path]).allowNull === true;
    if (!type.isRequired && !isNullable) type.allowNull(false);
    // By default an absent array is stored as an empty one.
    type.default(undefined);
  });
  return declared;
}

/** As `schema`, for paths that are computed, and documents whose type is declared elsewhere. */
export const schemaOf = schema as unknown as {
  <Document>(paths: Definition<Document>, options: CollectionOptions): Schema<Document> & CollectionSchema;
  <Document>(paths: Definition<Document>): Schema<Document>;
};

export interface ModelConnection {
  collection<Document extends MongoDocument>(name: string): Collection<Document>;
  compile(schema: CollectionSchema): LibraryModel;
  close(): Promise<void>;
}

/** Hands a client of the driver to Mongoose. @param isOpen false: it is never connected */
export function connectModels(client: MongoClient, database: string, isOpen: boolean): ModelConnection {
  const connection = library.createConnection();
  if (isOpen) connection.setClient(client);
  // biome-ignore lint/correctness/useHookAtTopLevel: a method of Mongoose, not of React
  const models = connection.useDb(database);
  return {
    collection: (name) => client.db(database).collection(name),
    compile: (schema) => models.model(schema.options.collection, schema),
    async close() {
      await client.close();
      await connection.destroy();
    },
  };
}

/** The options of every statement of a model: results are plain, and updates are validated. */
const STATEMENT = {
  lean: true,
  runValidators: true,
  setDefaultsOnInsert: false,
  strict: 'throw',
  strictQuery: 'throw',
  maxTimeMS: STATEMENT_TIME_MS,
};

/**
 * The model of a collection. Its statements accept only declared members with values of their
 * types, and have a time limit; another one is a bug, and is refused before it is sent. Errors of
 * the database are those of the driver.
 *
 * Statements of `collection` are checked by nothing. They are those that Mongoose refuses or
 * changes (decision 10), cursors, and those about submissions.
 */
export interface Model<Document extends MongoDocument> {
  readonly schema: Schema<Document> & CollectionSchema;
  /** The driver's own, with a time limit for each statement. */
  readonly collection: Collection<Document>;
  /** Stores a valid document as it was given. */
  insertOne(document: Document): Promise<void>;
  findOne(filter: Filter<Document>, options?: FindOptions): Promise<Document | null>;
  find(filter: Filter<Document>, options?: FindOptions): Promise<Document[]>;
  countDocuments(filter: Filter<Document>, options?: CountDocumentsOptions): Promise<number>;
  /** As the other updates: members of an embedded document get the order of its declaration. */
  updateOne(filter: Filter<Document>, update: UpdateFilter<Document>, options?: UpdateOptions): Promise<UpdateResult>;
  updateMany(filter: Filter<Document>, update: UpdateFilter<Document>, options?: UpdateOptions): Promise<UpdateResult>;
  findOneAndUpdate(
    filter: Filter<Document>,
    update: UpdateFilter<Document>,
    options?: FindOneAndUpdateOptions,
  ): Promise<Document | null>;
  deleteOne(filter: Filter<Document>): Promise<DeleteResult>;
  deleteMany(filter: Filter<Document>): Promise<DeleteResult>;
}

export function createModel<Document extends MongoDocument>(
  connection: ModelConnection,
  schema: Schema<Document> & CollectionSchema,
): Model<Document> {
  const name = schema.options.collection;
  const collection = limitStatementTime(connection.collection<Document>(name));
  let compiled: LibraryModel | undefined;

  // Async, because Mongoose begins a statement when its result is awaited.
  async function run<Result>(statement: (model: LibraryModel) => Promise<Result>): Promise<Result> {
    try {
      // Compiled by its first statement: that takes 2 ms, and many collections have none.
      compiled ??= connection.compile(schema);
      const model = compiled;
      return await untilEnded(() => statement(model));
    } catch (error) {
      throw error instanceof Errors ? withoutValues(error, name) : error;
    }
  }

  return {
    schema,
    collection,
    async insertOne(document) {
      await run((Model) => new Model(document).validate());
      await collection.insertOne(document as OptionalUnlessRequiredId<Document>);
    },
    findOne: (filter, { projection, ...options } = {}) =>
      run((model) => model.findOne(filter, projection, { ...STATEMENT, ...options })),
    find: (filter, { projection, ...options } = {}) =>
      run((model) => model.find(filter, projection, { ...STATEMENT, ...options })),
    countDocuments: (filter, options) => run((model) => model.countDocuments(filter, { ...STATEMENT, ...options })),
    updateOne: (filter, update, options) =>
      run((model) => model.updateOne(filter, update, { ...STATEMENT, ...options })),
    updateMany: (filter, update, options) =>
      run((model) => model.updateMany(filter, update, { ...STATEMENT, ...options })),
    findOneAndUpdate: (filter, update, options) =>
      run((model) => model.findOneAndUpdate(filter, update, { ...STATEMENT, ...options })),
    deleteOne: (filter) => run((model) => model.deleteOne(filter, STATEMENT)),
    deleteMany: (filter) => run((model) => model.deleteMany(filter, STATEMENT)),
  };
}

/** The messages of Mongoose contain values, which may be personal; errors are logged. */
function withoutValues(error: Refusal, collection: string): Error {
  const { name, path, errors = {} } = error;
  const paths = path === undefined ? Object.keys(errors) : [path];
  // An error of no path is about operators or the connection.
  return paths.length === 0 ? error : new Error(`the model of ${collection} refused ${paths.join(', ')} (${name})`);
}
