import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseUri, Leftovers } from '../support/server/process.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

let server: TestServer;
let app: string;
let file: string;
const leftovers = new Leftovers();
beforeAll(async () => {
  server = await sharedServer();
  ({ sourceAppId: app } = await server.admin.buildApp({
    rejectUnknown: true,
    fields: [{ key: 'name', label: 'Your name', kind: 'text', required: true }],
  }));
  file = join(await leftovers.folder(), 'contact.ts');
});
afterAll(() => leftovers.clear());

const types = (...args: string[]) => runTool(['types', app, ...args], { MONGODB_URI: databaseUri(server.database) });

it('types writes the types of the newest schema, and --check tells when they are old', { tags: 'long' }, async () => {
  const { code, stdout, stderr } = await types();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`// App: ${app}. Version of the schema: 2.`);
  expect(stdout).toContain('  /** Your name */\n  name: string;\n');

  const old = (version: number) => ({
    code: 1,
    stdout: '',
    stderr: `error: ${file} is not what version ${version} of the schema gives\n`,
  });
  expect(await types('--out', file, '--check')).toEqual(old(2));
  await expect(stat(file)).rejects.toThrow('ENOENT');
  expect(await types('--out', file)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await readFile(file, 'utf8')).toBe(stdout);
  expect((await types('--out', file, '--check')).code).toBe(0);
  await writeFile(file, stdout.replaceAll('\n', '\r\n'));
  const { mtimeMs } = await stat(file);
  expect((await types('--out', file, '--check')).code).toBe(0);
  await types('--out', file);
  expect((await stat(file)).mtimeMs).toBe(mtimeMs);

  await server.admin
    .putSchema(app, {
      rejectUnknown: false,
      fields: [
        { key: 'age', kind: 'number' },
        { key: 'status', kind: 'text', writers: 'staff' },
      ],
    })
    .expect(200);
  expect(await types('--out', file, '--check')).toEqual(old(3));
  expect((await types('--out', file)).code).toBe(0);
  const written = await readFile(file, 'utf8');
  expect(written).toContain('  age?: number;\n  /** The schema allows further keys. */');
  // A submission without an API key may not set it.
  expect(written).not.toContain('status');
});

it('types refuses an unknown app, --check without a file, and a file that it cannot read or write', async () => {
  const env = { MONGODB_URI: databaseUri(server.database) };
  expect(await runTool(['types', 'nobody'], env)).toMatchObject({ code: 1, stderr: 'error: App not found\n' });
  expect(await types('--check')).toMatchObject({ code: 1, stderr: 'error: --check needs the file: --out <file>\n' });
  const folder = join(file, '..');
  expect(await types('--out', folder)).toMatchObject({ code: 1, stderr: `error: Cannot read ${folder} (EISDIR)\n` });
  const missing = join(folder, 'missing', 'contact.ts');
  expect(await types('--out', missing)).toMatchObject({ code: 1, stderr: `error: Cannot write ${missing} (ENOENT)\n` });
});
