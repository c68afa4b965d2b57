import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../src/core/apps/revision.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, FULL_LEASES);
});
afterAll(() => server.close());

const leaseEnd = () => sleep(LEASE_MS + 20);

describe('The revision (docs/decisions/0004)', () => {
  it('is the only read of apps and schemas on a busy server, at most ten times per second', {
    tags: 'long',
  }, async () => {
    const server = await startServer({}, undefined, FULL_LEASES);
    // Background jobs look for work on their own.
    await server.services.jobs.stop();
    const apps = [await server.admin.buildApp(), await server.admin.buildApp()];
    const submitToAll = async () => {
      for (const { sourceAppId } of apps)
        await server.client.submit(sourceAppId, { email: 'ada@example.com' }).expect(200);
    };
    for (let round = 0; round < 2; round += 1) {
      await submitToAll();
      await leaseEnd();
    }
    await server.db.command({ profile: 2 });
    const startedAt = performance.now();
    while (performance.now() - startedAt < 5 * LEASE_MS) await submitToAll();
    const leases = Math.ceil((performance.now() - startedAt) / LEASE_MS);
    await server.db.command({ profile: 0 });
    const reads = await server.db.collection('system.profile').find({ op: 'query' }).toArray();
    expect(new Set(reads.map(({ ns }) => ns.split('.').at(-1)))).toEqual(new Set(['revisions']));
    expect(reads.length).toBeLessThanOrEqual(leases + 1);
    await server.close();
  });

  it('is bumped by a starting server, which publishes a change whose server crashed before the bump', {
    tags: 'long',
  }, async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'age', kind: 'text' }] });
    const submit = () => server.client.submit(sourceAppId, { email: 'ada@example.com', data: { age: 'ten' } });
    await submit().expect(200);
    await leaseEnd();
    await submit().expect(200);
    // A PUT that was committed, after which the server crashed.
    const versions = server.db.collection('schema_versions');
    const app = await server.db.collection('apps').findOne({ sourceAppId });
    const newest = await versions.findOne({ appId: app?._id }, { sort: { version: -1 }, projection: { _id: 0 } });
    const fields = [{ key: 'age', label: 'Age', kind: 'number', required: false }];
    await versions.insertOne({ ...newest, version: newest?.version + 1, fields });
    await leaseEnd();
    await submit().expect(200);

    const second = await startServer({}, server.database, FULL_LEASES);
    try {
      await leaseEnd();
      await submit().expect(400);
    } finally {
      await second.close();
    }
  });
});
