// @module-tag long
// @module-tag fault

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { databaseUri } from '../support/server/process.ts';
import { Ledger } from './ledger.ts';
import { send } from './load.ts';
import { inspect } from './mongod.ts';
import { Service } from './service.ts';

const SUBMISSIONS = 200;

describe('two servers that start on one empty database', () => {
  const MONGODB_URI = databaseUri(randomName());
  let servers: Service[];
  beforeAll(async () => {
    servers = await Promise.all([Service.create({ MONGODB_URI }), Service.create({ MONGODB_URI })]);
    // Concurrently, so that both create the indexes and both look for an admin app.
    await Promise.all(servers.map((server) => server.start()));
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  it('create one admin app and the unique indexes (invariant 2)', async () => {
    await inspect(MONGODB_URI, async (db) => {
      const apps = await db.collection('apps').find().toArray();
      expect(apps.map(({ sourceAppId, role }) => ({ sourceAppId, role }))).toEqual([
        { sourceAppId: 'admin', role: 'admin' },
      ]);
      // The first version of the stored admin app; the server that lost the race leaves none.
      expect(await db.collection('schema_versions').countDocuments()).toBe(1);
      const unique = async (name: string) =>
        (await db.collection(name).indexes()).filter((index) => index.unique).map(({ key }) => key);
      expect(await unique('apps')).toEqual([{ sourceAppId: 1 }]);
      expect(await unique('schema_versions')).toEqual([{ appId: 1, version: -1 }]);
      expect(await unique('users')).toEqual([{ appId: 1, email: 1 }]);
    });
    for (const server of servers) await server.admin();
  });

  it(`store ${SUBMISSIONS} concurrent first submissions of one email as one record with every item (invariants 2 and 3)`, async () => {
    await servers[0]?.createApp('forms');
    const ledger = new Ledger();
    const submitOne = async (server: Service | undefined, number: number) => {
      const { status, ms, text } = await send(`${server?.url}/v1/users`, {
        method: 'POST',
        headers: { 'x-app-id': 'forms' },
        body: { email: 'one@example.org', data: { items: [number] } },
      });
      ledger.record(number, status, ms);
      return { status, id: JSON.parse(text).id };
    };
    const answers = await Promise.all(
      Array.from({ length: SUBMISSIONS }, (_, index) => submitOne(servers[index % 2], ledger.open())),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(1);
    await inspect(MONGODB_URI, async (db) => {
      expect(await db.collection('users').countDocuments({ email: 'one@example.org' })).toBe(1);
      expect(await ledger.audit(db.collection('users'))).toMatchObject({
        acknowledged: SUBMISSIONS,
        lost: [],
        twice: [],
        invented: [],
      });
    });
  });
});
