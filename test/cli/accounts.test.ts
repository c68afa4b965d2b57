import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { databaseUri } from '../support/server/process.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

let server: TestServer;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startServer();
  env = { MONGODB_URI: databaseUri(server.database) };
});
afterAll(() => server.close());

const cli = (...args: string[]) => runTool(['account', ...args], env);
const newClient = () => new Client(server.client.url);

/** Follows a printed link; resolves with the answer. */
function accept(stdout: string) {
  const token = /^\/dashboard\/invitation#(\S{43})\n$/.exec(stdout)?.[1];
  return newClient().post('/auth/invitations/accept', { token, name: 'Ada', password: 'a password of twelve' });
}

describe('account invite, link, list and suspend (spec 4.13)', () => {
  it('lets people in, lists them and keeps them out', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const invited = await cli('invite', 'Boss@example.com', '--admin');
    expect(invited).toMatchObject({ code: 0, stderr: expect.stringContaining('works once') });
    expect((await accept(invited.stdout).expect(200)).body.account).toMatchObject({
      email: 'boss@example.com',
      admin: true,
    });
    const second = await cli('invite', 'member@example.com', '--app', sourceAppId, '--role', 'editor');
    expect((await accept(second.stdout).expect(200)).body.memberships).toEqual([{ sourceAppId, role: 'editor' }]);

    const { stdout: link } = await cli('link', 'member@example.com');
    const member = newClient();
    await member.post('/auth/login/link', { token: link.trim().split('#')[1] }).expect(200);
    expect((await cli('suspend', 'member@example.com')).code).toBe(0);
    await member.get('/auth/account').expect(401);
    const refused = await cli('suspend', 'boss@example.com');
    expect(refused).toMatchObject({ code: 1, stderr: 'error: The last active admin stays\n' });
    const { stdout } = await cli('list');
    expect(stdout).toBe('boss@example.com\tAda\tadmin\tactive\nmember@example.com\tAda\tmember\tsuspended\n');
  });

  it('shows names without control characters', async () => {
    await accept((await cli('invite', 'eve@example.com', '--admin')).stdout).expect(200);
    await server.db
      .collection('accounts')
      .updateOne({ email: 'eve@example.com' }, { $set: { name: 'A\u001b[2Jda\nEve\t\u202e' } });
    expect((await cli('list')).stdout).toContain('\tA [2Jda Eve\t');
  });

  it.each([
    { args: ['invite', 'no email', '--admin'], message: 'The email is not valid' },
    { args: ['invite', 'a@example.com'], message: 'Use either --admin or --app' },
    { args: ['invite', 'a@example.com', '--app', 'none', '--role', 'viewer'], message: 'App not found' },
    { args: ['link', 'nobody@example.com'], message: 'No active account has this email' },
    { args: ['suspend', 'nobody@example.com'], message: 'No account has this email' },
  ])('refuses $args with code 1', async ({ args, message }) => {
    expect(await cli(...args)).toMatchObject({ code: 1, stdout: '', stderr: `error: ${message}\n` });
  });
});
