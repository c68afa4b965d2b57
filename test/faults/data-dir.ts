import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFolder } from '../support/run/scratch.ts';

/** A `DATA_DIR` of one test, with the files of the server's embedded database. */
export class DataDir {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<DataDir> {
    return new DataDir(await databaseFolder('user-collection-faults-'));
  }

  /** Resolves with the URI of the embedded mongod. */
  async uri(): Promise<string> {
    return (await readFile(join(this.path, 'mongodb-uri'), 'utf8')).trim();
  }

  /** Resolves with the process id in the lock file of the embedded mongod; 0 when none runs. */
  async mongodPid(): Promise<number> {
    return Number(await readFile(join(this.path, 'mongodb', 'mongod.lock'), 'utf8'));
  }

  /** Removes the folder. Retries, because a mongod whose server was killed may still write. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 20 });
  }
}
