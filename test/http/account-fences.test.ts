import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/features/accounts/account-documents.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { joinApp, logIn, PASSWORD, tokenOf, totp } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

let server: TestServer;
let second: TestServer;
let sourceAppId: string;
beforeAll(async () => {
  server = await startServer();
  second = await startServer({}, server.database);
  ({ sourceAppId } = await server.admin.buildApp());
});
afterAll(async () => {
  await second.close();
  await server.close();
});

const ORIGIN = { device: 'a browser', address: '192.0.2.1' };
const newClient = (at = server) => new Client(at.client.url);
const inTime = () => server.services.clock.within(60_000);
const accounts = () => server.db.collection('accounts');
const join = (role: string, app = sourceAppId) => joinApp(server, app, role);

async function invite(email: string, role: string, app = sourceAppId, inviter = server.admin) {
  const { body } = await inviter.post(`/auth/apps/${app}/invitations`, { email, role }).expect(200);
  return { ...body, token: tokenOf(body.link) };
}

/** An account with its newest session, as a request reads them before it stalls. */
async function signedIn(id: string) {
  const account = await server.services.accounts.store.findById(new ObjectId(id));
  const session = account?.sessions.at(-1);
  if (!account || !session) throw new Error('no session');
  return { account, session };
}

/** An account that is an admin. */
async function joinAdmins() {
  const member = await join('viewer');
  await server.admin.patch(`/auth/accounts/${member.id}`, { admin: true }).expect(200);
  return member;
}

/** The entry of an account among the admins. */
async function admin(id: string) {
  const admins = await server.services.accounts.access.admins();
  return admins.find(({ account }) => account.toHexString() === id);
}

async function setLink(id: string, kind: 'link' | 'reset'): Promise<string> {
  const { token, hash } = createToken();
  const link = { hash, expiresAt: new Date(Date.now() + 60_000) };
  await accounts().updateOne({ _id: new ObjectId(id) }, { $set: { [kind]: link } });
  return token;
}

describe('an invitation that is accepted in a session', () => {
  it('continues that session: its method, its end and the age of its log-in', async () => {
    const { client, id, email } = await join('viewer');
    await logIn(client, email).expect(200);
    const early = { $set: { 'sessions.$[].authenticatedAt': new Date(Date.now() - 11 * 60_000) } };
    await accounts().updateOne({ _id: new ObjectId(id) }, early);
    const before = await signedIn(id);
    const { token } = await invite(email, 'editor');
    await client.post('/auth/invitations/accept', { token, name: 'Name' }).expect(200);
    const after = await signedIn(id);
    expect(after.session.id).not.toEqual(before.session.id);
    const { method, authenticatedAt, expiresAt } = before.session;
    expect(after.session).toMatchObject({ method, authenticatedAt, expiresAt });
    await client.post('/auth/account/totp').expect(403);
  });

  it('begins no session when the one that stalled has ended', async () => {
    const { id, email } = await join('viewer');
    const { token } = await invite(email, 'editor');
    const { service } = server.services.accounts;
    const entry = await service.accept(token, { name: 'Name' }, await signedIn(id), inTime());
    await server.admin.delete(`/auth/accounts/${id}/sessions`).expect(200);
    await expect(service.begin(entry, 'session', ORIGIN)).rejects.toThrow('Invalid credentials');
  });

  it('begins no session in an account whose email was proved meanwhile', async () => {
    const { token } = await invite('stalled@example.com', 'viewer');
    const { service } = server.services.accounts;
    const entry = await service.accept(token, { name: 'Name', password: PASSWORD }, undefined, inTime());
    await accounts().updateOne({ email: 'stalled@example.com' }, { $set: { emailProvedAt: new Date() } });
    await expect(service.begin(entry, 'session', ORIGIN)).rejects.toThrow('Invalid credentials');
  });
});

