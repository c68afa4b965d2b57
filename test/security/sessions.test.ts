import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server.ts';
import { request, send } from './raw.ts';

const LISTED = 'https://forms.example.com';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ CORS_ORIGINS: `${LISTED},http://localhost:8080` });
});
afterAll(() => server.close());

const anyone = () => new Client(server.listener.url);

/** Logs in and returns the cookie as `sid=...`. */
async function cookieOf(sourceAppId = 'admin', password = ADMIN_PASSWORD): Promise<string> {
  const { headers } = await anyone().post('/auth/login', { sourceAppId, password }).expect(200);
  const [set] = headers['set-cookie'] as unknown as string[];
  return set?.split(';')[0] ?? '';
}

/** Which app a cookie speaks for; 401 when for none. */
async function whoIs(cookie: string): Promise<string | number> {
  const { status, body } = await anyone().get('/auth/session').set('Cookie', cookie);
  return status === 200 ? body.sourceAppId : status;
}

/** The id inside a signed cookie. */
function sessionId(cookie: string): string {
  return decodeURIComponent(cookie).slice('sid=s:'.length).split('.')[0] ?? '';
}

const storedId = (cookie: string): string => createHash('sha256').update(sessionId(cookie)).digest('base64url');
const sessions = () => server.db.collection<{ _id: string }>('sessions');

describe('fixation', () => {
  it('a session that was there before the log-in is worth nothing after it', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const planted = await cookieOf(sourceAppId, password);
    const victim = await anyone()
      .post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD })
      .set('Cookie', planted)
      .expect(200);
    const [set] = victim.headers['set-cookie'] as unknown as string[];
    expect(sessionId(set?.split(';')[0] ?? '')).not.toBe(sessionId(planted));
    expect(await whoIs(planted)).toBe(401);
  });

  it('an id that a client made up is never taken over', async () => {
    const { headers } = await anyone()
      .post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD })
      .set('Cookie', 'sid=planted; sid=s:planted.x')
      .expect(200);
    expect(String(headers['set-cookie'])).not.toContain('planted');
    expect(await sessions().findOne({ _id: createHash('sha256').update('planted').digest('base64url') })).toBeNull();
  });

  it('nothing is stored, and no cookie set, for who does not log in', async () => {
    const before = await sessions().countDocuments();
    const { headers } = await anyone().get('/auth/session').expect(401);
    expect(headers['set-cookie']).toBeUndefined();
    await anyone().post('/auth/login', { sourceAppId: 'admin', password: 'wrong' }).expect(401);
    expect(await sessions().countDocuments()).toBe(before);
  });
});

