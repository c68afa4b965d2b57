// @module-tag long

import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { databaseUri, type Ended, Leftovers, ServerProcess } from '../support/server/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

/**
 * Starts a server with an invalid environment, asserts that it refuses to start and returns its
 * result.
 */
async function refusal(env: Record<string, string>): Promise<Ended> {
  const ended = await leftovers.keep(new ServerProcess({ LOG_LEVEL: 'silent', ...env })).ended;
  expect(ended.code).toBe(1);
  expect(ended.stdout).not.toContain('is ready');
  expect(ended.stderr).toMatch(/^Cannot start: /);
  expect(ended.stderr).not.toMatch(/^ +at /m);
  return ended;
}

describe('start with an invalid configuration', () => {
  // test/unit/core/config.test.ts has each variable.
  it.each([
    [
      { MONGODB_URI: 'mongodb://service:hidden-word@db.internal/forms?Journal=false&w=1&wtimeoutMS=5&appName=x' },
      [
        'MONGODB_URI must not set journal (only true is accepted), w (only majority is accepted), wtimeoutMS: the service',
      ],
    ],
    [
      {
        HOST: 'localhost',
        PORT: 'http',
        MONGODB_URI: 'postgres://localhost',
        ADMIN_APP_ID: 'a/b',
        ADMIN_PASSWORD: 'x'.repeat(73),
        SESSION_SECRET: 'short',
        SESSION_COOKIE_NAME: 'a b',
        CORS_ORIGINS: 'https://ok.example,https://forms.example.com/path',
        TRUST_PROXY: 'true',
        RATE_LIMIT_SUBMIT: 'x',
        MAX_ARRAY_ITEMS: '0',
        BODY_LIMIT: '1gb',
        LOG_LEVEL: 'loud',
      },
      [
        'PORT',
        'MONGODB_URI',
        'ADMIN_APP_ID',
        'ADMIN_PASSWORD',
        'SESSION_SECRET',
        'SESSION_COOKIE_NAME',
        'CORS_ORIGINS has "https://forms.example.com/path"',
        'TRUST_PROXY',
        'RATE_LIMIT_SUBMIT',
        'MAX_ARRAY_ITEMS',
        'BODY_LIMIT',
        'LOG_LEVEL',
      ],
    ],
  ])('fails with one line for each error: %j', async (env, errors) => {
    const { stderr } = await refusal(env);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(errors.length);
    for (const [index, error] of errors.entries()) expect(lines[index]).toContain(`Cannot start: ${error}`);
    expect(stderr).not.toContain('x'.repeat(73));
    expect(stderr).not.toContain('hidden-word');
  });
});

describe('start with an unavailable resource', () => {
  // Concurrent with the others, because server selection takes 15 seconds.
  it.concurrent('prints the address of an unreachable MongoDB and the variable to set, not the password', async () => {
    const { stderr } = await refusal({
      MONGODB_URI: 'mongodb://service:hidden-word@127.0.0.1:1/forms?authSource=admin',
      SESSION_SECRET: 'of the refusal tests',
    });
    expect(stderr).toMatch(
      /^Cannot start: MongoDB cannot be used at mongodb:\/\/127\.0\.0\.1:1\/forms \(.*ECONNREFUSED.*\)\. Check MONGODB_URI, or leave it unset/,
    );
    expect(stderr).not.toContain('hidden-word');
  }, 60_000);

  it.concurrent('does not print a password that was not percent-encoded', async () => {
    const { stderr } = await refusal({
      MONGODB_URI: 'mongodb://service:hidden/wo@rd@127.0.0.1:1/forms',
      SESSION_SECRET: 'of the refusal tests',
    });
    expect(stderr).toMatch(/^Cannot start: MONGODB_URI must be a connection string .* must be percent-encoded\n$/);
    expect(stderr).not.toMatch(/hidden|wo@|rd@/);
  });

  it.concurrent('reports that the port is in use', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '0.0.0.0', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      });
    });
    const env = { MONGODB_URI: databaseUri(randomName()), SESSION_SECRET: 'of the refusal tests', PORT: String(port) };
    const { stderr } = await refusal(env);
    other.close();
    expect(stderr).toBe(`Cannot start: Port ${port} is in use by another program. Set PORT to a free port.\n`);
  });

  it.concurrent('reports that it cannot listen on HOST', async () => {
    const env = { MONGODB_URI: databaseUri(randomName()), SESSION_SECRET: 'of the refusal tests', HOST: '192.0.2.1' };
    const { stderr } = await refusal(env);
    expect(stderr).toMatch(/^Cannot start: Cannot listen on 192\.0\.2\.1, port 0 \(EADDRNOTAVAIL\)\. Set HOST/);
  });

  it('reports that DATA_DIR is not a folder', async () => {
    const file = join(await leftovers.folder(), 'file');
    await writeFile(file, '');
    const { stderr } = await refusal({ DATA_DIR: join(file, 'data') });
    expect(stderr).toMatch(/^Cannot start: The data folder \S+ cannot be used \(ENOTDIR\)\. Set DATA_DIR/);
  });

  it.each(['/proc/x', '/proc/x/y', '/proc'])('reports that no folder can be made in %s', async (DATA_DIR) => {
    const { stderr } = await refusal({ DATA_DIR });
    expect(stderr).toMatch(/^Cannot start: The data folder \/proc\S* cannot be used \(E[A-Z]+\)\. Set DATA_DIR/);
  });

  it('lists the locations it searched for mongod and the variables to set', async () => {
    const DATA_DIR = await leftovers.dataDir();
    const { stderr } = await refusal({ DATA_DIR, MONGOMS_SYSTEM_BINARY: '/nonexistent' });
    expect(stderr).toBe(
      `Cannot start: No MongoDB server (mongod) could be obtained. Tried:
  MONGOMS_SYSTEM_BINARY: not there
Set MONGODB_URI to a MongoDB that you run, or MONGOMS_SYSTEM_BINARY to the path of a mongod.
`,
    );
  });

  it.runIf(process.platform !== 'win32')('names a mongod that it may not run', async () => {
    const DATA_DIR = await leftovers.dataDir();
    const mongod = join(await leftovers.folder(), 'mongod');
    await writeFile(mongod, '', { mode: 0o600 });
    const { stderr } = await refusal({ DATA_DIR, MONGOMS_SYSTEM_BINARY: mongod });
    expect(stderr).toContain(`  MONGOMS_SYSTEM_BINARY: this user may not run ${mongod}\n`);
  });

  it('reports why mongod does not start on its files', async () => {
    const DATA_DIR = await leftovers.dataDir();
    await mkdir(join(DATA_DIR, 'mongodb'));
    await writeFile(join(DATA_DIR, 'mongodb', 'storage.bson'), 'garbage, not what mongod wrote');
    const { stderr } = await refusal({ DATA_DIR });
    expect(stderr).toMatch(
      /^Cannot start: The embedded MongoDB did not start on \S+: Unable to read the storage engine metadata file; .+ set DATA_DIR to another folder, or MONGODB_URI/,
    );
  });
});
