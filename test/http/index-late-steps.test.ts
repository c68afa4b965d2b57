// @module-tag long

import { UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { createAppRevision } from '../../src/core/apps/revision.ts';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { accept } from '../../src/core/users/acceptance.ts';
import { createRecordLimits } from '../../src/core/users/record-limits.ts';
import { createRecordParts } from '../../src/core/users/record-part.ts';
import { buildUpsert, UNSEEN } from '../../src/core/users/record-upsert.ts';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { createIndexPart } from '../../src/features/indexes/index-part.ts';
import { createIndexedFields } from '../../src/features/indexes/indexed-fields.ts';
import { createSlotJob } from '../../src/features/indexes/slot-job.ts';
import { createSlotRecords } from '../../src/features/indexes/slot-records.ts';
import { createSlotStore } from '../../src/features/indexes/slots.ts';
import { createRecordReader } from '../../src/features/record-reads/record-reader.ts';
import { createRenameStore } from '../../src/features/renames/rename-store.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { appDocument, emailsBySlot, expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { withLateSteps } from '../support/database/late-steps.ts';
import { NO_RENAMES } from '../support/server/renames.ts';
import { FULL_LEASES, startServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';

const TIMEOUT_MS = 120_000;
const POLL = { timeout: 60_000, interval: 20 };
const RECORDS = 300;
/** The first check of an index follows when a test asks for it, the second one never. */
const CHECKED = [500, 3_600_000];

const late = withLateSteps([], (models) =>
  createSlotJob({
    store: createSlotStore(models.apps),
    records: createSlotRecords(models.users.collection),
    indexed: createIndexedFields(models.schemas),
    renames: createRenameStore(models.schemas),
    revision: createAppRevision(models.revisions),
    writesEndMs: 0,
    countForDisplay: createRecordReader(models.users.collection, NO_RENAMES).countForDisplay,
    pace: { throttle: async () => undefined },
  }),
);

const text = (key: string, indexed = true) => ({ key, kind: 'text', indexed }) as FieldDefinitionInput;

async function appWith(fields: FieldDefinitionInput[], count = RECORDS): Promise<string> {
  const { sourceAppId } = await late.server.admin.buildApp({ fields });
  await storePeople(late.server, sourceAppId, count, (n) => ({ a: `a${n}`, b: `b${n}` }));
  return sourceAppId;
}

const put = (sourceAppId: string, fields: FieldDefinitionInput[]) =>
  late.server.admin.putSchema(sourceAppId, { fields }).expect(200);

/** Runs a step of the slow job until the proxy holds its write of records. */
async function stepUntilHeld(): Promise<{ forward: () => Promise<void>; step: Promise<boolean> }> {
  const held = late.proxy.holdNext('update', 'users');
  const step = late.slowJob.run({ signal: new AbortController().signal, stillOwner: () => true });
  step.catch(() => undefined);
  return { forward: await held, step };
}

/** Gives the first slot, which `a` had, to `b`. */
async function handOn(sourceAppId: string): Promise<void> {
  await put(sourceAppId, [text('a', false), text('b', false)]);
  await untilReady(late.server, sourceAppId, []);
  await put(sourceAppId, [text('a', false), text('b')]);
  const [slot] = await untilReady(late.server, sourceAppId, ['b']);
  expect(slot?.slot).toBe('s0');
}

describe('A step of the job that continues after another server finished it', () => {
  it(
    'takes no value of the field that has the slot now, when it dropped the slot',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)]);
      await untilReady(late.server, sourceAppId, ['a']);
      const goOn = await late.pauseJobs();
      await put(sourceAppId, [text('a', false), text('b', false)]);
      const { forward, step } = await stepUntilHeld();
      await goOn();
      await handOn(sourceAppId);
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(RECORDS);
      await forward();
      await step;
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(RECORDS);
    },
    TIMEOUT_MS,
  );

  it(
    'gives no value to the field that has the slot now, when it built the slot',
    async () => {
      const sourceAppId = await appWith([text('a', false), text('b', false)]);
      const goOn = await late.pauseJobs();
      await put(sourceAppId, [text('a'), text('b', false)]);
      const { forward, step } = await stepUntilHeld();
      await goOn();
      await untilReady(late.server, sourceAppId, ['a']);
      await handOn(sourceAppId);
      await forward();
      await step;
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(RECORDS);
    },
    TIMEOUT_MS,
  );
});

