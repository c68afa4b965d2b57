import { randomBytes, randomUUID } from 'node:crypto';
import { access, constants, link, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { NamedError } from './errors.ts';
import { createFolder } from './folders.ts';

const BYTES = 32;
const FILE = 'session-secret';

type SecretConfig = Pick<Config, 'sessionSecret' | 'dataDir'>;

/**
 * Returns the secret that signs session cookies: the configured one, or one that is generated once
 * and kept in DATA_DIR, so that sessions survive a restart.
 *
 * @throws {DataDirError}
 */
export async function sessionSecret({ sessionSecret, dataDir }: SecretConfig): Promise<string> {
  if (sessionSecret !== undefined) return sessionSecret;
  const folder = await prepareDataDir(dataDir);
  const path = join(folder, FILE);
  try {
    return (await readSecret(path)) ?? (await generate(path));
  } catch (error) {
    throw new DataDirError(folder, error);
  }
}

/** Returns the secret of a server with this configuration; undefined when none was generated. */
export async function existingSecret({ sessionSecret, dataDir }: SecretConfig): Promise<string | undefined> {
  return sessionSecret ?? readSecret(join(dataDir, FILE));
}

/** The kept secret; undefined when there is none or a power failure left an empty file. */
async function readSecret(path: string): Promise<string | undefined> {
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    return secret.length >= BYTES ? secret : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Creates the secret file. A hard link appears with its whole content and fails if the file exists:
 * of two processes that start at the same time, one writes the file and both read the same secret.
 */
async function generate(path: string): Promise<string> {
  const secret = randomBytes(BYTES).toString('base64url');
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, secret, { mode: 0o600, flush: true });
  try {
    await link(temporary, path);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const other = await readSecret(path);
    if (other !== undefined) return other;
    await rename(temporary, path);
    return secret;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** DATA_DIR cannot be used. The message states the reason and what to set. */
export class DataDirError extends NamedError {
  /** @param cause the error of the system */
  constructor(path: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    super(
      `The data folder ${path} cannot be used (${code}). Set DATA_DIR to a folder that this user may write to, or MONGODB_URI and SESSION_SECRET, with which none is needed.`,
    );
  }
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
    await createFolder(path);
    await access(path, constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (error) {
    throw new DataDirError(path, error);
  }
}
