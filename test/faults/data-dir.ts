import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A DATA_DIR of a test's own, on which a server runs its embedded database. */
export class DataDir {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<DataDir> {
    return new DataDir(await mkdtemp(join(tmpdir(), 'user-collection-faults-')));
  }

  /** The URI of the mongod that runs on it. */
  async uri(): Promise<string> {
    return (await readFile(join(this.path, 'mongodb-uri'), 'utf8')).trim();
  }

  /** The process id of the mongod that runs on it, by its own note; 0 while none does. */
  async mongodPid(): Promise<number> {
    return Number(await readFile(join(this.path, 'mongodb', 'mongod.lock'), 'utf8'));
  }

  /** A mongod whose server was killed may still write. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 20 });
  }
}
