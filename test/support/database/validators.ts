import type { Db, Document, MongoClient } from 'mongodb';
import { STATEMENT_TIME_MS } from '../../../src/platform/database/lateness.ts';
import type { CollectionSchema } from '../../../src/platform/database/mongoose.ts';

/**
 * Makes the declarations of collections their validators: MongoDB refuses every statement of a test
 * that stores what the service does not declare, pipelines and bulk writes included.
 */
const installed = new Map<string, Promise<void>>();

/** Installs the validators of a database, once in this process. */
export function installValidators(database: Db, collections: readonly CollectionSchema[]): Promise<void> {
  const { databaseName } = database;
  const installing = installed.get(databaseName) ?? install(database, collections);
  installed.set(databaseName, installing);
  return installing;
}

async function install(database: Db, collections: readonly CollectionSchema[]): Promise<void> {
  // A test expects the limit on every statement of the service's client.
  const maxTimeMS = STATEMENT_TIME_MS;
  const found = await database.listCollections({}, { nameOnly: true, maxTimeMS }).toArray();
  const existing = new Set(found.map(({ name }) => name));
  for (const schema of collections) {
    const { collection } = schema.options;
    // Moderate: documents that a test made invalid, see below, can be updated.
    const options = { validator: { $jsonSchema: jsonSchemaOf(schema) }, validationLevel: 'moderate', maxTimeMS };
    if (existing.has(collection)) await database.command({ collMod: collection, ...options });
    else await database.createCollection(collection, options);
  }
}

/** The JSON Schema that Mongoose makes of a declaration, without other members. */
export function jsonSchemaOf(schema: CollectionSchema): Document {
  const { obj } = schema as CollectionSchema & { obj: object };
  return closed(schema.toJSONSchema({ useBsonType: true }), obj);
}

/** A path as it is declared: a type, or an object with one. */
type DeclaredPath = { type?: unknown; allowNull?: boolean; obj?: undefined };

function closed(found: Document, paths: object): Document {
  const properties: Document = {};
  const required = new Set<string>(found.required ?? []);
  for (const [name, path] of Object.entries(paths) as [string, DeclaredPath][]) {
    const hasOptions = typeof path === 'object' && !Array.isArray(path) && path.obj === undefined;
    properties[name] = corrected(found.properties[name], hasOptions ? path.type : path);
    // Mongoose has no word for a member that must exist and may be null.
    if (path.allowNull) required.add(name);
  }
  return { ...found, properties, additionalProperties: false, ...(required.size > 0 && { required: [...required] }) };
}

/** Mongoose accepts null as an item, and any value as an `Object`. */
function corrected(found: Document, type: unknown): Document {
  if (type === Object) return { ...found, bsonType: 'object' };
  if (Array.isArray(type)) {
    return { ...found, items: corrected({ ...found.items, bsonType: [found.items.bsonType].flat()[0] }, type[0]) };
  }
  const { obj } = Object(type) as { obj?: object };
  return obj ? closed(found, obj) : found;
}

/** Index of the options argument of each method of a collection that writes. */
const WRITES = {
  insertOne: 1,
  insertMany: 1,
  bulkWrite: 1,
  updateOne: 2,
  updateMany: 2,
  replaceOne: 2,
  findOneAndUpdate: 2,
} as const;

/**
 * Makes a database store whatever a test writes itself, such as damaged documents, and those with a
 * few members only. Returns the database.
 */
export function withoutValidators(database: Db): Db {
  const open = database.collection.bind(database) as (...args: unknown[]) => unknown;
  const collection = (...args: unknown[]): unknown => {
    const opened = open(...args);
    const methods = opened as Record<string, (...args: unknown[]) => unknown>;
    for (const [name, index] of Object.entries(WRITES)) {
      const write = methods[name]?.bind(opened);
      methods[name] = (...given) => {
        given[index] = { bypassDocumentValidation: true, ...(given[index] as object | undefined) };
        return write?.(...given);
      };
    }
    return opened;
  };
  return Object.assign(database, { collection });
}

const VALIDATION_FAILED = 121;

const refusals: string[] = [];

/** Notes the documents that validators refuse to a client with the option `monitorCommands`. */
export function watchRefusals(client: MongoClient): void {
  client.on('commandFailed', ({ commandName, failure }) => {
    const { code, errInfo } = failure as { code?: unknown; errInfo?: unknown };
    if (code === VALIDATION_FAILED) note(commandName, errInfo);
  });
  client.on('commandSucceeded', ({ commandName, reply }) => {
    const { writeErrors = [] } = Object(reply) as { writeErrors?: Document[] };
    for (const { code, errInfo } of writeErrors) if (code === VALIDATION_FAILED) note(commandName, errInfo);
  });
}

function note(command: string, reason: unknown): void {
  const { details } = Object(reason) as { details?: { operatorName?: unknown } };
  // Some tests have other validators, so that a collection takes no documents.
  if (details?.operatorName === '$jsonSchema') refusals.push(`${command}: ${JSON.stringify(reason)}`);
}

/** Returns the refusals since the last call. */
export const takeRefusals = (): string[] => refusals.splice(0);
