// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import type { Document, ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import type { Client, TestApp } from '../support/server/client.ts';
import { bytesOf, storeFile } from '../support/server/files.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

const RECORDS = 200;
const HOUR_MS = 3_600_000;
/** How long a slow submission is held: longer than a lease. */
const HOLD_MS = 300;

let proxy: TcpProxy;
/** A server whose writes the proxy can hold, and one with a direct connection. */
let slow: TestServer;
let other: TestServer;
beforeAll(async () => {
  ({ proxy, slow } = await startSlow({}, undefined, FULL_LEASES));
  other = await startServer({}, slow.database, FULL_LEASES);
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await other.close();
  await slow.close();
});

interface Dump {
  app: Document;
  users: Document[];
  schemas: Document[];
}

/** Creates an app with `RECORDS` records of the given creation time. */
async function createFilledApp(createdAt = new Date()): Promise<TestApp & { appId: ObjectId }> {
  const app = await other.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  const stored = await other.db.collection('apps').findOne({ sourceAppId: app.sourceAppId });
  const appId = stored?._id as ObjectId;
  const newId = createOrderedIds();
  const records = Array.from({ length: RECORDS }, (_, index) => ({
    _id: newId(createdAt) as unknown as ObjectId,
    appId,
    sourceAppId: app.sourceAppId,
    email: `person-${index}@example.org`,
    data: {},
    schemaVersion: 1,
    createdAt,
    updatedAt: createdAt,
  }));
  await other.db.collection('users').insertMany(records);
  return { ...app, appId };
}

/** Resolves with all stored documents of an app. */
async function dump(appId: ObjectId): Promise<Dump> {
  const { db } = other;
  return {
    app: (await db.collection('apps').findOne({ _id: appId })) ?? {},
    users: await db.collection('users').find({ appId }).toArray(),
    schemas: await db.collection('schema_versions').find({ appId }).toArray(),
  };
}

/**
 * Runs one sweep, by starting a server. It counts as the next sweep when the previous one was
 * `sweepEveryMs` ago.
 */
async function sweep(sweepEveryMs?: number): Promise<void> {
  const server = await startServer({}, other.database, {
    ...FULL_LEASES,
    ...(sweepEveryMs !== undefined && { sweepEveryMs }),
  });
  await server.close();
}

const count = (name: string, filter: object) => other.db.collection(name).countDocuments(filter);

/** Counts the records and schema versions of an app. */
async function countLeft(appId: ObjectId) {
  return { users: await count('users', { appId }), schemas: await count('schema_versions', { appId }) };
}

/** Resolves when a removal no longer relies on what it saw. */
async function untilTooLate(): Promise<void> {
  const until = Date.now() + 11_000;
  while ((await other.db.command({ hello: 1 })).localTime.getTime() <= until) await sleep(100);
}

const submitTo = ({ client }: { client: Client }, sourceAppId: string, email: string) =>
  client.submit(sourceAppId, { email, data: { name: 'Ada' } });

/**
 * Holds a submission of `slow` in flight to the database while `meanwhile` runs; resolves with the
 * answer. Before the write continues, the leases have expired and the revision has changed.
 */
async function submitSlowly(sourceAppId: string, email: string, meanwhile: () => Promise<unknown>) {
  const otherApp = await other.admin.buildApp();
  await submitTo(slow, sourceAppId, 'warm@example.org').expect(200);
  const held = proxy.holdNext('insert', 'users');
  const submission = submitTo(slow, sourceAppId, email).then((answer) => answer);
  const forward = await held;
  // It renews no lease, and hears of no change.
  proxy.stall();
  await meanwhile();
  await other.admin.putSchema(otherApp.sourceAppId, { fields: [] }).expect(200);
  await sleep(HOLD_MS);
  proxy.restore();
  await forward();
  return submission;
}

