import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/features/accounts/account-documents.ts';
import { createAccountService } from '../../src/features/accounts/accounts.service.ts';
import { createPasskeys } from '../../src/features/accounts/passkeys.ts';
import { createSecondFactors } from '../../src/features/accounts/second-factor.ts';
import { createAppReads } from '../../src/features/app-administration/app-reads.ts';
import { createPasswordHasher } from '../../src/platform/log-ins/passwords.ts';
import { mailEnv, startSmtp } from '../support/peers/smtp.ts';
import { joinApp, logIn, PASSWORD, tokenOf, totp } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let second: TestServer;
beforeAll(async () => {
  server = await startServer();
  second = await startServer({}, server.database);
});
afterAll(async () => {
  await second.close();
  await server.close();
});

const newClient = (at = server) => new Client(at.client.url);
const join = (sourceAppId: string, role: string, inviter?: Client) => joinApp(server, sourceAppId, role, inviter);

describe('an invitation', () => {
  it('creates an account that may do what its role allows, in that app only', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
    const other = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data: { name: 'Ada' } }).expect(200);
    const viewer = await join(sourceAppId, 'viewer');
    const session = await viewer.client.get('/auth/session').expect(200);
    expect(session.body).toMatchObject({
      sourceAppId,
      role: 'user',
      method: 'invitation',
      account: { id: viewer.id, email: viewer.email, admin: false },
      memberships: [{ sourceAppId, role: 'viewer' }],
    });
    const { body } = await viewer.client.get('/auth/users').expect(200);
    expect(body.users).toHaveLength(1);
    await viewer.client.get('/auth/stats').expect(200);
    await viewer.client.delete(`/auth/users/${body.users[0].id}`).expect(403);
    await viewer.client.get('/auth/users/export').expect(403);
    await viewer.client.get('/auth/keys').expect(403);
    for (const name of [other.sourceAppId, 'no-such-app', 'admin']) {
      await viewer.client.get(`/auth/users?sourceAppId=${name}`).expect(403);
      await viewer.client.get(`/auth/apps/${name}/indexes`).expect(403);
    }
    await viewer.client.get('/auth/apps').expect(403);
    const editor = await join(sourceAppId, 'editor');
    await editor.client.get('/auth/users/export').expect(200);
    await editor.client.get(`/auth/apps/${sourceAppId}/members`).expect(403);
    await editor.client.get('/auth/audit').expect(403);
    await editor.client.putSchema(sourceAppId, { fields: [] }).expect(403);
    const manager = await join(sourceAppId, 'manager');
    await manager.client.putSchema(sourceAppId, { fields: [{ key: 'name', kind: 'text' }] }).expect(200);
    await manager.client.post('/auth/keys', { name: 'Key', scopes: ['schema:write'] }).expect(200);
    await manager.client
      .put(`/auth/apps/${other.sourceAppId}/schema`, { rejectUnknown: false, fields: [] })
      .expect(403);
    await manager.client.get('/auth/audit').expect(200);
    await manager.client.get('/auth/accounts').expect(403);
  });

  it('works once, also in parallel on two servers, and not when it was withdrawn', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const path = `/auth/apps/${sourceAppId}/invitations`;
    const invite = async (email: string) => (await server.admin.post(path, { email, role: 'viewer' }).expect(200)).body;
    const { link } = await invite('parallel@example.com');
    const body = { token: tokenOf(link), name: 'Parallel', password: PASSWORD };
    const answers = await Promise.all(
      [server, second, server, second].map((at) => newClient(at).post('/auth/invitations/accept', body)),
    );
    // 403: the account existed already when the request looked for it.
    const statuses = answers.map(({ status }) => (status === 403 ? 410 : status)).sort();
    expect(statuses).toEqual([200, 410, 410, 410]);
    const withdrawn = await invite('withdrawn@example.com');
    const { body: open } = await server.admin.get(path).expect(200);
    expect(open.invitations.map(({ id }: { id: string }) => id)).toEqual([withdrawn.id]);
    await server.admin.delete(`${path}/${withdrawn.id}`).expect(200);
    await newClient()
      .post('/auth/invitations/accept', { ...body, token: tokenOf(withdrawn.link) })
      .expect(410);
  });

  it('ends at its time', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const path = `/auth/apps/${sourceAppId}/invitations`;
    const { body } = await server.admin.post(path, { email: 'late@example.com', role: 'viewer' }).expect(200);
    const ended = { $set: { expiresAt: new Date(0) } };
    await server.db.collection('invitations').updateOne({ email: 'late@example.com' }, ended);
    const accept = { token: tokenOf(body.link), name: 'Late', password: PASSWORD };
    await newClient().post('/auth/invitations/accept', accept).expect(410);
    expect((await server.admin.get(path).expect(200)).body.invitations).toEqual([]);
  });

  it('gives somebody with an account the membership, after a log-in only', async () => {
    const [one, two] = [await server.admin.buildApp(), await server.admin.buildApp()];
    const member = await join(one.sourceAppId, 'manager');
    const path = `/auth/apps/${two.sourceAppId}/invitations`;
    const { body } = await server.admin.post(path, { email: member.email, role: 'viewer' }).expect(200);
    const accept = { token: tokenOf(body.link), name: 'Another', password: 'another password' };
    await newClient().post('/auth/invitations/accept', accept).expect(403);
    await member.client.post('/auth/invitations/accept', accept).expect(200);
    await logIn(newClient(), member.email, 'another password').expect(401);
    const session = await member.client.get('/auth/session').expect(200);
    expect(session.body.account.name).not.toBe('Another');
    expect(session.body.memberships).toHaveLength(2);
    // With two apps a request has to name one.
    await member.client.get('/auth/users').expect(400);
    await member.client.get(`/auth/users?sourceAppId=${two.sourceAppId}`).expect(200);
    await member.client.get(`/auth/schema?sourceAppId=${two.sourceAppId}`).expect(200);
    await member.client.get(`/auth/mail?sourceAppId=${two.sourceAppId}`).expect(200);
    await member.client.get('/auth/schema?sourceAppId=no-such-app').expect(403);
    await member.client.get(`/auth/apps/${two.sourceAppId}/members`).expect(403);
    await member.client.get(`/auth/apps/${one.sourceAppId}/members`).expect(200);
  });

  it('gives nobody a role above their own', async () => {
    const app = await server.admin.buildApp();
    const operator = await newClient().logIn(app.sourceAppId, app.password);
    const path = `/auth/apps/${app.sourceAppId}/invitations`;
    await operator.post(path, { email: 'x@example.com', role: 'manager' }).expect(403);
    await operator.post(path, { email: 'x@example.com', role: 'editor' }).expect(200);
    const manager = await join(app.sourceAppId, 'manager');
    await manager.client.post(path, { email: 'y@example.com', role: 'manager' }).expect(200);
    await manager.client.post('/auth/accounts', { email: 'z@example.com', admin: true }).expect(403);
  });
});

