// @module-tag long
// @module-tag fault

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { rounds } from '../support/run/rounds.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { type MeasuredServer, startMeasuredServer } from '../support/server/measured-server.ts';
import { Leftovers } from '../support/server/process.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { open } from './raw.ts';

const MEGABYTE = 1024 * 1024;
const RECORDS = rounds(60_000, 20_000);
const WIDE_RECORDS = 60;
const PER_SESSION = 8;

const leftovers = new Leftovers();
let base: TestServer;
let server: MeasuredServer;
/** Many small records, few records of 1 MB, and an app that others submit to. */
let large: TestApp;
let wide: TestApp;
let other: TestApp;
const sockets: Socket[] = [];
beforeAll(async () => {
  base = await startServer({}, undefined, FULL_LEASES);
  [large, wide, other] = [await base.admin.buildApp(), await base.admin.buildApp(), await base.admin.buildApp()];
  await insert(large, RECORDS, 300, 10_000);
  await insert(wide, WIDE_RECORDS, MEGABYTE, 10);
  server = await startMeasuredServer(leftovers, base.database);
}, 120_000);
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(queries).toBe(0);
});
afterAll(async () => {
  await base.close();
  await leftovers.clear();
});

async function insert({ sourceAppId }: TestApp, count: number, size: number, batch: number): Promise<void> {
  const appId = (await base.db.collection('apps').findOne({ sourceAppId }))?._id;
  const newId = createOrderedIds();
  for (let from = 0; from < count; from += batch) {
    const records = Array.from({ length: batch }, (_, offset) => {
      const now = new Date();
      const own = { _id: newId(now), appId, sourceAppId, email: `u${from + offset}@example.com` };
      return { ...own, data: { name: 'x'.repeat(size) }, schemaVersion: 1, createdAt: now, updatedAt: now };
    });
    await base.db.collection<{ _id: ReturnType<typeof newId> }>('users').insertMany(records, { ordered: false });
  }
}

/** The cookie of a new session of an app. */
async function cookieOf({ sourceAppId, password }: TestApp): Promise<string> {
  const { headers } = await new Client(base.client.url).post('/auth/login', { sourceAppId, password }).expect(200);
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
}

/** The cookies of new sessions, one after the other: passwords are checked two at a time. */
async function cookiesOf(app: TestApp, count: number): Promise<string[]> {
  const cookies: string[] = [];
  while (cookies.length < count) cookies.push(await cookieOf(app));
  return cookies;
}

/** How many queries and open cursors of this database's users there are. */
async function queries(): Promise<number> {
  const admin = base.db.admin();
  const { inprog } = await admin.command({
    currentOp: true,
    $all: true,
    ns: `${base.database}.users`,
    $or: [{ op: { $in: ['query', 'getmore', 'command'] }, active: true }, { type: 'idleCursor' }],
  });
  return inprog.length;
}

/** Asks on a connection of its own and reads nothing of the answer. */
async function ask(path: string, cookie: string, url = server.url): Promise<Socket> {
  const socket = open(url);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
  return socket;
}

/**
 * The head of the answer that a paused connection has got; empty when it was closed without one.
 */
function statusOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve(''));
    socket.once('data', (chunk) => {
      socket.pause();
      resolve(String(chunk));
    });
    socket.resume();
  });
}

const submit = (email: string): Promise<Response> =>
  fetch(`${server.url}/v1/users`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'x-app-id': other.sourceAppId },
    body: JSON.stringify({ email, data: {} }),
  });

/** How many of the emails contain a text. */
const emailsWith = (text: string): number =>
  Array.from({ length: RECORDS }, (_, index) => `u${index}@example.com`).filter((email) => email.includes(text)).length;

const MATCHES_NOTHING = '/auth/users/export?format=json&where=data.name:eq:nobody';

