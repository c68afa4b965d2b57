import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Connection, connectDatabase } from '../../src/database/client.ts';
import { monitorPrimary } from '../../src/database/primary-monitor.ts';
import { startServer } from '../support/server.ts';
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

it('tells of another primary, or the same after another election, before an operation goes to it', async () => {
  const elections: number[] = [];
  let written = 0;
  monitorPrimary(connection, () => elections.push(written));
  const primary = await set.primary();
  for (written = 1; written <= 3; written += 1) {
    await primary.ask((admin) => admin.command({ replSetStepDown: 1, force: true }));
    await write();
    expect(elections.filter((before) => before === written)).toHaveLength(1);
    await write();
  }
  expect(elections).toEqual([1, 2, 3]);
});

it('a submission that was checked before a change of primary, and whose schema was replaced since, is not acknowledged', {
  retry: 1,
}, async () => {
  const server = await startServer({ MONGODB_URI: set.uri });
  const other = await startServer({ MONGODB_URI: set.uri }, server.database);
  try {
    const { sourceAppId } = await server.admin.buildApp();
    const primary = await set.primary();
    // The write waits at the old primary until the step-down interrupts it; the driver then sends it to the new one.
    await primary.ask((admin) =>
      admin.command({
        configureFailPoint: 'failCommand',
        mode: { times: 1 },
        data: { failCommands: ['insert'], blockConnection: true, blockTimeMS: 2_000 },
      }),
    );
    const submitting = server.client
      .submit(sourceAppId, { email: 'late@example.org', data: { name: 'Ada' } })
      .then((answer) => answer);
    await sleep(50);
    await other.admin.putSchema(sourceAppId, { fields: [{ key: 'name', kind: 'number' }] }).expect(200);
    await primary.ask((admin) => admin.command({ replSetStepDown: 1, force: true }));
    const { status, body } = await submitting;
    // It was written, and so its sender may not be told that it was not: 503 says that it is not known.
    expect(await server.db.collection('users').countDocuments({ email: 'late@example.org' })).toBe(1);
    expect({ status, message: body.message }).toEqual({ status: 503, message: expect.stringContaining('database') });
  } finally {
    await other.close();
    await server.close();
  }
});
