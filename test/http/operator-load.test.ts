// @module-tag long

import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { type HeldCommands, startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const METRICS_TOKEN = 'the-token-of-the-operator-load-test';
const SEARCH = '/auth/users?sort=data.a';
const EXPORT = '/auth/users/export?where=data.a:gt:0';
/** More than the connections of the pool. */
const FLOOD = 180;
/** The reads of one app in progress, and the exports of one session. */
const IN_PROGRESS = 2;
const PER_SESSION = 8;
/** The look-ups of sessions of one network. */
const PER_NETWORK = 16;

let proxy: TcpProxy;
let server: TestServer;
let flooded: TestApp & { cookie: string; id: Buffer; record: string };
let other: typeof flooded;
let held: HeldCommands | undefined;
beforeAll(async () => {
  const route = new URL(inject('mongodbUri'));
  proxy = await startProxy(new URL(route));
  route.host = `127.0.0.1:${proxy.port}`;
  server = await startServer({ MONGODB_URI: route.href, METRICS_TOKEN });
  [flooded, other] = [await prepare(), await prepare()];
});
afterEach(async () => {
  held?.release();
  await expect.poll(() => requests('read', 'in_progress')).toBe(0);
});
afterAll(async () => {
  await server.close();
  await proxy.close();
});

/** Creates an app with a record, and a session of its operator. */
async function prepare(): Promise<typeof flooded> {
  const app = await server.admin.buildApp({ fields: [{ key: 'a', kind: 'number' }] });
  const { sourceAppId, password } = app;
  const { body } = await server.client.submit(sourceAppId, { email: 'x@example.com', data: { a: 1 } }).expect(200);
  const { headers } = await new Client(server.client.url).post('/auth/login', { sourceAppId, password }).expect(200);
  const cookie = String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
  const stored = await server.db.collection('apps').findOne({ sourceAppId });
  return { ...app, cookie, id: Buffer.from(String(stored?._id), 'hex'), record: body.id };
}

const ask = (path: string, { cookie }: { cookie: string }, signal?: AbortSignal): Promise<Response> =>
  fetch(server.listener.url + path, { headers: { cookie }, signal: signal ?? null });

const submit = ({ sourceAppId }: TestApp): Promise<Response> =>
  fetch(`${server.listener.url}/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-app-id': sourceAppId },
    body: JSON.stringify({ email: 'beside@example.com', data: { a: 2 } }),
  });

/** Holds back the first query of each search in these apps. */
function holdSearches(...apps: { id: Buffer }[]): HeldCommands {
  held = proxy.holdAll(
    'aggregate',
    'users',
    apps.map(({ id }) => id),
  );
  return held;
}

/** The value of the metric of requests. */
async function requests(load: string, state: string): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${server.listener.url}/metrics`, { headers })).text();
  return Number(new RegExp(`^operator_requests\\{load="${load}",state="${state}"\\} (\\d+)`, 'm').exec(text)?.[1]);
}

describe('a flood of searches of one app', () => {
  it('leaves the connections to submissions, to light requests, and to the reads of other apps', async () => {
    const searches = holdSearches(flooded);
    const answers = Array.from({ length: FLOOD }, () => ask(SEARCH, flooded));
    await expect.poll(() => searches.seen.length).toBeGreaterThanOrEqual(IN_PROGRESS);
    expect((await submit(other)).status).toBe(200);
    expect((await submit(flooded)).status).toBe(200);
    expect((await ask(SEARCH, other)).status).toBe(200);
    expect((await ask('/auth/stats', other)).status).toBe(200);
    expect((await ask(`/auth/users/${flooded.record}`, flooded)).status).toBe(200);
    expect(searches.seen.length).toBe(IN_PROGRESS);

    const statuses = (await Promise.all(answers)).map(
      ({ status, headers }) => `${status} ${headers.get('retry-after')}`,
    );
    const count = (status: string) => statuses.filter((one) => one === status).length;
    expect({ waited: count('429 2'), inProgress: count('503 2') }).toEqual({
      waited: FLOOD - IN_PROGRESS,
      inProgress: IN_PROGRESS,
    });
    // The answers were sent, but the database still works on the queries.
    expect(await requests('read', 'in_progress')).toBe(IN_PROGRESS);
    expect((await ask(SEARCH, flooded)).status).toBe(429);
    expect(searches.seen.length).toBe(IN_PROGRESS);
    searches.release();
    await expect.poll(async () => (await ask(SEARCH, flooded)).status).toBe(200);
  });

  it('is overtaken by a search of another app', async () => {
    const searches = holdSearches(flooded, other);
    const flood = Array.from({ length: 20 }, () => ask(SEARCH, flooded));
    await expect.poll(() => searches.seen.length).toBe(IN_PROGRESS);
    const search = ask(SEARCH, other);
    await expect.poll(() => searches.seen.length).toBe(IN_PROGRESS + 1);
    expect(searches.seen).toEqual([0, 0, 1]);
    searches.release();
    await Promise.all([search, ...flood]);
  });

  it('leaves the queue when its clients leave', async () => {
    const searches = holdSearches(flooded);
    const leave = new AbortController();
    const flood = Array.from({ length: 20 }, () => ask(SEARCH, flooded, leave.signal).catch(() => undefined));
    await expect.poll(() => searches.seen.length).toBe(IN_PROGRESS);
    await expect.poll(() => requests('read', 'waiting')).toBeGreaterThan(0);
    leave.abort();
    await Promise.all(flood);
    await expect.poll(() => requests('read', 'waiting')).toBe(0);
    searches.release();
    await expect.poll(() => requests('read', 'in_progress')).toBe(0);
    expect(searches.seen.length).toBeLessThanOrEqual(IN_PROGRESS);
  });
});

