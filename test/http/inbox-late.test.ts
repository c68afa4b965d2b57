// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises';
import { UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { untilDatabaseTime } from '../support/clock/database-time.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// The statement that keeps submissions is held in the network, and goes on when its record is gone.

let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let sourceAppId: string;

beforeAll(async () => {
  main = await startServer();
  // Only the other server relays events.
  await main.services.jobs.stop();
  ({ proxy, slow } = await startSlow({}, main.database));
});
beforeEach(async () => {
  ({ sourceAppId } = await main.admin.buildApp());
  await main.admin.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
});

const submit = async (email: string): Promise<string> =>
  (await main.client.submit(sourceAppId, { email, data: { name: 'Lovelace' } }).expect(200)).body.id;
const emails = async (): Promise<string[]> => {
  const { body } = await main.admin.get(`/auth/submissions?sourceAppId=${sourceAppId}`).expect(200);
  return body.submissions.map(({ email }: { email: string }) => email);
};
const kept = () => main.db.collection('submissions').countDocuments({ sourceAppId });

/** Submits while the statement that keeps is held; resolves with what forwards it. */
async function hold(...people: string[]) {
  const held = proxy.holdNext('into', 'submissions');
  const ids: string[] = [];
  for (const email of people) ids.push(await submit(email));
  return { forward: await held, ids };
}

it('a late statement keeps nothing of an erased record', async () => {
  const { forward, ids } = await hold('ada@x.org');
  await main.admin.delete(`/auth/users/${ids[0]}?sourceAppId=${sourceAppId}`).expect(200);
  await forward();
  await submit('eve@x.org');
  await expect.poll(emails, { timeout: 10_000 }).toEqual(['eve@x.org']);
  await sleep(500);
  expect(await kept()).toBe(1);
});

it('a late statement keeps nothing of a deleted app', async () => {
  const { forward } = await hold('ada@x.org');
  await main.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
  await forward();
  await sleep(500);
  expect(await kept()).toBe(0);
});

it('a statement without an answer is repeated, and keeps each submission once', async () => {
  proxy.withholdAnswers('cut', 1);
  await submit('ada@x.org');
  await submit('ada@x.org');
  await submit('eve@x.org');
  await expect
    .poll(async () => (await emails()).sort(), { timeout: 15_000 })
    .toEqual(['ada@x.org', 'ada@x.org', 'eve@x.org']);
  await sleep(1_000);
  expect(await kept()).toBe(3);
});

/** A submission of the age of 40 days, with its entry in the history of the record. */
async function submitOld(): Promise<void> {
  const id = new UUID(await submit('ada@x.org'));
  const users = main.db.collection('users');
  const isKept = async () => (await kept()) + (await users.countDocuments({ sourceAppId, outbox: { $size: 0 } }));
  await expect.poll(isKept, { timeout: 10_000 }).toBe(2);
  const at = new Date(Date.now() - 40 * 86_400_000);
  const time = at.getTime().toString(16).padStart(12, '0');
  const hex = time + id.toHexString(false).slice(12);
  const stored = await main.db.collection('submissions').findOneAndDelete({ sourceAppId });
  await main.db.collection('submissions').insertOne({ ...stored, _id: UUID.createFromHexString(hex) } as never);
  await users.updateOne({ sourceAppId }, { $set: { 'history.0.at': at } });
}

it.each([
  { what: 'submission', command: 'delete', collection: 'submissions' },
  { what: 'entry of the history', command: 'update', collection: 'users' },
])('a late statement removes no $what by the former number of days', async ({ command, collection }) => {
  const path = `/auth/apps/${sourceAppId}/history`;
  await submitOld();
  const entries = async () => (await main.db.collection('users').findOne({ sourceAppId }))?.history;
  const before = await entries();
  await main.admin.put(path, { submissions: true, days: 30 }).expect(200);
  const held = proxy.holdNext(command, collection);
  slow.services.jobs.wake('history');
  const forward = await held;
  await main.admin.put(path, { submissions: true, days: 90 }).expect(200);
  await untilDatabaseTime(main, Date.now() + 11_000);
  await forward();
  await sleep(500);
  expect(await kept()).toBe(1);
  if (collection === 'users') expect(await entries()).toEqual(before);
});
