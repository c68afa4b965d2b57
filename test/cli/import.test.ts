import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgressBar } from '../../src/operations/cli/user-commands.ts';
import { databaseUri, Leftovers, runCli } from '../support/server/process.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

let server: TestServer;
let env: Record<string, string>;
let folder: string;
const leftovers = new Leftovers();
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
  env = { MONGODB_URI: databaseUri(server.database), SESSION_SECRET: 'a secret of the tests' };
  folder = await leftovers.folder();
});
afterAll(async () => {
  await server.close();
  await leftovers.clear();
});

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const emailsOf = async (sourceAppId: string) =>
  (await server.db.collection('users').find({ sourceAppId }).sort({ email: 1 }).toArray()).map(({ email }) => email);

describe('users import', () => {
  it('imports a file with the options, prints the counts, and writes the rejected lines', {
    tags: 'long',
  }, async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: [{ key: 'age', kind: 'number' }] });
    const file = await fileOf('people.csv', 'mail;Age=now\nada@example.com;1,5\nbob@example.com;x\n');
    const rejects = join(folder, 'rejects.csv');
    const columns = ['--map', 'mail=email', '--map', 'Age=now=data.age'];
    const { code, stdout, stderr } = await runCli(
      ['users', 'import', app, file, ...columns, '--decimal', ',', '--rejects', rejects],
      env,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'line 3: Age=now must be a number\n' });
    expect(stdout).toMatch(/^Import [0-9a-f]{24} completed: read 2, created 1, updated 0, unchanged 0, rejected 1\n$/);
    expect(await readFile(rejects, 'utf8')).toBe(
      'line,reason,mail,Age=now\r\n3,Age=now must be a number,bob@example.com,x\r\n',
    );
    const record = await server.db.collection('users').findOne({ sourceAppId: app });
    expect(record).toMatchObject({ email: 'ada@example.com', data: { age: 1.5 } });
  });

  it('takes settings of columns, columns by place, and leaves values out', { tags: 'long' }, async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: [{ key: 'age', kind: 'number' }] });
    const file = await fileOf('places.csv', 'mail;x;x\nada@example.com;;1.234,5\nbob@example.com;;old\n');
    const columns = ['--map', 'mail=email', '--map', '#3=data.age', '--columns', '{"#3":{"decimal":","}}'];
    const { code, stdout } = await runTool(['users', 'import', app, file, ...columns, '--invalid-values', 'omit'], env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/rejected 0, omitted 1\n$/) });
    const wrong = await runTool(['users', 'import', app, file, '--columns', '{'], env);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('It must be JSON.') });
    const records = await server.db.collection('users').find({ sourceAppId: app }).sort({ email: 1 }).toArray();
    expect(records.map(({ data }) => data)).toEqual([{ age: 1234.5 }, {}]);
  });

  it('works without a server, and recognizes NDJSON by its name', { tags: 'long' }, async () => {
    const alone = await startServer({}, undefined, QUICK_JOBS);
    const { sourceAppId: app } = await alone.admin.buildApp({ fields: [{ key: 'a', kind: 'text' }] });
    const database = databaseUri(alone.database);
    await alone.close();
    const file = await fileOf('people.ndjson', '{"email":"ada@example.com","data":{"a":"x"}}\n');
    const { code, stdout } = await runTool(['users', 'import', app, file], { ...env, MONGODB_URI: database });
    expect(code).toBe(0);
    expect(stdout).toMatch(/completed: read 1, created 1,/);
  });

  it('exits with 1 when a line ends the import, and for what it refuses', { tags: 'long' }, async () => {
    const { sourceAppId: app } = await server.admin.buildApp({ fields: [{ key: 'a', kind: 'text' }] });
    const file = await fileOf('bad.csv', 'email\nada@example.com\nnobody\n');
    const aborted = await runTool(['users', 'import', app, file, '--invalid', 'abort'], env);
    expect(aborted).toMatchObject({ code: 1, stderr: expect.stringContaining('line 3: email must be an email') });
    expect(await emailsOf(app)).toEqual(['ada@example.com']);
    const dry = await runTool(['users', 'import', app, file, '--dry-run'], env);
    const counts = 'read 2, created 0, updated 0, unchanged 1, rejected 1';
    expect(dry.stdout).toMatch(new RegExp(`^Dry run [0-9a-f]{24} completed, nothing was stored: ${counts}\\n$`));
    expect(await runTool(['users', 'import', 'nobody', file], env)).toMatchObject({
      code: 1,
      stderr: 'error: App not found\n',
    });
    const missing = await runTool(['users', 'import', app, join(folder, 'none.csv')], env);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: Cannot read .*ENOENT/) });
    const refused = await runTool(['users', 'import', app, file, '--map', 'x=email'], env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('map.x is not a column of the file') });
    const other = await fileOf('other.csv', 'mail\nada@example.com\n');
    expect(await runTool(['users', 'import', app, other], env)).toMatchObject({
      code: 1,
      stderr: 'error: The columns of the file do not fit\n  map must map a column to email\n',
    });
    const usage = await runTool(['users', 'import', app, file, '--mode', 'merge'], env);
    expect(usage.code).toBe(2);
    expect(await server.db.collection('imports').countDocuments({ state: { $in: ['uploading', 'running'] } })).toBe(0);
  });

  it('needs the secret of the server, by which erased persons are known', async () => {
    const { sourceAppId: app } = await server.admin.buildApp();
    const file = await fileOf('secret.csv', 'email\nada@example.com\n');
    const { code, stderr } = await runTool(['users', 'import', app, file], {
      MONGODB_URI: databaseUri(server.database),
      DATA_DIR: join(folder, 'nothing'),
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('SESSION_SECRET') });
  });
});

describe('the progress bar', () => {
  it('is drawn in one line of a terminal, and nowhere else', () => {
    const written: string[] = [];
    const bar = createProgressBar({ isTTY: true, write: (text) => written.push(text) });
    bar.show(0.5, 100);
    bar.show(1, 200);
    bar.end();
    expect(written[0]).toMatch(/^\r\[#{15}\.{15}\] 50 %, 100 lines, \d+ a second/);
    expect(written[1]).toMatch(/^\r\[#{30}\] 100 %, 200 lines/);
    expect(written[2]).toBe('\n');
    const other: string[] = [];
    const none = createProgressBar({ write: (text) => other.push(text) });
    none.show(0.5, 1);
    none.end();
    expect(other).toEqual([]);
  });
});
