import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { type Mongod, type ReplicaSet, startReplicaSet } from './mongod.ts';

let set: ReplicaSet;
let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  set = await startReplicaSet(3);
  a = await startServer({ MONGODB_URI: set.uri });
  b = await startServer({ MONGODB_URI: set.uri }, a.database);
});
afterAll(async () => {
  await b.close();
  await a.close();
  await set.stop();
});

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

    // Both at the end of their replication: what is written from here on stays with the primary.
    for (const secondary of secondaries) secondary.signal('SIGSTOP');
    await writeToPrimaryOnly(primary, sourceAppId);
    // The first time that B reads this app. What it sees may be rolled back, so it does not go by it.
    expect(await submit('a text')).toBe(503);
    await b.client.get('/v1/schema').set('x-app-id', sourceAppId).expect(503);

    await primary.kill();
    for (const secondary of secondaries) secondary.signal('SIGCONT');
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