describe('an invitation of a member', () => {
  it('raises the role and never lowers it', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, email } = await join(sourceAppId, 'viewer');
    const acceptAs = async (role: string) => {
      const path = `/auth/apps/${sourceAppId}/invitations`;
      const { body } = await server.admin.post(path, { email, role }).expect(200);
      const token = tokenOf(body.link);
      return (await client.post('/auth/invitations/accept', { token, name: 'Member' }).expect(200)).body.memberships;
    };
    expect(await acceptAs('manager')).toEqual([{ sourceAppId, role: 'manager' }]);
    await server.admin.put(`/auth/apps/${sourceAppId}/access`, { sharedLogin: false }).expect(200);
    expect(await acceptAs('viewer')).toEqual([{ sourceAppId, role: 'manager' }]);
    await client.get(`/auth/apps/${sourceAppId}/members`).expect(200);
  });
});

describe('a log-in', () => {
  it('answers alike for an unknown email, a wrong password and a suspended account', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const member = await join(sourceAppId, 'viewer');
    const suspended = await join(sourceAppId, 'viewer');
    await server.admin.patch(`/auth/accounts/${suspended.id}`, { suspended: true }).expect(200);
    await logIn(newClient(), member.email.toUpperCase()).expect(200);
    const refused = [
      await logIn(newClient(), 'nobody@example.com').expect(401),
      await logIn(newClient(), member.email, 'wrong').expect(401),
      await logIn(newClient(), suspended.email).expect(401),
    ];
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
    await newClient().post('/auth/login', { password: PASSWORD }).expect(400);
    await newClient().post('/auth/login', { email: member.email, sourceAppId, password: PASSWORD }).expect(400);
  });

  it('changes the id of the session; a log-out ends it on every server', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { email } = await join(sourceAppId, 'viewer');
    const first = await logIn(newClient(), email).expect(200);
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
    const elsewhere = newClient(second);
    await elsewhere.get('/auth/users').set('Cookie', cookie).expect(200);
    await elsewhere.post('/auth/logout').set('Cookie', cookie).expect(200);
    await newClient().get('/auth/users').set('Cookie', cookie).expect(401);
  });

  it('is ended by removal, another role, suspension and a new password on every server', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, id, email } = await join(sourceAppId, 'editor');
    const there = newClient(second);
    await logIn(there, email).expect(200);
    await there.get('/auth/users/export').expect(200);
    await server.admin.patch(`/auth/apps/${sourceAppId}/members/${id}`, { role: 'viewer' }).expect(200);
    await there.get('/auth/users/export').expect(403);
    await there.get('/auth/users').expect(200);
    await server.admin.delete(`/auth/apps/${sourceAppId}/members/${id}`).expect(200);
    await there.get(`/auth/users?sourceAppId=${sourceAppId}`).expect(403);
    await server.admin.delete(`/auth/apps/${sourceAppId}/members/${id}`).expect(404);
    await client.put('/auth/account/password', { current: PASSWORD, password: 'a second password' }).expect(200);
    await there.get('/auth/account').expect(401);
    await client.get('/auth/account').expect(200);
    await logIn(there, email).expect(401);
    await logIn(there, email, 'a second password').expect(200);
    await server.admin.patch(`/auth/accounts/${id}`, { suspended: true }).expect(200);
    await there.get('/auth/account').expect(401);
    await client.get('/auth/account').expect(401);
    await server.admin.patch(`/auth/accounts/${id}`, { suspended: false }).expect(200);
    await there.get('/auth/account').expect(401);
  });
});

