// @module-tag long

import { UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { createAppRevision } from '../../src/core/apps/revision.ts';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { recordWords } from '../../src/features/indexes/record-words.ts';
import { createSlotStore } from '../../src/features/indexes/slots.ts';
import { createWordJob, createWordStore } from '../../src/features/indexes/word-index.ts';
import { createWordRecords } from '../../src/features/indexes/word-records.ts';
import { createRecordReader } from '../../src/features/record-reads/record-reader.ts';
import { createOperatorLoad } from '../../src/platform/http/operator-load.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { withLateSteps } from '../support/database/late-steps.ts';
import { NO_RENAMES } from '../support/server/renames.ts';
import { storePeople } from '../support/server/stored-people.ts';

const TIMEOUT_MS = 60_000;
const POLL = { timeout: 40_000, interval: 50 };
const RECORDS = 40;
/** The first check of an index follows soon, the second one never. */
const CHECKED = [500, 3_600_000];

const late = withLateSteps(CHECKED, (models) => {
  const revision = createAppRevision(models.revisions);
  return createWordJob({
    store: createWordStore(models.apps, revision),
    records: createWordRecords(models.users.collection, createOperatorLoad()),
    catchUp: createSlotStore(models.apps).catchUp,
    countForDisplay: createRecordReader(models.users.collection, NO_RENAMES).countForDisplay,
    pace: { throttle: async () => undefined },
    revision,
    writesEndMs: 0,
  });
});

async function newApp(): Promise<string> {
  const { sourceAppId } = await late.server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  await storePeople(late.server, sourceAppId, RECORDS, (n) => ({ name: `Ada ${n}` }));
  return sourceAppId;
}

const enable = (sourceAppId: string, enabled = true) =>
  late.server.admin.put(`/auth/apps/${sourceAppId}/search`, { enabled }).expect(200);

async function untilState(sourceAppId: string, state: string): Promise<void> {
  const current = async () => {
    late.server.services.jobs.wake('search-words');
    return (await late.server.admin.get(`/auth/apps/${sourceAppId}/search`).expect(200)).body.state;
  };
  await expect.poll(current, POLL).toBe(state);
}

/** The emails of records that lack a word, and of those that have words. */
async function compare(sourceAppId: string) {
  const { _id } = await appDocument(late.server, sourceAppId);
  const records = await late.server.db.collection<UserDocument>('users').find({ appId: _id }).toArray();
  const lacks = ({ email, data, words = [] }: UserDocument) =>
    recordWords(email, data).some((word) => !words.includes(word));
  return {
    incomplete: records.filter(lacks).map(({ email }) => email),
    withWords: records.filter(({ words }) => words !== undefined).map(({ email }) => email),
  };
}

/** Runs a step of the slow job until the proxy holds its write of records. */
async function stepUntilHeld() {
  const held = late.proxy.holdNext('update', 'users');
  const run = async () => {
    const context = { signal: new AbortController().signal, stillOwner: () => true };
    // The first run announces the state.
    for (let at = 0; at < 5; at += 1) await late.slowJob.run(context);
  };
  const step = run();
  step.catch(() => undefined);
  return { forward: await held, step };
}

describe('A step of the job that continues after another server finished it', () => {
  it(
    'gives no words to the records of an index that was dropped, when it built the index',
    async () => {
      const sourceAppId = await newApp();
      const goOn = await late.pauseJobs();
      await enable(sourceAppId);
      const { forward, step } = await stepUntilHeld();
      await goOn();
      await untilState(sourceAppId, 'ready');
      await enable(sourceAppId, false);
      await untilState(sourceAppId, 'off');
      await forward();
      await step;
      expect((await compare(sourceAppId)).withWords).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'takes no words from the records of an index that was built again, when it dropped the index',
    async () => {
      const sourceAppId = await newApp();
      await enable(sourceAppId);
      await untilState(sourceAppId, 'ready');
      const goOn = await late.pauseJobs();
      await enable(sourceAppId, false);
      const { forward, step } = await stepUntilHeld();
      await goOn();
      await untilState(sourceAppId, 'off');
      await enable(sourceAppId);
      await untilState(sourceAppId, 'ready');
      await forward();
      await step;
      expect((await compare(sourceAppId)).incomplete).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('A write of a record that takes effect after the index was built', () => {
  it(
    'is completed by its server, when it creates or changes a record',
    async () => {
      const sourceAppId = await newApp();
      const insert = await late.heldWrite('insert', () =>
        late.slow.client.submit(sourceAppId, { email: 'new@x.org', data: { name: 'Zoë' } }),
      );
      await enable(sourceAppId);
      await untilState(sourceAppId, 'ready');
      await insert.forward();
      expect([200, 503]).toContain(await insert.answer);
      expect((await compare(sourceAppId)).incomplete).toEqual([]);
      const { body } = await late.server.admin.get(`/auth/users?q=zoe&sourceAppId=${sourceAppId}`).expect(200);
      expect(body.users.map(({ email }: { email: string }) => email)).toEqual(['new@x.org']);

      const other = await newApp();
      await late.slow.client.submit(other, { email: 'p7@x.org', data: { name: 'Early' } }).expect(200);
      const update = await late.heldWrite('findAndModify', () =>
        late.slow.client.submit(other, { email: 'p7@x.org', data: { name: 'Zoë' } }),
      );
      await enable(other);
      await untilState(other, 'ready');
      await update.forward();
      expect([200, 503]).toContain(await update.answer);
      expect((await compare(other)).incomplete).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'leaves no words, when the index was dropped meanwhile',
    async () => {
      const sourceAppId = await newApp();
      await enable(sourceAppId);
      await untilState(sourceAppId, 'ready');
      const { forward, answer } = await late.heldWrite('insert', () =>
        late.slow.client.submit(sourceAppId, { email: 'new@x.org', data: { name: 'Zoë' } }),
      );
      await enable(sourceAppId, false);
      await untilState(sourceAppId, 'off');
      await forward();
      expect([200, 503]).toContain(await answer);
      expect((await compare(sourceAppId)).withWords).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'is completed by a check, when its server has died; a check removes words of replaced values',
    async () => {
      const sourceAppId = await newApp();
      await enable(sourceAppId);
      await untilState(sourceAppId, 'ready');
      const { _id: appId } = await appDocument(late.server, sourceAppId);
      await late.server.client.submit(sourceAppId, { email: 'p3@x.org', data: { name: 'Replaced' } }).expect(200);
      await late.server.client.submit(sourceAppId, { email: 'p3@x.org', data: { name: 'Ada' } }).expect(200);
      const now = new Date();
      const members = { appId, sourceAppId, schemaVersion: 1, createdAt: now, updatedAt: now };
      const users = late.server.db.collection<UserDocument>('users');
      await users.insertOne({ ...members, _id: new UUID(), email: 'late@x.org', data: { name: 'Late' } });
      await late.server.db.collection('apps').updateOne({ _id: appId }, { $set: { 'words.checkAt': now } });
      const checked = async () => {
        late.server.services.jobs.wake('search-words');
        return (await appDocument(late.server, sourceAppId)).words?.checkAt?.getTime();
      };
      await expect.poll(checked, POLL).toBeGreaterThan(Date.now() + 60_000);
      expect((await compare(sourceAppId)).incomplete).toEqual([]);
      expect((await users.findOne({ appId, email: 'p3@x.org' }))?.words).toEqual(['p3', 'x', 'org', 'ada']);
    },
    TIMEOUT_MS,
  );
});
