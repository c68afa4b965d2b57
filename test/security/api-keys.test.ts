import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey, withKey } from '../support/server/keys.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const LISTED = 'https://listed.example';
const OF_APP = 'https://shop.example';

let server: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: 'loopback', CORS_ORIGINS: LISTED, LOG_LEVEL: 'trace' });
  app = await server.admin.buildApp();
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
  await operator.put(`/auth/apps/${app.sourceAppId}/form`, { origins: [OF_APP] }).expect(200);
});
afterAll(() => server.close());

let network = 0;
/** An address that no other test uses, so that failures are counted for each test. */
const newAddress = (): string => {
  network += 1;
  return `198.51.100.${network}`;
};

describe('a key that is not accepted', () => {
  it('is answered alike, whether it is wrong, deleted, over or used from elsewhere', async () => {
    const inside = await createKey(server, operator, ['users:read'], { cidrs: ['203.0.113.0/24', '2001:db8::/32'] });
    const from = (address: string) => inside.send('get', '/auth/users').set('X-Forwarded-For', address);
    for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1::1']) await from(address).expect(200);

    const deleted = await createKey(server, operator, ['users:read']);
    await operator.delete(`/auth/keys/${deleted.id}`).expect(200);
    const over = await createKey(server, operator, ['users:read'], {
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    await over.send('get', '/auth/users').expect(200);
    await server.db
      .collection('api_keys')
      .updateOne({ expiresAt: { $exists: true } }, { $set: { expiresAt: new Date() } });

    const address = newAddress();
    const answers = [];
    for (const key of [inside.key, deleted.key, over.key, `uck_${'A'.repeat(43)}`, 'uck_short', `${inside.key}A`]) {
      const answer = await withKey(server, key)('get', '/auth/users').set('X-Forwarded-For', address).expect(401);
      answers.push(answer.body);
    }
    expect(new Set(answers.map((body) => JSON.stringify(body)))).toEqual(
      new Set(['{"message":"Invalid API key","code":"invalidApiKey"}']),
    );
    for (const elsewhere of ['203.0.114.1', '2001:db9::1', 'unknown']) await from(elsewhere).expect(401);
  });

  it('is limited for its network, while valid keys of the same network pass', async () => {
    const { send } = await createKey(server, operator, ['users:read', 'submit']);
    const wrong = withKey(server, `uck_${'B'.repeat(43)}`);
    const address = newAddress();
    for (let times = 0; times < 60; times += 1) {
      await wrong('get', '/auth/users').set('X-Forwarded-For', address).expect(401);
    }
    const limited = await wrong('get', '/auth/users').set('X-Forwarded-For', address).expect(429);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    await wrong('post', '/v1/users', { email: 'a@example.com' }).set('X-Forwarded-For', address).expect(429);
    await send('get', '/auth/users').set('X-Forwarded-For', address).expect(200);
    await send('post', '/v1/users', { email: 'a@example.com' }).set('X-Forwarded-For', address).expect(200);
    await wrong('get', '/auth/users').set('X-Forwarded-For', newAddress()).expect(401);
  });

  it('is no reason to fall back to the public endpoint or to a session', async () => {
    const wrong = withKey(server, `uck_${'C'.repeat(43)}`);
    const submit = wrong('post', '/v1/users', { email: 'fallback@example.com' }).set('x-app-id', app.sourceAppId);
    await submit.set('X-Forwarded-For', newAddress()).expect(401);
    expect(await server.db.collection('users').countDocuments({ email: 'fallback@example.com' })).toBe(0);
  });
});

describe('a session and a key', () => {
  it('in one request are 400, whatever each is worth', async () => {
    const { key } = await createKey(server, operator, ['users:read', 'submit']);
    const { headers } = await server.client.post('/auth/login', app).expect(200);
    const cookie = headers['set-cookie']?.[0]?.split(';')[0];
    for (const authorization of [`Bearer ${key}`, `bearer   ${key}`, `Bearer uck_${'D'.repeat(43)}`]) {
      for (const call of [
        operator.get('/auth/users'),
        operator.get('/auth/session'),
        operator.post('/auth/login', app),
        operator.submit(app.sourceAppId, { email: 'mixed@example.com' }),
        new Client(server.listener.url).get('/auth/users').set('Cookie', `a=b;sid=of another;${cookie}`),
      ]) {
        const { body } = await call.set('Authorization', authorization).expect(400);
        expect(body.message).toBe('A request has a session or an API key, not both');
      }
    }
    expect(await server.db.collection('users').countDocuments({ email: 'mixed@example.com' })).toBe(0);
    await withKey(server, key)('get', '/auth/users').set('Cookie', 'other=1; xsid=2').expect(200);
    await withKey(server, key)('get', '/auth/users').set('Cookie', 'sid=of another; sid=s%3Aof.another').expect(200);
  });

  it('are told from credentials that a proxy uses, which change nothing', async () => {
    for (const authorization of ['Basic dTpw', 'Bearer of.a.proxy', 'uck_x']) {
      await operator.get('/auth/users').set('Authorization', authorization).expect(200);
      await server.client
        .submit(app.sourceAppId, { email: 'proxy@example.com' })
        .set('Authorization', authorization)
        .expect(200);
      const { body } = await new Client(server.listener.url)
        .get('/auth/users')
        .set('Authorization', authorization)
        .expect(401);
      expect(body.message).toBe('Not authenticated');
    }
  });
});

describe('browsers', () => {
  const preflight = async (path: string, origin: string) => {
    const headers = {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    };
    const answer = await fetch(`${server.listener.url}${path}`, { method: 'OPTIONS', headers });
    return (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(',');
  };

  it('may send a key from trusted origins only', async () => {
    expect(await preflight('/v1/users', LISTED)).toContain('authorization');
    expect(await preflight('/auth/users', LISTED)).toContain('authorization');
    expect(await preflight('/v1/users', OF_APP)).toContain('content-type');
    expect(await preflight('/v1/users', OF_APP)).not.toContain('authorization');
    expect(await preflight(`/v1/forms/${app.sourceAppId}`, OF_APP)).not.toContain('authorization');
  });

  it('are checked by their origin, with a key too', async () => {
    const { send } = await createKey(server, operator, ['submit', 'users:read']);
    const submit = () => send('post', '/v1/users', { email: 'a@example.com' });
    await submit().set('Origin', 'https://evil.example').expect(403);
    await submit().set('Origin', OF_APP).set('x-app-id', app.sourceAppId).expect(200);
    await send('get', '/auth/users').set('Origin', OF_APP).expect(403);
    await submit().expect(200);
  });
});

it('no log line has a key or the header that carries it', async () => {
  const { id, key, send } = await createKey(server, operator, ['users:read']);
  await send('get', '/auth/users').expect(200);
  await withKey(server, `${key}x`)('get', '/auth/users').set('X-Forwarded-For', newAddress()).expect(401);
  await send('get', `/auth/users?q=${key}`).expect(200);
  const hash = (await server.db.collection('api_keys').find().toArray()).map((one) => one.hash.toString('base64'));
  const log = server.log();
  for (const secret of [key, key.slice(4), ...hash, 'Bearer']) expect(log).not.toContain(secret);
  expect(log).toContain(id);
});
