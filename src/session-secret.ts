import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';

/** The secret that signs session cookies: the configured one, else one that is generated once and kept in DATA_DIR, so that sessions outlive a restart. */
export async function sessionSecret({
  sessionSecret,
  dataDir,
}: Pick<Config, 'sessionSecret' | 'dataDir'>): Promise<string> {
  if (sessionSecret !== undefined) return sessionSecret;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'session-secret');
  try {
    // `wx` fails when the file exists: of two processes that start at once, one writes and both read the same.
    await writeFile(path, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFile(path, 'utf8');
}
