// @module-tag long

import { type Document, UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createIdempotencyKeys } from '../../src/features/idempotency/idempotency-keys.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { Client } from '../support/server/client.ts';
import { sendForm } from '../support/server/forms.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';
import { age, FILE_FIELDS, findFile, upload as uploadTo } from '../support/server/uploaded.ts';

// A server dies between two statements of a submission to an app with `keep`: the next statement
// never arrives, or long after the repeat that another server answers.

const POLL = { timeout: 30_000, interval: 20 };
const ADA = 'ada@example.com';
const KEPT = { existing: 'keep' } as const;
const CLOSED = { closesAt: new Date(0).toISOString() };

let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
beforeAll(async () => {
  main = await startServer({}, undefined, QUICK_JOBS);
  ({ proxy, slow } = await startSlow({}, main.database, QUICK_JOBS));
  await slow.services.jobs.stop();
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
});

let app: string;
let operator: Client;
const set = (settings: object) => main.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
const send = (server: TestServer, data: object, email = ADA, key = 'once') =>
  server.client.submit(app, { email, data }).set('Idempotency-Key', key);
const recordOf = (email = ADA): Promise<Document | null> =>
  main.db.collection('users').findOne({ sourceAppId: app, email });
/** The submissions of the inbox that came after the first one, oldest first. */
const inbox = async (email = ADA): Promise<Document[]> =>
  main.db.collection('submissions').find({ sourceAppId: app, email, created: false }).sort({ _id: 1 }).toArray();
const names = async () => (await inbox()).map(({ data }) => data.name);

beforeEach(async () => {
  const built = await main.admin.buildApp({ fields: FILE_FIELDS });
  app = built.sourceAppId;
  operator = await new Client(main.client.url).logIn(app, built.password);
  await main.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
  await main.client.submit(app, { email: ADA, data: { name: 'Ada' } }).expect(200);
  await set(KEPT);
});

/** Sends a submission to the slow server, which dies before this statement arrives. */
async function dieBefore(command: string, collection: string, data: object, { email = ADA, key = 'once' } = {}) {
  const held = proxy.holdNext(command, collection);
  const answered = send(slow, data, email, key).then(({ status }) => status);
  const forward = await held;
  return {
    /** The statement arrives after all. */
    async arrive(): Promise<number> {
      await forward();
      return answered;
    },
  };
}

/** Moves the keys of the record out of it, as a write to a record with too many does. */
async function moveKeysOut(): Promise<void> {
  const [users, moved] = [main.db.collection('users'), main.db.collection('applied_keys')];
  await createIdempotencyKeys(users as never, moved as never, undefined as never).moveOut((await recordOf()) as never);
  expect((await recordOf())?.appliedKeys).toEqual([]);
}

/** What refuses a repeat with a status, and what allows it again. */
const REFUSALS = {
  'the form is closed': { status: 403, refuse: () => set({ ...KEPT, ...CLOSED }), allow: () => set(KEPT) },
  'the form is full': { status: 403, refuse: () => set({ ...KEPT, maxRecords: 1 }), allow: () => set(KEPT) },
  'the schema refuses it': {
    status: 400,
    refuse: () => main.admin.putSchema(app, { fields: [{ key: 'name', kind: 'number' }] }).expect(200),
    allow: () => main.admin.putSchema(app, { fields: FILE_FIELDS }).expect(200),
  },
};
const CASES = (Object.keys(REFUSALS) as (keyof typeof REFUSALS)[]).flatMap((why) => [
  [why, 'in the record', false] as const,
  [why, 'moved out', true] as const,
]);

it.each(CASES)(
  'a repeat is no success while its entry is missing and %s since (its key is %s)',
  async (why, _where, isMoved) => {
    const { status, refuse, allow } = REFUSALS[why];
    const late = await dieBefore('into', 'submissions', { name: 'Late' });
    expect((await recordOf())?.appliedKeys).toMatchObject([{ keptAs: expect.any(UUID) }]);
    if (isMoved) await moveKeysOut();
    await refuse();
    await send(main, { name: 'Late' }).expect(status);
    expect(await names()).toEqual([]);
    await allow();
    await send(main, { name: 'Late' }).expect(200);
    expect(await names()).toEqual(['Late']);
    await refuse();
    await send(main, { name: 'Late' }).expect(200);
    await late.arrive();
    expect(await names()).toEqual(['Late']);
    expect((await recordOf())?.data).toEqual({ name: 'Ada' });
  },
);

