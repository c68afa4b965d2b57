// @module-tag long

import { UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createAppRevision } from '../../src/apps/revision.ts';
import type { FieldDefinitionInput } from '../../src/fields/definition.ts';
import { accept } from '../../src/intake/submissions/acceptance.ts';
import { connectDatabase } from '../../src/platform/database/client.ts';
import type { Job } from '../../src/platform/jobs/job.ts';
import { createSlotJob } from '../../src/records/indexes/slot-job.ts';
import { createSlotRecords } from '../../src/records/indexes/slot-records.ts';
import { createSlotStore } from '../../src/records/indexes/slots.ts';
import { createRecordReader } from '../../src/records/read/record-reader.ts';
import type { UserDocument } from '../../src/records/stored/record.ts';
import { createRecordIds } from '../../src/records/stored/record-id.ts';
import { createRecordLimits } from '../../src/records/write/record-limits.ts';
import { buildUpsert, UNSEEN } from '../../src/records/write/record-upsert.ts';
import { createRenameStore } from '../../src/schemas/pending-renames.ts';
import { createSchemaStore } from '../../src/schemas/schemas.model.ts';
import { appDocument, emailsBySlot, expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { createModels } from '../support/database/models.ts';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { NO_RENAMES } from '../support/server/renames.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

const TIMEOUT_MS = 120_000;
const POLL = { timeout: 60_000, interval: 20 };
const RECORDS = 300;
/** The first check of an index follows when a test asks for it, the second one never. */
const CHECKED = [500, 3_600_000];

/** A server that runs the jobs, does not wait for late writes, and checks indexes soon. */
let server: TestServer;
/** A server that reaches the database through the proxy, and runs no jobs. */
let slow: TestServer;
let proxy: TcpProxy;
/** The job of a server that lost its lock and does not know. */
let slowJob: Job;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await startServer({}, undefined, { ...FULL_LEASES, writesEndMs: 0, checksMs: [] });
  closers.push(() => server.close());
  const uri = new URL(inject('mongodbUri'));
  proxy = await startProxy(new URL(uri));
  uri.port = String(proxy.port);
  closers.push(() => proxy.close());
  slow = await startServer({ MONGODB_URI: uri.href }, server.database, FULL_LEASES);
  closers.push(() => slow.close());
  await slow.services.jobs.stop();
  uri.pathname = `/${server.database}`;
  const connection = await connectDatabase(uri.href);
  closers.push(() => connection.close());
  const models = createModels(connection);
  const slotRecords = createSlotRecords(models.users.collection);
  const slots = createSlotStore(models.apps);
  const schemas = createSchemaStore(models.schemas);
  const renames = createRenameStore(models.schemas);
  const revision = createAppRevision(models.revisions);
  slowJob = createSlotJob({
    store: slots,
    records: slotRecords,
    schemas,
    renames,
    revision,
    writesEndMs: 0,
    countForDisplay: createRecordReader(models.users.collection, NO_RENAMES).countForDisplay,
    pace: { throttle: async () => undefined },
  });
});
afterEach(() => proxy.restore());
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const text = (key: string, indexed = true) => ({ key, kind: 'text', indexed }) as FieldDefinitionInput;

async function appWith(fields: FieldDefinitionInput[], count = RECORDS): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields });
  const { _id } = await appDocument(server, sourceAppId);
  const now = new Date();
  const records = Array.from({ length: count }, (_, n): UserDocument => {
    const data = { a: `a${n}`, b: `b${n}` };
    return {
      _id: new UUID(),
      appId: _id,
      sourceAppId,
      email: `u${n}@x.org`,
      data,
      schemaVersion: 1,
      createdAt: now,
      updatedAt: now,
    };
  });
  if (count > 0) await server.db.collection<UserDocument>('users').insertMany(records);
  return sourceAppId;
}

const put = (sourceAppId: string, fields: FieldDefinitionInput[]) =>
  server.admin.putSchema(sourceAppId, { fields }).expect(200);

/** Stops the jobs of the other server until the returned function is called. */
async function pauseJobs(): Promise<() => Promise<void>> {
  await server.services.jobs.stop();
  return async () => {
    await server.close();
    closers.splice(0, 1);
    server = await startServer({}, server.database, { ...FULL_LEASES, writesEndMs: 0, checksMs: [] });
    closers.unshift(() => server.close());
  };
}