describe('forged and corrupt cookies', () => {
  it('are 401, never 500', async () => {
    const real = await cookieOf();
    expect(await whoIs(real)).toBe('admin');
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
      expect(await whoIs(forged), forged).toBe(401);
    }
  });

  it.each([
    ['nothing', null],
    ['a text', 'x'],
    ['a number', 1],
    ['a list', []],
    ['an empty object', {}],
    ['JSON text', '{"appId":"x"}'],
    ['no cookie', { appId: 'x', sourceAppId: 'admin', role: 'admin', credentialId: 'x' }],
    ['an id that is none', { cookie: {}, appId: 'x', sourceAppId: 'admin', role: 'admin', credentialId: 'x' }],
    ['an operator as id', { cookie: {}, appId: { $ne: null }, sourceAppId: 'admin', role: 'admin', credentialId: 'x' }],
    ['an unknown role', { cookie: {}, appId: 'x', sourceAppId: 'admin', role: 'root', credentialId: 'x' }],
    ['a cookie of no shape', { cookie: 'x', appId: 'x', sourceAppId: 'admin', role: 'admin', credentialId: 'x' }],
    [
      'times of no shape',
      { cookie: { expires: {}, originalMaxAge: 'x' }, appId: 'x', sourceAppId: 'a', role: 'user', credentialId: 'x' },
    ],
    [
      'options of no shape',
      {
        cookie: { path: 1, sameSite: {}, priority: 5, domain: [] },
        appId: 'x',
        sourceAppId: 'a',
        role: 'user',
        credentialId: 'x',
      },
    ],
  ])('a stored session that holds %s is 401, and a new log-in works', async (_name, session) => {
    const cookie = await cookieOf();
    await sessions().updateOne({ _id: storedId(cookie) }, { $set: { session } });
    expect(await whoIs(cookie)).toBe(401);
    await anyone().post('/auth/logout').set('Cookie', cookie).expect(200);
    const again = await anyone()
      .post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD })
      .set('Cookie', cookie)
      .expect(200);
    expect(again.body.role).toBe('admin');
  });

  it.each([
    ['a date long ago', new Date(0)],
    ['no date', 'x'],
  ])('one that ends at %s is over', async (_name, expires) => {
    const cookie = await cookieOf();
    await sessions().updateOne({ _id: storedId(cookie) }, { $set: { expires } });
    expect(await whoIs(cookie)).toBe(401);
  });

  it('a role or an app written into the session gives nothing: the app is asked each time', async () => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const cookie = await cookieOf(sourceAppId, password);
    const forged = { 'session.role': 'admin', 'session.sourceAppId': 'admin' };
    await sessions().updateOne({ _id: storedId(cookie) }, { $set: forged });
    await anyone().get('/auth/apps').set('Cookie', cookie).expect(403);
    expect(await whoIs(cookie)).toBe(sourceAppId);
  });

  it('the database holds no id that would let anyone in', async () => {
    const cookie = await cookieOf();
    const stored = JSON.stringify(await sessions().find().toArray());
    expect(stored).toContain(storedId(cookie));
    expect(stored).not.toContain(sessionId(cookie));
  });
});

describe('the end of a session', () => {
  it('a log-out holds, whatever requests of that session are under way', async () => {
    for (let round = 0; round < 5; round += 1) {
      const cookie = await cookieOf();
      const others = Array.from({ length: 10 }, () => anyone().get('/auth/apps').set('Cookie', cookie));
      const logOut = anyone().post('/auth/logout').set('Cookie', cookie).expect(200);
      for (const { status } of await Promise.all(others)) expect([200, 401]).toContain(status);
      await logOut;
      expect(await whoIs(cookie)).toBe(401);
      expect(await sessions().findOne({ _id: storedId(cookie) })).toBeNull();
    }
  });

  it('is there at once when the app is deleted or its password rotated', async () => {
    const rotated = await server.admin.buildApp();
    const cookie = await cookieOf(rotated.sourceAppId, rotated.password);
    await server.services.apps.rotatePassword(rotated.sourceAppId);
    expect(await whoIs(cookie)).toBe(401);
    await anyone().post('/auth/login', rotated).expect(401);

    const deleted = await server.admin.buildApp();
    const other = await cookieOf(deleted.sourceAppId, deleted.password);
    await server.admin.delete(`/auth/apps/${deleted.sourceAppId}`).expect(200);
    expect(await whoIs(other)).toBe(401);
    await server.admin.post('/auth/apps', { sourceAppId: deleted.sourceAppId }).expect(200);
    expect(await whoIs(other)).toBe(401);
  });
});

describe('forged requests of other sites', () => {
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

  it.each(forms)('a body of type "%s" creates nothing', async (type, body) => {
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
  ])('from the origin %s nothing runs', async (origin) => {
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

  it('two Origin headers are no listed one', async () => {
    const headers = [`Origin: ${LISTED}`, 'Origin: https://evil.example'];
    expect((await send(server.listener.url, request('GET', '/health', headers))).status).toBe(403);
  });

  it('a listed origin is allowed by its own name, with cookies, and told apart in caches', async () => {
    const { headers } = await anyone().get('/health').set('Origin', LISTED).expect(200);
    expect(headers['access-control-allow-origin']).toBe(LISTED);
    expect(headers['access-control-allow-credentials']).toBe('true');
    expect(headers.vary).toMatch(/Origin/);
  });
});
