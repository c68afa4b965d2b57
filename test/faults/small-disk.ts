import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Room for the two journal files of 100 MB that mongod allocates in advance. */
const SIZE_MB = 400;

/** A folder for a database whose disk space a test can use up. */
interface SmallDisk {
  /** How the space is limited, for the title of a test. */
  kind: string;
  path: string;
  /** Uses up the space that is free now; `pid` is the process that writes to the folder. */
  fill(pid: number): Promise<void>;
  /** Frees the space that `fill` used. */
  free(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Mounts a tmpfs. Where this user may not mount one, `fill` limits the size of the files that the
 * process may write to one byte (RLIMIT_FSIZE).
 */
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
        // The process may have exited because of an earlier limit.
        await run('prlimit', ['--pid', String(pid), '--fsize=1']).catch(() => undefined);
      },
      // The limit belongs to the process, so a restarted mongod does not have it.
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
      // The process may write to the space first.
      await appendFile(ballast, Buffer.alloc(bavail * bsize)).catch(() => undefined);
    },
    free: () => rm(ballast),
    async remove() {
      await run('umount', [path]);
      await remove();
    },
  };
}
