import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinApp } from '../support/server/accounts.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const PASSWORD = 'a password of twelve';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp();
});
afterAll(() => server.close());

const tokenOf = (link: string): string => new URL(link).hash.slice(1);
const newClient = () => new Client(server.client.url);
const preview = (token: string) => newClient().post('/auth/invitations/preview', { token });
const accept = (token: string, more: object = {}) =>
  newClient().post('/auth/invitations/accept', { token, name: 'Ada', password: PASSWORD, ...more });

async function invite(email: string, role = 'editor', { sourceAppId } = app): Promise<string> {
  const { body } = await server.admin.post(`/auth/apps/${sourceAppId}/invitations`, { email, role }).expect(200);
  return tokenOf(body.link);
}

describe('POST /auth/invitations/preview', () => {
  it('names email, app and role, and whether the email has an account, and uses nothing', async () => {
    const { sourceAppId } = app;
    const token = await invite('ada@example.com');
    const offer = { email: 'ada@example.com', sourceAppId, role: 'editor', hasAccount: false };
    for (const _ of [1, 2]) expect((await preview(token).expect(200)).body).toEqual(offer);
    await accept(token).expect(200);
    await preview(token).expect(410);
    const again = await invite('ada@example.com', 'manager');
    expect((await preview(again).expect(200)).body).toEqual({ ...offer, role: 'manager', hasAccount: true });
  });

  it('names the account that invites', async () => {
    const { client } = await joinApp(server, app.sourceAppId, 'manager');
    const account = (await client.get('/auth/session').expect(200)).body.account;
    const path = `/auth/apps/${app.sourceAppId}/invitations`;
    const { body } = await client.post(path, { email: 'alan@example.com', role: 'viewer' }).expect(200);
    expect((await preview(tokenOf(body.link)).expect(200)).body).toMatchObject({ invitedBy: account.name });
  });

  it('is 410 after a withdrawal, the end of its time and the deletion of its app', { tags: 'long' }, async () => {
    const own = await server.admin.buildApp();
    const path = `/auth/apps/${own.sourceAppId}/invitations`;
    const withdrawn = await invite('withdrawn@example.com', 'viewer', own);
    const { body } = await server.admin.get(path).expect(200);
    await server.admin.delete(`${path}/${body.invitations[0].id}`).expect(200);
    await preview(withdrawn).expect(410);
    const expired = await invite('expired@example.com', 'viewer', own);
    const past = { $set: { expiresAt: new Date(Date.now() - 1) } };
    await server.db.collection('invitations').updateOne({ email: 'expired@example.com' }, past);
    await preview(expired).expect(410);
    const orphaned = await invite('orphaned@example.com', 'viewer', own);
    await server.admin.delete(`/auth/apps/${own.sourceAppId}`).expect(200);
    await preview(orphaned).expect(410);
    await preview('').expect(410);
    await newClient().post('/auth/invitations/preview', {}).expect(400);
  });

  it('costs one read by the hash for a wrong token', async () => {
    await server.db.command({ profile: 2 });
    await preview('x'.repeat(43)).expect(410);
    await server.db.command({ profile: 0 });
    const named = ['accounts', 'access', 'invitations', 'audit_events', 'sessions'];
    const ns = { $in: named.map((name) => `${server.database}.${name}`) };
    const all = await server.db.collection('system.profile').find({ ns }).toArray();
    expect(all.map(({ op, ns: name }) => `${op} ${name}`)).toEqual([`query ${server.database}.invitations`]);
    expect(all[0]).toMatchObject({ docsExamined: 0, planSummary: expect.stringMatching(/^(?:IDHACK|EXPRESS|IXSCAN)/) });
  });

  it('names no email for the link to the first admin account, and ends with that account', async () => {
    const { service } = server.services.accounts;
    const token = (await service.firstLink()) ?? '';
    expect((await preview(token).expect(200)).body).toEqual({ admin: true, hasAccount: false });
    const { body } = await server.admin.post('/auth/accounts', { email: 'boss@example.com', admin: true }).expect(200);
    const invited = tokenOf(body.link);
    const offer = { email: 'boss@example.com', admin: true, hasAccount: false };
    expect((await preview(invited).expect(200)).body).toEqual(offer);
    await accept(invited).expect(200);
    await preview(token).expect(410);
  });
});
