// @module-tag long
// @module-tag fault

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
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { rounds } from '../support/run/rounds.ts';
import type { TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const USERS = rounds(100_000, 30_000);
const BATCH = 10_000;
const MEGABYTE = 1024 * 1024;
/** Makes the total size of all records far larger than the memory growth that the tests allow. */
const FILLER = 'x'.repeat(rounds(300, 2_000));

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
  const newId = createOrderedIds();
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

/** Requests the listing; the caller controls how fast the response is read. */
async function openListing(): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(`${server.client.url}/auth/users`, { headers: { cookie } }, resolve).on('error', reject);
  });
  expect(response.statusCode).toBe(200);
  return response;
}

/** Collects garbage. Otherwise the collection of earlier garbage would hide memory growth. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/**
 * Returns the peak memory growth of this process, which includes the server, during `work`, in MB.
 */
async function growthDuring(work: () => Promise<void>): Promise<{ rss: number; heap: number }> {
  const memory = () => {
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss: rss / MEGABYTE, heap: (heapUsed + external) / MEGABYTE };
  };
  collectGarbage();
  const before = memory();
  const peak = { rss: 0, heap: 0 };
  const timer = setInterval(() => {
    const now = memory();
    peak.rss = Math.max(peak.rss, now.rss - before.rss);
    peak.heap = Math.max(peak.heap, now.heap - before.heap);
  }, 20);
  await work();
  clearInterval(timer);
  return peak;
}

describe(`invariant 6: GET /auth/users of ${USERS} users`, () => {
  it('streams every user, newest first, in memory that does not depend on the length of the list', async () => {
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

  it('applies back-pressure: of a client that does not read, only what its connection holds is read', async () => {
    const { db } = server;
    // As large as all entries: by default the newest ones replace others after 1 MB.
    await db.createCollection('system.profile', { capped: true, size: 64 * MEGABYTE });
    await db.command({ profile: 2 });
    const readRecords = async (): Promise<number> => {
      const total = { $group: { _id: null, records: { $sum: '$nreturned' } } };
      const reads = { $match: { ns: `${db.databaseName}.users` } };
      const [sum] = await db.collection('system.profile').aggregate([reads, total]).toArray();
      return sum?.records ?? 0;
    };
    const response = await openListing();
    response.pause();
    let read = 0;
    for (let before = -1; read === 0 || read !== before; await sleep(1_000)) {
      before = read;
      read = await readRecords();
    }
    response.destroy();
    await db.command({ profile: 0 });
    // The buffers of the kernel hold up to 10 MB of about 65 MB.
    expect(read).toBeLessThan(USERS / 2);
  });
});