describe('a sweep after the restore of a deleted app (decision 14, invariant 8)', () => {
  it('keeps records, schema versions and app that were restored in this order with sweeps in between', async () => {
    const { sourceAppId, appId, password } = await createFilledApp(new Date(Date.now() - HOUR_MS));
    const before = await dump(appId);
    await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    expect(await countLeft(appId)).toEqual({ users: 0, schemas: 0 });
    for (const [collection, documents] of [
      ['users', before.users],
      ['schema_versions', before.schemas],
      ['apps', [before.app]],
    ] as const) {
      await other.db.collection(collection).insertMany(documents);
      // Two sweeps, one interval apart.
      await sweep(10);
      await sleep(20);
      await sweep(10);
    }
    expect(await dump(appId)).toEqual(before);
    await submitTo(other, sourceAppId, 'after@example.org').expect(200);
    await other.client.post('/auth/login', { sourceAppId, password }).expect(200);
    // The tombstone is removed, so it neither deletes anything later nor counts for the next
    // deletion.
    expect(await count('deleted_apps', { _id: appId })).toBe(0);
    const { body } = await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    expect(body.deletedUsers).toBe(RECORDS + 1);
    expect(await count('deleted_apps', { _id: appId })).toBe(1);
  });

  it('keeps an app whose records are as young as a late write, with sweeps between records and app', async () => {
    const { sourceAppId, appId } = await createFilledApp();
    const before = await dump(appId);
    await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    await other.db.collection('users').insertMany(before.users);
    await sweep();
    await other.db.collection('schema_versions').insertMany(before.schemas);
    await sweep();
    await other.db.collection('apps').insertOne(before.app);
    await sweep();
    expect(await dump(appId)).toEqual(before);
  });

  it('removes a late write to a deleted app after it was present for one interval', async () => {
    const { sourceAppId, appId } = await createFilledApp(new Date(Date.now() - HOUR_MS));
    const before = await dump(appId);
    await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    const late = { ...before.users[0], createdAt: new Date() };
    await other.db.collection('users').insertOne({ ...late, _id: createOrderedIds()(new Date()) as never });
    await expect
      .poll(
        async () => {
          await sweep(10);
          return countLeft(appId);
        },
        { timeout: 10_000 },
      )
      .toEqual({ users: 0, schemas: 0 });
  });
});

describe('a server that is suspended while it deletes an app (invariant 8)', () => {
  it('removes nothing when the app was deleted by another server and restored meanwhile', async () => {
    const { sourceAppId, appId } = await createFilledApp(new Date(Date.now() - HOUR_MS));
    const before = await dump(appId);
    const held = proxy.holdNext('delete', 'users');
    const deletion = slow.admin.delete(`/auth/apps/${sourceAppId}`).then(({ status }) => status);
    const forward = await held;
    await other.services.removal.start();
    expect(await countLeft(appId)).toEqual({ users: 0, schemas: 0 });
    for (const [collection, documents] of [
      ['users', before.users],
      ['schema_versions', before.schemas],
      ['apps', [before.app]],
    ] as const) {
      await other.db.collection(collection).insertMany(documents);
    }
    await untilTooLate();
    await forward();
    expect(await deletion).toBe(503);
    await sleep(500);
    expect(await dump(appId)).toEqual(before);
    await submitTo(other, sourceAppId, 'after@example.org').expect(200);
  }, 60_000);

  it('writes no tombstone of an app that was restored meanwhile', async () => {
    const { sourceAppId, appId } = await createFilledApp();
    const { app, ...before } = await dump(appId);
    const held = proxy.holdNext('into', 'deleted_apps');
    const deletion = slow.admin.delete(`/auth/apps/${sourceAppId}`).then(({ status }) => status);
    const forward = await held;
    await other.services.removal.start();
    await other.db.collection('apps').insertOne(app);
    await sweep();
    expect(await count('deleted_apps', { _id: appId })).toBe(0);
    for (const [name, documents] of [
      ['users', before.users],
      ['schema_versions', before.schemas],
    ] as const) {
      await other.db.collection(name).insertMany(documents);
    }
    await forward();
    expect(await deletion).toBe(503);
    expect(await count('deleted_apps', { _id: appId })).toBe(0);
    expect(await dump(appId)).toEqual({ app, ...before });
  }, 60_000);

  it('removes no content of a file that was restored meanwhile', async () => {
    const { db } = other;
    const { sourceAppId, appId } = await createFilledApp(new Date(Date.now() - HOUR_MS));
    await storeFile(db, sourceAppId, bytesOf(300_000));
    const names = ['users', 'schema_versions', 'files.files', 'files.chunks', 'apps'];
    const before = await Promise.all(names.map((name) => db.collection(name).find(ofApp(name)).toArray()));
    const held = proxy.holdNext('delete', 'files.chunks');
    const deletion = slow.admin.delete(`/auth/apps/${sourceAppId}`).then(({ status }) => status);
    const forward = await held;
    await other.services.removal.start();
    expect(await count('files.chunks', {})).toBe(0);
    for (const [index, name] of names.entries()) await db.collection(name).insertMany(before[index] ?? []);
    await untilTooLate();
    await forward();
    expect(await deletion).toBe(503);
    await sleep(500);
    expect(await count('files.files', ofApp('files.files'))).toBe(1);
    expect(await count('files.chunks', {})).toBe(2);

    function ofApp(name: string): object {
      if (name === 'files.chunks') return {};
      return name === 'apps' ? { _id: appId } : { [name === 'files.files' ? 'metadata.appId' : 'appId']: appId };
    }
  }, 60_000);
});