/** Runs a step of the slow job until the proxy holds its write of records. */
async function stepUntilHeld(): Promise<{ forward: () => Promise<void>; step: Promise<boolean> }> {
  const held = proxy.holdNext('update', 'users');
  const step = slowJob.run({ signal: new AbortController().signal, stillOwner: () => true });
  step.catch(() => undefined);
  return { forward: await held, step };
}

/** Gives the first slot, which `a` had, to `b`. */
async function handOn(sourceAppId: string): Promise<void> {
  await put(sourceAppId, [text('a', false), text('b', false)]);
  await untilReady(server, sourceAppId, []);
  await put(sourceAppId, [text('a', false), text('b')]);
  const [slot] = await untilReady(server, sourceAppId, ['b']);
  expect(slot?.slot).toBe('s0');
}

describe('A step of the job that continues after another server finished it', () => {
  it(
    'takes no value of the field that has the slot now, when it dropped the slot',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)]);
      await untilReady(server, sourceAppId, ['a']);
      const goOn = await pauseJobs();
      await put(sourceAppId, [text('a', false), text('b', false)]);
      const { forward, step } = await stepUntilHeld();
      await goOn();
      await handOn(sourceAppId);
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(RECORDS);
      await forward();
      await step;
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(RECORDS);
    },
    TIMEOUT_MS,
  );

  it(
    'gives no value to the field that has the slot now, when it built the slot',
    async () => {
      const sourceAppId = await appWith([text('a', false), text('b', false)]);
      const goOn = await pauseJobs();
      await put(sourceAppId, [text('a'), text('b', false)]);
      const { forward, step } = await stepUntilHeld();
      await goOn();
      await untilReady(server, sourceAppId, ['a']);
      await handOn(sourceAppId);
      await forward();
      await step;
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(RECORDS);
    },
    TIMEOUT_MS,
  );
});

describe('A write of a record that takes effect after its slot was handed on', () => {
  /** Begins a request on the slow server and resolves when the proxy holds its write. */
  async function heldWrite(command: string, send: () => PromiseLike<{ status: number }>) {
    const held = proxy.holdNext(command, 'users');
    const answer = send().then(({ status }) => status);
    return { forward: await held, answer };
  }

  it(
    'is refused and checked again, when it changes a record',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)]);
      await untilReady(server, sourceAppId, ['a']);
      const submit = () => slow.client.submit(sourceAppId, { email: 'u7@x.org', data: { a: 'late' } });
      await submit().expect(200);
      const { forward, answer } = await heldWrite('findAndModify', submit);
      await handOn(sourceAppId);
      await forward();
      expect([200, 503]).toContain(await answer);
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(RECORDS);
      expect(await emailsBySlot(server, sourceAppId, 'b', 'late')).toEqual([]);
      expect(await emailsBySlot(server, sourceAppId, 'b', 'b7')).toEqual(['u7@x.org']);
      await submit().expect(200);
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(RECORDS);
    },
    TIMEOUT_MS,
  );

  it(
    'is refused, when its server has died',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)], 20);
      await untilReady(server, sourceAppId, ['a']);
      const lease = await slow.services.leases.hold(sourceAppId);
      if (!lease) throw new Error('no app');
      const limits = createRecordLimits(1024 * 1024);
      const submission = accept({ email: 'u7@x.org', data: { a: 'late' } }, lease, limits, {});
      const { filter, update } = buildUpsert(submission, createRecordIds()(new Date()), 10, UNSEEN);
      await handOn(sourceAppId);
      const users = server.db.collection<UserDocument>('users');
      const late = users.updateOne(filter, update, { upsert: true });
      await expect(late).rejects.toThrow(/E11000/);
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(20);
    },
    TIMEOUT_MS,
  );

  it(
    'is refused and made again, when it is an edit',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)], 20);
      await untilReady(server, sourceAppId, ['a']);
      const record = await server.db.collection('users').findOne({ sourceAppId, email: 'u7@x.org' });
      const path = `/auth/users/${record?._id}?sourceAppId=${sourceAppId}`;
      await slow.admin.patch(path, { set: { b: 'early' } }).expect(200);
      const { forward, answer } = await heldWrite('findAndModify', () =>
        slow.admin.patch(path, { set: { a: 'late' } }),
      );
      await handOn(sourceAppId);
      await forward();
      expect([200, 503]).toContain(await answer);
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(20);
      expect(await emailsBySlot(server, sourceAppId, 'b', 'early')).toEqual(['u7@x.org']);
    },
    TIMEOUT_MS,
  );

  it(
    'is corrected by its server, when it creates a record',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)], 20);
      await untilReady(server, sourceAppId, ['a']);
      await slow.client.submit(sourceAppId, { email: 'u7@x.org', data: { a: 'early' } }).expect(200);
      const { forward, answer } = await heldWrite('insert', () =>
        slow.client.submit(sourceAppId, { email: 'new@x.org', data: { a: 'late', b: 'new' } }),
      );
      await handOn(sourceAppId);
      await forward();
      expect([200, 503]).toContain(await answer);
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(21);
      expect(await emailsBySlot(server, sourceAppId, 'b', 'new')).toEqual(['new@x.org']);
    },
    TIMEOUT_MS,
  );
});

