// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { databaseUri } from '../support/server/process.ts';
import { send } from './load.ts';
import { inspect } from './mongod.ts';
import { Service } from './service.ts';

/** Enough for several batches of the removal, so that the kill happens between two of them. */
const RECORDS = 10_000;
const MONGODB_URI = databaseUri(randomName());

let service: Service;
beforeAll(async () => {
  service = await (await Service.create({ MONGODB_URI })).start();
});
afterAll(() => service.stop());

/** Creates an app with `RECORDS` records and a session; resolves with the app's `_id`. */
async function createFilledApp(sourceAppId: string): Promise<ObjectId> {
  const password = await service.createApp(sourceAppId);
  await send(`${service.url}/auth/login`, { method: 'POST', body: { sourceAppId, password } });
  return inspect(MONGODB_URI, async (db) => {
    const app = await db.collection('apps').findOne({ sourceAppId });
    const appId = app?._id as ObjectId;
    const now = new Date();
    await db.collection('users').insertMany(
      Array.from({ length: RECORDS }, (_, index) => ({
        appId,
        sourceAppId,
        email: `person-${index}@example.org`,
        data: {},
        schemaVersion: 1,
        createdAt: now,
        updatedAt: now,
      })),
    );
    return appId;
  });
}

/** Counts the documents of an app in each collection. */
async function countLeft(db: Db, appId: ObjectId) {
  return {
    apps: await db.collection('apps').countDocuments({ _id: appId }),
    users: await db.collection('users').countDocuments({ appId }),
    schemas: await db.collection('schema_versions').countDocuments({ appId }),
    sessions: await db.collection('sessions').countDocuments({ 'session.appId': appId.toHexString() }),
  };
}

describe('the next start completes a deletion that kill -9 interrupted (invariant 5)', () => {
  it.each([
    ['after the app was marked', async (db: Db, appId: ObjectId) => (await appOf(db, appId))?.deletingSince],
    [
      'after some records were removed',
      async (db: Db, appId: ObjectId) => (await countLeft(db, appId)).users < RECORDS,
    ],
  ] as const)('%s', async (moment, isReached) => {
    const sourceAppId = `gone-${moment.length}`;
    const appId = await createFilledApp(sourceAppId);
    const admin = await service.admin();
    await inspect(MONGODB_URI, async (db) => {
      const deleting = admin.delete(`/auth/apps/${sourceAppId}`).then(
        ({ status }) => status,
        () => 0,
      );
      while (!(await isReached(db, appId))) await sleep(1);
      await service.kill();
      expect(await deleting, 'the DELETE got no answer before the kill').toBe(0);
      expect((await countLeft(db, appId)).apps).toBe(1);

      await service.start();
      expect(await countLeft(db, appId)).toEqual({ apps: 0, users: 0, schemas: 0, sessions: 0 });
      // The name is free again.
      await service.createApp(sourceAppId);
    });
  });
});

function appOf(db: Db, _id: ObjectId) {
  return db.collection('apps').findOne({ _id });
}
