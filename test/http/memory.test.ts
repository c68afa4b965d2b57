import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRecordIds } from '../../src/users/record-id.ts';
import type { TestApp } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const USERS = 100_000;
const BATCH = 10_000;
const MEGABYTE = 1024 * 1024;
/** So that what a service would hold that read all of it first is far more than the process may grow by. */
const FILLER = 'x'.repeat(300);

let server: TestServer;
let app: TestApp;
let cookie: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'user-collection-listing-'));
  server = await startServer();
  app = await server.admin.buildApp();
  await insertUsers(app.sourceAppId);
  const { headers } = await server.client.post('/auth/login', app).expect(200);
  cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const emailOf = (index: number): string => `user${index}@x.org`;

async function insertUsers(sourceAppId: string): Promise<void> {
  const appId = (await server.db.collection('apps').findOne({ sourceAppId }))?._id;
  const newId = createRecordIds();
  for (let from = 0; from < USERS; from += BATCH) {
    const records = Array.from({ length: BATCH }, (_, offset) => {
      const now = new Date();
      const data = { name: FILLER };
      const record = { appId, sourceAppId, email: emailOf(from + offset), data, schemaVersion: 1 };
      return { _id: newId(now), ...record, createdAt: now, updatedAt: now };
    });
    await server.db.collection<{ _id: ReturnType<typeof newId> }>('users').insertMany(records, { ordered: false });
  }
}

/** A listing as a client sees it that reads as it likes. */
async function openListing(): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((done, fail) => {
    httpGet(`${server.client.url}/auth/users`, { headers: { cookie } }, done).on('error', fail);
  });
  expect(response.statusCode).toBe(200);
  return response;
}

/** Garbage of what ran before must not count as held: it would hide growth when it is collected. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** What this process, which is the server too, holds at most while `work` runs, beyond what it held before; in MB. */
async function growthDuring(work: () => Promise<void>): Promise<{ rss: number; heap: number }> {
  const held = () => {
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss: rss / MEGABYTE, heap: (heapUsed + external) / MEGABYTE };
  };
  collectGarbage();
  const before = held();
  const most = { rss: 0, heap: 0 };
  const timer = setInterval(() => {
    const now = held();
    most.rss = Math.max(most.rss, now.rss - before.rss);
    most.heap = Math.max(most.heap, now.heap - before.heap);
  }, 20);
  await work();
  clearInterval(timer);
  return most;
}

describe(`invariant 6: GET /auth/users of ${USERS} users`, () => {
  it('streams every user, newest first: memory does not grow with the length of the list', async () => {
    const path = join(folder, 'listing.json');
    const growth = await growthDuring(async () => pipeline(await openListing(), createWriteStream(path)));
    expect(growth.rss).toBeLessThan(100);
    expect(growth.heap).toBeLessThan(100);

    const { users } = JSON.parse(await readFile(path, 'utf8'));
    expect(users).toHaveLength(USERS);
    const misplaced = users.findIndex(
      ({ email }: { email: string }, index: number) => email !== emailOf(USERS - 1 - index),
    );
    expect(misplaced).toBe(-1);
  });

  it('waits for a client that does not read', async () => {
    const growth = await growthDuring(async () => {
      const response = await openListing();
      response.pause();
      await sleep(2_000);
      response.destroy();
    });
    expect(growth.rss).toBeLessThan(100);
    expect(growth.heap).toBeLessThan(100);
  });
});