it('tombstones are kept for 90 days (decision 14)', async () => {
  const { sourceAppId, appId } = await createFilledApp();
  await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
  const tombstones = other.db.collection('deleted_apps');
  const tombstone = await tombstones.findOne({ _id: appId });
  expect(tombstone?.forgetAt - tombstone?.deletedAt).toBe(90 * 24 * HOUR_MS);
  const ttl = (await tombstones.indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  expect(ttl).toMatchObject([{ key: { forgetAt: 1 }, expireAfterSeconds: 0 }]);
});

describe('a slow submission that does not find its app (decision 14)', () => {
  it('is answered with 200 and keeps all records when a manual edit renamed the app', async () => {
    const { sourceAppId, appId } = await createFilledApp();
    const { status } = await submitSlowly(sourceAppId, 'slow@example.org', () =>
      other.db.collection('apps').updateOne({ _id: appId }, { $set: { sourceAppId: `${sourceAppId}-renamed` } }),
    );
    expect(status).toBe(200);
    expect(await countLeft(appId)).toEqual({ users: RECORDS + 2, schemas: 2 });
    await submitTo(other, `${sourceAppId}-renamed`, 'after@example.org').expect(200);
  });

  it('is answered with 503 and keeps all records when a restore dropped the app', async () => {
    const { sourceAppId, appId } = await createFilledApp();
    const { app } = await dump(appId);
    const { status } = await submitSlowly(sourceAppId, 'slow@example.org', () =>
      other.db.collection('apps').deleteOne({ _id: appId }),
    );
    expect(status).toBe(503);
    expect(await countLeft(appId)).toEqual({ users: RECORDS + 2, schemas: 2 });
    await other.db.collection('apps').insertOne(app);
    await submitTo(slow, sourceAppId, 'slow@example.org').expect(200);
    expect(await countLeft(appId)).toEqual({ users: RECORDS + 2, schemas: 2 });
  });

  it('is answered with 400 and leaves no record when the app was deleted and created again', async () => {
    const { sourceAppId, appId } = await createFilledApp();
    const { status } = await submitSlowly(sourceAppId, 'slow@example.org', async () => {
      await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
      await other.admin.post('/auth/apps', { sourceAppId }).expect(200);
    });
    expect(status).toBe(400);
    expect(await countLeft(appId)).toEqual({ users: 0, schemas: 0 });
    expect(await count('users', { sourceAppId })).toBe(0);
  });

  it('removes only its own record when a restore inserted records meanwhile', async () => {
    const { sourceAppId, appId } = await createFilledApp(new Date(Date.now() - HOUR_MS));
    let restored: Document[] = [];
    const { status } = await submitSlowly(sourceAppId, 'slow@example.org', async () => {
      ({ users: restored } = await dump(appId));
      await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
      await other.db.collection('users').insertMany(restored);
    });
    expect(status).toBe(400);
    expect(await other.db.collection('users').find({ appId }).toArray()).toEqual(restored);
  });
});

describe('a schema PUT that does not find its app (decision 14)', () => {
  it('removes no version when the app is renamed or dropped meanwhile', async () => {
    for (const [name, change, status] of [
      ['renamed', { $set: { sourceAppId: `renamed-${Date.now()}` } }, 200],
      ['dropped', undefined, 503],
    ] as const) {
      const { sourceAppId, appId } = await createFilledApp();
      const put = slow.admin.putSchema(sourceAppId, { fields: [] }).then((answer) => answer);
      await expect.poll(() => count('schema_versions', { appId }), { interval: 5 }).toBe(3);
      if (change) await other.db.collection('apps').updateOne({ _id: appId }, change);
      else await other.db.collection('apps').deleteOne({ _id: appId });
      expect({ name, status: (await put).status }).toEqual({ name, status });
      expect(await countLeft(appId)).toEqual({ users: RECORDS, schemas: 3 });
    }
  });
});
