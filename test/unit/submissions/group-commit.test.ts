import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBatchedWriter } from '../../../src/core/users/record-writer.ts';
import { createUserModel } from '../../../src/core/users/users.model.ts';
import { type Connection, connectDatabase } from '../../../src/platform/database/client.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { NO_METRICS } from '../../../src/platform/metrics/metrics.ts';
import { startFakeMongos } from '../../support/database/fake-mongos.ts';

let database: Awaited<ReturnType<typeof startFakeMongos>>;
let connection: Connection;
beforeAll(async () => {
  database = await startFakeMongos({
    n: 2,
    writeErrors: [{ index: 1, code: 11_000, errmsg: 'E11000 duplicate key error' }],
    writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication timed out' },
  });
  connection = await connectDatabase(database.uri);
});
afterAll(async () => {
  await connection.close();
  await database.close();
});

it('acknowledges no write of a batch that no majority confirmed, also beside one that failed', async () => {
  const { write } = createBatchedWriter(createUserModel(connection).collection, NO_METRICS);
  const newId = createOrderedIds();
  const insert = (email: string) => {
    const createdAt = new Date();
    const id = newId(createdAt);
    const times = { createdAt, updatedAt: createdAt };
    const record = { _id: id, appId: new ObjectId(), sourceAppId: 'app', email, data: {}, schemaVersion: 1, ...times };
    return write({ kind: 'insert', record, creation: { id, createdAt }, bytes: 100 });
  };
  const results = await Promise.allSettled(['one@x.org', 'known@x.org', 'other@x.org'].map(insert));
  expect(database.sent('insert')).toHaveLength(1);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});