describe('an authenticator app', () => {
  it('is asked for after the password; each code and recovery code counts once', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, email } = await join(sourceAppId, 'viewer');
    const { body: begun } = await client.post('/auth/account/totp').expect(200);
    await client.post('/auth/account/totp/confirm', { code: '000000' }).expect(400);
    const first = totp(begun.secret);
    const { body } = await client.post('/auth/account/totp/confirm', { code: first }).expect(200);
    expect(body.recoveryCodes).toHaveLength(10);

    const waiting = newClient();
    expect((await logIn(waiting, email).expect(202)).body).toEqual({ ok: false, second: ['totp'] });
    for (const path of ['/auth/session', '/auth/users', '/auth/account']) await waiting.get(path).expect(401);
    await waiting.post('/auth/login/second', { code: first }).expect(401);

    // Parallel use of one code on two servers: one log-in.
    const code = totp(begun.secret, 1);
    const clients = [newClient(), newClient(second), newClient(), newClient(second)];
    for (const one of clients) await logIn(one, email).expect(202);
    const answers = await Promise.all(clients.map((one) => one.post('/auth/login/second', { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);

    const [recoveryCode] = body.recoveryCodes;
    const others = [newClient(), newClient(second)];
    for (const one of others) await logIn(one, email).expect(202);
    const recovered = await Promise.all(others.map((one) => one.post('/auth/login/second', { recoveryCode })));
    expect(recovered.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await client.get('/auth/account').expect(200)).body).toMatchObject({ totp: true, recoveryCodes: 9 });
  });

  it('takes the codes of one step before and after the present one, and no other', { tags: 'long' }, async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, email } = await join(sourceAppId, 'viewer');
    const { body } = await client.post('/auth/account/totp').expect(200);
    const untilNext = 30_000 - (Date.now() % 30_000);
    if (untilNext < 5_000) await sleep(untilNext);
    for (const step of [-3, -2, 2, 3]) {
      await client.post('/auth/account/totp/confirm', { code: totp(body.secret, step) }).expect(400);
    }
    await client.post('/auth/account/totp/confirm', { code: totp(body.secret, -1) }).expect(200);
    const waiting = newClient();
    await logIn(waiting, email).expect(202);
    await waiting.post('/auth/login/second', { code: totp(body.secret, 1) }).expect(200);
  });

  it('is waited for ten minutes, also by a session that would live for days', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, email, id } = await join(sourceAppId, 'viewer');
    const { body } = await client.post('/auth/account/totp').expect(200);
    await client.post('/auth/account/totp/confirm', { code: totp(body.secret) }).expect(200);
    const waiting = newClient();
    await logIn(waiting, email).expect(202);
    const accounts = server.db.collection('accounts');
    const _id = new ObjectId(id);
    const session = (await accounts.findOne({ _id }))?.sessions.at(-1);
    expect(session.expiresAt - session.createdAt).toBe(10 * 60_000);
    const past = new Date(Date.now() - 1);
    await accounts.updateOne({ _id, 'sessions.id': session.id }, { $set: { 'sessions.$.expiresAt': past } });
    await waiting.post('/auth/login/second', { code: totp(body.secret, 1) }).expect(401);
  });

  it('is not removed by a request whose session ended while it stalled', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, email, id } = await join(sourceAppId, 'viewer');
    const { body } = await client.post('/auth/account/totp').expect(200);
    await client.post('/auth/account/totp/confirm', { code: totp(body.secret) }).expect(200);
    const { store } = server.services.accounts;
    const account = await store.findById(new ObjectId(id));
    const session = account?.sessions.at(-1);
    if (!account || !session) throw new Error('no session');
    await server.admin.delete(`/auth/accounts/${id}/sessions`).expect(200);
    // What the stalled request sends when it goes on.
    const { service } = server.services.accounts;
    await expect(service.removeTotp({ account, session })).rejects.toThrow('changed meanwhile');
    await expect(service.confirmTotp({ account, session }, '000000')).rejects.toThrow('Invalid code');
    await logIn(newClient(), email).expect(202);
  });

  it('limits the guesses of an account over all servers', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, email } = await join(sourceAppId, 'viewer');
    const { body } = await client.post('/auth/account/totp').expect(200);
    await client.post('/auth/account/totp/confirm', { code: totp(body.secret) }).expect(200);
    const guessers = [newClient(), newClient(second)];
    for (const guesser of guessers) await logIn(guesser, email).expect(202);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (guessers[index % 2] ?? newClient()).post('/auth/login/second', { code: '123456' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(9);
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(11);
  });

  it('needs a recent log-in to be added or removed', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, id } = await join(sourceAppId, 'viewer');
    const early = { $set: { 'sessions.$[].authenticatedAt': new Date(Date.now() - 11 * 60_000) } };
    await server.db.collection('accounts').updateOne({ _id: new ObjectId(id) }, early);
    for (const answer of [
      await client.post('/auth/account/totp').expect(403),
      await client.delete('/auth/account/totp').expect(403),
      await client.put('/auth/account/password', { current: PASSWORD, password: 'a second password' }).expect(403),
    ]) {
      expect(answer.body).toEqual({ message: 'Log in again to change this', code: 'logInAgain', reauthenticate: true });
    }
  });
});

