// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Connection, connectDatabase, monitorPrimary } from '../../src/platform/database/client.ts';
import { FULL_LEASES, startServer } from '../support/server/server.ts';
import { type ReplicaSet, startReplicaSet } from './mongod.ts';

let set: ReplicaSet;
let connection: Connection;
beforeAll(async () => {
  set = await startReplicaSet(1);
  connection = await connectDatabase(set.uri);
});
afterAll(async () => {
  await connection.close();
  await set.stop();
});

const write = () => connection.getClient().db().collection('any').insertOne({});

it('reports each election before the first operation on the elected primary, also when it is the same member', async () => {
  const elections: number[] = [];
  let written = 0;
  monitorPrimary(connection, () => elections.push(written));
  const primary = await set.primary();
  for (written = 1; written <= 3; written += 1) {
    await primary.ask((admin) => admin.command({ replSetStepDown: 1, force: true }));
    await write();
    expect(elections.filter((election) => election === written)).toHaveLength(1);
    await write();
  }
  expect(elections).toEqual([1, 2, 3]);
});

it('does not acknowledge a submission that was validated before a change of primary, when its schema was replaced since (invariant 4)', async () => {
  const server = await startServer({ MONGODB_URI: set.uri }, undefined, FULL_LEASES);
  const other = await startServer({ MONGODB_URI: set.uri }, server.database, FULL_LEASES);
  try {
    const { sourceAppId } = await server.admin.buildApp();
    const primary = await set.primary();
    // The write blocks on the old primary until the step-down interrupts it; then the driver
    // retries it on the new primary.
    await primary.ask((admin) =>
      admin.command({
        configureFailPoint: 'failCommand',
        mode: { times: 1 },
        data: { failCommands: ['insert'], blockConnection: true, blockTimeMS: 2_000 },
      }),
    );
    const submission = server.client
      .submit(sourceAppId, { email: 'late@example.org', data: { name: 'Ada' } })
      .then((answer) => answer);
    await sleep(50);
    await other.admin.putSchema(sourceAppId, { fields: [{ key: 'name', kind: 'number' }] }).expect(200);
    await primary.ask((admin) => admin.command({ replSetStepDown: 1, force: true }));
    const { status, body } = await submission;
    // The record was written. A 503 leaves open whether it was; any other refusal would deny it.
    expect(await server.db.collection('users').countDocuments({ email: 'late@example.org' })).toBe(1);
    expect({ status, message: body.message }).toEqual({ status: 503, message: expect.stringContaining('database') });
  } finally {
    await other.close();
    await server.close();
  }
});
