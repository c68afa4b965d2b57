import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { request, send } from './raw.ts';

const LISTED = 'https://forms.example.com';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ CORS_ORIGINS: `${LISTED},http://localhost:8080` });
});
afterAll(() => server.close());

const newClient = () => new Client(server.listener.url);

/** Logs in and returns the cookie as `sid=...`. */
async function cookieOf(sourceAppId = 'admin', password = ADMIN_PASSWORD): Promise<string> {
  const { headers } = await newClient().post('/auth/login', { sourceAppId, password }).expect(200);
  const [set] = headers['set-cookie'] as unknown as string[];
  return set?.split(';')[0] ?? '';
}

/** Returns the app of the cookie's session, or 401. */
async function sessionApp(cookie: string): Promise<string | number> {
  const { status, body } = await newClient().get('/auth/session').set('Cookie', cookie);
  return status === 200 ? body.sourceAppId : status;
}

/** Returns the session id in a signed cookie. */
function sessionId(cookie: string): string {
  return decodeURIComponent(cookie).slice('sid=s:'.length).split('.')[0] ?? '';
}

const storedId = (cookie: string): string => createHash('sha256').update(sessionId(cookie)).digest('base64url');
const sessions = () => server.db.collection<{ _id: string }>('sessions');

describe('attack: session fixation', () => {
  it('does not adopt an id that a client made up', async () => {
    const { headers } = await newClient()
      .post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD })
      .set('Cookie', 'sid=planted; sid=s:planted.x')
      .expect(200);
    expect(String(headers['set-cookie'])).not.toContain('planted');
    expect(await sessions().findOne({ _id: createHash('sha256').update('planted').digest('base64url') })).toBeNull();
  });

  it('stores no session and sets no cookie without a log-in', async () => {
    const before = await sessions().countDocuments();
    const { headers } = await newClient().get('/auth/session').expect(401);
    expect(headers['set-cookie']).toBeUndefined();
    await newClient().post('/auth/login', { sourceAppId: 'admin', password: 'wrong' }).expect(401);
    expect(await sessions().countDocuments()).toBe(before);
  });
});

describe('forged cookies and malformed stored sessions', () => {
  it('get 401 for forged cookies', { tags: 'long' }, async () => {
    const real = await cookieOf();
    expect(await sessionApp(real)).toBe('admin');
    const id = sessionId(real);
    const signature = decodeURIComponent(real).split('.').slice(1).join('.');
    for (const forged of [
      'sid=',
      'sid=x',
      `sid=${id}`,
      `sid=s:${id}`,
      `sid=s:${id}.`,
      `sid=s:${id}.${signature.slice(0, -1)}`,
      `sid=s:${id}.${'A'.repeat(signature.length)}`,
      `sid=s%3A${id}x.${encodeURIComponent(signature)}`,
      'sid=s%3A.x',
      'sid=%',
      'sid=%ff%fe',
      'sid=s%3A%00.x',
      'sid=j:{"appId":"x","role":"admin"}',
      `sid=${'x'.repeat(8_000)}`,
      `SID=${real.slice(4)}`,
      `sid2=${real.slice(4)}`,
      `__proto__=${real.slice(4)}`,
      `sid="${real.slice(4)}`,
    ]) {
      expect(await sessionApp(forged), forged).toBe(401);
    }
  });

  it.each([
    ['null', null],
    ['a string', 'x'],
    ['a number', 1],
    ['an array', []],
    ['an empty object', {}],
    ['a JSON string', '{"appId":"x"}'],
    ['no cookie', { appId: 'x', sourceAppId: 'admin', role: 'admin', credentialId: 'x' }],
    ['an invalid app id', { cookie: {}, appId: 'x', sourceAppId: 'admin', role: 'admin', credentialId: 'x' }],
    [
      'a query operator as app id',
      { cookie: {}, appId: { $ne: null }, sourceAppId: 'admin', role: 'admin', credentialId: 'x' },
    ],
    ['an unknown role', { cookie: {}, appId: 'x', sourceAppId: 'admin', role: 'root', credentialId: 'x' }],
    ['a malformed cookie', { cookie: 'x', appId: 'x', sourceAppId: 'admin', role: 'admin', credentialId: 'x' }],
    [
      'malformed times',
      { cookie: { expires: {}, originalMaxAge: 'x' }, appId: 'x', sourceAppId: 'a', role: 'user', credentialId: 'x' },
    ],
    [
      'malformed cookie options',
      {
        cookie: { path: 1, sameSite: {}, priority: 5, domain: [] },
        appId: 'x',
        sourceAppId: 'a',
        role: 'user',
        credentialId: 'x',
      },
    ],
  ])('get 401 if the stored session contains %s; a new log-in succeeds', async (_name, session) => {
    const cookie = await cookieOf();
    await sessions().updateOne({ _id: storedId(cookie) }, { $set: { session } });
    expect(await sessionApp(cookie)).toBe(401);
    await newClient().post('/auth/logout').set('Cookie', cookie).expect(200);
    const again = await newClient()
      .post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD })
      .set('Cookie', cookie)
      .expect(200);
    expect(again.body.role).toBe('admin');
  });

  it.each([
    ['a past date', new Date(0)],
    ['an invalid date', 'x'],
  ])('get 401 if the stored session expires at %s', async (_name, expires) => {
    const cookie = await cookieOf();
    await sessions().updateOne({ _id: storedId(cookie) }, { $set: { expires } });
    expect(await sessionApp(cookie)).toBe(401);
  });

  it('gain no rights from a role or app id written into the stored session', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const cookie = await cookieOf(sourceAppId, password);
    const forged = { 'session.role': 'admin', 'session.sourceAppId': 'admin' };
    await sessions().updateOne({ _id: storedId(cookie) }, { $set: forged });
    await newClient().get('/auth/apps').set('Cookie', cookie).expect(403);
    expect(await sessionApp(cookie)).toBe(sourceAppId);
  });
});

