import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseUri, Leftovers, runCli } from '../support/server/process.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

let server: TestServer;
let env: Record<string, string>;
const leftovers = new Leftovers();
beforeAll(async () => {
  server = await sharedServer();
  env = { MONGODB_URI: databaseUri(server.database) };
});
afterAll(() => leftovers.clear());

const cli = (args: string[], input?: string) => runTool(args, env, input);
const number = { key: 'age', label: 'Age', kind: 'number', required: false, min: 0, max: 150 };

describe.concurrent('schema get (spec 2.3)', () => {
  it('prints the newest schema, or an earlier version with --version', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields: [{ key: 'a', kind: 'text' }] });
    const { body } = await server.admin.get(`/auth/apps/${sourceAppId}/schema`).expect(200);
    const newest = await cli(['schema', 'get', sourceAppId]);
    expect(newest.code).toBe(0);
    expect(JSON.parse(newest.stdout)).toEqual(body);
    expect(body.version).toBe(2);
    const first = await cli(['schema', 'get', sourceAppId, '--version', '1']);
    expect(JSON.parse(first.stdout)).toMatchObject({ version: 1, rejectUnknown: false });
  });

  it('refuses an unknown app and an unknown version', { tags: 'long' }, async () => {
    expect(await cli(['schema', 'get', 'nobody'])).toEqual({ code: 1, stdout: '', stderr: 'error: App not found\n' });
    const { sourceAppId } = await server.admin.buildApp();
    const unknown = await cli(['schema', 'get', sourceAppId, '--version', '9']);
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'error: Schema version not found\n' });
  });
});

describe.concurrent('schema put', () => {
  it('replaces the schema from a file; a running server validates with it at once', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const file = join(await leftovers.folder(), 'schema.json');
    // Some editors write a byte order mark.
    await writeFile(file, `\uFEFF${JSON.stringify({ rejectUnknown: true, fields: [number] })}`);
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data: { age: 'old' } }).expect(200);
    const { code, stdout } = await cli(['schema', 'put', sourceAppId, file]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ version: 2, rejectUnknown: true, fields: [number] });
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data: { age: 'old' } }).expect(400);
  });

  it('renames fields with --rename, and is the author of the version', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'age', kind: 'number' }] });
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data: { age: 36 } }).expect(200);
    const schema = JSON.stringify({ rejectUnknown: true, fields: [{ ...number, key: 'years' }] });
    const { code, stdout } = await cli(['schema', 'put', sourceAppId, '--rename', 'age:years'], schema);
    expect([code, JSON.parse(stdout).version]).toEqual([0, 3]);
    const { body } = await server.admin.get('/auth/admin/users').query({ sourceAppId }).expect(200);
    expect(body.users).toMatchObject([{ data: { years: 36 } }]);
    const history = await server.admin.get(`/auth/apps/${sourceAppId}/schema/versions`).expect(200);
    expect(history.body.versions[0]).toMatchObject({
      author: 'command line',
      renames: [{ from: 'age', to: 'years' }],
    });
    const wrong = await cli(['schema', 'put', sourceAppId, '--rename', 'years'], schema);
    expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('<old key>:<new key>') });
  });

  it('accepts the output of `schema get` on standard input', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'a', kind: 'text', maxLength: 5 }] });
    const before = await runCli(['schema', 'get', sourceAppId], env);
    const after = await runCli(['schema', 'put', sourceAppId], env, before.stdout);
    expect(after.code).toBe(0);
    expect(JSON.parse(after.stdout)).toEqual({ ...JSON.parse(before.stdout), version: 3 });
  });

  it('prints the path of each error and changes nothing', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const schema = { rejectUnknown: 'no', fields: [number, { key: '1st', kind: 'text' }], extra: 1 };
    const { code, stdout, stderr } = await cli(['schema', 'put', sourceAppId], JSON.stringify(schema));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const [first, ...errors] = stderr.trimEnd().split('\n');
    expect(first).toBe('error: Invalid schema');
    expect(errors.map((line) => line.replace(/^ {2}(\S+) .+$/, '$1'))).toEqual([
      'rejectUnknown',
      'fields.1.key',
      'extra',
    ]);
    await server.admin.get(`/auth/apps/${sourceAppId}/schema`).expect(({ body }) => expect(body.version).toBe(1));
  });

  it.each([
    ['min greater than max', { ...number, min: 2, max: 1 }],
    ['a pattern that does not compile', { key: 'a', kind: 'text', regex: '(' }],
  ])('refuses %s and prints its path', { tags: 'long' }, async (_, field) => {
    const { sourceAppId } = await server.admin.buildApp();
    const schema = { rejectUnknown: false, fields: [field] };
    const { code, stderr } = await cli(['schema', 'put', sourceAppId], JSON.stringify(schema));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: Invalid schema\n {2}fields\.0\S* .+\n$/);
  });

  it.each([
    ['invalid JSON', ['schema', 'put', 'admin'], '{"fields": [}', /^error: The schema is not valid JSON: .+\n$/],
    ['an empty input', ['schema', 'put', 'admin'], '', /^error: The schema is not valid JSON: .+\n$/],
    ['JSON that is not an object', ['schema', 'put', 'admin'], '[]', /^error: Invalid schema\n {2}.+\n$/],
    [
      'a missing file',
      ['schema', 'put', 'admin', '/nowhere/s.json'],
      '',
      /^error: Cannot read \/nowhere\/s\.json \(ENOENT\)\n$/,
    ],
    ['an unknown app', ['schema', 'put', 'nobody'], '{"rejectUnknown":false,"fields":[]}', /^error: App not found\n$/],
  ])('refuses %s', async (_, args, input, expected) => {
    const { code, stdout, stderr } = await cli(args, input);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(expected);
  });
});
