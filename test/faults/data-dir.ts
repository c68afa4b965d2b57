import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedUri } from '../../src/database/embedded-owner.ts';

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
    const [port] = (await readdir(this.path)).flatMap((name) => /^mongod-(\d+)\.pid$/.exec(name)?.[1] ?? []);
    return embeddedUri(Number(port), 'guest');
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
