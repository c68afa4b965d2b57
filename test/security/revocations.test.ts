import { get as httpGet, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { joinApp, logIn } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { ended, open, request } from './raw.ts';

const METRICS_TOKEN = 'the-token-of-the-revocations-test';

let proxy: TcpProxy;
/** The server that is asked. Its statements can be held. */
let server: TestServer;
/** The server that answers the revocations. */
let second: TestServer;
beforeAll(async () => {
  const route = new URL(inject('mongodbUri'));
  proxy = await startProxy(new URL(route));
  route.host = `127.0.0.1:${proxy.port}`;
  server = await startServer({ MONGODB_URI: route.href, METRICS_TOKEN }, undefined, FULL_LEASES);
  second = await startServer({}, server.database, FULL_LEASES);
});
afterAll(async () => {
  await second.close();
  await server.close();
  await proxy.close();
});

/** The headers that authenticate a request. */
type Credentials = Record<string, string>;

/** Logs in; resolves with the cookie. */
async function cookieOf(answer: ReturnType<typeof logIn>): Promise<Credentials> {
  const { headers } = await answer.expect(200);
  return { Cookie: String(headers['set-cookie']?.[0]).split(';')[0] ?? '' };
}

const appCookie = (app: { sourceAppId: string; password: string }) =>
  cookieOf(new Client(server.client.url).post('/auth/login', app));

interface Sent {
  method: string;
  path: string;
  body: string | object;
  headers?: Record<string, string>;
}

/**
 * Sends all but the last byte of a request. Resolves when its caller was checked, with a function
 * that sends this byte and resolves with the status.
 */
async function sendHeld({ method, path, body, headers = {} }: Sent, credentials: Credentials) {
  const all = { 'Content-Type': 'application/json', ...headers, ...credentials };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const bytes = request(method, path, lines, typeof body === 'string' ? body : JSON.stringify(body));
  const checked = proxy.holdNext('find', 'Cookie' in credentials ? 'sessions' : 'api_keys');
  const socket = open(server.listener.url);
  socket.write(bytes.subarray(0, -1));
  await (await checked)();
  return async (): Promise<number> => {
    socket.write(bytes.subarray(-1));
    return (await ended(socket)).status;
  };
}

/** An app with an operator's cookie, a key, and a member of it. */
async function prepare(role = 'editor') {
  const app = await server.admin.buildApp();
  const member = await joinApp(server, app.sourceAppId, role);
  const key = await createKey(server, server.admin, ['users:write', 'import', 'submit', 'export'], {
    sourceAppId: app.sourceAppId,
  });
  return {
    app,
    member,
    key,
    keyHeader: { Authorization: `Bearer ${key.key}` },
    cookie: await appCookie(app),
    memberCookie: await cookieOf(logIn(new Client(server.client.url), member.email)),
  };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

const memberPath = ({ app, member }: Prepared) => `/auth/apps/${app.sourceAppId}/members/${member.id}`;
const REVOCATIONS: [
  string,
  keyof Prepared & `${string}${'ookie' | 'Header'}`,
  number,
  (by: Prepared) => Promise<unknown>,
][] = [
  [
    'its app password was replaced',
    'cookie',
    401,
    ({ app }) => second.admin.post(`/auth/apps/${app.sourceAppId}/password`).expect(200),
  ],
  ['it logged out', 'cookie', 401, ({ cookie }) => second.client.post('/auth/logout').set(cookie).expect(200)],
  [
    'its key was deleted',
    'keyHeader',
    401,
    ({ app, key }) => second.admin.delete(`/auth/keys/${key.id}?sourceAppId=${app.sourceAppId}`).expect(200),
  ],
  [
    'its account was suspended',
    'memberCookie',
    401,
    ({ member }) => second.admin.patch(`/auth/accounts/${member.id}`, { suspended: true }).expect(200),
  ],
  [
    'its account was removed from the app',
    'memberCookie',
    403,
    (by) => second.admin.delete(memberPath(by)).expect(200),
  ],
  [
    'its account was demoted',
    'memberCookie',
    403,
    (by) => second.admin.patch(memberPath(by), { role: 'viewer' }).expect(200),
  ],
];

describe('a request whose last byte comes after a revocation', () => {
  it.each(REVOCATIONS)('changes nothing: %s', async (_name, credentials, status, revoke) => {
    const by = await prepare();
    const { sourceAppId } = by.app;
    const { body } = await server.client.submit(sourceAppId, { email: 'ada@example.com', data: {} }).expect(200);
    const path = `/auth/users/${body.id}?sourceAppId=${sourceAppId}`;
    const send = await sendHeld(
      { method: 'PATCH', path, body: { set: { name: 'late' } } },
      by[credentials] as Credentials,
    );
    await revoke(by);
    expect(await send()).toBe(status);
    const stored = await server.db.collection('users').findOne({ sourceAppId });
    expect(stored?.data).not.toHaveProperty('name');
  });

  it.each(REVOCATIONS)('adds nothing to the file of an import: %s', async (_name, credentials, status, revoke) => {
    const by = await prepare();
    const { sourceAppId } = by.app;
    const { body } = await server.admin.post(`/auth/imports?sourceAppId=${sourceAppId}`, {}).expect(200);
    const path = `/auth/imports/${body.id}/content?sourceAppId=${sourceAppId}`;
    const headers = { 'Content-Type': 'text/csv' };
    const file = 'email\nlate@example.com\n';
    const send = await sendHeld({ method: 'PUT', path, body: file, headers }, by[credentials] as Credentials);
    await revoke(by);
    expect(await send()).toBe(status);
    const found = await server.admin.get(`/auth/imports/${body.id}?sourceAppId=${sourceAppId}`).expect(200);
    expect(found.body.received).toBe(0);
  });

  it('stores no submission with a key that was deleted', async () => {
    const { app, key, keyHeader } = await prepare();
    const body = { email: 'ada@example.com', data: {} };
    const send = await sendHeld({ method: 'POST', path: '/v1/users', body }, keyHeader);
    await second.admin.delete(`/auth/keys/${key.id}?sourceAppId=${app.sourceAppId}`).expect(200);
    expect(await send()).toBe(401);
    expect(await server.db.collection('users').countDocuments({ sourceAppId: app.sourceAppId })).toBe(0);
  });

  it.each([
    ['was suspended', 401, { suspended: true }],
    ['is an admin no more', 403, { admin: false }],
  ])('invites nobody: the admin %s', { tags: 'long' }, async (_name, status, change) => {
    const { member, memberCookie } = await prepare();
    await second.admin.patch(`/auth/accounts/${member.id}`, { admin: true }).expect(200);
    const body = { email: `late-${status}@example.com`, admin: true };
    const send = await sendHeld({ method: 'POST', path: '/auth/accounts', body }, memberCookie);
    // The last active admin stays.
    const other = await prepare();
    await second.admin.patch(`/auth/accounts/${other.member.id}`, { admin: true }).expect(200);
    await second.admin.patch(`/auth/accounts/${member.id}`, change).expect(200);
    expect(await send()).toBe(status);
    expect(await server.db.collection('invitations').countDocuments({ email: body.email })).toBe(0);
  });

  it('acts as before for a caller that is as before', async () => {
    const { app, cookie, memberCookie, keyHeader } = await prepare();
    for (const [index, credentials] of [cookie, memberCookie, keyHeader].entries()) {
      const path = `/auth/imports?sourceAppId=${app.sourceAppId}`;
      const send = await sendHeld({ method: 'POST', path, body: { format: 'csv' } }, credentials);
      expect(await send()).toBe(200);
      expect(await server.db.collection('imports').countDocuments({})).toBeGreaterThan(index);
    }
  });
});

describe('a request that waits', () => {
  it('for its turn changes nothing when its account was removed meanwhile', { tags: 'long' }, async () => {
    const by = await prepare();
    const { sourceAppId } = by.app;
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data: {} }).expect(200);
    const app = await server.db.collection('apps').findOne({ sourceAppId });
    const held = proxy.holdAll('find', 'users', [Buffer.from(String(app?._id), 'hex')]);
    const url = `${server.listener.url}/auth`;
    const { memberCookie: headers } = by;
    const exports = Array.from({ length: 8 }, () =>
      fetch(`${url}/users/export?where=email:contains:ada&sourceAppId=${sourceAppId}`, { headers }),
    );
    await expect.poll(() => longRequests('in_progress')).toBe(8);
    const erase = fetch(`${url}/people/erase?sourceAppId=${sourceAppId}`, {
      method: 'POST',
      body: JSON.stringify({ email: 'ada@example.com' }),
      headers: { ...headers, 'content-type': 'application/json' },
    });
    await expect.poll(() => longRequests('waiting')).toBe(1);
    await second.admin.delete(memberPath(by)).expect(200);
    held.release();
    expect((await erase).status).toBe(403);
    await Promise.all(exports.map(async (one) => (await one).text().catch(() => undefined)));
    expect(await server.db.collection('users').countDocuments({ sourceAppId })).toBe(1);
  });

  it.each([
    ['erases', 'DELETE', undefined],
    ['changes', 'PATCH', { set: { name: 'late' } }],
  ])('for the count of many records %s none when its account was removed meanwhile', async (_name, method, body) => {
    const by = await prepare();
    const { sourceAppId } = by.app;
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data: {} }).expect(200);
    const app = await server.db.collection('apps').findOne({ sourceAppId });
    const held = proxy.holdAll('find', 'users', [Buffer.from(String(app?._id), 'hex')]);
    const path = `/auth/users?sourceAppId=${sourceAppId}&where=email:contains:ada&confirm=1`;
    const answer = fetch(server.listener.url + path, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: { ...by.memberCookie, 'content-type': 'application/json' },
    });
    await expect.poll(() => held.seen.length).toBe(1);
    await second.admin.delete(memberPath(by)).expect(200);
    held.release();
    expect((await answer).status).toBe(403);
    expect(await server.db.collection('users').countDocuments({ sourceAppId })).toBe(1);
    expect(await server.db.collection('changes').countDocuments({ sourceAppId })).toBe(0);
  });

  it('for a hash replaces no password when its admin was suspended meanwhile', async () => {
    const { app, member, memberCookie: headers } = await prepare();
    await second.admin.patch(`/auth/accounts/${member.id}`, { admin: true }).expect(200);
    // The last active admin stays.
    const other = await prepare();
    await second.admin.patch(`/auth/accounts/${other.member.id}`, { admin: true }).expect(200);
    const before = await server.db.collection('apps').findOne({ sourceAppId: app.sourceAppId });
    const first = proxy.holdNext('find', 'access');
    const path = `${server.listener.url}/auth/apps/${app.sourceAppId}/password`;
    const answer = fetch(path, { method: 'POST', headers });
    const continueFirst = await first;
    const again = proxy.holdNext('find', 'sessions');
    await continueFirst();
    const continueAgain = await Promise.race([again, answer.then(() => undefined)]);
    await second.admin.patch(`/auth/accounts/${member.id}`, { suspended: true }).expect(200);
    await continueAgain?.();
    expect((await answer).status).toBe(401);
    const after = await server.db.collection('apps').findOne({ sourceAppId: app.sourceAppId });
    expect(after?.credentialId).toBe(before?.credentialId);
  });

  async function longRequests(state: string): Promise<number> {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`${server.listener.url}/metrics`, { headers })).text();
    return Number(new RegExp(`^operator_requests\\{load="long",state="${state}"\\} (\\d+)`, 'm').exec(text)?.[1]);
  }
});

