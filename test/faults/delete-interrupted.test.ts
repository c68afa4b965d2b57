import { setTimeout as sleep } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseUri } from '../support/process.ts';
import { randomName } from '../support/server.ts';
import { send } from './load.ts';
import { inspect } from './mongod.ts';
import { Service } from './service.ts';

/** Several steps of a removal, so that a kill can come between them. */
const RECORDS = 10_000;
const MONGODB_URI = databaseUri(randomName());

let service: Service;
beforeAll(async () => {
  service = await (await Service.create({ MONGODB_URI })).start();
});
afterAll(() => service.stop());

/** An app with many records and a session; returns the id of its life. */
async function fill(sourceAppId: string): Promise<mongo.ObjectId> {
  const password = await service.createApp(sourceAppId);
  await send(`${service.url}/auth/login`, { method: 'POST', body: { sourceAppId, password } });
  return inspect(MONGODB_URI, async (db) => {
    const app = await db.collection('apps').findOne({ sourceAppId });
    const appId = app?._id as mongo.ObjectId;
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

/** How much is left of a life of an app. */
async function left(db: mongo.Db, appId: mongo.ObjectId) {
  return {
    apps: await db.collection('apps').countDocuments({ _id: appId }),
    users: await db.collection('users').countDocuments({ appId }),
    schemas: await db.collection('schema_versions').countDocuments({ appId }),
    sessions: await db.collection('sessions').countDocuments({ 'session.appId': appId.toHexString() }),
  };
}

describe('fault 9: a kill -9 in the middle of a delete is made good at the next start', () => {
  it.each([
    ['when the app was marked', async (db: mongo.Db, appId: mongo.ObjectId) => (await appOf(db, appId))?.deletingSince],
    [
      'when some of its records were removed',
      async (db: mongo.Db, appId: mongo.ObjectId) => (await left(db, appId)).users < RECORDS,
    ],
  ] as const)('%s', async (moment, hasCome) => {
    const sourceAppId = `gone-${moment.length}`;
    const appId = await fill(sourceAppId);
    const admin = await service.admin();
    await inspect(MONGODB_URI, async (db) => {
      const deleting = admin.delete(`/auth/apps/${sourceAppId}`).then(
        ({ status }) => status,
        () => 0,
      );
      while (!(await hasCome(db, appId))) await sleep(1);
      await service.kill();
      expect(await deleting, 'the delete was not quicker than the kill').toBe(0);
      expect((await left(db, appId)).apps).toBe(1);

      await service.start();
      expect(await left(db, appId)).toEqual({ apps: 0, users: 0, schemas: 0, sessions: 0 });
      // The name is free again, and its new life sees nothing of the old one.
      await service.createApp(sourceAppId);
    });
  });
});

function appOf(db: mongo.Db, _id: mongo.ObjectId) {
  return db.collection('apps').findOne({ _id });
}
