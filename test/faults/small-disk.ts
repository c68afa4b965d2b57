import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** mongod lays two journal files of 100 MB out before it needs them. */
const SIZE_MB = 400;

/** A place for a database that a test can fill up. */
export interface SmallDisk {
  /** What it is, for a test's title. */
  kind: string;
  path: string;
  /** Leaves no room, as it is now, to what the process writes. */
  fill(pid: number): Promise<void>;
  /** Makes room again. */
  free(): Promise<void>;
  remove(): Promise<void>;
}

/** A tmpfs where this user may mount one, else a folder in which the process may not write beyond the first bytes of a file (a quota of the kernel's: RLIMIT_FSIZE). */
export async function createSmallDisk(): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'user-collection-disk-'));
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 20 });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', path]);
  } catch {
    return {
      kind: 'a limit on the size of files',
      path,
      async fill(pid) {
        // It may just have died of being full.
        await run('prlimit', ['--pid', String(pid), '--fsize=1']).catch(() => undefined);
      },
      // The limit ends with the process that it was set for.
      free: async () => undefined,
      remove,
    };
  }
  const ballast = join(path, 'ballast');
  return {
    kind: `a tmpfs of ${SIZE_MB} MB`,
    path,
    async fill() {
      const { bavail, bsize } = await statfs(path);
      // The process may be quicker to take it.
      await appendFile(ballast, Buffer.alloc(bavail * bsize)).catch(() => undefined);
    },
    free: () => rm(ballast),
    async remove() {
      await run('umount', [path]);
      await remove();
    },
  };
}
