// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import bcrypt from 'bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { rounds } from '../support/run/rounds.ts';
import { Client } from '../support/server/client.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

/** Rounds wait for leases, so many rounds exceed the default test timeout. */
const ROUNDS_TIMEOUT_MS = 120_000;
const POLL = { timeout: 30_000 };

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, FULL_LEASES);
  b = await startServer({}, a.database, FULL_LEASES);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

/** Alternates the servers, so that each one makes changes and each one must observe them. */
const alternate = (round: number): [changing: TestServer, other: TestServer] => (round % 2 === 0 ? [a, b] : [b, a]);

/**
 * Submits to both servers without pause. `stop` resolves with the distinct response statuses when
 * no request is in flight.
 */
function keepSubmitting(sourceAppId: string, data: object) {
  let stopped = false;
  let sent = 0;
  const run = async ({ client }: TestServer) => {
    const statuses = new Set<number>();
    while (!stopped) {
      sent += 1;
      statuses.add((await client.submit(sourceAppId, { email: `u${sent % 50}@x.org`, data })).status);
    }
    return [...statuses];
  };
  const running = Promise.all([a, b, a, b].map(run));
  return {
    async stop() {
      stopped = true;
      return new Set((await running).flat());
    },
  };
}

it(
  'invariant 2: stores one record with all items for concurrent first submissions of one email',
  async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const items = Array.from({ length: 8 }, (_, item) => item);
    for (let round = 0; round < rounds(30, 10); round += 1) {
      const email = `u${round}@x.org`;
      const answers = await Promise.all(
        items.map((item) => alternate(item)[0].client.submit(sourceAppId, { email, data: { list: [item] } })),
      );
      expect(answers.map(({ status }) => status)).toEqual(items.map(() => 200));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(new Set(answers.map(({ body }) => body.createdAt)).size).toBe(1);
      const stored = await a.db.collection('users').find({ sourceAppId, email }).toArray();
      expect(stored).toHaveLength(1);
      const values = stored[0]?.data.list.map(({ value }: { value: number }) => value);
      expect(values.sort()).toEqual(items);
    }
  },
  ROUNDS_TIMEOUT_MS,
);

it(
  'invariant 4: validates with the new schema on every server after the response to a schema PUT',
  async () => {
    const versions: { field: FieldDefinitionInput; value: unknown }[] = [
      { field: { key: 'field', kind: 'text' }, value: 'text' },
      { field: { key: 'field', kind: 'number' }, value: 7 },
    ];
    const { sourceAppId } = await a.admin.buildApp();
    const load = keepSubmitting(sourceAppId, { field: 'text' });
    for (let round = 0; round < rounds(20, 8); round += 1) {
      const [changing, other] = alternate(round);
      const [now, before] = round % 4 < 2 ? versions : versions.toReversed();
      const put = await changing.admin.putSchema(sourceAppId, { fields: now ? [now.field] : [] }).expect(200);
      const submit = (value: unknown, email: string) =>
        other.client.submit(sourceAppId, { email, data: { field: value } });
      const [old, fresh] = await Promise.all([submit(before?.value, 'old@x.org'), submit(now?.value, 'new@x.org')]);
      expect({ round, status: old.status }).toEqual({ round, status: 400 });
      expect({ round, status: fresh.status }).toEqual({ round, status: 200 });
      const schema = await other.client.get('/v1/schema').set('x-app-id', sourceAppId).expect(200);
      expect(schema.body).toEqual(put.body);
    }
    for (const status of await load.stop()) expect([200, 400]).toContain(status);
    const stored = await a.db.collection('users').find({ sourceAppId, email: 'old@x.org' }).toArray();
    expect(stored).toEqual([]);
  },
  ROUNDS_TIMEOUT_MS,
);

describe('invariant 5', () => {
  it(
    'deletes all data of an app despite submissions in flight on both servers; a re-created app starts empty',
    async () => {
      const deletedIds: unknown[] = [];
      const remaining = async () => {
        const counted = ['users', 'schema_versions'].map((name) =>
          a.db.collection(name).countDocuments({ appId: { $in: deletedIds } }),
        );
        const sessions = a.db
          .collection('sessions')
          .countDocuments({ 'session.appId': { $in: deletedIds.map(String) } });
        return Promise.all([...counted, sessions]);
      };
      for (let round = 0; round < rounds(15, 6); round += 1) {
        const [changing, other] = alternate(round);
        const sourceAppId = `reborn-${round % 3}`;
        const { body: app } = await changing.admin.post('/auth/apps', { sourceAppId }).expect(200);
        const session = await new Client(other.client.url).logIn(sourceAppId, app.password);
        deletedIds.push((await a.db.collection('apps').findOne({ sourceAppId }))?._id);

        // The new app has no data of the deleted app with the same id.
        expect((await session.get('/auth/users').expect(200)).body).toEqual({ users: [] });
        expect((await other.client.get('/v1/schema').set('x-app-id', sourceAppId).expect(200)).body.version).toBe(1);

        const load = keepSubmitting(sourceAppId, { name: 'Ada' });
        const concurrent = [
          other.admin.putSchema(sourceAppId, { fields: [{ key: 'name', kind: 'text' }] }),
          new Client(other.client.url).post('/auth/login', { sourceAppId, password: app.password }),
        ];
        await expect.poll(() => a.db.collection('users').countDocuments({ sourceAppId }), POLL).toBeGreaterThan(0);
        const { body } = await changing.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
        expect(body.deletedUsers).toBeGreaterThan(0);
        expect(await remaining()).toEqual([0, 0, 0]);
        await other.client.submit(sourceAppId, { email: 'late@x.org' }).expect(400);
        await session.get('/auth/session').expect(401);
        await session.post('/auth/login', { sourceAppId, password: app.password }).expect(401);

        for (const { status } of await Promise.all(concurrent)) expect([200, 401, 404]).toContain(status);
        for (const status of await load.stop()) expect([200, 400]).toContain(status);
        expect(await remaining()).toEqual([0, 0, 0]);
      }
    },
    ROUNDS_TIMEOUT_MS,
  );

  it('refuses a log-in that is in flight when its app is deleted and leaves no session', async () => {
    const { sourceAppId, password } = await a.admin.buildApp();
    const apps = a.db.collection('apps');
    // Slower than the deletion, like a hash of the default cost on a busy machine.
    const slow = await bcrypt.hash(password, 13);
    const app = await apps.findOneAndUpdate({ sourceAppId }, { $set: { passwordHash: slow } });
    const loggingIn = new Client(b.client.url)
      .post('/auth/login', { sourceAppId, password })
      .then((response) => response);
    await sleep(50); // the server has read the app and computes the hash
    await a.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    const { status, headers } = await loggingIn;
    // 503: the hash takes longer than the time limit of a request.
    expect([401, 503]).toContain(status);
    expect(headers['set-cookie']?.[0] ?? 'sid=;').toMatch(/^sid=;/);
    await expect
      .poll(() => a.db.collection('sessions').countDocuments({ 'session.appId': String(app?._id) }), POLL)
      .toBe(0);
  });
});
