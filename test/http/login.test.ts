import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, type TestApp } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const FAILURES = 3;

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer({ RATE_LIMIT_LOGIN: String(FAILURES), RATE_LIMIT_SUBMIT: '2', TRUST_PROXY: '1' });
  app = await server.admin.buildApp();
});
afterAll(() => server.close());

let addresses = 0;
const newAddress = (): string => {
  addresses += 1;
  return `192.0.2.${addresses}`;
};
/** Logs in from a new address by default, so that the limit on failures does not apply. */
const logIn = (body: object, address = newAddress()) =>
  new Client(server.client.url).post('/auth/login', body).set('X-Forwarded-For', address);

describe('POST /auth/login (spec 4.2)', () => {
  it('spec 4.2: returns ok, sourceAppId and role, and sets the session cookie', async () => {
    const { body, headers } = await logIn(app).expect(200);
    expect(body).toEqual({ ok: true, sourceAppId: app.sourceAppId, role: 'user' });
    expect(headers['set-cookie']?.[0]).toMatch(/^sid=/);
  });

  it('spec 4.2: returns role admin for an admin app', async () => {
    const { body } = await logIn({ sourceAppId: 'admin', password: ADMIN_PASSWORD }).expect(200);
    expect(body).toEqual({ ok: true, sourceAppId: 'admin', role: 'admin' });
  });

  it.each([
    ['no sourceAppId', 'sourceAppId', { password: 'p' }],
    ['no password', 'password', { sourceAppId: 'a' }],
    ['malformed sourceAppId', 'sourceAppId', { sourceAppId: 'a b', password: 'p' }],
    ['sourceAppId of 81 characters', 'sourceAppId', { sourceAppId: 'x'.repeat(81), password: 'p' }],
    ['sourceAppId is not a string', 'sourceAppId', { sourceAppId: { $gt: '' }, password: 'p' }],
    ['password is not a string', 'password', { sourceAppId: 'a', password: { $gt: '' } }],
    ['empty password', 'password', { sourceAppId: 'a', password: '' }],
    ['spec 2.2, passwords: over 72 bytes', 'password', { sourceAppId: 'a', password: 'ä'.repeat(37) }],
    ['spec 2.2, passwords: contains NUL', 'password', { sourceAppId: 'a', password: 'a\0b' }],
    ['unknown property', 'role', { sourceAppId: 'a', password: 'p', role: 'admin' }],
  ])('spec 7, missing or invalid sourceAppId or password: responds with 400: %s', async (_name, path, sent) => {
    const { body, headers } = await logIn(sent).expect(400);
    expect(body.message).toBe('Invalid log-in');
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('spec 7, invalid credentials, and spec 4.2, login: returns the same 401 for unknown app and wrong password', async () => {
    const wrong = await logIn({ sourceAppId: app.sourceAppId, password: 'wrong' }).expect(401);
    const unknown = await logIn({ sourceAppId: 'no-such-app', password: app.password }).expect(401);
    expect(wrong.body).toEqual({ message: 'Invalid credentials', code: 'invalidCredentials' });
    expect(unknown.body).toEqual(wrong.body);
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(wrong.headers).sort());
    expect(wrong.headers).not.toHaveProperty('set-cookie');
  });

  it('spec 2.2, passwords: compares the whole password', async () => {
    await logIn({ sourceAppId: app.sourceAppId, password: `${app.password} ` }).expect(401);
    await logIn({ sourceAppId: app.sourceAppId, password: app.password.slice(0, -1) }).expect(401);
  });

  it('spec 2.2, passwords: generates 24 or more URL-safe characters and stores only a bcrypt hash', async () => {
    const other = await server.admin.buildApp();
    expect(app.password).toMatch(/^[\w-]{24,72}$/);
    expect(other.password).not.toBe(app.password);
    const stored = await server.db.collection('apps').findOne({ sourceAppId: app.sourceAppId });
    expect(stored?.passwordHash).toMatch(/^\$2b\$\d\d\$/);
    expect(JSON.stringify(stored)).not.toContain(app.password);
  });
});

describe('spec 8, login: limit on failures per app and address', () => {
  it('responds with 429 and Retry-After, also to the correct password; other apps and addresses are not affected', {
    tags: 'long',
  }, async () => {
    const [attacked, other, address] = [await server.admin.buildApp(), await server.admin.buildApp(), newAddress()];
    const wrong = { sourceAppId: attacked.sourceAppId, password: 'wrong' };
    for (let failure = 0; failure < FAILURES; failure += 1) await logIn(wrong, address).expect(401);
    const { body, headers } = await logIn(wrong, address).expect(429);
    expect(body).toEqual({ message: 'Too many failed log-ins; try again later', code: 'tooManyFailedLogIns' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(15 * 60);
    await logIn(attacked, address).expect(429);
    await logIn(other, address).expect(200);
    await logIn(attacked).expect(200);
  });

  it('applies to concurrent attempts', { tags: 'long' }, async () => {
    const [{ sourceAppId }, address] = [await server.admin.buildApp(), newAddress()];
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => logIn({ sourceAppId, password: 'wrong' }, address)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(FAILURES);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10 - FAILURES);
  });

  it('does not count successful log-ins', async () => {
    const address = newAddress();
    for (let round = 0; round < FAILURES + 2; round += 1) await logIn(app, address).expect(200);
  });

  it('spec 8, login: accepts submissions during a flood of log-ins', { tags: 'long' }, async () => {
    const flood = Array.from({ length: 130 }, () => logIn({ sourceAppId: app.sourceAppId, password: 'wrong' }));
    const flooded = Promise.all(flood);
    const submitted = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        server.client.submit(app.sourceAppId, { email: `u${index}@x.org` }).set('X-Forwarded-For', newAddress()),
      ),
    );
    expect(submitted.map(({ status }) => status)).toEqual(Array(10).fill(200));
    // 503: the log-in would exceed its time limit in the queue.
    for (const { status } of await flooded) expect([401, 503]).toContain(status);
  });
});

describe('spec 8, RATE_LIMIT_SUBMIT', () => {
  it('responds with 429 and Retry-After and stores nothing; other apps and addresses are not affected', async () => {
    const [one, two, address] = [await server.admin.buildApp(), await server.admin.buildApp(), newAddress()];
    const submit = ({ sourceAppId }: TestApp, email: string, from = address) =>
      server.client.submit(sourceAppId, { email }).set('X-Forwarded-For', from);
    await submit(one, 'a@x.org').expect(200);
    await submit(one, 'b@x.org').expect(200);
    const { body, headers } = await submit(one, 'c@x.org').expect(429);
    expect(body).toEqual({ message: 'Too many submissions; try again later', code: 'tooManySubmissions' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(await server.db.collection('users').countDocuments({ email: 'c@x.org' })).toBe(0);
    await submit(two, 'a@x.org').expect(200);
    await submit(one, 'd@x.org', newAddress()).expect(200);
  });
});
