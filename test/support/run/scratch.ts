import { accessSync, constants, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_FOLDER = '/dev/shm';
/** What the databases of a test run need at most. */
const LEAST_FREE_BYTES = 4 * 1024 ** 3;

/**
 * Creates a folder for the files of a database, in memory where the machine has enough: mongod
 * syncs its journal for each acknowledged write, which takes most of the time of a test on a disk.
 * A killed mongod leaves the same files in memory as on a disk.
 */
export function databaseFolder(prefix: string): Promise<string> {
  return mkdtemp(join(hasMemory() ? MEMORY_FOLDER : tmpdir(), prefix));
}

function hasMemory(): boolean {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return Math.min(bavail * bsize, freemem()) >= LEAST_FREE_BYTES;
  } catch {
    return false; // not on this system
  }
}