describe('the last manager and the last admin', () => {
  it('keep one manager while the shared log-in is off', async () => {
    const app = await server.admin.buildApp();
    const path = `/auth/apps/${app.sourceAppId}`;
    const operator = await newClient().logIn(app.sourceAppId, app.password);
    await operator.put(`${path}/access`, { sharedLogin: false }).expect(403);
    await server.admin.put(`${path}/access`, { sharedLogin: false }).expect(409);
    const managers = [await join(app.sourceAppId, 'manager'), await join(app.sourceAppId, 'manager')];
    const [first, other] = managers;
    await first?.client.put(`${path}/access`, { sharedLogin: false }).expect(200);
    await operator.get('/auth/users').expect(401);
    await newClient(second).post('/auth/login', app).expect(401);
    // Each removes the other, on two servers.
    const removed = await Promise.all([
      server.admin.delete(`${path}/members/${first?.id}`),
      second.admin.patch(`${path}/members/${other?.id}`, { role: 'viewer' }),
    ]);
    expect(removed.map(({ status }) => status).sort()).toEqual([200, 409]);
    await server.admin.put(`${path}/access`, { sharedLogin: true }).expect(200);
    // A request that stopped between the two documents has not switched the password off.
    await server.services.accounts.access.setSharedLogin(
      { id: (await server.services.apps.find(app.sourceAppId))?.id ?? new ObjectId(), sourceAppId: app.sourceAppId },
      false,
      server.services.clock.within(60_000),
    );
    expect((await server.admin.get(`${path}/access`).expect(200)).body).toEqual({ sharedLogin: true });
    await newClient(second).post('/auth/login', app).expect(200);
    await operator.get('/auth/users').expect(200);
  });

  it('keep one active admin', { tags: 'long' }, async () => {
    const own = await startServer();
    const another = await startServer({}, own.database);
    try {
      const admins = [];
      for (const email of ['one@example.com', 'two@example.com']) {
        const { body } = await own.admin.post('/auth/accounts', { email, admin: true }).expect(200);
        const client = new Client(own.client.url);
        const accept = { token: tokenOf(body.link), name: 'Admin', password: PASSWORD };
        admins.push({
          client,
          id: (await client.post('/auth/invitations/accept', accept).expect(200)).body.account.id,
        });
      }
      const [one, two] = admins;
      await one?.client.get('/auth/apps').expect(200);
      await one?.client.post('/auth/apps', { sourceAppId: 'made-by-an-account' }).expect(200);
      await one?.client.get('/auth/users?sourceAppId=made-by-an-account').expect(200);
      await one?.client.get('/auth/schema?sourceAppId=made-by-an-account').expect(200);
      await one?.client.putSchema('made-by-an-account', { fields: [{ key: 'name', kind: 'text' }] }).expect(200);
      await one?.client.get('/auth/users').expect(400);
      const answers = await Promise.all([
        own.admin.patch(`/auth/accounts/${one?.id}`, { admin: false }),
        another.admin.patch(`/auth/accounts/${two?.id}`, { suspended: true }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      for (const admin of admins) await own.admin.delete(`/auth/accounts/${admin.id}`);
      const { body } = await own.admin.get('/auth/accounts').expect(200);
      expect(body.accounts).toMatchObject([{ admin: true }]);
      // A suspended account would count as the admin who stays.
      const app = await own.admin.buildApp();
      const invited = { email: 'three@example.com', role: 'manager' };
      const { body: invitation } = await own.admin
        .post(`/auth/apps/${app.sourceAppId}/invitations`, invited)
        .expect(200);
      const third = new Client(own.client.url);
      const accept = { token: tokenOf(invitation.link), name: 'Third', password: PASSWORD };
      const { id } = (await third.post('/auth/invitations/accept', accept).expect(200)).body.account;
      await own.admin.patch(`/auth/accounts/${id}`, { admin: true, suspended: true }).expect(409);
      await own.admin.patch(`/auth/accounts/${id}`, { suspended: true }).expect(200);
      await another.admin.patch(`/auth/accounts/${id}`, { admin: true }).expect(409);
      await own.admin.patch(`/auth/accounts/${id}`, { admin: true, suspended: false }).expect(200);
      const [{ id: stays }] = body.accounts;
      await own.admin.patch(`/auth/accounts/${stays}`, { admin: false }).expect(200);
      // An erasure that an app refuses leaves the other roles.
      await own.admin.patch(`/auth/accounts/${stays}`, { admin: true }).expect(200);
      await own.admin.put(`/auth/apps/${app.sourceAppId}/access`, { sharedLogin: false }).expect(200);
      await own.admin.delete(`/auth/accounts/${id}`).expect(409);
      const { body: after } = await own.admin.get('/auth/accounts?q=three').expect(200);
      expect(after.accounts).toMatchObject([{ id, admin: true }]);
    } finally {
      await another.close();
      await own.close();
    }
  });
});

describe('a link for a new password', () => {
  it('is checked before anything is computed, and works once', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { id, email } = await join(sourceAppId, 'viewer');
    const reset = { token: 'x'.repeat(43), password: 'a second password' };
    await newClient().post('/auth/password/reset', reset).expect(410);
    const { token, hash } = createToken();
    const link = { hash, expiresAt: new Date(Date.now() + 60_000) };
    await server.db.collection('accounts').updateOne({ _id: new ObjectId(id) }, { $set: { reset: link } });
    const answers = await Promise.all(
      [server, second, server].map((at) => newClient(at).post('/auth/password/reset', { ...reset, token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
    await logIn(newClient(), email, 'a second password').expect(200);
  });

  it('is sent once in ten minutes, by any server, and works for an hour', { tags: 'long' }, async () => {
    const smtp = await startSmtp();
    const own = await startServer(mailEnv(smtp));
    const other = await startServer(mailEnv(smtp), own.database);
    try {
      const { sourceAppId } = await own.admin.buildApp();
      const { id, email } = await joinApp(own, sourceAppId, 'viewer');
      const accounts = own.db.collection('accounts');
      const stored = async () => (await accounts.findOne({ _id: new ObjectId(id) }))?.reset?.expiresAt as Date;
      const forget = (at: TestServer, to = email) =>
        newClient(at).post('/auth/password/forgot', { email: to }).expect(202, { ok: true });
      const resets = () => smtp.to(email).filter(({ text }) => text.includes('/reset#'));
      const begun = Date.now();
      await forget(own);
      await expect.poll(() => resets().length, { timeout: 10_000 }).toBe(1);
      const expiresAt = await stored();
      expect(expiresAt.getTime() - begun).toBeGreaterThanOrEqual(60 * 60_000);
      expect(expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60 * 60_000);

      const sentBefore = async (ms: number): Promise<Date> => {
        const earlier = new Date(expiresAt.getTime() - ms);
        await accounts.updateOne({ _id: new ObjectId(id) }, { $set: { 'reset.expiresAt': earlier } });
        return earlier;
      };
      const recent = await sentBefore(9.5 * 60_000);
      await forget(other);
      await forget(own, 'nobody@example.com');
      await sleep(500);
      expect(await stored()).toEqual(recent);
      await sentBefore(10 * 60_000 + 1);
      await forget(other);
      await expect.poll(() => resets().length, { timeout: 10_000 }).toBe(2);
      expect(smtp.to('nobody@example.com')).toEqual([]);

      const tokens = resets().map(({ text }) => tokenOf(/https?:\/\/\S+reset#\S+/.exec(text)?.[0] ?? ''));
      const reset = (token = '') => newClient(own).post('/auth/password/reset', { token, password: 'a new password' });
      await reset(tokens[0]).expect(410);
      await accounts.updateOne({ _id: new ObjectId(id) }, { $set: { 'reset.expiresAt': new Date() } });
      await reset(tokens[1]).expect(410);
      const later = new Date(Date.now() + 60_000);
      await accounts.updateOne({ _id: new ObjectId(id) }, { $set: { 'reset.expiresAt': later } });
      await reset(tokens[1]).expect(200);
      await logIn(newClient(own), email, 'a new password').expect(200);
    } finally {
      await other.close();
      await own.close();
      await smtp.close();
    }
  });

  /** The service of the server, with other parts in the places that a test observes. */
  function serviceWith(others: Partial<Parameters<typeof createAccountService>[0]>) {
    const { store, access, status, roles, invitations, mail, challenges } = server.services.accounts;
    const passkeys = createPasskeys(store, challenges);
    const factors = createSecondFactors(store);
    const hasher = createPasswordHasher(4);
    const own = { roles, status, signOnOnly: false };
    const { apps } = server.services;
    const appReads = createAppReads(server.services.core.apps);
    const parts = { ...own, store, access, invitations, factors, passkeys, hasher, mail, apps, appReads };
    return createAccountService({ ...parts, publicUrl: 'https://example.com', ...others });
  }

  it('costs a stranger without one no hash', async () => {
    const hasher = createPasswordHasher(4);
    let hashes = 0;
    const hash = (password: string) => {
      hashes += 1;
      return hasher.hash(password);
    };
    const service = serviceWith({ hasher: { ...hasher, hash } });
    await expect(service.reset('x'.repeat(43), 'a second password')).rejects.toThrow('used or has expired');
    expect(hashes).toBe(0);
  });

  it('is looked up for two emails at the same time, and 200 wait', async () => {
    const { store, mail } = server.services.accounts;
    let [running, most, all] = [0, 0, 0];
    const findByEmail: typeof store.findByEmail = async (email) => {
      running += 1;
      all += 1;
      most = Math.max(most, running);
      const found = await store.findByEmail(email);
      running -= 1;
      return found;
    };
    const service = serviceWith({ store: { ...store, findByEmail }, mail: { ...mail, isOn: true } });
    for (let sent = 0; sent < 1_000; sent += 1) service.forget(`nobody-${sent}@example.com`);
    await expect.poll(() => running).toBe(0);
    expect(most).toBe(2);
    await expect.poll(() => all).toBeGreaterThanOrEqual(200);
    expect(all).toBeLessThanOrEqual(202);
  });
});

describe('tokens', () => {
  it('are stored as hashes, and every event names the account and its method', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const { client, id, email } = await join(sourceAppId, 'editor');
    const token = await server.services.accounts.service.createLink(email, server.services.clock.within(60_000));
    const linked = newClient(second);
    expect((await linked.post('/auth/login/link', { token }).expect(200)).body.account.id).toBe(id);
    await linked.post('/auth/login/link', { token }).expect(410);
    await client.get('/auth/users/export').expect(200);
    const { body } = await server.admin.get(`/auth/audit?sourceAppId=${sourceAppId}`).expect(200);
    expect(body.events[0]).toMatchObject({
      action: 'users.exported',
      actor: { kind: 'operator', id, method: 'invitation' },
    });
    const stored = JSON.stringify([
      await server.db.collection('accounts').find().toArray(),
      await server.db.collection('invitations').find().toArray(),
      await server.db.collection('audit_events').find().toArray(),
    ]);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(PASSWORD);
    const logs = server.log() + second.log();
    for (const secret of [token, PASSWORD]) expect(logs).not.toContain(secret);
    await server.admin.delete(`/auth/accounts/${id}`).expect(200);
    expect(JSON.stringify(await server.db.collection('audit_events').find().toArray())).not.toContain(email);
    expect(await server.db.collection('accounts').countDocuments({ email })).toBe(0);
    await client.get('/auth/session').expect(401);
  });
});
