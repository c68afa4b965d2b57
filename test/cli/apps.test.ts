import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { databaseUri, runCli } from '../support/server/process.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

// The tool and the server use one database. The tests check the effects of the tool through the
// server.
let server: TestServer;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startServer();
  env = { MONGODB_URI: databaseUri(server.database) };
});
afterAll(() => server.close());

const cli = (args: string[], input?: string) => runTool(args, env, input);

function passwordIn(stdout: string): string {
  return /^Password: (\S{24,})$/m.exec(stdout)?.[1] ?? '';
}

describe.concurrent('app create (spec 5.2, rule 6)', () => {
  it('creates an app whose password logs in', { tags: 'long' }, async () => {
    const { code, stdout, stderr } = await cli(['app', 'create', 'Shop.1_a-b']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Created app Shop\.1_a-b \(role user\)\nPassword: \S+\n$/);
    expect(stderr).toBe('It is stored as a hash only and cannot be shown again.\n');
    const client = new Client(server.listener.url);
    const { body } = await client.post('/auth/login', { sourceAppId: 'Shop.1_a-b', password: passwordIn(stdout) });
    expect(body).toEqual({ ok: true, sourceAppId: 'Shop.1_a-b', role: 'user' });
    await client.submit('Shop.1_a-b', { email: 'ada@example.com', data: { name: 'Ada' } }).expect(200);
  });

  it('creates an admin app with --role admin', async () => {
    const { code, stdout } = await cli(['app', 'create', 'second-admin', '--role', 'admin']);
    expect(code).toBe(0);
    const client = await new Client(server.listener.url).logIn('second-admin', passwordIn(stdout));
    await client.get('/auth/apps').expect(200);
  });

  it('exits with code 1 for an existing or malformed id and changes nothing', { tags: 'long' }, async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const existing = await cli(['app', 'create', sourceAppId]);
    expect(existing).toEqual({ code: 1, stdout: '', stderr: 'error: An app with this sourceAppId already exists\n' });
    const malformed = await runCli(['app', 'create', 'no/slash'], env);
    expect(malformed.code).toBe(1);
    expect(malformed.stderr).toBe(
      'error: Invalid sourceAppId: use 1 to 80 letters, digits, dots, underscores or hyphens\n',
    );
    await new Client(server.listener.url).logIn(sourceAppId, password);
    expect(await server.db.collection('apps').countDocuments({ sourceAppId: 'no/slash' })).toBe(0);
  });
});

describe.concurrent('app list', () => {
  it('prints id, role and creation time, sorted by id', async () => {
    await server.admin.post('/auth/apps', { sourceAppId: 'list-b' }).expect(200);
    await server.admin.post('/auth/apps', { sourceAppId: 'list-a' }).expect(200);
    const { code, stdout } = await cli(['app', 'list']);
    expect(code).toBe(0);
    const rows = stdout.split('\n').map((line) => line.split('\t'));
    const { body } = await server.admin.get('/auth/apps').expect(200);
    for (const id of ['admin', 'list-a', 'list-b']) {
      const app = body.apps.find((listed: { sourceAppId: string }) => listed.sourceAppId === id);
      expect(rows).toContainEqual([id, app.role, app.createdAt]);
    }
    const ids = rows.map(([id = '']) => id).filter((id) => id !== '');
    expect(ids).toEqual([...ids].sort());
  });
});

// Not concurrent with other runs of the tool: each run completes the deletions that it finds, and
// only that run would report the number of deleted users.
describe('app delete', () => {
  it('deletes the app and its users if its id is entered', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'ada@example.com' }).expect(200);
    const { code, stdout, stderr } = await runCli(['app', 'delete', sourceAppId], env, `${sourceAppId}\n`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Deleted app ${sourceAppId} and 1 users\n` });
    expect(stderr).toContain(`deletes ${sourceAppId} and all its users`);
    await server.client.submit(sourceAppId, { email: 'ada@example.com' }).expect(400);
    expect(await server.db.collection('users').countDocuments({ sourceAppId })).toBe(0);
  });

  it.each([
    ['another id is entered', 'other\n'],
    ['an empty line is entered', '\n'],
    ['standard input is empty', ''],
  ])('deletes nothing if %s', async (_, input) => {
    const { sourceAppId } = await server.admin.buildApp();
    const { code, stdout, stderr } = await cli(['app', 'delete', sourceAppId], input);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('error: Not deleted: the id was not typed. Where nobody can type, use --yes\n');
    await server.client.submit(sourceAppId, { email: 'ada@example.com' }).expect(200);
  });

  it('does not prompt with --yes and ends the sessions of the app on a running server', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const client = await new Client(server.listener.url).logIn(sourceAppId, password);
    const { code, stdout, stderr } = await cli(['app', 'delete', sourceAppId, '--yes']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `Deleted app ${sourceAppId} and 0 users\n`,
      stderr: '',
    });
    await client.get('/auth/session').expect(401);
  });

  it('refuses an admin app and an unknown app', async () => {
    const admin = await cli(['app', 'delete', 'admin', '--yes']);
    expect(admin).toEqual({ code: 1, stdout: '', stderr: 'error: Admin apps cannot be deleted\n' });
    const unknown = await cli(['app', 'delete', 'nobody', '--yes']);
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'error: App not found\n' });
    await server.admin.get('/auth/session').expect(200);
  });
});

describe.concurrent('app rotate-password', () => {
  it('ends sessions on a running server at once and replaces the password', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const client = await new Client(server.listener.url).logIn(sourceAppId, password);
    const { code, stdout } = await cli(['app', 'rotate-password', sourceAppId]);
    expect(code).toBe(0);
    await client.get('/auth/session').expect(401);
    await client.post('/auth/login', { sourceAppId, password }).expect(401);
    await client.logIn(sourceAppId, passwordIn(stdout));
  });

  it('refuses an unknown app', async () => {
    const { code, stderr } = await cli(['app', 'rotate-password', 'nobody']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: App not found\n' });
  });
});
