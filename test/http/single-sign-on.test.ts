import { ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { safeReturnTo } from '../../src/features/single-sign-on/provider.ts';
import { UNMEASURABLE } from '../security/arbitraries.ts';
import { CLIENT_ID, CLIENT_SECRET, SignOnProvider } from '../support/peers/sign-on-provider.ts';
import { joinApp, logIn, PASSWORD, tokenOf } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const ORIGIN = 'https://people.example.com';
const APP = 'mapped-app';

let provider: SignOnProvider;
let env: Record<string, string>;
let server: TestServer;
let second: TestServer;
let sourceAppId: string;
beforeAll(async () => {
  provider = await SignOnProvider.start();
  env = {
    PUBLIC_URL: ORIGIN,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_GROUPS_CLAIM: 'groups',
    OIDC_SIGNUP: 'mapped',
    OIDC_ROLE_MAP: JSON.stringify([
      { group: 'readers', sourceAppId: APP, role: 'viewer' },
      { group: 'leads', sourceAppId: APP, role: 'manager' },
      { group: 'readers', sourceAppId: 'no-such-app', role: 'viewer' },
      { group: 'bosses', admin: true },
    ]),
  };
  server = await startServer(env);
  second = await startServer(env, server.database);
  await server.admin.post('/auth/apps', { sourceAppId: APP }).expect(200);
  ({ sourceAppId } = await server.admin.buildApp());
});
afterEach(() => {
  provider.forgery = {};
});
afterAll(async () => {
  await second.close();
  await server.close();
  await provider.close();
});

const newClient = (at = server) => new Client(at.client.url);
const accounts = () => server.db.collection('accounts');

let number = 0;
/** Claims of somebody new at the provider. */
function somebody(claims: Record<string, unknown> = {}) {
  number += 1;
  const subject = `subject-${number}`;
  return { sub: subject, email: `${subject}@example.com`, email_verified: true, name: `Name ${number}`, ...claims };
}

async function begin(client: Client, returnTo?: string): Promise<string> {
  const query = returnTo === undefined ? '' : `?${new URLSearchParams({ returnTo })}`;
  return (await client.get(`/auth/oidc/start${query}`).expect(302)).headers.location ?? '';
}

/** Signs somebody on; resolves with where the browser is sent. */
async function signOn(client: Client, claims: Record<string, unknown> & { sub: string }, returnTo?: string) {
  const path = provider.authorize(await begin(client, returnTo), claims);
  return (await client.get(path).expect(302)).headers.location;
}

const refusal = (code: string) => `${ORIGIN}/dashboard/login?error=${code}`;
const HOME = `${ORIGIN}/dashboard`;

async function invite(email: string, role = 'editor', app = sourceAppId) {
  return (await server.admin.post(`/auth/apps/${app}/invitations`, { email, role }).expect(200)).body;
}

describe('somebody enters by single sign-on', () => {
  it('with an invitation of a verified email, later by issuer and subject alone', async () => {
    const claims = somebody();
    await invite(claims.email);
    const client = newClient();
    expect(await signOn(client, claims)).toBe(HOME);
    const { body } = await client.get('/auth/session').expect(200);
    expect(body).toMatchObject({
      method: 'oidc',
      account: { email: claims.email, name: claims.name, admin: false },
      memberships: [{ sourceAppId, role: 'editor' }],
    });
    const { body: open } = await server.admin.get(`/auth/apps/${sourceAppId}/invitations`).expect(200);
    expect(open.invitations.map(({ email }: { email: string }) => email)).not.toContain(claims.email);
    const again = newClient(second);
    expect(await signOn(again, { sub: claims.sub, email: 'renamed@example.com' })).toBe(HOME);
    expect((await again.get('/auth/session').expect(200)).body.account).toEqual(body.account);
    const { body: log } = await server.admin.get('/auth/audit?action=login').expect(200);
    expect(log.events[0]).toMatchObject({ actor: { id: body.account.id, method: 'oidc' } });
    expect(log.events[1]).toMatchObject({ detail: { created: true, invitations: 1 } });
  });

  it('as the account of a verified email, which keeps what was proved', async () => {
    const member = await joinApp(server, sourceAppId, 'viewer');
    await accounts().updateOne({ email: member.email }, { $set: { emailProvedAt: new Date() } });
    const client = newClient();
    expect(await signOn(client, somebody({ email: member.email.toUpperCase() }))).toBe(HOME);
    expect((await client.get('/auth/session').expect(200)).body.account.id).toBe(member.id);
    await member.client.get('/auth/account').expect(200);
    await logIn(newClient(), member.email).expect(200);
  });

  it('as an account that nobody proved: its password, factors, sessions and identities end', async () => {
    const attacker = await joinApp(server, sourceAppId, 'viewer');
    const waiting = { issuer: provider.issuer, subject: 'subject-of-the-attacker' };
    await accounts().updateOne({ email: attacker.email }, { $set: { identities: [waiting], recoveryCodes: [] } });
    const victim = newClient();
    expect(await signOn(victim, somebody({ email: attacker.email }))).toBe(HOME);
    await victim.get('/auth/account').expect(200);
    await attacker.client.get('/auth/account').expect(401);
    await logIn(newClient(), attacker.email).expect(401);
    expect(await signOn(newClient(), { sub: waiting.subject })).toBe(refusal('no_access'));
    const stored = await accounts().findOne({ email: attacker.email });
    expect(stored).not.toHaveProperty('passwordHash');
    expect(stored).not.toHaveProperty('recoveryCodes');
    expect(stored?.emailProvedAt).toBeInstanceOf(Date);
  });

  it.each([
    ['that is not verified', { email_verified: false }],
    ['that is verified in words', { email_verified: 'true' }],
    ['of which nothing is said', { email_verified: undefined }],
  ])('not with an email %s, whether invited or with an account', async (_, wrong) => {
    const invited = somebody(wrong);
    await invite(invited.email);
    expect(await signOn(newClient(), invited)).toBe(refusal('no_access'));
    const member = await joinApp(server, sourceAppId, 'manager');
    const client = newClient();
    expect(await signOn(client, somebody({ ...wrong, email: member.email }))).toBe(refusal('no_access'));
    await client.get('/auth/session').expect(401);
    await member.client.get('/auth/account').expect(200);
    // Nor by a group: an email belongs to one account.
    expect(await signOn(client, somebody({ ...wrong, email: member.email, groups: ['readers'] }))).toBe(
      refusal('no_access'),
    );
  });

  it('takes email and its proof from one place', async () => {
    const { email } = await joinApp(server, sourceAppId, 'manager');
    const claims = somebody({ email, email_verified: undefined });
    provider.info.set(claims.sub, { email: 'own@example.com', email_verified: true });
    expect(await signOn(newClient(), claims)).toBe(refusal('no_access'));
  });

  it('not without access, and not while suspended', async () => {
    expect(await signOn(newClient(), somebody())).toBe(refusal('no_access'));
    expect(await signOn(newClient(), somebody({ groups: ['strangers'] }))).toBe(refusal('no_access'));
    const claims = somebody({ groups: ['readers'] });
    const client = newClient();
    await signOn(client, claims);
    const { id } = (await client.get('/auth/session').expect(200)).body.account;
    await server.admin.patch(`/auth/accounts/${id}`, { suspended: true }).expect(200);
    await client.get('/auth/session').expect(401);
    expect(await signOn(newClient(second), claims)).toBe(refusal('no_access'));
  });

  it('once for two sign-ons at the same time', async () => {
    const claims = somebody({ groups: ['readers'] });
    const clients = [newClient(), newClient(second), newClient(), newClient(second)];
    const paths = await Promise.all(clients.map(async (client) => provider.authorize(await begin(client), claims)));
    const answers = await Promise.all(clients.map((client, at) => client.get(paths[at] ?? '')));
    expect(answers.map(({ headers }) => headers.location)).toEqual([HOME, HOME, HOME, HOME]);
    expect(await accounts().countDocuments({ email: claims.email })).toBe(1);
  });
});

describe('the answer of a provider is refused', () => {
  const known = somebody();
  beforeAll(async () => {
    await invite(known.email);
    await signOn(newClient(), known);
  });

  it.each<[string, SignOnProvider['forgery']]>([
    ['with another nonce', { claims: { nonce: 'another' } }],
    ['from another issuer', { claims: { iss: 'https://other.example.com' } }],
    ['for another client', { claims: { aud: 'another-client' } }],
    ['that has expired', { claims: { exp: Math.floor(Date.now() / 1_000) - 3_600 } }],
    ['signed by another key', { isUnsigned: true }],
    ['that names another issuer in the redirect', { iss: 'https://other.example.com' }],
  ])('%s', async (_, forgery) => {
    provider.forgery = forgery;
    const client = newClient();
    expect(await signOn(client, known)).toBe(refusal('failed'));
    await client.get('/auth/session').expect(401);
  });

  it('when code or state come twice, also on another server', async () => {
    const client = newClient();
    const response = await client.get('/auth/oidc/start').expect(302);
    const path = provider.authorize(response.headers.location ?? '', known);
    const cookie = String(response.headers['set-cookie']).split(';')[0] ?? '';
    expect((await client.get(path).expect(302)).headers.location).toBe(HOME);
    // The cookie was removed; somebody who kept it gets nothing either.
    expect((await client.get(path).expect(302)).headers.location).toBe(refusal('expired'));
    const replay = newClient(second);
    expect((await replay.get(path).set('Cookie', cookie).expect(302)).headers.location).toBe(refusal('failed'));
    // A second code for the state of the first.
    const again = provider.authorize(response.headers.location ?? '', known);
    expect((await replay.get(again).set('Cookie', cookie).expect(302)).headers.location).toBe(refusal('expired'));
    await replay.get('/auth/session').expect(401);
  });

  it('in another browser than that of the start, or with a changed state', async () => {
    const [own, other] = [newClient(), newClient()];
    const path = provider.authorize(await begin(own), known);
    expect((await other.get(path).expect(302)).headers.location).toBe(refusal('expired'));
    await begin(other);
    expect((await other.get(path).expect(302)).headers.location).toBe(refusal('failed'));
    const changed = provider.authorize(await begin(own), known).replace(/state=[^&]*/, 'state=another');
    expect((await own.get(changed).expect(302)).headers.location).toBe(refusal('failed'));
  });

  it('without telling what the provider said', async () => {
    const client = newClient();
    await begin(client);
    const query = new URLSearchParams({ error: 'access_denied', error_description: '<b>hostile</b>', state: 'x' });
    const { headers, text } = await client.get(`/auth/oidc/callback?${query}`).expect(302);
    expect(headers.location).toBe(refusal('failed'));
    expect(text + server.log()).not.toContain('hostile');
  });

  it('and sends nothing to the provider for a browser that began no sign-on', async () => {
    const before = provider.tokenRequests;
    for (let sent = 0; sent < 20; sent += 1) await newClient().get('/auth/oidc/callback?code=x&state=y').expect(302);
    expect(provider.tokenRequests).toBe(before);
  });
});

describe('the browser returns', () => {
  it.each([
    ['/dashboard/users?x=1#y', '/dashboard/users?x=1#y'],
    ['https://evil.example', '/dashboard'],
    ['//evil.example', '/dashboard'],
    ['/\\evil.example', '/dashboard'],
    ['/\t/evil.example', '/dashboard'],
    ['/a/..//evil.example', '/dashboard'],
    ['/.//evil.example', '/dashboard'],
    ['javascript:alert(1)', '/dashboard'],
    ['/auth/oidc/start', '/dashboard'],
    ['/AUTH/logout', '/dashboard'],
    ['dashboard', '/dashboard'],
    ['', '/dashboard'],
  ])('from %s to %s', async (returnTo, path) => {
    expect(safeReturnTo(returnTo, ORIGIN)).toBe(path);
    const claims = somebody({ groups: ['readers'] });
    expect(await signOn(newClient(), claims, returnTo)).toBe(ORIGIN + path);
  });

  it('to PUBLIC_URL, whatever the request names as its host', async () => {
    const client = newClient();
    const { headers } = await client.get('/auth/oidc/start').set('Host', 'evil.example').expect(302);
    expect(new URL(headers.location ?? '').searchParams.get('redirect_uri')).toBe(`${ORIGIN}/auth/oidc/callback`);
    const path = provider.authorize(headers.location ?? '', somebody({ groups: ['readers'] }));
    const answer = await client
      .get(path)
      .set('Host', 'evil.example')
      .set('X-Forwarded-Host', 'evil.example')
      .expect(302);
    expect(answer.headers.location).toBe(HOME);
  });
});

describe('groups', () => {
  const session = async (client: Client) => (await client.get('/auth/session').expect(200)).body;

  it('give roles at each sign-on; those given by hand stay', async () => {
    const claims = somebody();
    await invite(claims.email, 'viewer');
    const client = newClient();
    await signOn(client, { ...claims, groups: ['readers', 'others'] });
    expect((await session(client)).memberships).toEqual(
      [
        { sourceAppId, role: 'viewer' },
        { sourceAppId: APP, role: 'viewer' },
      ].sort((a, b) => (a.sourceAppId < b.sourceAppId ? -1 : 1)),
    );
    await client.get(`/auth/users?sourceAppId=${APP}`).expect(200);
    await client.get(`/auth/apps/${APP}/members`).expect(403);
    await client.get('/auth/users?sourceAppId=no-such-app').expect(403);
    await signOn(client, { ...claims, groups: ['leads', 'readers'] });
    const { body } = await client.get(`/auth/apps/${APP}/members`).expect(200);
    const own = body.members.find(({ email }: { email: string }) => email === claims.email);
    expect(own).toMatchObject({ role: 'manager', byGroups: true });
    await server.admin.delete(`/auth/apps/${APP}/members/${own.id}`).expect(409);
    await server.admin.patch(`/auth/apps/${APP}/members/${own.id}`, { role: 'viewer' }).expect(409);
    await signOn(client, { ...claims, groups: [] });
    expect((await session(client)).memberships).toEqual([{ sourceAppId, role: 'viewer' }]);
    await client.get(`/auth/users?sourceAppId=${APP}`).expect(403);
  });

  it('come from the user info when the ID token names none', async () => {
    const claims = somebody();
    provider.info.set(claims.sub, { groups: ['readers'] });
    const client = newClient();
    expect(await signOn(client, claims)).toBe(HOME);
    expect((await session(client)).memberships).toEqual([{ sourceAppId: APP, role: 'viewer' }]);
  });

  it('and what was given by hand: neither is changed in place of the other', async () => {
    const claims = somebody();
    await invite(claims.email, 'editor', APP);
    const client = newClient();
    await signOn(client, { ...claims, groups: ['leads', 'bosses'] });
    const { id } = (await session(client)).account;
    const path = `/auth/apps/${APP}/members/${id}`;
    await server.admin.delete(path).expect(409);
    await server.admin.patch(path, { role: 'viewer' }).expect(409);
    await server.admin.patch(`/auth/accounts/${id}`, { admin: true }).expect(200);
    await server.admin.patch(`/auth/accounts/${id}`, { admin: false }).expect(409);
    await signOn(client, { ...claims, groups: [] });
    expect(await session(client)).toMatchObject({ account: { admin: true }, memberships: [{ role: 'editor' }] });
    await server.admin.delete(path).expect(200);
    await server.admin.post('/auth/accounts', { email: 'spare@example.com', admin: true });
    await accounts().deleteOne({ _id: new ObjectId(id) });
    await server.services.accounts.access.forget(new ObjectId(id));
  });

  it('that give nothing any more leave no admin who counts as the last', { tags: 'long' }, async () => {
    const own = await startServer(env);
    try {
      const [client, token] = [newClient(own), await own.services.accounts.service.firstLink()];
      const first = { token, name: 'First', email: 'first@example.com', password: PASSWORD };
      const { body } = await client.post('/auth/invitations/accept', first).expect(200);
      await signOn(newClient(own), somebody({ groups: ['bosses'] }));
      const next = await startServer(
        { ...env, OIDC_ROLE_MAP: JSON.stringify([{ group: 'x', admin: true }]) },
        own.database,
      );
      try {
        await next.admin.patch(`/auth/accounts/${body.account.id}`, { admin: false }).expect(409);
      } finally {
        await next.close();
      }
    } finally {
      await own.close();
    }
  });

  it('do not come back with a sign-on that stalled', async () => {
    const claims = somebody();
    const iat = Math.floor(Date.now() / 1_000);
    const client = newClient();
    await signOn(client, { ...claims, iat, groups: ['leads'] });
    await signOn(client, { ...claims, iat: iat + 1, groups: ['readers'] });
    await signOn(newClient(second), { ...claims, iat, groups: ['leads', 'bosses'] });
    expect(await session(client)).toMatchObject({ account: { admin: false }, memberships: [{ role: 'viewer' }] });
  });

  it('make admins; the last active admin stays', async () => {
    const [one, two] = [somebody(), somebody()];
    const [first, other] = [newClient(), newClient(second)];
    await signOn(first, { ...one, groups: ['bosses'] });
    await signOn(other, { ...two, groups: ['bosses'] });
    expect((await session(first)).account.admin).toBe(true);
    await first.get('/auth/accounts').expect(200);
    const { id } = (await session(first)).account;
    await server.admin.patch(`/auth/accounts/${id}`, { admin: false }).expect(409);
    // Each loses the role on another server.
    const late = Math.floor(Date.now() / 1_000) + 5;
    await Promise.all([
      signOn(newClient(), { ...one, iat: late, groups: [] }),
      signOn(newClient(second), { ...two, iat: late, groups: [] }),
    ]);
    const admins = [(await session(first)).account.admin, (await session(other)).account.admin];
    expect(admins.sort()).toEqual([false, true]);
    const { body } = await server.admin.get('/auth/accounts').expect(200);
    const [last] = body.accounts.filter(({ admin }: { admin: boolean }) => admin);
    await server.admin.patch(`/auth/accounts/${last.id}`, { suspended: true }).expect(409);
    await server.admin.delete(`/auth/accounts/${last.id}`).expect(409);
  });
});

describe('a log-out at the provider', () => {
  const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const logOut = (token: string, at = server) =>
    newClient(at).post('/auth/oidc/backchannel-logout').type('form').send({ logout_token: token });

  /** Replaces the header of a token. */
  const withHeader = (header: object, token: string): string =>
    token.replace(/^[^.]*/, Buffer.from(JSON.stringify(header)).toString('base64url'));

  it('ends the sessions of single sign-on on every server, and no others', async () => {
    const claims = somebody({ groups: ['readers'] });
    const clients = [newClient(), newClient(second)];
    for (const [at, client] of clients.entries()) await signOn(client, { ...claims, sid: `sid-${claims.sub}-${at}` });
    const [first, other] = clients;
    const one = await provider.sign({ sid: `sid-${claims.sub}-0`, jti: `one-${claims.sub}`, events: EVENTS });
    await logOut(one, second).expect(200);
    await first?.get('/auth/session').expect(401);
    await other?.get('/auth/session').expect(200);
    await logOut(one).expect(400);
    const all = await provider.sign({ sub: claims.sub, jti: `all-${claims.sub}`, events: EVENTS });
    await logOut(all).expect(200);
    await other?.get('/auth/session').expect(401);
    const { body: log } = await server.admin.get('/auth/audit').expect(200);
    expect(log.events[0]).toMatchObject({ action: 'account.sessions.ended', detail: { byProvider: true } });
  });

  it('may come from a clock that is ahead, and ends a sign-on that stalled', async () => {
    const claims = somebody({ groups: ['readers'] });
    const iat = Math.floor(Date.now() / 1_000);
    const client = newClient();
    await signOn(client, { ...claims, iat });
    const ahead = { sub: claims.sub, jti: `ahead-${claims.sub}`, events: EVENTS, iat: iat + 20 };
    await logOut(await provider.sign(ahead)).expect(200);
    await client.get('/auth/session').expect(401);
    expect(await signOn(client, { ...claims, iat: iat + 10 })).toBe(refusal('no_access'));
    expect(await signOn(client, { ...claims, iat: iat + 21 })).toBe(HOME);
    const ofSession = { ...ahead, sid: `stalled-${claims.sub}`, jti: `session-${claims.sub}`, iat: iat + 30 };
    await logOut(await provider.sign(ofSession)).expect(200);
    expect(await signOn(client, { ...claims, sid: ofSession.sid, iat: iat + 25 })).toBe(refusal('no_access'));
  });

  it('leaves nothing to a sign-on that stalled, which accepts no invitation', async () => {
    const claims = somebody({ groups: ['readers'] });
    const iat = Math.floor(Date.now() / 1_000);
    await signOn(newClient(), { ...claims, iat: iat - 10 });
    await logOut(await provider.sign({ sub: claims.sub, jti: `late-${claims.sub}`, events: EVENTS, iat })).expect(200);
    const { link } = await invite(claims.email);
    expect(await signOn(newClient(), { ...claims, iat: iat - 5 })).toBe(refusal('no_access'));
    await newClient()
      .post('/auth/invitations/preview', { token: tokenOf(link) })
      .expect(200);
    expect(await signOn(newClient(), { ...claims, iat: iat + 1 })).toBe(HOME);
    const { body } = await server.admin.get(`/auth/audit?action=invitation.accepted&sourceAppId=${sourceAppId}`);
    expect(body.events[0]).toMatchObject({ actor: { kind: 'operator', method: 'oidc' }, sourceAppId });
    expect(body.events[0].target).toBe(body.events[0].actor.id);
  });

  it('that comes late ends a session that has accepted an invitation meanwhile', async () => {
    const claims = somebody({ groups: ['readers'] });
    const client = newClient();
    await signOn(client, { ...claims, sid: `joined-${claims.sub}` });
    const before = new Date(Date.now() - 300_000);
    await accounts().updateOne({ email: claims.email }, { $set: { 'sessions.0.createdAt': before } });
    const { link } = await invite(claims.email);
    await client.post('/auth/invitations/accept', { token: tokenOf(link), name: 'Name' }).expect(200);
    const iat = Math.floor(Date.now() / 1_000) - 180;
    const late = { sub: claims.sub, sid: `joined-${claims.sub}`, jti: `joined-${claims.sub}`, events: EVENTS, iat };
    await logOut(await provider.sign(late)).expect(200);
    await client.get('/auth/session').expect(401);
  });

  it('is refused when the token is not one', async () => {
    const claims = somebody({ groups: ['readers'] });
    const client = newClient();
    await signOn(client, claims);
    const valid = { sub: claims.sub, jti: `x-${claims.sub}`, events: EVENTS };
    const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
    const tokens = [
      'no token',
      await provider.sign(valid, true),
      await provider.sign({ ...valid, iss: 'https://other.example.com' }),
      await provider.sign({ ...valid, aud: 'another' }),
      await provider.sign({ ...valid, iat: hourAgo }),
      await provider.sign({ ...valid, nonce: 'x' }),
      await provider.sign({ ...valid, events: {} }),
      await provider.sign({ jti: 'nobody', events: EVENTS }),
      await provider.sign({ ...valid, jti: UNMEASURABLE as unknown as string }),
      await provider.sign({ ...valid, sid: UNMEASURABLE }),
      await provider.sign(valid, false, { kid: 'unknown' }),
      withHeader({ alg: 'none' }, await provider.sign(valid)),
      withHeader({ alg: 'HS256', kid: 'one' }, await provider.sign(valid)),
      withHeader({ alg: 'unknown', kid: 'one' }, await provider.sign(valid)),
      withHeader({ alg: 'ES256', kid: 'one' }, await provider.sign(valid)),
      withHeader({ alg: 'RS256', kid: UNMEASURABLE }, await provider.sign(valid)),
      withHeader({ alg: 'RS256', kid: 'one', crit: ['unknown'], unknown: 1 }, await provider.sign(valid)),
      withHeader({ alg: 'RS256', kid: 'one', crit: ['b64'], b64: false }, await provider.sign(valid)),
      `${withHeader({ alg: 'dir', enc: 'A256GCM' }, await provider.sign(valid))}.x.x`,
      await provider.sign({ ...valid, padding: 'x'.repeat(60_000) }),
    ];
    for (const token of tokens) {
      await logOut(token).expect(400);
      await newClient().post('/auth/oidc/backchannel-logout', { logout_token: token }).expect(400);
    }
    await client.get('/auth/session').expect(200);
    await logOut(await provider.sign(valid)).expect(200);
    await client.get('/auth/session').expect(401);
  });

  it('follows the log-out here', async () => {
    const client = newClient();
    await signOn(client, somebody({ groups: ['readers'] }));
    const { body } = await client.post('/auth/logout').expect(200);
    const url = new URL(body.endSessionUrl);
    expect(url.href.startsWith(`${provider.issuer}/logout?`)).toBe(true);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${ORIGIN}/dashboard`);
    await client.get('/auth/session').expect(401);
    const { client: other } = await joinApp(server, sourceAppId, 'viewer');
    expect((await other.post('/auth/logout').expect(200)).body).toEqual({ ok: true });
  });
});

describe('OIDC_ONLY', () => {
  it('refuses every other way to log in, and the sessions that began by one', async () => {
    const app = await server.admin.buildApp();
    const operator = await newClient().logIn(app.sourceAppId, app.password);
    const member = await joinApp(server, sourceAppId, 'viewer');
    const { link } = await invite('by-password@example.com');
    const only = await startServer({ ...env, OIDC_ONLY: 'true' }, server.database);
    try {
      const client = newClient(only);
      expect((await client.get('/auth/login').expect(200)).body).toEqual({
        password: false,
        accounts: true,
        oidc: { label: 'SSO' },
      });
      await logIn(client, member.email).expect(403);
      await client.post('/auth/login', app).expect(403);
      await client.post('/auth/password/forgot', { email: member.email }).expect(403);
      await client.post('/auth/password/reset', { token: 'x', password: PASSWORD }).expect(403);
      const accept = { token: tokenOf(link), name: 'Name', password: PASSWORD };
      await client.post('/auth/invitations/accept', accept).expect(403);
      const response = {
        id: 'x',
        rawId: 'x',
        type: 'public-key',
        response: { clientDataJSON: '', authenticatorData: '', signature: '' },
      };
      await client.post('/auth/login/passkey', { response }).expect(403);
      for (const [from, path] of [
        [operator, '/auth/session'],
        [member.client, '/auth/account'],
      ] as const) {
        const { status } = await from.get(path);
        expect(status).toBe(200);
      }
      const cookieOf = async (credentials: object) => {
        const { headers } = await newClient().post('/auth/login', credentials).expect(200);
        return String(headers['set-cookie']).split(';')[0] ?? '';
      };
      for (const credentials of [app, { email: member.email, password: PASSWORD }]) {
        await newClient(only)
          .get('/auth/session')
          .set('Cookie', await cookieOf(credentials))
          .expect(401);
      }
      const linked = newClient(only);
      const token = await only.services.accounts.service.createLink(member.email, only.services.clock.within(60_000));
      await linked.post('/auth/login/link', { token }).expect(200);
      await linked.put('/auth/account/password', { password: PASSWORD }).expect(403);
      const claims = somebody({ email: 'by-password@example.com' });
      expect(await signOn(client, claims)).toBe(HOME);
      // Nor does somebody who is signed on accept an invitation of another email.
      const other = await invite('fresh@example.com');
      const fresh = { token: tokenOf(other.link), name: 'Name', password: PASSWORD };
      await client.post('/auth/invitations/accept', fresh).expect(403);
      expect((await client.get('/auth/session').expect(200)).body.memberships).toEqual([
        { sourceAppId, role: 'editor' },
      ]);
    } finally {
      await only.close();
    }
  });
});

describe('without a provider', () => {
  it('is 404 while it is not configured', async () => {
    const plain = await startServer();
    try {
      const client = newClient(plain);
      expect((await client.get('/auth/login').expect(200)).body).toEqual({
        password: true,
        accounts: false,
        oidc: null,
      });
      for (const path of ['/auth/oidc/start', '/auth/oidc/callback']) await client.get(path).expect(404);
      await client.post('/auth/oidc/backchannel-logout', { logout_token: 'x' }).expect(404);
    } finally {
      await plain.close();
    }
  });

  it('starts, and tells that it is unavailable, until it is reached', { tags: 'long' }, async () => {
    const own = await SignOnProvider.start();
    const { port } = new URL(own.issuer);
    await own.close();
    const waiting = await startServer({ ...env, OIDC_ISSUER: own.issuer });
    try {
      const client = newClient(waiting);
      expect((await client.get('/auth/oidc/start').expect(302)).headers.location).toBe(refusal('unavailable'));
      await client.post('/auth/oidc/backchannel-logout', { logout_token: 'x' }).expect(503);
      const back = await SignOnProvider.start(Number(port));
      const token = await back.sign({ sub: 'somebody', jti: 'x', events: {} });
      try {
        await expect
          .poll(async () => (await client.get('/auth/oidc/start')).headers.location, { interval: 500 })
          .toContain(own.issuer);
      } finally {
        await back.close();
      }
      // The service knows where the keys are, and cannot read them.
      await client.post('/auth/oidc/backchannel-logout', { logout_token: token }).expect(503);
      await client.post('/auth/oidc/backchannel-logout', { logout_token: 'x' }).expect(400);
    } finally {
      await waiting.close();
    }
  });
});
