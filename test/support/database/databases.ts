import { randomBytes } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import { inject } from 'vitest';
import type { CollectionSchema } from '../../../src/platform/database/mongoose.ts';

/** To empty more documents takes longer than to create the collections again. */
const FEW_DOCUMENTS = 2_000;

/** The databases of the present test file. */
const names = new Set<string>();
/** Those of them that another file can use. */
const reusable = new Set<string>();
/** How many servers of this process run on a database. */
const running = new Map<string, number>();
/** Empty databases of files that have ended, with all collections and indexes. */
const empty: string[] = [];
/** How many indexes every server creates, by the names of the collections. */
let standard: ReadonlyMap<string, number> = new Map();
let client: MongoClient | undefined;

/** Returns a name for a database, which {@link endDatabases} drops after the test file. */
export function randomName(): string {
  const name = `test-${randomBytes(6).toString('hex')}`;
  names.add(name);
  return name;
}

/**
 * Returns the name of a database without documents: one that an earlier file has used, or a new
 * one. To create the 31 collections and 115 indexes takes most of the time of a server's start.
 */
export function emptyDatabase(): string {
  const name = empty.pop() ?? randomName();
  names.add(name);
  reusable.add(name);
  return name;
}

/** Notes that a server of this process starts on a database (1), or has ended (-1). */
export function countServer(name: string, change: 1 | -1): void {
  running.set(name, (running.get(name) ?? 0) + change);
}

/** Notes which collections every server creates. */
export function noteCollections(declared: readonly CollectionSchema[]): void {
  if (standard.size > 0) return;
  standard = new Map(declared.map((schema) => [schema.options.collection, schema.indexes().length + 1]));
}

/** Drops a database after the file although it came from {@link emptyDatabase}. */
export function dropLater(name: string): void {
  reusable.delete(name);
}

/** Keeps a database to the end of the run, for the files that follow in this worker. */
export function keepDatabase(name: string): void {
  names.delete(name);
}

/**
 * Empties the databases of a test file for another one, or drops them. mongod copies its list of
 * all collections whenever one is created: a server takes three times the processor time beside
 * the databases of a hundred others.
 */
export async function endDatabases(): Promise<void> {
  if (names.size === 0) return;
  client ??= new MongoClient(inject('mongodbUri'));
  for (const name of names) {
    const database = client.db(name);
    if (reusable.has(name) && !running.get(name) && (await isEmptied(database))) empty.push(name);
    else await database.dropDatabase({ timeoutMS: 30_000 });
  }
  names.clear();
  reusable.clear();
}

/** Removes all documents; false if the database has more than a new server would create. */
async function isEmptied(database: Db): Promise<boolean> {
  const { objects, indexes } = await database.stats();
  const created = [...standard.values()].reduce((sum, count) => sum + count, 0);
  if (objects > FEW_DOCUMENTS || indexes !== created) return false;
  const found = await database.listCollections({}, { nameOnly: false }).toArray();
  const areStandard = found.every(({ name, options = {} }) => {
    const hasOthers = Object.keys(options).some((option) => !option.startsWith('valid'));
    return standard.has(name) && !hasOthers && options.validator?.$jsonSchema;
  });
  if (!areStandard) return false;
  const names = await filledCollections(database);
  await Promise.all(names.map((name) => database.collection(name).deleteMany({})));
  return true;
}

/** The names of the standard collections that have documents, by one statement. */
async function filledCollections(database: Db): Promise<string[]> {
  const [first = '', ...others] = standard.keys();
  const one = (name: string) => [{ $limit: 1 }, { $project: { _id: 0, name: { $literal: name } } }];
  const united = others.map((name) => ({ $unionWith: { coll: name, pipeline: one(name) } }));
  const found = await database
    .collection(first)
    .aggregate<{ name: string }>([...one(first), ...united])
    .toArray();
  return found.map(({ name }) => name);
}
