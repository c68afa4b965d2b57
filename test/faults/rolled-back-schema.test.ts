import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { type Mongod, type ReplicaSet, startReplicaSet } from './mongod.ts';

const FETCHING = 'stopReplProducer';

let set: ReplicaSet;
let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  set = await startReplicaSet(3);
  // One member leads to the others.
  const uri = set.uri.replace(/,[^/]+/, '');
  a = await startServer({ MONGODB_URI: uri });
  b = await startServer({ MONGODB_URI: uri }, a.database);
});
afterAll(async () => {
  await b.close();
  await a.close();
  await set.stop();
});

/**
 * Keeps a secondary from fetching what the primary writes, while it stays a member that answers and votes.
 * A stopped process would not do: what the primary sent it meanwhile waits in its socket.
 */
async function stopReplication(secondary: Mongod): Promise<void> {
  const stopped = await secondary.ask(async (admin) => {
    const { count } = await admin.command({ configureFailPoint: FETCHING, mode: 'alwaysOn' });
    return admin.command({ waitForFailPoint: FETCHING, timesEntered: count + 1, maxTimeMS: 10_000 });
  });
  expect(stopped?.ok).toBe(1);
}

async function resumeReplication(secondary: Mongod): Promise<void> {
  await secondary.ask((admin) => admin.command({ configureFailPoint: FETCHING, mode: 'off' }));
}

/** A version 3 that only the primary has, as a PUT leaves it that is not acknowledged. */
async function writeToPrimaryOnly(primary: Mongod, sourceAppId: string): Promise<void> {
  const app = await a.db.collection('apps').findOne({ sourceAppId });
  const client = new mongo.MongoClient(primary.uri, { writeConcern: { w: 1 } });
  try {
    const fields = [{ key: 'value', label: 'Value', kind: 'text', required: true }];
    const version = { appId: app?._id, version: 3, rejectUnknown: true, fields, createdAt: new Date() };
    await client.db(a.database).collection('schema_versions').insertOne(version);
  } finally {
    await client.close();
  }
}

describe('hardening, item 6: a schema version that is rolled back', () => {
  it('is never relied on, and another one of its number is enforced at once on every server', async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [{ key: 'value', kind: 'checkbox' }] });
    const submit = (value: unknown) =>
      b.client.submit(sourceAppId, { email: 'ada@example.org', data: { value } }).then(({ status }) => status);
    const primary = await set.primary();
    const secondaries = set.members.filter((member) => member !== primary);

    await Promise.all(secondaries.map(stopReplication));
    await writeToPrimaryOnly(primary, sourceAppId);
    // The first time that B reads this app. What it sees may be rolled back, so it does not go by it.
    const early = await b.client.get('/v1/schema').set('x-app-id', sourceAppId);
    expect.soft(early.status).toBe(503);

    await primary.kill();
    await Promise.all(secondaries.map(resumeReplication));
    await set.primary();
    const fields = [{ key: 'value', kind: 'number' as const, required: true }];
    let put = await a.admin.putSchema(sourceAppId, { fields });
    for (let tries = 0; put.status === 503 && tries < 100; tries += 1) {
      await sleep(100);
      put = await a.admin.putSchema(sourceAppId, { fields });
    }
    expect(put.status).toBe(200);
    expect(put.body.version).toBe(3);
    expect(await submit('a text')).toBe(400);
    expect(await submit(7)).toBe(200);
    await primary.start();
  }, 90_000);
});