describe('a file that is being sent', () => {
  /** More than the buffers of both sockets. */
  const RECORDS = 400;
  const FILLER = 'x'.repeat(100_000);

  const insert = async (sourceAppId: string, emails: readonly string[]): Promise<void> => {
    const appId = (await server.db.collection('apps').findOne({ sourceAppId }))?._id;
    const newId = createOrderedIds();
    const records = emails.map((email) => {
      const now = new Date();
      const times = { createdAt: now, updatedAt: now };
      return { _id: newId(now), appId, sourceAppId, email, data: { name: FILLER }, schemaVersion: 1, ...times };
    });
    await server.db.collection<{ _id: ReturnType<typeof newId> }>('users').insertMany(records);
  };

  const oldestFirst = 'sort=createdAt&order=asc';
  it.each([
    ['an export as CSV', `/auth/users/export?${oldestFirst}`],
    ['an export as NDJSON', `/auth/users/export?format=ndjson&${oldestFirst}`],
    ['a list', '/auth/users'],
  ])('breaks off after a revocation: %s', { tags: 'long' }, async (name, path) => {
    const { app, cookie, key, keyHeader } = await prepare();
    await insert(
      app.sourceAppId,
      Array.from({ length: RECORDS }, (_, index) => `u${index}@example.com`),
    );
    const headers = name === 'a list' ? cookie : keyHeader;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpGet(server.client.url + path, { headers }, resolve).on('error', reject);
    });
    expect(response.statusCode).toBe(200);
    await (name === 'a list'
      ? second.admin.post(`/auth/apps/${app.sourceAppId}/password`).expect(200)
      : second.admin.delete(`/auth/keys/${key.id}?sourceAppId=${app.sourceAppId}`).expect(200));
    await insert(app.sourceAppId, ['late@example.com']);
    // A caller is checked again after a second.
    await sleep(1_000);
    let text = '';
    response.on('data', (chunk) => {
      text += chunk;
    });
    await new Promise((resolve) => response.on('error', resolve).on('end', resolve));
    expect(response.complete).toBe(false);
    expect(text).not.toContain('late@example.com');
  });
});
