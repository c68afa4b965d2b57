import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

/** DATA_DIR cannot be used. The message states the reason and what to set. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError';
}

/**
 * Creates DATA_DIR if it does not exist, checks that this process may write to it, and resolves
 * with its canonical path. A new folder is readable by its owner only, because it contains secrets.
 *
 * @throws {DataDirError}
 */
export async function prepareDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new DataDirError(
      `The data folder ${path} cannot be used (${code}). Set DATA_DIR to a folder that this user may write to, or MONGODB_URI and SESSION_SECRET, with which none is needed.`,
    );
  }
}
