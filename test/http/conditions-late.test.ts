// @module-tag long

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { recordsOf } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// A stored value is removed in the write of the submission that does not show its field: whatever
// comes between, no record has one without the other.

let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let app: string;

beforeAll(async () => {
  main = await startServer();
  ({ proxy, slow } = await startSlow({}, main.database));
  // Their statements would go through the proxy too.
  await slow.services.jobs.stop();
  ({ sourceAppId: app } = await main.admin.buildApp({
    fields: [
      { key: 'plan', kind: 'select', enum: ['free', 'pro'] },
      { key: 'seats', kind: 'number', required: true, showIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] } },
    ],
  }));
  await main.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
});

const FREE = { plan: 'free' };
const PRO = { plan: 'pro', seats: 3 };

const submit = ({ client }: TestServer, email: string, data: object, key = '') =>
  client.submit(app, { email, data }).set(key === '' ? {} : { 'Idempotency-Key': key });

async function recordOf(email: string) {
  return (await recordsOf(main, app)).find((record) => record.email === email);
}

it.each([
  ['removes', FREE, PRO],
  ['stores', PRO, FREE],
])('a late write %s as one, after that of another server', async (_, late, early) => {
  const email = `${late.plan}@x.org`;
  await submit(main, email, PRO).expect(200);
  const held = proxy.holdNext('findAndModify', 'users');
  const answer = submit(slow, email, late, 'late').then(({ status }) => status);
  const forward = await held;
  await submit(main, email, early).expect(200);
  expect((await recordOf(email))?.data).toEqual(early);
  await forward();
  expect([200, 503]).toContain(await answer);
  await submit(main, email, late, 'late').expect(200);
  expect((await recordOf(email))?.data).toEqual(late);
});

it.each([
  ['another value', (email: string) => submit(main, email, { ...PRO, seats: 4 }), [{ before: 4 }]],
  ['no value', (email: string) => submit(main, email, FREE), [{ before: 3 }, {}]],
  ['no record', async (email: string) => erase(email), [{}]],
])('a late write tells the value that it removes, in a record that has %s meanwhile', async (name, change, told) => {
  const key = name.replace(' ', '-');
  const email = `${key}@x.org`;
  await submit(main, email, PRO).expect(200);
  const held = proxy.holdAll('findAndModify', 'users', [Buffer.from('before\0')]);
  // A busy machine answers 503 at times, also before the write: then the client repeats it.
  const sent = (async () => {
    for (let status = 503; status === 503 && held.seen.length === 0; )
      ({ status } = await submit(slow, email, FREE, key));
  })();
  await expect.poll(() => held.seen.length, { timeout: 30_000 }).toBeGreaterThan(0);
  await change(email);
  held.release();
  await sent;
  await submit(main, email, FREE, key).expect(200);
  const record = await recordOf(email);
  expect(record?.data).toEqual(FREE);
  const seats = record?.history?.flatMap(({ changes }) => changes).filter(({ path }) => path === 'data.seats');
  expect(seats?.slice(-told.length)).toEqual(told.map((values) => ({ path: 'data.seats', ...values })));
});

async function erase(email: string): Promise<void> {
  const { _id } = (await recordOf(email)) ?? {};
  await main.admin.delete(`/auth/users/${_id}?sourceAppId=${app}`).expect(200);
}

it('is complete in every state that others see, whatever both servers write', async () => {
  const email = 'both@x.org';
  await submit(main, email, PRO).expect(200);
  let isDone = false;
  const seen: unknown[] = [];
  const reading = (async () => {
    while (!isDone) seen.push((await recordOf(email))?.data);
  })();
  const writes = Array.from({ length: 60 }, (_, n) => submit(n % 2 ? slow : main, email, n % 3 ? FREE : PRO));
  const answers = await Promise.all(writes);
  isDone = true;
  await reading;
  // A busy machine answers 503 at times.
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  for (const data of seen) expect([FREE, PRO]).toContainEqual(data);
});

it('does nothing when the server ends before the write arrives, and all of it when it is sent again', async () => {
  const email = 'before@x.org';
  await submit(main, email, PRO).expect(200);
  const held = proxy.holdNext('findAndModify', 'users');
  const answer = submit(slow, email, FREE, 'once').then(({ status }) => status);
  await held;
  proxy.cut();
  expect((await recordOf(email))?.data).toEqual(PRO);
  await submit(main, email, FREE, 'once').expect(200);
  proxy.restore();
  // The driver of the other server sends it again: a repeat.
  expect([200, 503]).toContain(await answer);
  const record = await recordOf(email);
  expect(record?.data).toEqual(FREE);
  expect(record?.history?.map(({ changes }) => changes)).toEqual([
    [
      { path: 'data.plan', after: 'pro' },
      { path: 'data.seats', after: 3 },
    ],
    [
      { path: 'data.plan', after: 'free' },
      { path: 'data.seats', before: 3 },
    ],
  ]);
});

it('is done once when the server ends between the write and its answer', async () => {
  const email = 'after@x.org';
  // The server remembers the record, so that its next write is the update.
  await submit(slow, email, PRO).expect(200);
  // The first one is refused, because the record has a value that it removes.
  proxy.withholdAnswers('silent', 1, 1);
  let isStored = false;
  // A busy machine answers 503 before the write too: then the client repeats it.
  const sent = (async () => {
    while (!isStored) expect([200, 503]).toContain((await submit(slow, email, FREE, 'twice')).status);
  })();
  await expect.poll(async () => (await recordOf(email))?.data, { timeout: 30_000 }).toEqual(FREE);
  isStored = true;
  await submit(main, email, PRO).expect(200);
  // The repeat removes nothing of what came since.
  await submit(main, email, FREE, 'twice').expect(200);
  expect((await recordOf(email))?.data).toEqual(PRO);
  await sent;
  expect((await recordOf(email))?.data).toEqual(PRO);
});
