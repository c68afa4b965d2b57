import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseUri } from '../support/process.ts';
import { randomName } from '../support/server.ts';
import { Ledger } from './ledger.ts';
import { send } from './load.ts';
import { inspect } from './mongod.ts';
import { Service } from './service.ts';

const AT_ONCE = 200;

describe('fault 7: two servers on one empty database', () => {
  const MONGODB_URI = databaseUri(randomName());
  let servers: Service[];
  beforeAll(async () => {
    servers = await Promise.all([Service.create({ MONGODB_URI }), Service.create({ MONGODB_URI })]);
    // At once: both make the indexes, and both look for an admin app.
    await Promise.all(servers.map((server) => server.start()));
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  it('started at once: one admin app, and every index that the promises rest on', async () => {
    await inspect(MONGODB_URI, async (db) => {
      const apps = await db.collection('apps').find().toArray();
      expect(apps.map(({ sourceAppId, role }) => ({ sourceAppId, role }))).toEqual([
        { sourceAppId: 'admin', role: 'admin' },
      ]);
      // The admin app's own first version, and none of the one that lost the race.
      expect(await db.collection('schema_versions').countDocuments()).toBe(1);
      const unique = async (name: string) =>
        (await db.collection(name).indexes()).filter((index) => index.unique).map(({ key }) => key);
      expect(await unique('apps')).toEqual([{ sourceAppId: 1 }]);
      expect(await unique('schema_versions')).toEqual([{ appId: 1, version: -1 }]);
      expect(await unique('users')).toEqual([{ appId: 1, email: 1 }]);
    });
    for (const server of servers) await server.admin();
  });

  it(`${AT_ONCE} first submissions of one email at once: one record, all items`, async () => {
    await servers[0]?.createApp('forms');
    const ledger = new Ledger();
    const submitOne = async (server: Service | undefined, number: number) => {
      const { status, ms, text } = await send(`${server?.url}/v1/users`, {
        method: 'POST',
        headers: { 'x-app-id': 'forms' },
        body: { email: 'one@example.org', data: { items: [number] } },
      });
      ledger.note(number, status, ms);
      return { status, id: JSON.parse(text).id };
    };
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => submitOne(servers[index % 2], ledger.open())),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(1);
    await inspect(MONGODB_URI, async (db) => {
      expect(await db.collection('users').countDocuments({ email: 'one@example.org' })).toBe(1);
      expect(await ledger.audit(db.collection('users'))).toMatchObject({
        acknowledged: AT_ONCE,
        lost: [],
        twice: [],
        invented: [],
      });
    });
  });
});
