import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../support/peers/authenticator.ts';
import { joinApp, logIn, PASSWORD, totp } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const ORIGIN = 'https://people.example.com';
const RP_ID = 'people.example.com';
const ELSEWHERE = 'https://example.org';

let server: TestServer;
let second: TestServer;
let sourceAppId: string;
beforeAll(async () => {
  server = await startServer({ PUBLIC_URL: ORIGIN });
  second = await startServer({ PUBLIC_URL: ORIGIN }, server.database);
  ({ sourceAppId } = await server.admin.buildApp());
});
afterAll(async () => {
  await second.close();
  await server.close();
});

const newClient = (at = server) => new Client(at.client.url);
const accounts = () => server.db.collection('accounts');

async function optionsToAdd(client: Client) {
  return (await client.post('/auth/account/passkeys/options').expect(200)).body;
}

/** An account with a passkey. */
async function joinWithPasskey() {
  const member = await joinApp(server, sourceAppId, 'viewer');
  const authenticator = new Authenticator(ORIGIN);
  const response = authenticator.create(await optionsToAdd(member.client));
  const { body } = await member.client.post('/auth/account/passkeys', { name: 'Phone', response }).expect(200);
  return { ...member, authenticator, added: body };
}

async function optionsToLogIn(client: Client) {
  return (await client.post('/auth/login/passkey/options').expect(200)).body;
}

