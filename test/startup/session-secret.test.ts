import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sessionSecret } from '../../src/platform/core/session-secret.ts';
import { Leftovers } from '../support/server/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

const secretIn = (dataDir: string) => sessionSecret({ sessionSecret: undefined, dataDir });

describe('the session secret', () => {
  it('is the configured one, and no file is written', async () => {
    const dataDir = await leftovers.dataDir();
    expect(await sessionSecret({ sessionSecret: 'configured', dataDir })).toBe('configured');
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('is generated once and is the same for concurrent and later starts', async () => {
    const dataDir = await leftovers.dataDir();
    const secrets = await Promise.all(Array.from({ length: 20 }, () => secretIn(dataDir)));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[\w-]{43}$/);
    expect(await secretIn(dataDir)).toBe(secrets[0]);
    expect(await readdir(dataDir)).toEqual(['session-secret']);
  });

  it('is generated again if a power failure left an empty file', async () => {
    const dataDir = await leftovers.dataDir();
    const path = join(dataDir, 'session-secret');
    await writeFile(path, '');
    const secret = await secretIn(dataDir);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await readFile(path, 'utf8')).toBe(secret);
  });
});