describe('A write of a record that takes effect after its slot was handed on', () => {
  it(
    'is refused and checked again, when it changes a record',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)]);
      await untilReady(late.server, sourceAppId, ['a']);
      const submit = () => late.slow.client.submit(sourceAppId, { email: 'p7@x.org', data: { a: 'late' } });
      await submit().expect(200);
      const { forward, answer } = await late.heldWrite('findAndModify', submit);
      await handOn(sourceAppId);
      await forward();
      expect([200, 503]).toContain(await answer);
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(RECORDS);
      expect(await emailsBySlot(late.server, sourceAppId, 'b', 'late')).toEqual([]);
      expect(await emailsBySlot(late.server, sourceAppId, 'b', 'b7')).toEqual(['p7@x.org']);
      await submit().expect(200);
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(RECORDS);
    },
    TIMEOUT_MS,
  );

  it(
    'is refused, when its server has died',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)], 20);
      await untilReady(late.server, sourceAppId, ['a']);
      const lease = await late.slow.services.leases.hold(sourceAppId);
      if (!lease) throw new Error('no app');
      const limits = createRecordLimits(1024 * 1024);
      const submission = accept(
        { email: 'p7@x.org', data: { a: 'late' } },
        lease,
        { limits, parts: createRecordParts(() => [createIndexPart({} as never)]) },
        {},
      );
      const { filter, update } = buildUpsert(submission, createOrderedIds()(new Date()), 10, UNSEEN);
      await handOn(sourceAppId);
      const users = late.server.db.collection<UserDocument>('users');
      const write = users.updateOne(filter, update, { upsert: true });
      await expect(write).rejects.toThrow(/E11000/);
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(20);
    },
    TIMEOUT_MS,
  );

  it(
    'is refused and made again, when it is an edit',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)], 20);
      await untilReady(late.server, sourceAppId, ['a']);
      const record = await late.server.db.collection('users').findOne({ sourceAppId, email: 'p7@x.org' });
      const path = `/auth/users/${record?._id}?sourceAppId=${sourceAppId}`;
      await late.slow.admin.patch(path, { set: { b: 'early' } }).expect(200);
      const { forward, answer } = await late.heldWrite('findAndModify', () =>
        late.slow.admin.patch(path, { set: { a: 'late' } }),
      );
      await handOn(sourceAppId);
      await forward();
      expect([200, 503]).toContain(await answer);
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(20);
      expect(await emailsBySlot(late.server, sourceAppId, 'b', 'early')).toEqual(['p7@x.org']);
    },
    TIMEOUT_MS,
  );

  it(
    'is corrected by its server, when it creates a record',
    async () => {
      const sourceAppId = await appWith([text('a'), text('b', false)], 20);
      await untilReady(late.server, sourceAppId, ['a']);
      await late.slow.client.submit(sourceAppId, { email: 'p7@x.org', data: { a: 'early' } }).expect(200);
      const { forward, answer } = await late.heldWrite('insert', () =>
        late.slow.client.submit(sourceAppId, { email: 'new@x.org', data: { a: 'late', b: 'new' } }),
      );
      await handOn(sourceAppId);
      await forward();
      expect([200, 503]).toContain(await answer);
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(21);
      expect(await emailsBySlot(late.server, sourceAppId, 'b', 'new')).toEqual(['new@x.org']);
    },
    TIMEOUT_MS,
  );
});

describe('The check of the records of an index', () => {
  it(
    'corrects what a server wrote late that was killed then, under slots of another time',
    async () => {
      const checking = await startServer({}, late.server.database, {
        ...FULL_LEASES,
        writesEndMs: 0,
        checksMs: CHECKED,
      });
      const goOn = await late.pauseJobs();
      try {
        const sourceAppId = await appWith([text('a', false), text('b')]);
        await untilReady(checking, sourceAppId, ['b']);
        // As a server writes that knew no slot, and one that knew another use of it.
        const users = late.server.db.collection<UserDocument>('users');
        const { _id: appId } = await appDocument(late.server, sourceAppId);
        const now = new Date();
        const members = { appId, sourceAppId, schemaVersion: 1, createdAt: now, updatedAt: now };
        await users.updateOne({ appId, email: 'p7@x.org' }, { $set: { 'data.b': 'late' } });
        await users.insertOne({ ...members, _id: new UUID(), email: 'new-1@x.org', data: { b: 'x' } });
        await users.insertOne({
          ...members,
          _id: new UUID(),
          email: 'new-2@x.org',
          data: { b: 'x', a: 'y' },
          s0: 'y',
          slotEpoch: 0,
        });
        const checks = async () => (await appDocument(late.server, sourceAppId)).slots?.[0]?.checks;
        await expect.poll(checks, POLL).toBe(1);
        expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(RECORDS + 2);
        expect(await emailsBySlot(late.server, sourceAppId, 'b', 'x')).toEqual(['new-1@x.org', 'new-2@x.org']);
        const [slot] = (await appDocument(late.server, sourceAppId)).slots ?? [];
        expect(slot).toMatchObject({ state: 'ready', done: RECORDS, total: RECORDS });
        expect(slot?.position).toBeUndefined();
        expect(slot?.checkAt?.getTime()).toBeGreaterThan(Date.now() + 60_000);
      } finally {
        await checking.close();
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
      await untilReady(late.server, sourceAppId, ['a']);
      const { _id: appId, slotEpoch = 0 } = await appDocument(late.server, sourceAppId);
      expect(slotEpoch).toBeGreaterThan(0);
      const users = late.server.db.collection<UserDocument>('users');
      const ahead = (by: number) => users.updateMany({ appId }, { $set: { slotEpoch: slotEpoch + by } });
      await ahead(5);
      await late.server.client.submit(sourceAppId, { email: 'p7@x.org', data: { a: 'submitted' } }).expect(200);
      await ahead(10);
      const record = await users.findOne({ appId, email: 'p8@x.org' });
      await late.server.admin
        .patch(`/auth/users/${record?._id}?sourceAppId=${sourceAppId}`, { set: { a: 'edited' } })
        .expect(200);
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(20);
      await ahead(50);
      await put(sourceAppId, [text('a', false), text('b')]);
      await untilReady(late.server, sourceAppId, ['b']);
      expect(await expectSlotsOfRecords(late.server, sourceAppId)).toBe(20);
    },
    TIMEOUT_MS,
  );
});
