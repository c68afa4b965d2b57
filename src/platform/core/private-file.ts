import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { CommandFailed } from './errors.ts';

/** A file that is being written. */
interface PrivateFile {
  append(content: string | Uint8Array): Promise<void>;
  /** Replaces the file at the path. */
  end(): Promise<void>;
  /** Leaves the file at the path as it was. */
  discard(): Promise<void>;
}

/**
 * Creates a regular file that only its owner may read, whatever the umask and the mode of a file
 * that it replaces. It appears at its path when it is complete.
 * @throws {CommandFailed}
 */
export async function createPrivateFile(path: string): Promise<PrivateFile> {
  const temporary = `${path}.${randomUUID()}`;
  const refuse = ({ code = 'unknown error' }: NodeJS.ErrnoException): never => {
    throw new CommandFailed(`Cannot write ${path} (${code})`);
  };
  // The rename would replace a device or a link.
  const present = await lstat(path).catch(() => undefined);
  if (present && !present.isFile()) throw new CommandFailed(`Cannot write ${path}: it is not a regular file`);
  const file = await open(temporary, 'wx', 0o600).catch(refuse);
  return {
    append: (content) => file.appendFile(content).catch(refuse),

    async end(): Promise<void> {
      await file.sync().catch(refuse);
      await file.close();
      await rename(temporary, path).catch(refuse);
    },

    async discard(): Promise<void> {
      await file.close();
      await rm(temporary, { force: true });
    },
  };
}