it.each([
  ['updates known people', {}],
  ['has receipts, and updates known people', { receipt: true }],
  ['answers with receipts', { existing: 'keep', receipt: true }],
])('a repeat completes the entry although the app %s since', async (_what, settings) => {
  const late = await dieBefore('into', 'submissions', { name: 'Late' });
  await set(settings);
  await send(main, { name: 'Late' }).expect(200);
  await send(main, { name: 'Other' }).expect(422);
  expect(await names()).toEqual(['Late']);
  await late.arrive();
  expect(await names()).toEqual(['Late']);
  expect((await recordOf())?.data).toEqual({ name: 'Ada' });
});

it('the release of a held repeat completes the entry', async () => {
  const late = await dieBefore('into', 'submissions', { name: 'Late' });
  const form = { email: ADA, name: 'Late', _gotcha: 'x', _key: 'once' };
  await sendForm(main.client, app, Object.entries(form)).set('Accept', 'application/json').expect(200);
  const { held } = (await operator.get('/auth/held').expect(200)).body;
  expect(held).toMatchObject([{ email: ADA, data: { name: 'Late' } }]);
  await operator.post(`/auth/held/${held[0].id}/release`).expect(200);
  expect(await names()).toEqual(['Late']);
  await late.arrive();
  expect(await names()).toEqual(['Late']);
});

it.each([
  ['its files are claimed', 'update', 'files.files'],
  ['its key is stored', 'update', 'users'],
  ['its entry is stored', 'into', 'submissions'],
])('a repeat stores a submission with a file once, whose server died before %s', async (_when, command, collection) => {
  const { token, value } = await uploadTo(main.db, app);
  const late = await dieBefore(command, collection, { cv: [token] });
  expect(await inbox()).toEqual([]);
  await send(main, { cv: [token] }).expect(200);
  const [entry, ...more] = await inbox();
  expect(entry?.data).toEqual({ cv: [value] });
  expect(more).toEqual([]);
  await late.arrive();
  await send(main, { cv: [token] }).expect(200);
  await send(main, { cv: [token] }, 'eve@example.com', 'other').expect(400);
  expect(await inbox()).toEqual([entry]);
  // Longer than the claims last: the entry names the file.
  await age(main.db, value, 60_000);
  await expect
    .poll(async () => Number((await findFile(main.db, value))?.metadata.checkAt) > Date.now() + 600_000, POLL)
    .toBe(true);
});

it('a repeat of a new person stores a submission with a file once, whose server died before the record', async () => {
  const email = 'new@example.com';
  const { token, value } = await uploadTo(main.db, app);
  const late = await dieBefore('into', 'users', { cv: [token] }, { email });
  await send(main, { cv: [token] }, email).expect(200);
  const record = await recordOf(email);
  expect(record?.data).toEqual({ cv: [value] });
  await send(main, { cv: [token] }, 'eve@example.com', 'other').expect(400);
  await late.arrive();
  await send(main, { cv: [token] }, email).expect(200);
  expect((await recordOf(email))?._id).toEqual(record?._id);
  expect((await findFile(main.db, value))?.metadata.record).toEqual(record?._id);
  expect(await inbox(email)).toEqual([]);
});

it('a repeat whose file was removed meanwhile is refused, and is no success', async () => {
  const { token, value } = await uploadTo(main.db, app);
  const late = await dieBefore('into', 'submissions', { cv: [token] });
  await age(main.db, value, 3_600_000);
  await expect.poll(() => findFile(main.db, value), POLL).toBeUndefined();
  const { body } = await send(main, { cv: [token] }).expect(400);
  expect(body.errors).toMatchObject([{ path: 'data.cv.0', code: 'fileToken' }]);
  expect(await inbox()).toEqual([]);
  void late;
});

it('an erasure before the key or the entry arrives leaves nothing of the erased record', async () => {
  for (const [command, collection] of [
    ['update', 'users'],
    ['into', 'submissions'],
  ] as const) {
    const late = await dieBefore(command, collection, { name: 'Late' }, { key: command });
    const erased = await recordOf();
    await operator.delete(`/auth/users/${erased?._id}`).expect(200);
    await late.arrive();
    const kept = await main.db.collection('submissions').find({ sourceAppId: app, email: ADA }).toArray();
    expect(kept.filter(({ userId }) => userId.equals(erased?._id))).toEqual([]);
    expect((await recordOf())?._id).not.toEqual(erased?._id);
    await main.client.submit(app, { email: ADA, data: { name: 'Ada' } }).expect(200);
  }
});

it('a submission that is refused for its file leaves no key', async () => {
  const { token } = await uploadTo(main.db, app);
  await send(main, { cv: [token] }, 'eve@example.com', 'other').expect(200);
  await send(main, { cv: [token] }).expect(400);
  expect((await recordOf())?.appliedKeys ?? []).toEqual([]);
  await send(main, { name: 'Without' }).expect(200);
  expect(await names()).toEqual(['Without']);
});
