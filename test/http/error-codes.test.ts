import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEndpoints } from '../../src/http/endpoints.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import type { TestApp } from '../support/server/client.ts';
import { assertCoded } from '../support/server/coded.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

let proxy: TcpProxy;
let server: TestServer;
let app: TestApp;
let admin: string;
let operator: string;
beforeAll(async () => {
  ({ proxy, slow: server } = await startSlow({ RATE_LIMIT_LOGIN: '0' }));
  app = await server.admin.buildApp({ fields: [{ key: 'age', kind: 'number', required: true }] });
  admin = await cookieOf({ sourceAppId: 'admin', password: ADMIN_PASSWORD });
  operator = await cookieOf(app);
});
afterAll(() => server.close());

async function cookieOf(credentials: TestApp): Promise<string> {
  const answer = await fetch(`${server.listener.url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  expect(answer.status).toBe(200);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

const endpoints = listEndpoints().map(({ spec }) => spec);
type Spec = (typeof endpoints)[number];

/** Sends a request to an endpoint; resolves with the status of an error that has its codes. */
async function refused({ method, path }: Pick<Spec, 'method' | 'path'>, how: RequestInit & { query?: string } = {}) {
  const { query = '', headers, ...init } = how;
  const target = path.replace(':sourceAppId', app.sourceAppId).replace(/:\w+/g, 'none');
  const sent = { Accept: 'application/json', 'x-app-id': app.sourceAppId, ...headers };
  const url = `${server.listener.url}${target}${query}`;
  const answer = await fetch(url, { redirect: 'manual', ...init, method: method.toUpperCase(), headers: sent });
  const text = await answer.text();
  if (answer.status < 400) return answer.status;
  const { code } = JSON.parse(text) as { code: string };
  try {
    assertCoded(JSON.parse(text), answer.headers.has('content-language'));
  } catch (cause) {
    throw new Error(`${method} ${target}: ${text}`, { cause });
  }
  return `${answer.status} ${code}`;
}

/** The refusals of all endpoints that a request is possible for, each once. */
async function refusals(chosen: readonly Spec[], how: RequestInit & { query?: string }): Promise<string[]> {
  const found = new Set<string>();
  for (const spec of chosen) {
    const one = await refused(spec, how);
    if (typeof one === 'string') found.add(one);
  }
  return [...found].sort();
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const bodies = endpoints.filter(({ body }) => body);
const guarded = endpoints.filter(({ auth }) => auth === 'session' || auth === 'session or key');
/** The body of the other one is fixed (spec 4.2). */
const coded = guarded.filter(({ unauthenticated }) => !unauthenticated);

describe('every error body has its codes', () => {
  it('without a session', async () => {
    const [first, ...others] = await refusals(coded, {});
    expect([first, others]).toEqual(['401 notAuthenticated', []]);
    expect(guarded.filter((spec) => !coded.includes(spec)).map(({ path }) => path)).toEqual(['/auth/session']);
  });

  it('with a wrong key, with a session and a key, and for a role that the caller has not', {
    tags: 'long',
  }, async () => {
    const key = { Authorization: 'Bearer uck_wrong' };
    expect(await refusals(guarded, { headers: key })).toContain('401 invalidApiKey');
    expect(await refusals(guarded, { headers: { ...key, Cookie: operator } })).toContain('400 sessionAndKey');
    const admins = endpoints.filter(({ role }) => role === 'admin');
    expect(await refusals(admins, { headers: { Cookie: operator } })).toEqual(['403 adminRequired']);
  });

  it.each([
    ['another type', '[]'],
    ['unknown members', '{"unknown": 1}'],
    ['members of another type', '{"sourceAppId": 7, "email": 7, "fields": 7, "name": 7, "url": 7, "set": 7}'],
    ['no JSON', '{"'],
    ['text that is no Unicode', '"\\ud800"'],
    ['too deep a value', '['.repeat(30) + ']'.repeat(30)],
    ['a number that would be altered', '[12345678901234567890]'],
  ])('with a body that has %s', async (_name, body) => {
    const found = await refusals(bodies, { headers: { ...JSON_TYPE, Cookie: admin }, body });
    expect(found.length).toBeGreaterThan(0);
    for (const one of found) expect(one).toMatch(/^4\d\d /);
  });

  it('with a body that is too large, in pieces of another type, encoding or charset', { tags: 'long' }, async () => {
    const headers = { Cookie: admin };
    const large = JSON.stringify({ email: 'x'.repeat(4 * 1024 * 1024) });
    expect(await refusals(bodies, { headers: { ...headers, ...JSON_TYPE }, body: large })).toContain(
      '413 bodyTooLarge',
    );
    const types = await refusals(bodies, { headers: { ...headers, 'Content-Type': 'text/plain' }, body: 'x' });
    expect(types).toEqual(expect.arrayContaining(['400 notBodyType', '400 notJsonBody']));
    const encoded = { ...headers, ...JSON_TYPE, 'Content-Encoding': 'br' };
    expect(await refusals(bodies, { headers: encoded, body: '{}' })).toContain('415 encodingUnsupported');
    const charset = { ...headers, 'Content-Type': 'application/json; charset=latin1' };
    expect(await refusals(bodies, { headers: charset, body: '{}' })).toContain('400 bodyNotUtf8');
  });

  it('with a wrong query', { tags: 'long' }, async () => {
    const queried = endpoints.filter(({ query, method }) => query && method === 'get');
    for (const name of ['sort', 'order', 'cursor', 'where', 'total', 'format', 'columns', 'field', 'unknown'])
      await refusals(queried, { headers: { Cookie: operator }, query: `?${name}=%00x,` });
    expect(await refusals(queried, { headers: { Cookie: operator }, query: '?limit=x' })).toContain('400 invalidQuery');
  });

  it('for what does not exist, and for another method', { tags: 'long' }, async () => {
    const named = endpoints.filter(({ path }) => /:(?!sourceAppId)/.test(path));
    const found = await refusals(named, { headers: { Cookie: operator, ...JSON_TYPE } });
    expect(found.filter((one) => one.startsWith('404')).length).toBeGreaterThan(3);
    expect(await refused({ method: 'get', path: '/no-such-path' })).toBe('404 notFound');
    expect(await refused({ method: 'get', path: '/auth/apps/%E0%A4%A/schema' })).toBe('400 pathNotValid');
    for (const { path } of endpoints) {
      const other = await refused({ method: 'put', path }, { headers: { Cookie: operator } });
      if (typeof other === 'string') expect(other).toMatch(/^4\d\d /);
    }
    expect(await refused({ method: 'put', path: '/v1/users' })).toBe('405 methodNotAllowed');
  });

  it('from another origin, and without or with a wrong app id', async () => {
    const submit = { method: 'post', path: '/v1/users' } as const;
    const headers = { ...JSON_TYPE, Origin: 'https://other.example' };
    expect(await refused(submit, { headers, body: '{}' })).toBe('403 originRefused');
    expect(await refused(submit, { headers: { 'x-app-id': '', ...JSON_TYPE }, body: '{}' })).toBe('400 noAppId');
    expect(await refused(submit, { headers: { 'x-app-id': 'a b', ...JSON_TYPE }, body: '{}' })).toBe(
      '400 invalidAppId',
    );
  });

  it.each(['en', 'de', 'ja'])('of a form, also in the language %s', async (tag) => {
    const form = { method: 'post', path: '/v1/forms/:sourceAppId' } as const;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Language': tag };
    for (const body of ['email=x', 'email=a%40x.org&age=x', 'a%00=1', '_charset_=latin1&_key=%20&_error=x'])
      expect(await refused(form, { headers, body })).toMatch(/^400 /);
    const closed = { ...JSON_TYPE, Cookie: admin };
    const settings = { method: 'put', path: '/auth/apps/:sourceAppId/form' } as const;
    await refused(settings, { headers: closed, body: '{"closesAt": "2020-01-01T00:00:00Z"}' });
    expect(await refused(form, { headers, body: 'email=a%40x.org&age=1' })).toBe('403 closed');
    await refused(settings, { headers: closed, body: '{}' });
    expect(await refused({ method: 'post', path: '/v1/forms/nobody' }, { headers, body: 'a=1' })).toBe(
      '404 appNotFound',
    );
  });

  it('beyond a rate limit', async () => {
    const limited = await startServer({ RATE_LIMIT_LOGIN: '1', RATE_LIMIT_SUBMIT: '1' });
    const { sourceAppId } = await limited.admin.buildApp();
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { body, status } = await limited.client.submit(sourceAppId, { email: 'a@x.org', data: {} });
      if (status >= 400) assertCoded(body);
      statuses.push(status);
    }
    await limited.close();
    expect(statuses).toContain(429);
  });

  it('while the database is away', { tags: 'long' }, async () => {
    proxy.cut();
    expect(await refused({ method: 'get', path: '/ready' })).toBe('503 notReady');
    expect(await refused({ method: 'get', path: '/auth/users' }, { headers: { Cookie: operator } })).toMatch(/^503 /);
    proxy.restore();
  });
});
