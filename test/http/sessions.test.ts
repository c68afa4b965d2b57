import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const UNAUTHENTICATED = { message: 'Not authenticated' };

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp();
});
afterAll(() => server.close());

const newClient = () => new Client(server.client.url);
const loggedIn = ({ sourceAppId, password }: TestApp) => newClient().logIn(sourceAppId, password);

/** Logs in and returns the cookie in the form `sid=...` and the complete Set-Cookie header. */
async function cookieOf(client: Client, { sourceAppId, password }: TestApp) {
  const { headers } = await client.post('/auth/login', { sourceAppId, password }).expect(200);
  const setCookie = headers['set-cookie']?.[0] ?? '';
  return { setCookie, cookie: setCookie.slice(0, setCookie.indexOf(';')) };
}

const sessionCount = async (sourceAppId: string): Promise<number> =>
  server.db.collection('sessions').countDocuments({ 'session.sourceAppId': sourceAppId });

describe('GET /auth/session (spec 4.2)', () => {
  it('spec 4.2: returns sourceAppId and role when authenticated', async () => {
    const { body } = await (await loggedIn(app)).get('/auth/session').expect(200);
    expect(body).toEqual({ sourceAppId: app.sourceAppId, role: 'user' });
    expect((await server.admin.get('/auth/session').expect(200)).body).toEqual({ sourceAppId: 'admin', role: 'admin' });
  });

  it('spec 7, no session: responds with 401 { message: "Not authenticated" } and sets no cookie', async () => {
    const { body, headers } = await newClient().get('/auth/session').expect(401);
    expect(body).toEqual(UNAUTHENTICATED);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('spec 7: the other refusals of the endpoint have their codes', async () => {
    const client = newClient();
    const key = await client.get('/auth/session').set('Authorization', 'Bearer uck_wrong').expect(403);
    expect(key.body.code).toBe('noKeysTaken');
    expect((await client.put('/auth/session', {}).expect(405)).body.code).toBe('methodNotAllowed');
    expect((await client.get('/auth/users').expect(401)).body.code).toBe('notAuthenticated');
  });

  it.each(['sid=', 'sid=abc', 'sid=s%3Aabc.def', 'sid=s%3A%24ne.x', 'sid=s%3A..%2F.x', 'other=1; sid=%E0%A4%A'])(
    'spec 7, no session: responds to the forged cookie %s with 401',
    async (cookie) => {
      const { body } = await newClient().get('/auth/session').set('Cookie', cookie).expect(401);
      expect(body).toEqual(UNAUTHENTICATED);
    },
  );
});

describe('The session cookie (spec 2.5 and 5.2)', () => {
  it('spec 8, session lifetime: is HttpOnly, SameSite=Lax, path /, 7 days, not Secure outside production', async () => {
    const { setCookie } = await cookieOf(newClient(), app);
    const attributes = setCookie.split('; ').slice(1);
    const expires = attributes.find((attribute) => attribute.startsWith('Expires='))?.slice('Expires='.length) ?? '';
    expect(attributes.filter((attribute) => !attribute.startsWith('Expires='))).toEqual([
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
    ]);
    expect((Date.parse(expires) - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
    const [stored] = await server.db.collection('sessions').find().sort({ expires: -1 }).limit(1).toArray();
    expect((stored?.expires.getTime() - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
  });

  it('spec 5.2: is Secure in production and works behind a proxy that terminates TLS', { tags: 'long' }, async () => {
    const production = await startServer({ NODE_ENV: 'production' });
    try {
      const client = new Client(production.client.url);
      const admin = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
      const { setCookie, cookie } = await cookieOf(client, admin);
      expect(setCookie).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
      await client.get('/auth/session').set('Cookie', cookie).expect(200);
    } finally {
      await production.close();
    }
  });

  it('spec 2.5: has the name SESSION_COOKIE_NAME', { tags: 'long' }, async () => {
    const named = await startServer({ SESSION_COOKIE_NAME: 'other_name' });
    try {
      const { cookie } = await cookieOf(named.client, { sourceAppId: 'admin', password: ADMIN_PASSWORD });
      expect(cookie).toMatch(/^other_name=/);
      await named.client.get('/auth/session').expect(200);
    } finally {
      await named.close();
    }
  });

  it('counts beside cookies of its name that other services set', async () => {
    const { cookie } = await cookieOf(newClient(), app);
    for (const others of ['sid=of another', 'sid=s%3Aof.another', 'sid="; xsid=1; sid=%', 'sid=a; '.repeat(9)]) {
      const { body } = await newClient().get('/auth/session').set('Cookie', `${others}; ${cookie}`).expect(200);
      expect(body.sourceAppId).toBe(app.sourceAppId);
      await newClient().get('/auth/session').set('Cookie', others).expect(401);
    }
  });

  it('is refused after the session has expired', async () => {
    const other = await server.admin.buildApp();
    const client = await loggedIn(other);
    await server.db
      .collection('sessions')
      .updateOne({ 'session.sourceAppId': other.sourceAppId }, { $set: { expires: new Date(Date.now() - 1000) } });
    await client.get('/auth/session').expect(401);
  });

  it('contains a session id of which the database stores only a hash', async () => {
    const other = await server.admin.buildApp();
    const { cookie } = await cookieOf(newClient(), other);
    const id = decodeURIComponent(cookie.slice('sid='.length)).slice('s:'.length).split('.')[0] ?? '';
    const stored = await server.db.collection('sessions').findOne({ 'session.sourceAppId': other.sourceAppId });
    expect(String(stored?._id)).toBe(createHash('sha256').update(id).digest('base64url'));
    expect(JSON.stringify(stored)).not.toContain(id);
  });
});

describe('spec 2.5, sessions', () => {
  it('are stored at log-in only: no other request creates, changes or extends one', async () => {
    const other = await server.admin.buildApp();
    const client = await loggedIn(other);
    const before = await server.db.collection('sessions').find().sort({ _id: 1 }).toArray();
    for (const path of ['/auth/session', '/auth/users', '/auth/apps', '/health', '/no-such-path']) {
      expect((await client.get(path)).headers).not.toHaveProperty('set-cookie');
      await newClient().get(path);
    }
    await newClient().post('/auth/login', { sourceAppId: other.sourceAppId, password: 'wrong' }).expect(401);
    expect(await server.db.collection('sessions').find().sort({ _id: 1 }).toArray()).toEqual(before);
  });

  it('are ignored outside /auth', async () => {
    const client = await loggedIn(app);
    expect((await client.get('/v1/schema').expect(400)).body).toEqual({
      message: 'Missing x-app-id header',
      code: 'noAppId',
    });
    const other = await server.admin.buildApp();
    await client.submit(other.sourceAppId, { email: 'a@x.org' }).expect(200);
    expect(await server.db.collection('users').distinct('sourceAppId', { email: 'a@x.org' })).toEqual([
      other.sourceAppId,
    ]);
  });

  it('spec 4.2, login: get a new id at log-in, and an id planted before is invalid (attack: session fixation)', async () => {
    const planted = await cookieOf(newClient(), app);
    const victim = await server.admin.buildApp();
    const { headers } = await newClient().post('/auth/login', victim).set('Cookie', planted.cookie).expect(200);
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect(cookie).toMatch(/^sid=/);
    expect(cookie).not.toBe(planted.cookie);
    await newClient().get('/auth/session').set('Cookie', planted.cookie).expect(401);
    const { body } = await newClient().get('/auth/session').set('Cookie', cookie).expect(200);
    expect(body.sourceAppId).toBe(victim.sourceAppId);
  });

  it('end at once when their app is deleted (401)', async () => {
    const other = await server.admin.buildApp();
    const client = await loggedIn(other);
    await server.admin.delete(`/auth/apps/${other.sourceAppId}`).expect(200);
    expect((await client.get('/auth/session').expect(401)).body).toEqual(UNAUTHENTICATED);
    await client.get('/auth/users').expect(401);
    await client.post('/auth/login', other).expect(401);
    expect(await sessionCount(other.sourceAppId)).toBe(0);
  });

  it('end at once when the deletion of their app starts (401)', async () => {
    const other = await server.admin.buildApp();
    const client = await loggedIn(other);
    await server.db
      .collection('apps')
      .updateOne({ sourceAppId: other.sourceAppId }, { $set: { deletingSince: new Date() } });
    await client.get('/auth/session').expect(401);
    await client.post('/auth/login', other).expect(401);
  });

  it('end at once when the password is rotated (401), and only the new password logs in', async () => {
    const other = await server.admin.buildApp();
    const client = await loggedIn(other);
    const { password } = await server.services.apps.rotatePassword(
      other.sourceAppId,
      server.services.clock.within(60_000),
    );
    expect((await client.get('/auth/session').expect(401)).body).toEqual(UNAUTHENTICATED);
    await client.post('/auth/login', other).expect(401);
    await client.logIn(other.sourceAppId, password);
    await client.get('/auth/session').expect(200);
  });

  it('are invalid when the stored document is malformed', async () => {
    const other = await server.admin.buildApp();
    const client = await loggedIn(other);
    await server.db
      .collection('sessions')
      .updateOne({ 'session.sourceAppId': other.sourceAppId }, { $set: { 'session.appId': { $gt: '' } } });
    await client.get('/auth/session').expect(401);
  });
});

describe('POST /auth/logout (spec 4.2)', () => {
  it('spec 4.2: ends the current session and no other', async () => {
    const [client, otherClient] = [newClient(), await loggedIn(app)];
    const { cookie } = await cookieOf(client, app);
    const { body, headers } = await client.post('/auth/logout').expect(200);
    expect(body).toEqual({ ok: true });
    expect(headers['set-cookie']?.[0]).toMatch(/^sid=; Path=\/; Expires=Thu, 01 Jan 1970/);
    await newClient().get('/auth/session').set('Cookie', cookie).expect(401);
    await otherClient.get('/auth/session').expect(200);
  });

  it('spec 4.2, logout without a session: returns 200 { ok: true }', async () => {
    expect((await newClient().post('/auth/logout').expect(200)).body).toEqual({ ok: true });
    const forged = newClient().post('/auth/logout').set('Cookie', 'sid=s%3Aabc.def');
    expect((await forged.expect(200)).body).toEqual({ ok: true });
  });

  it('spec 2.5, sessions: ends the session despite concurrent requests', { tags: 'long' }, async () => {
    const other = await server.admin.buildApp();
    for (let round = 0; round < 20; round += 1) {
      const client = await loggedIn(other);
      const paths = ['/auth/session', '/auth/users', '/auth/session', '/auth/users'];
      await Promise.all([
        ...paths.map((path) => client.get(path)),
        client.post('/auth/logout').expect(200),
        ...paths.map((path) => client.get(path)),
      ]);
      await client.get('/auth/session').expect(401);
      expect(await sessionCount(other.sourceAppId)).toBe(0);
    }
  });

  it('spec 2.5, sessions: refuses a request that authenticated before and whose body ends after it', async () => {
    const admin = { sourceAppId: 'admin', password: ADMIN_PASSWORD };
    const { cookie } = await cookieOf(newClient(), admin);
    const before = await sessionCount('admin');
    const inFlight = httpRequest(`${server.client.url}/auth/apps`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
    });
    const status = new Promise<number | undefined>((resolve, reject) => {
      inFlight.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
    inFlight.write('{"sourceAppId":');
    await sleep(200); // the server has authenticated the request and waits for the rest of its body
    await newClient().post('/auth/logout').set('Cookie', cookie).expect(200);
    inFlight.end('"made-in-flight"}');
    expect(await status).toBe(401);
    await server.admin.get('/auth/apps/made-in-flight/schema').expect(404);
    await newClient().get('/auth/session').set('Cookie', cookie).expect(401);
    expect(await sessionCount('admin')).toBe(before - 1);
  });
});
