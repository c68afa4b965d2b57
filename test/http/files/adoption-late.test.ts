// @module-tag long

import { UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { FileDocument } from '../../../src/features/files/files.model.ts';
import { untilDatabaseTime } from '../../support/clock/database-time.ts';
import { holdJob } from '../../support/database/held-job.ts';
import type { TcpProxy } from '../../support/peers/proxy.ts';
import type { FileValue } from '../../support/server/files.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { startSlow } from '../../support/server/slow-server.ts';
import {
  age,
  countChunks,
  FILE_FIELDS,
  findFile,
  type Uploaded,
  upload as uploadTo,
} from '../../support/server/uploaded.ts';

// A statement of one server is held in the network, and goes on when its time is over.

const HOUR_MS = 3_600_000;

let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let app: string;

beforeAll(async () => {
  main = await startServer({}, undefined, QUICK_JOBS);
  ({ proxy, slow } = await startSlow({}, main.database, QUICK_JOBS));
  await slow.services.jobs.stop();
});
beforeEach(async () => {
  app = (await main.admin.buildApp({ fields: FILE_FIELDS })).sourceAppId;
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
});

const upload = (): Promise<Uploaded> => uploadTo(main.db, app);
const submit = (server: TestServer, email: string, data: object) => server.client.submit(app, { email, data });
const documents = (name: string) => main.db.collection(name).find({ sourceAppId: app }).toArray();
const naming = async (value: FileValue) =>
  (await documents('users')).filter(({ data }) => JSON.stringify(data).includes(value.id)).map(({ email }) => email);
const exists = async (value: FileValue) => (await findFile(main.db, value)) !== undefined;
const untilGone = (value: FileValue) => expect.poll(() => exists(value), { timeout: 20_000 }).toBe(false);
/** Waits until the statement after a claim begins too late. */
async function untilClaimIsOver(value: FileValue): Promise<void> {
  const until = (await findFile(main.db, value))?.metadata.claim?.until;
  expect(until).toBeInstanceOf(Date);
  await untilDatabaseTime(main, Number(until) + 1);
}

it.each([
  ['a new person', false],
  ['a known person', true],
])('a late insert stores no record whose file %s has meanwhile', async (_who, isKnown) => {
  if (isKnown) await submit(main, 'ada@x.org', { name: 'Ada' }).expect(200);
  const { token, value } = await upload();
  const held = proxy.holdNext('into', 'users');
  const late = submit(slow, 'late@x.org', { cv: [token] }).then(({ status }) => status);
  const forward = await held;
  await age(main.db, value, 21_000);
  const { body } = await submit(main, 'ada@x.org', { cv: [token] }).expect(200);
  await forward();
  expect(await late).not.toBe(200);
  expect(await naming(value)).toEqual(['ada@x.org']);
  expect(String((await findFile(main.db, value))?.metadata.record)).toBe(body.id);
});

it('a token is used once by two new persons, of whom one takes over the claim of the other', async () => {
  const { proxy: other, slow: second } = await startSlow({}, main.database);
  try {
    const { token, value } = await upload();
    const inserted = proxy.holdNext('into', 'users');
    const one = submit(slow, 'one@x.org', { cv: [token] }).then(({ status }) => status);
    const insert = await inserted;
    const refused = other.holdNext('update', 'files.files');
    const two = submit(second, 'two@x.org', { cv: [token] }).then(({ status }) => status);
    const claim = await refused;
    const taken = other.holdNext('update', 'files.files');
    await claim();
    // It has seen that the record of the first one does not exist.
    const takeOver = await taken;
    await insert();
    expect(await one).toBe(200);
    await takeOver();
    expect(await two).toBe(400);
    expect(await naming(value)).toEqual(['one@x.org']);
  } finally {
    await second.close();
  }
});

it('a late insert stores no record whose file was removed', async () => {
  const { token, value } = await upload();
  const held = proxy.holdNext('into', 'users');
  const late = submit(slow, 'late@x.org', { cv: [token] }).then(({ status }) => status);
  const forward = await held;
  await age(main.db, value, HOUR_MS);
  await untilGone(value);
  await forward();
  expect(await late).not.toBe(200);
  expect(await documents('users')).toEqual([]);
});

it('a late change of a record names no file that was removed', async () => {
  const { token, value } = await upload();
  await submit(main, 'ada@x.org', { name: 'Ada' }).expect(200);
  const held = proxy.holdNext('update', 'users');
  const late = submit(slow, 'ada@x.org', { cv: [token] }).then(({ status }) => status);
  const forward = await held;
  await untilClaimIsOver(value);
  await age(main.db, value, HOUR_MS);
  await untilGone(value);
  await forward();
  expect(await late).not.toBe(200);
  expect(await naming(value)).toEqual([]);
});

it('a late revert names no file that was removed', async () => {
  const { token, value } = await upload();
  const { body } = await submit(main, 'ada@x.org', { cv: [token] }).expect(200);
  await main.admin.patch(`/auth/users/${body.id}?sourceAppId=${app}`, { unset: ['cv'] }).expect(200);
  const held = proxy.holdNext('findAndModify', 'users');
  const path = `/auth/users/${body.id}/revert?sourceAppId=${app}`;
  const late = slow.admin.post(path, { revision: 1 }).then(({ status }) => status);
  const forward = await held;
  await main.db.collection('users').updateOne({ sourceAppId: app }, { $set: { 'history.0.changes': [] } });
  await untilClaimIsOver(value);
  await age(main.db, value, HOUR_MS);
  await untilGone(value);
  await forward();
  expect(await late).not.toBe(200);
  expect(await naming(value)).toEqual([]);
});

it('a late held submission names no file that was removed', async () => {
  const { token, value } = await upload();
  const held = proxy.holdNext('into', 'held_submissions');
  const input = { email: 'ada@x.org', data: { cv: [token] } };
  const late = slow.services.submissions.submit(app, input, { via: 'form', isTrapped: true }).then(
    () => 'held',
    (error: { status: number }) => error.status,
  );
  const forward = await held;
  await age(main.db, value, HOUR_MS);
  await untilGone(value);
  await forward();
  expect(await late).toBe(503);
  const found = await main.db.collection('apps').findOne({ sourceAppId: app });
  expect(await main.db.collection('held_submissions').countDocuments({ appId: found?._id })).toBe(0);
});

it('a late kept submission names no file that was removed', async () => {
  await main.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
  await submit(main, 'ada@x.org', { name: 'Ada' }).expect(200);
  await expect.poll(async () => (await documents('submissions')).length).toBe(1);
  await main.admin.put(`/auth/apps/${app}/form`, { existing: 'keep' }).expect(200);
  const { token, value } = await upload();
  const held = proxy.holdNext('into', 'submissions');
  const late = submit(slow, 'ada@x.org', { cv: [token] }).then(({ status }) => status);
  const forward = await held;
  await untilClaimIsOver(value);
  await age(main.db, value, HOUR_MS);
  await untilGone(value);
  await forward();
  expect(await late).toBe(503);
  expect((await documents('submissions')).map(({ data }) => data)).toEqual([{ name: 'Ada' }]);
  expect(await naming(value)).toEqual([]);
});

it('a late removal leaves a file that a record names meanwhile', async () => {
  const { token, value } = await upload();
  const _id = (await findFile(main.db, value))?._id as UUID;
  const lost = {
    'metadata.record': new UUID(),
    'metadata.claim': { id: new UUID(), until: new Date(Date.now() - 40_000) },
  };
  await main.services.jobs.stop();
  const { proxy: route, slow: cleaner } = await startSlow({}, main.database, QUICK_JOBS);
  try {
    const held = route.holdNext('update', 'files.files');
    const files = main.db.collection<FileDocument>('files.files');
    const due = { ...lost, 'metadata.expiresAt': new Date(), 'metadata.checkAt': new Date() };
    await files.updateOne({ _id }, { $set: due as never });
    const forward = await held;
    await files.updateOne({ _id }, { $set: { 'metadata.expiresAt': new Date(Date.now() + HOUR_MS) } });
    const { body } = await submit(main, 'ada@x.org', { cv: [token] }).expect(200);
    await forward();
    await age(main.db, value, 60_000);
    await expect
      .poll(async () => (await findFile(main.db, value))?.metadata, { timeout: 20_000 })
      .not.toHaveProperty('claim');
    expect(await naming(value)).toEqual(['ada@x.org']);
    expect(await countChunks(main.db, value)).toBe(1);
    expect(body.id).toBeDefined();
  } finally {
    await cleaner.close();
  }
});

it('another server goes on with the erasure of files when one stops', async () => {
  const relay = await startServer({}, main.database, QUICK_JOBS);
  const letJobsRun = await holdJob(main, 'events', 'files');
  const { token, value } = await upload();
  const { body } = await submit(main, 'ada@x.org', { cv: [token] }).expect(200);
  const held = proxy.holdNext('update', 'files.files');
  const erasure = slow.admin.delete(`/auth/users/${body.id}?sourceAppId=${app}`).then(({ status }) => status);
  const forward = await held;
  await letJobsRun();
  await untilGone(value);
  expect(await countChunks(main.db, value)).toBe(0);
  await forward();
  await erasure;
  await relay.close();
});