describe('attack: exports that nobody waits for', () => {
  it('leave no query behind, and submissions of another app are answered', async () => {
    const cookies = await cookiesOf(large, 15);
    for (let round = 0; round < 2; round += 1) {
      const exports = await Promise.all(
        Array.from({ length: 120 }, (_, index) => ask(MATCHES_NOTHING, cookies[index % cookies.length] ?? '')),
      );
      await sleep(100);
      for (const socket of exports) socket.destroy();
    }
    const statuses = await Promise.all(Array.from({ length: 8 }, async (_, i) => (await submit(`s${i}@x.org`)).status));
    expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
    // More than a second only on a machine that is busy with other things.
    await expect.poll(queries).toBe(0);
  });

  it('no cursor is open while a client reads nothing', async () => {
    const cookie = await cookieOf(large);
    for (const path of [
      '/auth/users',
      '/auth/users/export',
      '/auth/users/export?format=json&where=email:contains:example',
    ]) {
      expect(await statusOf(await ask(path, cookie))).toContain('200 OK');
    }
    await expect.poll(queries).toBe(0);
  });
});

describe('attack: exports of a session', () => {
  it('are limited, with 429 and Retry-After, and can begin when one has ended', async () => {
    const cookie = await cookieOf(large);
    const first = await Promise.all(
      Array.from({ length: PER_SESSION }, (_, index) =>
        ask(index % 2 === 0 ? '/auth/users' : '/auth/users/export', cookie),
      ),
    );
    for (const socket of first) expect(await statusOf(socket)).toContain('200 OK');
    for (const path of ['/auth/users', '/auth/users/export']) {
      const refused = await statusOf(await ask(path, cookie));
      expect(refused).toContain('429 Too Many Requests');
      expect(refused).toMatch(/Retry-After: \d/);
      expect(refused).toContain('Too many exports and listings at the same time');
    }
    // Other requests, and other sessions, are not affected.
    expect(await statusOf(await ask('/auth/schema', cookie))).toContain('200 OK');
    expect(await statusOf(await ask('/auth/users', await cookieOf(large)))).toContain('200 OK');
    first[0]?.destroy();
    await expect.poll(async () => statusOf(await ask('/auth/users/export', cookie))).toContain('200 OK');
  });
});

describe('attack: an export is whole', () => {
  it.each([
    ['few records match', 'where=email:contains:u19', (count: number) => count === emailsWith('u19')],
    ['none match', 'where=data.name:eq:nobody', (count: number) => count === 0],
    ['all match', 'where=email:contains:example', (count: number) => count === RECORDS],
  ])('when %s', async (_name, filter, isRight) => {
    const answer = await fetch(`${server.url}/auth/users/export?format=ndjson&${filter}`, {
      headers: { cookie: await cookieOf(large) },
    });
    const emails = (await answer.text())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).email);
    expect(new Set(emails).size).toBe(emails.length);
    expect(isRight(emails.length), `${emails.length} records`).toBe(true);
  });

  it.each([
    ['/auth/users'],
    ['/auth/users/export?format=json'],
    ['/auth/users?limit=200'],
    ['/auth/users?limit=200&sort=email'],
  ])('%s of records of 1 MB', async (path) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { cookie: await cookieOf(wide) } });
    const body = (await answer.json()) as { users: { email: string }[] } | { email: string }[];
    const emails = (Array.isArray(body) ? body : body.users).map(({ email }) => email);
    const newestFirst = Array.from({ length: WIDE_RECORDS }, (_, index) => `u${WIDE_RECORDS - 1 - index}@example.com`);
    expect(emails).toEqual(path.includes('sort') ? [...newestFirst].sort() : newestFirst);
  });
});

describe('attack: 100 connections that read nothing', () => {
  it.each([
    ['an export of small records', '/auth/users/export', () => large, 24, 400],
    ['a listing of small records', '/auth/users', () => large, 24, 400],
    // Each of the 100 holds one record of 1 MB, as BSON and as JSON.
    ['a page of records of 1 MB', '/auth/users?limit=200', () => wide, 100, 700],
    ['an export of records of 1 MB', '/auth/users/export?format=json', () => wide, 24, 400],
  ])(
    'hold little: %s',
    async (_name, path, app, served, megabytes) => {
      const cookies = await cookiesOf(app(), 20);
      const asked: Socket[] = [];
      const growth = await server.growthDuring(async () => {
        while (asked.length < 100) asked.push(await ask(path, cookies[asked.length % cookies.length] ?? ''));
        await sleep(rounds(5_000, 1_500));
        expect((await submit('beside@example.com')).status).toBe(200);
      });
      const statuses = (await Promise.all(asked.map(statusOf))).map((head) => Number(head.slice(9, 12)));
      // On a busy machine many are told 503.
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(served / 10);
      expect(growth).toBeLessThan(megabytes);
    },
    60_000,
  );
});
