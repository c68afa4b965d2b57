import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

/** DATA_DIR cannot be used; the message says why and what to set. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError';
}

/**
 * Makes sure that DATA_DIR is a folder that this process may write to, and returns its one real path, so that two ways to name it are one folder.
 * It holds secrets, so only its owner may look into it.
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