describe('The check of the records of an index', () => {
  it(
    'corrects what a server wrote late that was killed then, under slots of another time',
    async () => {
      const checking = await startServer({}, server.database, { ...FULL_LEASES, writesEndMs: 0, checksMs: CHECKED });
      closers.push(() => checking.close());
      const goOn = await pauseJobs();
      try {
        const sourceAppId = await appWith([text('a', false), text('b')]);
        await untilReady(checking, sourceAppId, ['b']);
        // As a server writes that knew no slot, and one that knew another use of it.
        const users = server.db.collection<UserDocument>('users');
        const { _id: appId } = await appDocument(server, sourceAppId);
        const now = new Date();
        const late = { appId, sourceAppId, schemaVersion: 1, createdAt: now, updatedAt: now };
        await users.updateOne({ appId, email: 'u7@x.org' }, { $set: { 'data.b': 'late' } });
        await users.insertOne({ ...late, _id: new UUID(), email: 'new-1@x.org', data: { b: 'x' } });
        await users.insertOne({
          ...late,
          _id: new UUID(),
          email: 'new-2@x.org',
          data: { b: 'x', a: 'y' },
          s0: 'y',
          slotEpoch: 0,
        });
        const checks = async () => (await appDocument(server, sourceAppId)).slots?.[0]?.checks;
        await expect.poll(checks, POLL).toBe(1);
        expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(RECORDS + 2);
        expect(await emailsBySlot(server, sourceAppId, 'b', 'x')).toEqual(['new-1@x.org', 'new-2@x.org']);
        const [slot] = (await appDocument(server, sourceAppId)).slots ?? [];
        expect(slot).toMatchObject({ state: 'ready', done: RECORDS, total: RECORDS });
        expect(slot?.position).toBeUndefined();
        expect(slot?.checkAt?.getTime()).toBeGreaterThan(Date.now() + 60_000);
      } finally {
        await checking.services.jobs.stop();
        await goOn();
      }
    },
    TIMEOUT_MS,
  );
});

describe('A record whose slots have a later epoch than those of its app, as after a restore', () => {
  it(
    'takes submissions and edits, and its app can build and drop indexes',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)], 20);
      await untilReady(server, sourceAppId, ['a']);
      const { _id: appId, slotEpoch = 0 } = await appDocument(server, sourceAppId);
      expect(slotEpoch).toBeGreaterThan(0);
      const users = server.db.collection<UserDocument>('users');
      const ahead = (by: number) => users.updateMany({ appId }, { $set: { slotEpoch: slotEpoch + by } });
      await ahead(5);
      await server.client.submit(sourceAppId, { email: 'u7@x.org', data: { a: 'submitted' } }).expect(200);
      await ahead(10);
      const record = await users.findOne({ appId, email: 'u8@x.org' });
      await server.admin
        .patch(`/auth/users/${record?._id}?sourceAppId=${sourceAppId}`, { set: { a: 'edited' } })
        .expect(200);
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(20);
      await ahead(50);
      await put(sourceAppId, [text('a', false), text('b')]);
      await untilReady(server, sourceAppId, ['b']);
      expect(await expectSlotsOfRecords(server, sourceAppId)).toBe(20);
    },
    TIMEOUT_MS,
  );
});