describe('a passkey', () => {
  it('logs in without a password, on every server, and changes the id of the session', { tags: 'long' }, async () => {
    const { authenticator, id, added } = await joinWithPasskey();
    expect(added).toMatchObject({ name: 'Phone', lastUsedAt: null, recoveryCodes: expect.any(Array) });
    const there = newClient(second);
    const options = await optionsToLogIn(newClient());
    expect(options).toMatchObject({ rpId: RP_ID, userVerification: 'required' });
    const response = authenticator.get(options, { userHandle: Buffer.from(id).toString('base64url') });
    const { body } = await there.post('/auth/login/passkey', { response }).expect(200);
    expect(body).toMatchObject({ ok: true, account: { id }, memberships: [{ sourceAppId, role: 'viewer' }] });
    expect((await there.get('/auth/session').expect(200)).body).toMatchObject({ method: 'passkey' });
    const { body: own } = await there.get('/auth/account/passkeys').expect(200);
    expect(own.passkeys).toMatchObject([{ id: authenticator.id, name: 'Phone', lastUsedAt: expect.any(String) }]);
    const { body: members } = await server.admin.get(`/auth/apps/${sourceAppId}/members`).expect(200);
    expect(members.members.find((member: { id: string }) => member.id === id)).toMatchObject({ secondFactor: true });
  });

  it('completes a log-in by password; the session that waited is over', async () => {
    const { authenticator, email } = await joinWithPasskey();
    const client = newClient();
    const waiting = await logIn(client, email).expect(202);
    expect(waiting.body).toEqual({ ok: false, second: ['passkey'] });
    await client.get('/auth/account').expect(401);
    const cookie = String(waiting.headers['set-cookie']).split(';')[0] ?? '';
    const options = await optionsToLogIn(client);
    expect(options.allowCredentials).toMatchObject([{ id: authenticator.id }]);
    await client.post('/auth/login/passkey', { response: authenticator.get(options) }).expect(200);
    await client.get('/auth/account').expect(200);
    const { body } = await newClient().post('/auth/login/passkey/options').set('Cookie', cookie).expect(200);
    expect(body.allowCredentials).toBeUndefined();
  });

  it('counts each challenge once, also in parallel on two servers', async () => {
    const { authenticator, client } = await joinWithPasskey();
    const response = authenticator.get(await optionsToLogIn(newClient()));
    const answers = await Promise.all(
      [server, second, server, second].map((at) => newClient(at).post('/auth/login/passkey', { response })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const another = new Authenticator(ORIGIN);
    const made = another.create(await optionsToAdd(client));
    const added = await Promise.all(
      [1, 2].map(() => client.post('/auth/account/passkeys', { name: 'Key', response: made })),
    );
    expect(added.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await client.get('/auth/account/passkeys').expect(200)).body.passkeys).toHaveLength(2);
  });

  it.each<[string, Parameters<Authenticator['get']>[1]]>([
    ['another origin', { origin: ELSEWHERE }],
    ['another relying party', { rpId: 'example.org' }],
    ['an invented challenge', { challenge: Buffer.alloc(38, 1).toString('base64url') }],
    ['no user verification', { isVerified: false }],
    ['another account', { userHandle: Buffer.from(new ObjectId().toHexString()).toString('base64url') }],
    ['the response of a registration', { type: 'webauthn.create' }],
  ])('is refused with %s', async (_, forged) => {
    const { authenticator } = await joinWithPasskey();
    const client = newClient();
    const used = server.db.collection('used_challenges');
    const before = await used.countDocuments({});
    const response = authenticator.get(await optionsToLogIn(client), forged);
    const { body } = await client.post('/auth/login/passkey', { response }).expect(401);
    expect(body).toEqual({ message: 'Invalid credentials', code: 'invalidCredentials' });
    // A stranger stores nothing.
    expect(await used.countDocuments({})).toBe(before);
    await client.post('/auth/login/passkey', { response: authenticator.get(await optionsToLogIn(client)) }).expect(200);
  });

  it('is refused when it is unknown, removed, or its account is suspended', async () => {
    const { authenticator, client, id } = await joinWithPasskey();
    const use = async (key: Authenticator) =>
      newClient().post('/auth/login/passkey', { response: key.get(await optionsToLogIn(newClient())) });
    expect((await use(new Authenticator(ORIGIN))).status).toBe(401);
    await server.admin.patch(`/auth/accounts/${id}`, { suspended: true }).expect(200);
    expect((await use(authenticator)).status).toBe(401);
    await server.admin.patch(`/auth/accounts/${id}`, { suspended: false }).expect(200);
    expect((await use(authenticator)).status).toBe(200);
    await client.get('/auth/account').expect(401);
    const again = newClient();
    await again.post('/auth/login/passkey', { response: authenticator.get(await optionsToLogIn(again)) }).expect(200);
    await again.delete(`/auth/account/passkeys/${authenticator.id}`).expect(200);
    await again.delete(`/auth/account/passkeys/${authenticator.id}`).expect(404);
    expect((await use(authenticator)).status).toBe(401);
  });

  it('is refused when its counter goes back', async () => {
    const { authenticator } = await joinWithPasskey();
    const use = async (counter: number) => {
      authenticator.counter = counter;
      const client = newClient();
      return client.post('/auth/login/passkey', { response: authenticator.get(await optionsToLogIn(client)) });
    };
    expect((await use(5)).status).toBe(200);
    expect((await use(5)).status).toBe(401);
    expect((await use(6)).status).toBe(200);
  });

  it('is added only by the session that asked for it, after a recent log-in', async () => {
    const member = await joinApp(server, sourceAppId, 'viewer');
    const options = await optionsToAdd(member.client);
    const elsewhere = newClient(second);
    await logIn(elsewhere, member.email).expect(200);
    const response = new Authenticator(ORIGIN).create(options);
    await elsewhere.post('/auth/account/passkeys', { name: 'Key', response }).expect(400);
    for (const forged of [
      { origin: ELSEWHERE },
      { rpId: 'example.org' },
      { isVerified: false },
      { type: 'webauthn.get' },
    ]) {
      const wrong = new Authenticator(ORIGIN).create(await optionsToAdd(member.client), forged);
      await member.client.post('/auth/account/passkeys', { name: 'Key', response: wrong }).expect(400);
    }
    const early = { $set: { 'sessions.$[].authenticatedAt': new Date(Date.now() - 11 * 60_000) } };
    await accounts().updateOne({ _id: new ObjectId(member.id) }, early);
    for (const answer of [
      await member.client.post('/auth/account/passkeys/options').expect(403),
      await member.client.post('/auth/account/passkeys', { name: 'Key', response }).expect(403),
      await member.client.delete('/auth/account/passkeys/x').expect(403),
    ]) {
      expect(answer.body.reauthenticate).toBe(true);
    }
  });

  it('belongs to one account', async () => {
    const { authenticator } = await joinWithPasskey();
    const { client } = await joinApp(server, sourceAppId, 'viewer');
    const response = authenticator.create(await optionsToAdd(client));
    await client.post('/auth/account/passkeys', { name: 'Same', response }).expect(409);
  });

  it('stays while it is the only way in; recovery codes end with the last second factor', async () => {
    const { client, authenticator, id, added, email } = await joinWithPasskey();
    const recovered = newClient();
    await logIn(recovered, email).expect(202);
    await recovered.post('/auth/login/second', { recoveryCode: added.recoveryCodes[0] }).expect(200);
    const { body } = await client.post('/auth/account/totp').expect(200);
    const { body: confirmed } = await client
      .post('/auth/account/totp/confirm', { code: totp(body.secret) })
      .expect(200);
    expect(confirmed.recoveryCodes).toHaveLength(10);
    await client.delete('/auth/account/totp').expect(200);
    expect((await client.get('/auth/account').expect(200)).body).toMatchObject({ totp: false, recoveryCodes: 10 });
    await accounts().updateOne({ _id: new ObjectId(id) }, { $unset: { passwordHash: 1 } });
    await client.delete(`/auth/account/passkeys/${authenticator.id}`).expect(409);
    await client.put('/auth/account/password', { password: PASSWORD }).expect(200);
    await client.delete(`/auth/account/passkeys/${authenticator.id}`).expect(200);
    expect((await client.get('/auth/account').expect(200)).body).toMatchObject({ recoveryCodes: 0 });
    await logIn(newClient(), email).expect(200);
  });

  it('is not removed by a request whose session ended while it stalled', async () => {
    const { id, authenticator } = await joinWithPasskey();
    const { store, service } = server.services.accounts;
    const account = await store.findById(new ObjectId(id));
    const session = account?.sessions.at(-1);
    if (!account || !session) throw new Error('no session');
    await server.admin.delete(`/auth/accounts/${id}/sessions`).expect(200);
    await expect(service.removePasskey({ account, session }, authenticator.id)).rejects.toThrow('changed meanwhile');
  });

  it('is offered only where browsers have passkeys', { tags: 'long' }, async () => {
    const plain = await startServer();
    try {
      const client = new Client(plain.client.url);
      await client.post('/auth/login/passkey/options').expect(409);
      const { body } = await client.post('/auth/login/passkey/options').set('Host', 'localhost:8080').expect(200);
      expect(body.rpId).toBe('localhost');
      await client.post('/auth/login/passkey/options').set('Host', 'example.org').expect(409);
    } finally {
      await plain.close();
    }
  });
});