describe('a flood of sessions of one network', () => {
  it('leaves connections to submissions, and is refused within the time of a request', async () => {
    held = proxy.holdAll('find', 'sessions', [Buffer.from('sessions')]);
    const flood = Array.from({ length: FLOOD }, () => ask('/auth/session', flooded));
    await expect.poll(() => held?.seen.length).toBe(PER_NETWORK);
    expect((await submit(other)).status).toBe(200);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(held.seen.length).toBe(PER_NETWORK);
    held.release();
    await expect.poll(async () => (await ask('/auth/session', flooded)).status).toBe(200);
  });
});

describe('a flood of exports of one app', () => {
  it('reads by one statement at a time, beside a search of the app and an export of another', async () => {
    held = proxy.holdAll('find', 'users', [flooded.id, other.id]);
    const leave = new AbortController();
    const ends = (path: string, app: typeof flooded) => ask(path, app, leave.signal).catch(() => undefined);
    const flood = Array.from({ length: 20 }, () => ends(EXPORT, flooded));
    await expect.poll(() => requests('long', 'in_progress')).toBe(PER_SESSION);
    await expect.poll(() => held?.seen).toEqual([0]);
    const others = [ends(SEARCH, flooded), ends(EXPORT, other)];
    await expect.poll(() => held?.seen.toSorted()).toEqual([0, 0, 1]);
    expect((await submit(other)).status).toBe(200);
    expect(held.seen.length).toBe(3);
    leave.abort();
    held.release();
    await Promise.all([...flood, ...others]);
    await expect.poll(() => requests('long', 'in_progress')).toBe(0);
  });
});

describe('the share of an app', () => {
  it('is used by an admin who names it', async () => {
    const searches = holdSearches(flooded);
    const { headers } = await new Client(server.client.url)
      .post('/auth/login', { sourceAppId: 'admin', password: 'the-admin-password-of-the-tests' })
      .expect(200);
    const admin = { cookie: String(headers['set-cookie']?.[0]).split(';')[0] ?? '' };
    const path = `/auth/users?where=data.a:gt:0&total=exact&sourceAppId=`;
    const flood = Array.from({ length: 10 }, () => ask(`/auth/stats?sourceAppId=${flooded.sourceAppId}`, admin));
    await expect.poll(() => searches.seen.length).toBe(IN_PROGRESS);
    expect((await ask(path + other.sourceAppId, admin)).status).toBe(200);
    expect(searches.seen).toEqual([0, 0]);
    searches.release();
    await Promise.all(flood);
  });
});

describe('more requests than may wait', () => {
  it('are refused, with Retry-After', async () => {
    const searches = holdSearches(flooded);
    const leave = new AbortController();
    const statuses: string[] = [];
    const flood = Array.from({ length: 320 }, async () => {
      const answer = await ask(SEARCH, flooded, leave.signal).catch(() => undefined);
      if (answer) statuses.push(`${answer.status} ${answer.headers.get('retry-after')}`);
    });
    await expect.poll(() => statuses.includes('429 2')).toBe(true);
    expect(searches.seen.length).toBe(IN_PROGRESS);
    leave.abort();
    await Promise.all(flood);
    searches.release();
  });
});
