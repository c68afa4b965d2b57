import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Connection, connectDatabase } from '../../src/database/connect.ts';
import { onNewPrimary } from '../../src/database/primary-watch.ts';
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
  onNewPrimary(connection, () => elections.push(written));
  const primary = await set.primary();
  for (written = 1; written <= 3; written += 1) {
    await primary.ask((admin) => admin.command({ replSetStepDown: 1, force: true }));
    await write();
    expect(elections.filter((before) => before === written)).toHaveLength(1);
    await write();
  }
  expect(elections).toEqual([1, 2, 3]);
});
