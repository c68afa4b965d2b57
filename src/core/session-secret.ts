import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { prepareDataDir } from './data-dir.ts';

const BYTES = 32;

/** The secret that signs session cookies: the configured one, else one that is generated once and kept in DATA_DIR, so that sessions outlive a restart. */
export async function sessionSecret({
  sessionSecret,
  dataDir,
}: Pick<Config, 'sessionSecret' | 'dataDir'>): Promise<string> {
  if (sessionSecret !== undefined) return sessionSecret;
  const path = join(await prepareDataDir(dataDir), 'session-secret');
  return (await readKept(path)) ?? (await generate(path));
}

/** The kept secret, or undefined when there is none or a power cut left an empty file. */
async function readKept(path: string): Promise<string | undefined> {
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    return secret.length >= BYTES ? secret : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A link appears with its whole content and fails where a file is: of two processes that start at once, one writes and both read the same. */
async function generate(path: string): Promise<string> {
  const secret = randomBytes(BYTES).toString('base64url');
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, secret, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const other = await readKept(path);
    if (other !== undefined) return other;
    await rename(draft, path);
    return secret;
  } finally {
    await rm(draft, { force: true });
  }
}