describe('a link', () => {
  it('of the host begins no session after the password was replaced', async () => {
    const { client, id } = await join('viewer');
    const { service } = server.services.accounts;
    const entry = await service.useLink(await setLink(id, 'link'));
    await client.put('/auth/account/password', { current: PASSWORD, password: 'a second password' }).expect(200);
    await expect(service.begin(entry, 'session', ORIGIN)).rejects.toThrow('used or has expired');
  });

  it('of the host works once, also in parallel on two servers', async () => {
    const { id } = await join('viewer');
    const token = await setLink(id, 'link');
    const answers = await Promise.all(
      [server, second, server, second].map((at) => newClient(at).post('/auth/login/link', { token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
  });

  it('for a new password proves an email only for an account with nothing but a password', async () => {
    const [plain, prepared] = [await join('viewer'), await join('viewer')];
    const { body } = await prepared.client.post('/auth/account/totp').expect(200);
    await prepared.client.post('/auth/account/totp/confirm', { code: totp(body.secret) }).expect(200);
    for (const [{ id }, status] of [[plain, 200] as const, [prepared, 202] as const]) {
      const token = await setLink(id, 'reset');
      await newClient().post('/auth/password/reset', { token, password: 'a second password' }).expect(status);
    }
    expect((await signedIn(plain.id)).account.emailProvedAt).toBeInstanceOf(Date);
    expect((await signedIn(prepared.id)).account.emailProvedAt).toBeUndefined();
  });

  it('for a new password lets nobody into an account that another person may sign on as', async () => {
    const { client, id } = await join('viewer');
    const identities = [{ issuer: 'https://provider.example.com', subject: id }];
    const reset = async () =>
      newClient().post('/auth/password/reset', { token: await setLink(id, 'reset'), password: 'a second password' });
    await accounts().updateOne({ _id: new ObjectId(id) }, { $set: { identities } });
    expect((await reset()).status).toBe(410);
    await client.get('/auth/account').expect(200);
    await accounts().updateOne({ _id: new ObjectId(id) }, { $set: { emailProvedAt: new Date() } });
    expect((await reset()).status).toBe(200);
  });

  it('for a new password does nothing for an account that was suspended meanwhile', async () => {
    const { id, email } = await join('viewer');
    const token = await setLink(id, 'reset');
    await accounts().updateOne({ _id: new ObjectId(id) }, { $set: { suspendedAt: new Date() } });
    await newClient().post('/auth/password/reset', { token, password: 'a second password' }).expect(410);
    await server.admin.patch(`/auth/accounts/${id}`, { suspended: false }).expect(200);
    await logIn(newClient(), email).expect(200);
  });
});

describe('sessions', () => {
  it('that wait for a second factor end no others', { tags: 'long' }, async () => {
    const { client, email } = await join('viewer');
    const { body } = await client.post('/auth/account/totp').expect(200);
    await client.post('/auth/account/totp/confirm', { code: totp(body.secret) }).expect(200);
    for (let sent = 0; sent < 25; sent += 1) await logIn(newClient(), email).expect(202);
    await client.get('/auth/account').expect(200);
    const stored = await accounts().findOne({ email });
    expect(stored?.sessions).toHaveLength(6);
    const [active] = stored?.sessions ?? [];
    const others = Array.from({ length: 19 }, () => ({ ...active, id: createToken().hash }));
    await accounts().updateOne({ email }, { $push: { sessions: { $each: others } } } as object);
    await logIn(newClient(), email).expect(202);
    await client.get('/auth/account').expect(200);
  });

  it('are at most 20: the oldest ends', { tags: 'long' }, async () => {
    const { client, email } = await join('viewer');
    for (let sent = 0; sent < 19; sent += 1) await logIn(newClient(), email).expect(200);
    await client.get('/auth/account').expect(200);
    await logIn(newClient(), email).expect(200);
    await client.get('/auth/account').expect(401);
  });

  it('go on when they accept an invitation, also the oldest of 20, with their times', async () => {
    const { client, email, id } = await join('viewer');
    for (let sent = 0; sent < 19; sent += 1) await logIn(newClient(), email).expect(200);
    const { sessions } = (await signedIn(id)).account;
    const app = await server.admin.buildApp();
    const { token } = await invite(email, 'manager', app.sourceAppId);
    await client.post('/auth/invitations/accept', { token, name: 'Name' }).expect(200);
    await client.get('/auth/account').expect(200);
    const after = (await signedIn(id)).account.sessions;
    expect(after.map(({ createdAt }) => createdAt)).toEqual(sessions.map(({ createdAt }) => createdAt));
    expect(after[0]?.id).not.toEqual(sessions[0]?.id);
    const { body } = await server.admin.get(`/auth/audit?action=invitation.accepted&sourceAppId=${app.sourceAppId}`);
    expect(body.events.map(({ target }: { target: string }) => target)).toEqual([id]);
  });

  it.each(['log-in', 'acceptance', 'reset'])('have another id after a %s, and the old one is dead', async (by) => {
    const { client, email, id } = await join('viewer');
    const first = await logIn(client, email).expect(200);
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
    if (by === 'log-in') await logIn(client, email).expect(200);
    if (by === 'acceptance') {
      const { token } = await invite(email, 'editor');
      await client.post('/auth/invitations/accept', { token, name: 'Name' }).expect(200);
    }
    if (by === 'reset') {
      const token = await setLink(id, 'reset');
      await client.post('/auth/password/reset', { token, password: 'a second password' }).expect(200);
    }
    await client.get('/auth/account').expect(200);
    await newClient().get('/auth/account').set('Cookie', cookie).expect(401);
  });
});

describe('what is given to an account', () => {
  it('is taken back when the account was suspended or erased meanwhile', async () => {
    const { access, status } = server.services.accounts;
    const suspended = await join('viewer');
    await server.admin.patch(`/auth/accounts/${suspended.id}`, { suspended: true }).expect(200);
    // What a stalled grant writes when it goes on.
    await access.putAdmin(new ObjectId(suspended.id), inTime());
    await status.activate(new ObjectId(suspended.id));
    expect(await admin(suspended.id)).toMatchObject({ isSuspended: true });
    await server.admin.patch(`/auth/accounts/${suspended.id}`, { suspended: false }).expect(200);
    expect(await admin(suspended.id)).toMatchObject({ isSuspended: false });
    const erased = new ObjectId();
    await access.putAdmin(erased, inTime());
    await status.activate(erased);
    expect(await admin(erased.toHexString())).toBeUndefined();
  });

  it('changes nothing when it is refused because there are too many', async () => {
    const full = await server.admin.buildApp();
    const { _id } = (await server.db.collection('apps').findOne({ sourceAppId: full.sourceAppId })) ?? {};
    const crowd = Array.from({ length: 500 }, () => ({
      account: new ObjectId(),
      role: 'viewer',
      addedAt: new Date(),
      isSuspended: false,
    }));
    const access = server.db.collection<{ _id: string }>('access');
    const named = { appId: _id, sourceAppId: full.sourceAppId, createdAt: new Date() };
    await access.updateOne({ _id: String(_id) }, { $set: { members: crowd, ...named } }, { upsert: true });
    const { token } = await invite('crowded@example.com', 'viewer', full.sourceAppId);
    await newClient().post('/auth/invitations/accept', { token, name: 'Name', password: PASSWORD }).expect(409);
    expect(await accounts().countDocuments({ email: 'crowded@example.com' })).toBe(0);

    const { id } = await join('viewer');
    await server.admin.patch(`/auth/accounts/${id}`, { suspended: true }).expect(200);
    const admins = await access.findOne({ _id: 'admins' });
    const filled = { $push: { members: { $each: crowd.map((one) => ({ ...one, role: 'admin' })), $slice: 500 } } };
    await access.updateOne({ _id: 'admins' }, filled as object);
    await server.admin.patch(`/auth/accounts/${id}`, { suspended: false, admin: true }).expect(409);
    await access.replaceOne({ _id: 'admins' }, admins ?? {});
    expect((await accounts().findOne({ _id: new ObjectId(id) }))?.suspendedAt).toBeInstanceOf(Date);
    await server.admin.patch(`/auth/accounts/${id}`, { suspended: false, admin: true }).expect(200);
    expect(await admin(id)).toMatchObject({ isSuspended: false });
  });

  it('counts for nobody while a manager is suspended', async () => {
    const app = await server.admin.buildApp();
    const path = `/auth/apps/${app.sourceAppId}`;
    const [one, two] = [await join('manager', app.sourceAppId), await join('manager', app.sourceAppId)];
    await server.admin.put(`${path}/access`, { sharedLogin: false }).expect(200);
    await server.admin.patch(`/auth/accounts/${one.id}`, { suspended: true }).expect(200);
    await server.admin.delete(`${path}/members/${two.id}`).expect(409);
    await server.admin.patch(`${path}/members/${two.id}`, { role: 'editor' }).expect(409);
    await server.admin.patch(`/auth/accounts/${one.id}`, { suspended: false }).expect(200);
    await server.admin.delete(`${path}/members/${two.id}`).expect(200);
    const other = await server.admin.buildApp();
    const only = await join('manager', other.sourceAppId);
    await server.admin.patch(`/auth/accounts/${only.id}`, { suspended: true }).expect(200);
    await server.admin.put(`/auth/apps/${other.sourceAppId}/access`, { sharedLogin: false }).expect(409);
  });

  it('does not come back by invitations that the account sent', async () => {
    const app = await server.admin.buildApp();
    const open = async (change: (id: string) => PromiseLike<unknown>) => {
      const { client, id } = await join('manager', app.sourceAppId);
      const { token } = await invite(`${id}@example.com`, 'manager', app.sourceAppId, client);
      await change(id);
      return newClient().post('/auth/invitations/accept', { token, name: 'Name', password: PASSWORD });
    };
    const member = (id: string) => `/auth/apps/${app.sourceAppId}/members/${id}`;
    const answers = [
      await open((id) => server.admin.delete(member(id)).expect(200)),
      await open((id) => server.admin.patch(member(id), { role: 'editor' }).expect(200)),
      await open((id) => server.admin.patch(`/auth/accounts/${id}`, { suspended: true }).expect(200)),
      await open((id) => server.admin.delete(`/auth/accounts/${id}`).expect(200)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([410, 410, 410, 410]);
  });

  it('by the password of an app takes nothing from managers', async () => {
    const app = await server.admin.buildApp();
    const path = `/auth/apps/${app.sourceAppId}`;
    const operator = await newClient().logIn(app.sourceAppId, app.password);
    const { id } = await join('manager', app.sourceAppId);
    await operator.delete(`${path}/members/${id}`).expect(403);
    await operator.patch(`${path}/members/${id}`, { role: 'viewer' }).expect(403);
    const offered = await invite('kept@example.com', 'manager', app.sourceAppId);
    await operator.delete(`${path}/invitations/${offered.id}`).expect(404);
    await invite('kept@example.com', 'viewer', app.sourceAppId, operator);
    const accept = { token: offered.token, name: 'Name', password: PASSWORD };
    const { body } = await newClient().post('/auth/invitations/accept', accept).expect(200);
    expect(body.memberships).toEqual([{ sourceAppId: app.sourceAppId, role: 'manager' }]);
  });
});

describe('a suspension that goes on late', () => {
  let proxy: TcpProxy;
  let slow: TestServer;
  beforeAll(async () => {
    ({ proxy, slow } = await startSlow({}, server.database));
    await slow.services.jobs.stop();
  });
  afterAll(() => slow.close());

  const patch = (id: string, body: object, at = server) => at.admin.patch(`/auth/accounts/${id}`, body);

  /** Suspends an account on the slow server; resolves when its statement of this number is held. */
  async function suspendUntil(id: string, command: string, collection: string, nth: number) {
    let held = proxy.holdNext(command, collection);
    const answer = Promise.resolve(patch(id, { suspended: true }, slow)).then(({ status }) => status);
    for (let seen = 1; ; seen += 1) {
      const forward = await Promise.race([held, answer]);
      // The suspension has no such statement.
      if (typeof forward === 'number') return { forward: async () => undefined, answer };
      if (seen === nth) return { forward, answer };
      held = proxy.holdNext(command, collection);
      void forward();
    }
  }

  const STATEMENTS: [command: string, collection: string, nth: number][] = [
    ['update', 'access', 1],
    ['update', 'access', 2],
    ['update', 'access', 3],
    ['update', 'accounts', 1],
    ['delete', 'invitations', 1],
  ];

  it.each(STATEMENTS)('takes nothing that a resumption gave back (%s of %s, number %i)', async (...statement) => {
    const [one, two] = [await joinAdmins(), await joinAdmins()];
    const app = await server.admin.buildApp();
    const manager = await invite(one.email, 'manager', app.sourceAppId);
    await logIn(one.client, one.email).expect(200);
    await one.client.post('/auth/invitations/accept', { token: manager.token, name: 'Name' }).expect(200);
    const { forward, answer } = await suspendUntil(one.id, ...statement);
    await patch(one.id, { suspended: false }).expect(200);
    await forward();
    await answer;
    const { account } = (await logIn(newClient(), one.email).expect(200)).body;
    expect(account).toMatchObject({ admin: true });
    // It counts as the admin and as the manager who stays.
    for (const { account: other } of await server.services.accounts.access.admins()) {
      const id = other.toHexString();
      if (id !== one.id && id !== two.id) await patch(id, { suspended: true });
    }
    await patch(two.id, { suspended: true }).expect(200);
    await patch(one.id, { suspended: true }).expect(409);
    await server.admin.put(`/auth/apps/${app.sourceAppId}/access`, { sharedLogin: false }).expect(200);
  });

  it('suspends nobody to whom the admin role was given meanwhile as the last admin', async () => {
    const [one, two] = [await join('viewer'), await joinAdmins()];
    const { forward, answer } = await suspendUntil(one.id, 'update', 'accounts', 1);
    await patch(one.id, { admin: true }).expect(200);
    for (const { account: other } of await server.services.accounts.access.admins()) {
      const id = other.toHexString();
      if (id !== one.id) await patch(id, { suspended: true });
    }
    await patch(two.id, { suspended: true }).expect(200);
    await forward();
    expect(await answer).toBe(409);
    const { account } = (await logIn(newClient(), one.email).expect(200)).body;
    expect(account).toMatchObject({ admin: true });
  });
});

describe('an admin', () => {
  it('stays: the last active one is neither made another, suspended nor erased', async () => {
    const last = await joinAdmins();
    const path = `/auth/accounts/${last.id}`;
    for (const { account } of await server.services.accounts.access.admins()) {
      const id = account.toHexString();
      if (id !== last.id) await server.admin.patch(`/auth/accounts/${id}`, { suspended: true });
    }
    await server.admin.patch(path, { admin: false }).expect(409);
    await server.admin.patch(path, { suspended: true }).expect(409);
    await server.admin.delete(path).expect(409);
    await joinAdmins();
    await server.admin.patch(path, { admin: false }).expect(200);
  });

  it('by account replaces the password of an app, also of one whose member it is', async () => {
    const { client } = await joinAdmins();
    const other = await server.admin.buildApp();
    for (const app of [sourceAppId, other.sourceAppId]) {
      const { body } = await client.post(`/auth/apps/${app}/password`, {}).expect(200);
      expect(body.password).toEqual(expect.any(String));
    }
  });

  it('is not made by a key: a manager of an admin app creates none', async () => {
    const { client } = await join('manager', 'admin');
    await client.get('/auth/apps').expect(403);
    await client.post('/auth/keys', { name: 'Key', scopes: ['users:read'] }).expect(403);
  });
});
