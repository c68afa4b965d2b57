import { setTimeout as sleep } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createRecordIds } from '../../src/users/record-id.ts';
import type { Client, TestApp } from '../support/client.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';
import { randomName, startServer, type TestServer } from '../support/server.ts';

const RECORDS = 200;
const HOUR_MS = 3_600_000;
/** Longer than a lease. */
const SLOW_MS = 300;

let proxy: TcpProxy;
/** A server whose writes the proxy can hold, and one that goes on meanwhile. */
let slow: TestServer;
let other: TestServer;
beforeAll(async () => {
  const uri = new URL(inject('mongodbUri'));
  proxy = await startProxy(new URL(uri));
  uri.port = String(proxy.port);
  slow = await startServer({ MONGODB_URI: uri.href });
  other = await startServer({}, slow.database);
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await other.close();
  await slow.close();
  await proxy.close();
});

interface Dump {
  app: mongo.Document;
  users: mongo.Document[];
  schemas: mongo.Document[];
}

/** An app with records that were made at `createdAt`. */
async function fill(createdAt = new Date()): Promise<TestApp & { appId: mongo.ObjectId }> {
  const app = await other.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  const stored = await other.db.collection('apps').findOne({ sourceAppId: app.sourceAppId });
  const appId = stored?._id as mongo.ObjectId;
  const newId = createRecordIds();
  const records = Array.from({ length: RECORDS }, (_, index) => ({
    _id: newId(createdAt) as unknown as mongo.ObjectId,
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

async function dump(appId: mongo.ObjectId): Promise<Dump> {
  const { db } = other;
  return {
    app: (await db.collection('apps').findOne({ _id: appId })) ?? {},
    users: await db.collection('users').find({ appId }).toArray(),
    schemas: await db.collection('schema_versions').find({ appId }).toArray(),
  };
}

/** A sweep of a server that starts; it counts as one interval after the last when that was `sweepEveryMs` ago. */
async function sweep(sweepEveryMs?: number): Promise<void> {
  const server = await startServer({}, other.database, sweepEveryMs === undefined ? {} : { sweepEveryMs });
  await server.close();
}

const count = (name: string, filter: object) => other.db.collection(name).countDocuments(filter);

async function left(appId: mongo.ObjectId) {
  return { users: await count('users', { appId }), schemas: await count('schema_versions', { appId }) };
}

const submitTo = ({ client }: { client: Client }, sourceAppId: string, email: string) =>
  client.submit(sourceAppId, { email, data: { name: 'Ada' } });

/**
 * Holds a submission of `slow` on its way to the database while `meanwhile` runs; resolves with the answer.
 * By then leases have run out, and the stamp is another, as after any change of any app.
 */
async function submitSlowly(sourceAppId: string, email: string, meanwhile: () => Promise<unknown>) {
  const bystander = await other.admin.buildApp();
  await submitTo(slow, sourceAppId, 'warm@example.org').expect(200);
  proxy.stall();
  const submitting = submitTo(slow, sourceAppId, email).then((answer) => answer);
  await sleep(50);
  await meanwhile();
  await other.admin.putSchema(bystander.sourceAppId, { fields: [] }).expect(200);
  await sleep(SLOW_MS);
  proxy.restore();
  return submitting;
}

describe('hardening, item 1: a restored app stays', () => {
  it('with records, schema versions and app restored in this order and sweeps between', async () => {
    const { sourceAppId, appId, password } = await fill(new Date(Date.now() - HOUR_MS));
    const before = await dump(appId);
    await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    expect(await left(appId)).toEqual({ users: 0, schemas: 0 });
    for (const [collection, documents] of [
      ['users', before.users],
      ['schema_versions', before.schemas],
      ['apps', [before.app]],
    ] as const) {
      await other.db.collection(collection).insertMany(documents);
      // As if an interval had passed between every two of them.
      await sweep(10);
      await sleep(20);
      await sweep(10);
    }
    expect(await dump(appId)).toEqual(before);
    await submitTo(other, sourceAppId, 'after@example.org').expect(200);
    await other.client.post('/auth/login', { sourceAppId, password }).expect(200);
    // The deletion is forgotten, so it can neither take anything later nor stand for the next one.
    expect(await count('deleted_apps', { _id: appId })).toBe(0);
    const { body } = await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    expect(body.deletedUsers).toBe(RECORDS + 1);
    expect(await count('deleted_apps', { _id: appId })).toBe(1);
  });

  it('that was younger than a late write may be, with a sweep between its records and itself', async () => {
    const { sourceAppId, appId } = await fill();
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

  it('but what was written late for a deleted app goes when it was there for an interval', async () => {
    const { sourceAppId, appId } = await fill(new Date(Date.now() - HOUR_MS));
    const before = await dump(appId);
    await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    const late = { ...before.users[0], createdAt: new Date() };
    await other.db.collection('users').insertOne({ ...late, _id: createRecordIds()(new Date()) as never });
    await expect
      .poll(
        async () => {
          await sweep(10);
          return left(appId);
        },
        { timeout: 10_000 },
      )
      .toEqual({ users: 0, schemas: 0 });
  });
});

describe('hardening, item 1: tombstones', () => {
  it('of earlier releases, which were forgotten after an hour, are kept as long as new ones', async () => {
    const database = randomName();
    const tombstones = other.db.client.db(database).collection('deleted_apps');
    const deletedAt = new Date();
    await tombstones.createIndex({ deletedAt: 1 }, { expireAfterSeconds: 3600 });
    await tombstones.insertOne({ deletedAt });
    const server = await startServer({}, database);
    try {
      const ttl = (await tombstones.indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
      expect(ttl).toMatchObject([{ key: { forgetAt: 1 }, expireAfterSeconds: 0 }]);
      const [tombstone] = await tombstones.find().toArray();
      expect(tombstone?.forgetAt - deletedAt.getTime()).toBe(90 * 24 * HOUR_MS);
    } finally {
      await server.close();
    }
  });
});

describe('hardening, item 2: a slow submission that does not find its app', () => {
  it('is answered 200 when the app was renamed by hand, and nothing is lost', async () => {
    const { sourceAppId, appId } = await fill();
    const { status } = await submitSlowly(sourceAppId, 'slow@example.org', () =>
      other.db.collection('apps').updateOne({ _id: appId }, { $set: { sourceAppId: `${sourceAppId}-renamed` } }),
    );
    expect(status).toBe(200);
    expect(await left(appId)).toEqual({ users: RECORDS + 2, schemas: 2 });
    await submitTo(other, `${sourceAppId}-renamed`, 'after@example.org').expect(200);
  });

  it('is answered 503 when a restore dropped the apps, and nothing is lost', async () => {
    const { sourceAppId, appId } = await fill();
    const { app } = await dump(appId);
    const { status } = await submitSlowly(sourceAppId, 'slow@example.org', () =>
      other.db.collection('apps').deleteOne({ _id: appId }),
    );
    expect(status).toBe(503);
    expect(await left(appId)).toEqual({ users: RECORDS + 2, schemas: 2 });
    await other.db.collection('apps').insertOne(app);
    await submitTo(slow, sourceAppId, 'slow@example.org').expect(200);
    expect(await left(appId)).toEqual({ users: RECORDS + 2, schemas: 2 });
  });

  it('is answered 400 when the app was deleted and created again, and leaves no record', async () => {
    const { sourceAppId, appId } = await fill();
    const { status } = await submitSlowly(sourceAppId, 'slow@example.org', async () => {
      await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
      await other.admin.post('/auth/apps', { sourceAppId }).expect(200);
    });
    expect(status).toBe(400);
    expect(await left(appId)).toEqual({ users: 0, schemas: 0 });
    expect(await count('users', { sourceAppId })).toBe(0);
  });

  it('takes back its own record only: what a restore brought meanwhile stays', async () => {
    const { sourceAppId, appId } = await fill(new Date(Date.now() - HOUR_MS));
    let users: mongo.Document[] = [];
    const { status } = await submitSlowly(sourceAppId, 'slow@example.org', async () => {
      ({ users } = await dump(appId));
      await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
      await other.db.collection('users').insertMany(users);
    });
    expect(status).toBe(400);
    expect(await other.db.collection('users').find({ appId }).toArray()).toEqual(users);
  });

  it('a schema PUT whose app is renamed or dropped meanwhile removes no version', async () => {
    for (const [name, change, status] of [
      ['renamed', { $set: { sourceAppId: `renamed-${Date.now()}` } }, 200],
      ['dropped', undefined, 503],
    ] as const) {
      const { sourceAppId, appId } = await fill();
      const putting = slow.admin.putSchema(sourceAppId, { fields: [] }).then((answer) => answer);
      await expect.poll(() => count('schema_versions', { appId }), { interval: 5 }).toBe(3);
      if (change) await other.db.collection('apps').updateOne({ _id: appId }, change);
      else await other.db.collection('apps').deleteOne({ _id: appId });
      expect({ name, status: (await putting).status }).toEqual({ name, status });
      expect(await left(appId)).toEqual({ users: RECORDS, schemas: 3 });
    }
  });
});
