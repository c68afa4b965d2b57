// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { type Mongod, type ReplicaSet, startReplicaSet } from './mongod.ts';

const FAIL_POINT = 'stopReplProducer';

let set: ReplicaSet;
let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  set = await startReplicaSet(3);
  // One seed address; the driver discovers the other members.
  const uri = set.uri.replace(/,[^/]+/, '');
  a = await startServer({ MONGODB_URI: uri }, undefined, FULL_LEASES);
  b = await startServer({ MONGODB_URI: uri }, a.database, FULL_LEASES);
});
afterAll(async () => {
  await b.close();
  await a.close();
  await set.stop();
});

/**
 * Stops the replication of a secondary, which still answers and votes. SIGSTOP does not serve here:
 * what the primary has sent meanwhile stays in the socket, and is applied later.
 */
async function stopReplication(secondary: Mongod): Promise<void> {
  const stopped = await secondary.ask(async (admin) => {
    const { count } = await admin.command({ configureFailPoint: FAIL_POINT, mode: 'alwaysOn' });
    return admin.command({ waitForFailPoint: FAIL_POINT, timesEntered: count + 1, maxTimeMS: 10_000 });
  });
  expect(stopped?.ok).toBe(1);
}

/** Resumes the replication of a secondary. */
async function resumeReplication(secondary: Mongod): Promise<void> {
  await secondary.ask((admin) => admin.command({ configureFailPoint: FAIL_POINT, mode: 'off' }));
}

/** Writes a version 3 to the primary only, like a PUT that is never acknowledged. */
async function writeToPrimaryOnly(primary: Mongod, sourceAppId: string): Promise<void> {
  const app = await a.db.collection('apps').findOne({ sourceAppId });
  const client = new MongoClient(primary.uri, { writeConcern: { w: 1 } });
  try {
    const fields = [{ key: 'value', label: 'Value', kind: 'text', required: true }];
    const version = { appId: app?._id, version: 3, rejectUnknown: true, fields, createdAt: new Date() };
    await client.db(a.database).collection('schema_versions').insertOne(version);
  } finally {
    await client.close();
  }
}

describe('a schema version that is rolled back (decision 4, invariant 4)', () => {
  it('is never used, and a later version with the same number is enforced at once on every server', async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [{ key: 'value', kind: 'checkbox' }] });
    const submit = (value: unknown) =>
      b.client.submit(sourceAppId, { email: 'ada@example.org', data: { value } }).then(({ status }) => status);
    const primary = await set.primary();
    const secondaries = set.members.filter((member) => member !== primary);

    await Promise.all(secondaries.map(stopReplication));
    await writeToPrimaryOnly(primary, sourceAppId);
    // Server B reads this app for the first time. The version may be rolled back, so it refuses.
    const beforeRollback = await b.client.get('/v1/schema').set('x-app-id', sourceAppId);
    expect.soft(beforeRollback.status).toBe(503);

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