describe('end of a session', () => {
  it('is permanent after a log-out with concurrent requests of that session', { tags: 'long' }, async () => {
    for (let round = 0; round < 5; round += 1) {
      const cookie = await cookieOf();
      const others = Array.from({ length: 10 }, () => newClient().get('/auth/apps').set('Cookie', cookie));
      const logOut = newClient().post('/auth/logout').set('Cookie', cookie).expect(200);
      for (const { status } of await Promise.all(others)) expect([200, 401]).toContain(status);
      await logOut;
      expect(await sessionApp(cookie)).toBe(401);
      expect(await sessions().findOne({ _id: storedId(cookie) })).toBeNull();
    }
  });

  it('is not undone when its app is created again', async () => {
    const deleted = await server.admin.buildApp();
    const other = await cookieOf(deleted.sourceAppId, deleted.password);
    await server.admin.delete(`/auth/apps/${deleted.sourceAppId}`).expect(200);
    expect(await sessionApp(other)).toBe(401);
    await server.admin.post('/auth/apps', { sourceAppId: deleted.sourceAppId }).expect(200);
    expect(await sessionApp(other)).toBe(401);
  });
});

describe('attack: cross-site request forgery', () => {
  const forms: [string, string][] = [
    ['application/x-www-form-urlencoded', 'sourceAppId=forged'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="sourceAppId"\r\n\r\nforged\r\n--x--',
    ],
    ['text/plain', '{"sourceAppId":"forged"}'],
    ['text/plain; application/json', '{"sourceAppId":"forged"}'],
    ['', '{"sourceAppId":"forged"}'],
  ];

  it.each(forms)('refuses a body of type "%s"', async (type, body) => {
    const headers = [`Cookie: ${await cookieOf()}`, ...(type ? [`Content-Type: ${type}`] : [])];
    expect((await send(server.listener.url, request('POST', '/auth/apps', headers, body))).status).toBe(400);
    expect(await server.services.apps.find('forged')).toBeUndefined();
  });

  it.each([
    ['null'],
    ['https://forms.example.com.evil.example'],
    ['https://evil-forms.example.com'],
    ['https://evilforms.example.com'],
    ['https://example.com'],
    ['https://a.forms.example.com'],
    ['https://forms.example.com:443'],
    ['https://forms.example.com:8443'],
    ['http://forms.example.com'],
    ['HTTPS://forms.example.com'],
    ['https://FORMS.example.com'],
    ['https://forms.example.com.'],
    ['https://forms.example.com/'],
    ['https://forms.example.com@evil.example'],
    ['https://forms.example.com, https://evil.example'],
    ['https://forms.example.com https://evil.example'],
    ['http://127.0.0.1:8080'],
    ['http://localhost:8081'],
    ['file://'],
    ['*'],
    ['https://forms\u002eexample\u002ecom%60.evil.example'],
  ])('refuses requests and preflights from the origin %s', async (origin) => {
    const headers = [`Cookie: ${await cookieOf()}`, `Origin: ${origin}`, 'Content-Type: application/json'];
    const url = server.listener.url;
    for (const bytes of [
      request('POST', '/auth/apps', headers, '{"sourceAppId":"forged"}'),
      request('GET', '/auth/apps', headers),
      request('OPTIONS', '/auth/apps', [...headers, 'Access-Control-Request-Method: POST']),
    ]) {
      const { status, text } = await send(url, bytes);
      expect(status).toBe(403);
      expect(text.toLowerCase()).not.toContain('access-control-allow');
    }
    expect(await server.services.apps.find('forged')).toBeUndefined();
  });

  it('refuses two Origin headers', async () => {
    const headers = [`Origin: ${LISTED}`, 'Origin: https://evil.example'];
    expect((await send(server.listener.url, request('GET', '/health', headers))).status).toBe(403);
  });

  it('allows a listed origin by name, with credentials and Vary: Origin', async () => {
    const { headers } = await newClient().get('/health').set('Origin', LISTED).expect(200);
    expect(headers['access-control-allow-origin']).toBe(LISTED);
    expect(headers['access-control-allow-credentials']).toBe('true');
    expect(headers.vary).toMatch(/Origin/);
  });
});
