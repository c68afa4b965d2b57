import { existsSync } from 'node:fs';
import { access, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** DATA_DIR cannot be used. The message states the reason and what to set. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError';
}

/**
 * Creates DATA_DIR if it does not exist, checks that this process may write to it, and resolves
 * with its canonical path.
 *
 * @throws {DataDirError}
 */
export async function prepareDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  try {
    await createFolder(path);
    await access(path, constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new DataDirError(
      `The data folder ${path} cannot be used (${code}). Set DATA_DIR to a folder that this user may write to, or MONGODB_URI and SESSION_SECRET, with which none is needed.`,
    );
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Creates a folder and those above it, for their owner only, and resolves with whether it is new.
 * The recursive `mkdir` of Node.js never returns where a folder refuses new ones with ENOENT, as
 * /proc does.
 */
export async function createFolder(path: string): Promise<boolean> {
  if (await isFolder(path)) return false;
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) await createFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another process may have created it.
    if (await isFolder(path)) return false;
    throw error;
  }
}
