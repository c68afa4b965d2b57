import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder, with the folders above it that do not exist, each readable by its owner only.
 * Resolves with whether it was created. With `recursive`, `mkdir` of Node.js does not return where
 * a file system answers ENOENT although the folder above exists, such as in /proc.
 *
 * @throws {Error} with the code of the system, such as EEXIST if the path is a file
 */
export async function createFolder(path: string): Promise<boolean> {
  try {
    return await createOne(path);
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error;
    await createFolder(above);
    return createOne(path);
  }
}

async function createOne(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // Windows and read-only file systems have other codes for a folder that exists.
    if (await isFolder(path)) return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // the code of mkdir tells more
  }
}
