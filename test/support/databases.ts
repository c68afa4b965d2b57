import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { inject } from 'vitest';

/** The databases of the present test file. */
const names = new Set<string>();
let client: MongoClient | undefined;

/** Returns a name for a database, which {@link dropDatabases} drops after the test file. */
export function randomName(): string {
  const name = `test-${randomBytes(6).toString('hex')}`;
  names.add(name);
  return name;
}

/** Keeps a database to the end of the run, for the files that follow in this worker. */
export function keepDatabase(name: string): void {
  names.delete(name);
}

/**
 * Drops the databases of a test file. mongod copies its list of all collections whenever one is
 * created: a server takes three times the processor time beside the databases of a hundred others.
 */
export async function dropDatabases(): Promise<void> {
  if (names.size === 0) return;
  client ??= new MongoClient(inject('mongodbUri'));
  for (const name of names) await client.db(name).dropDatabase({ timeoutMS: 30_000 });
  names.clear();
}
