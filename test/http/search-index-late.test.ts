// @module-tag long

import { UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createOperatorLoad } from '../../src/api/operator-load.ts';
import { createAppRevision } from '../../src/apps/revision.ts';
import { connectDatabase } from '../../src/platform/database/client.ts';
import type { Job } from '../../src/platform/jobs/job.ts';
import { recordWords } from '../../src/records/indexes/record-words.ts';
import { createSlotStore } from '../../src/records/indexes/slots.ts';
import { createWordJob, createWordStore } from '../../src/records/indexes/word-index.ts';
import { createWordRecords } from '../../src/records/indexes/word-records.ts';
import { createRecordReader } from '../../src/records/read/record-reader.ts';
import type { UserDocument } from '../../src/records/stored/record.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { createModels } from '../support/database/models.ts';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { NO_RENAMES } from '../support/server/renames.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

const TIMEOUT_MS = 60_000;
const POLL = { timeout: 40_000, interval: 50 };
const RECORDS = 40;
/** The first check of an index follows soon, the second one never. */
const CHECKED = [500, 3_600_000];

/** A server that runs the jobs, and does not wait for late writes. */
let server: TestServer;
/** A server that reaches the database through the proxy, and runs no jobs. */
let slow: TestServer;
let proxy: TcpProxy;
/** The job of a server that lost its lock and does not know. */
let slowJob: Job;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await startServer({}, undefined, { ...FULL_LEASES, writesEndMs: 0, checksMs: CHECKED });
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
  const revision = createAppRevision(models.revisions);
  slowJob = createWordJob({
    store: createWordStore(models.apps, revision),
    records: createWordRecords(models.users.collection, createOperatorLoad()),
    catchUp: createSlotStore(models.apps).catchUp,
    countForDisplay: createRecordReader(models.users.collection, NO_RENAMES).countForDisplay,
    pace: { throttle: async () => undefined },
    revision,
    writesEndMs: 0,
  });
});
afterEach(() => proxy.restore());
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function newApp(): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  const { _id } = await appDocument(server, sourceAppId);
  const now = new Date();
  const records = Array.from({ length: RECORDS }, (_, n): UserDocument => {
    const own = { _id: new UUID(), appId: _id, sourceAppId, email: `u${n}@x.org`, data: { name: `Ada ${n}` } };
    return { ...own, schemaVersion: 1, createdAt: now, updatedAt: now };
  });
  await server.db.collection<UserDocument>('users').insertMany(records);
  return sourceAppId;
}

const enable = (sourceAppId: string, enabled = true) =>
  server.admin.put(`/auth/apps/${sourceAppId}/search`, { enabled }).expect(200);

async function untilState(sourceAppId: string, state: string): Promise<void> {
  const current = async () => {
    server.services.jobs.wake('search-words');
    return (await server.admin.get(`/auth/apps/${sourceAppId}/search`).expect(200)).body.state;
  };
  await expect.poll(current, POLL).toBe(state);
}

/** The emails of records that lack a word, and of those that have words. */
async function compare(sourceAppId: string) {
  const { _id } = await appDocument(server, sourceAppId);
  const records = await server.db.collection<UserDocument>('users').find({ appId: _id }).toArray();
  const lacks = ({ email, data, words = [] }: UserDocument) =>
    recordWords(email, data).some((word) => !words.includes(word));
  return {
    incomplete: records.filter(lacks).map(({ email }) => email),
    withWords: records.filter(({ words }) => words !== undefined).map(({ email }) => email),
  };
}

/** Stops the jobs of the other server until the returned function is called. */
async function pauseJobs(): Promise<() => Promise<void>> {
  await server.services.jobs.stop();
  return async () => {
    await server.close();
    closers.splice(0, 1);
    server = await startServer({}, server.database, { ...FULL_LEASES, writesEndMs: 0, checksMs: CHECKED });
    closers.unshift(() => server.close());
  };
}

/** Runs a step of the slow job until the proxy holds its write of records. */
async function stepUntilHeld() {
  const held = proxy.holdNext('update', 'users');
  const run = async () => {
    const context = { signal: new AbortController().signal, stillOwner: () => true };
    // The first run announces the state.
    for (let at = 0; at < 5; at += 1) await slowJob.run(context);
  };
  const step = run();
  step.catch(() => undefined);
  return { forward: await held, step };
}

/** Begins a request on the slow server and resolves when the proxy holds its write. */
async function heldWrite(command: string, send: () => PromiseLike<{ status: number }>) {
  const held = proxy.holdNext(command, 'users');
  const answer = send().then(({ status }) => status);
  return { forward: await held, answer };
}

describe('A step of the job that continues after another server finished it', () => {
  it(
    'gives no words to the records of an index that was dropped, when it built the index',
    async () => {
      const sourceAppId = await newApp();
      const goOn = await pauseJobs();
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
      const goOn = await pauseJobs();
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
      const insert = await heldWrite('insert', () =>
        slow.client.submit(sourceAppId, { email: 'new@x.org', data: { name: 'Zoë' } }),
      );
      await enable(sourceAppId);
      await untilState(sourceAppId, 'ready');
      await insert.forward();
      expect([200, 503]).toContain(await insert.answer);
      expect((await compare(sourceAppId)).incomplete).toEqual([]);
      const { body } = await server.admin.get(`/auth/users?q=zoe&sourceAppId=${sourceAppId}`).expect(200);
      expect(body.users.map(({ email }: { email: string }) => email)).toEqual(['new@x.org']);

      const other = await newApp();
      await slow.client.submit(other, { email: 'u7@x.org', data: { name: 'Early' } }).expect(200);
      const update = await heldWrite('findAndModify', () =>
        slow.client.submit(other, { email: 'u7@x.org', data: { name: 'Zoë' } }),
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
      const { forward, answer } = await heldWrite('insert', () =>
        slow.client.submit(sourceAppId, { email: 'new@x.org', data: { name: 'Zoë' } }),
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
      const { _id: appId } = await appDocument(server, sourceAppId);
      await server.client.submit(sourceAppId, { email: 'u3@x.org', data: { name: 'Replaced' } }).expect(200);
      await server.client.submit(sourceAppId, { email: 'u3@x.org', data: { name: 'Ada' } }).expect(200);
      const now = new Date();
      const late = { appId, sourceAppId, schemaVersion: 1, createdAt: now, updatedAt: now };
      const users = server.db.collection<UserDocument>('users');
      await users.insertOne({ ...late, _id: new UUID(), email: 'late@x.org', data: { name: 'Late' } });
      await server.db.collection('apps').updateOne({ _id: appId }, { $set: { 'words.checkAt': now } });
      const checked = async () => {
        server.services.jobs.wake('search-words');
        return (await appDocument(server, sourceAppId)).words?.checkAt?.getTime();
      };
      await expect.poll(checked, POLL).toBeGreaterThan(Date.now() + 60_000);
      expect((await compare(sourceAppId)).incomplete).toEqual([]);
      expect((await users.findOne({ appId, email: 'u3@x.org' }))?.words).toEqual(['u3', 'x', 'org', 'ada']);
    },
    TIMEOUT_MS,
  );
});
