// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { rounds } from '../support/run/rounds.ts';
import type { Client } from '../support/server/client.ts';
import { databaseUri } from '../support/server/process.ts';
import { send } from './load.ts';
import { inspect } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const ROUNDS = rounds(200, 6);
const WRITERS = 8;
/** A busy machine takes seconds to hash the password of an app and to delete it. */
const TIMEOUT_MS = 840_000;
const MONGODB_URI = databaseUri(randomName());

let servers: [Service, Service];
let admins: [Client, Client];
beforeAll(async () => {
  const create = async () => (await Service.create({ MONGODB_URI })).start();
  servers = [await create(), await create()];
  admins = [await servers[0].admin(), await servers[1].admin()];
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

/** Alternates which server changes the app and which one must notice. */
const inTurn = <T>([a, b]: [T, T], round: number): [changing: T, other: T] => (round % 2 === 0 ? [a, b] : [b, a]);

const submitTo = (server: Service, sourceAppId: string, email: string, value: unknown) =>
  send(`${server.url}/v1/users`, {
    method: 'POST',
    headers: { 'x-app-id': sourceAppId },
    body: { email, data: { value } },
  });

/**
 * Submits to both servers continuously; `stop` resolves with all statuses when nothing is in
 * flight.
 */
function keepSubmitting(sourceAppId: () => string, value: (sent: number) => unknown) {
  const statuses = new Set<number>();
  let stopped = false;
  let sent = 0;
  const run = async (server: Service | undefined) => {
    while (server && !stopped) {
      sent += 1;
      const { status } = await submitTo(server, sourceAppId(), `u${sent % 20}@example.org`, value(sent));
      statuses.add(status);
    }
  };
  const running = Promise.all(Array.from({ length: WRITERS }, (_, index) => run(servers[index % 2])));
  return {
    async stop() {
      stopped = true;
      await running;
      return [...statuses].sort();
    },
  };
}

describe('two servers under load', { timeout: TIMEOUT_MS }, () => {
  it(`keep no document of an app after its DELETE has answered, in ${ROUNDS} deletions (invariant 5)`, async () => {
    let current = '';
    const appIds: unknown[] = [];
    const names = Array.from({ length: ROUNDS }, (_, round) => `short-lived-${round}`);
    await createAll(names);
    const load = keepSubmitting(
      () => current,
      (sent) => `text ${sent}`,
    );
    await inspect(MONGODB_URI, async (db) => {
      const left = async (filter: object) => ({
        users: await db.collection('users').countDocuments(filter),
        schemas: await db.collection('schema_versions').countDocuments(filter),
      });
      for (const [round, sourceAppId] of names.entries()) {
        const [changing, other] = inTurn(admins, round);
        const app = await db.collection('apps').findOne({ sourceAppId });
        appIds.push(app?._id);
        current = sourceAppId;
        while ((await db.collection('users').countDocuments({ appId: app?._id })) === 0) await sleep(1);
        const { body } = await changing.delete(`/auth/apps/${sourceAppId}`).expect(200);
        expect(body.deletedUsers).toBeGreaterThan(0);
        expect({ round, ...(await left({ appId: app?._id })) }).toEqual({ round, users: 0, schemas: 0 });
        await other.submit(sourceAppId, { email: 'late@example.org' }).expect(400);
        if (round % 20 === 19) logProgress(`${round + 1} of ${ROUNDS} deletes`);
      }
      const statuses = await load.stop();
      expect(statuses.filter((status) => ![200, 400, 503].includes(status))).toEqual([]);
      expect(await left({ appId: { $in: appIds } })).toEqual({ users: 0, schemas: 0 });
      const existing = await db.collection('apps').distinct('_id');
      expect(await left({ appId: { $nin: existing } })).toEqual({ users: 0, schemas: 0 });
    });
  });

  it(`accept no submission under a replaced schema and store no record that violates its version, in ${ROUNDS} schema PUTs (invariant 4)`, async () => {
    // Odd versions expect a number, even ones a text.
    const kindOf = (version: number) => (version % 2 === 1 ? 'number' : 'text');
    const sampleOf = (version: number) => (version % 2 === 1 ? version : `text ${version}`);
    await createAll(['flipping']);
    const load = keepSubmitting(() => 'flipping', sampleOf);
    for (let version = 2; version <= ROUNDS + 1; version += 1) {
      const [changing, other] = inTurn(admins, version);
      const field = { key: 'value', kind: kindOf(version), required: true } as const;
      const { body } = await changing.putSchema('flipping', { fields: [field] }).expect(200);
      expect(body.version).toBe(version);
      const [old, current] = await Promise.all([
        other.submit('flipping', { email: `old-${version}@example.org`, data: { value: sampleOf(version - 1) } }),
        other.submit('flipping', { email: 'fresh@example.org', data: { value: sampleOf(version) } }),
      ]);
      expect({ version, old: old.status, current: current.status }).toEqual({ version, old: 400, current: 200 });
      if (version % 20 === 0) logProgress(`${version} of ${ROUNDS} schema PUTs`);
    }
    const statuses = await load.stop();
    expect(statuses.filter((status) => ![200, 400, 503].includes(status))).toEqual([]);
    await inspect(MONGODB_URI, async (db) => {
      const records = await db.collection('users').find({ sourceAppId: 'flipping' }).toArray();
      expect(records.length).toBeGreaterThan(1);
      // The default schema, version 1, does not define the field, so it accepts any value.
      const checked = records.filter(({ schemaVersion }) => schemaVersion > 1);
      const invalid = checked.filter(
        ({ schemaVersion, data }) => typeof data.value !== (kindOf(schemaVersion) === 'number' ? 'number' : 'string'),
      );
      expect(invalid).toEqual([]);
      expect(records.filter(({ email }) => email.startsWith('old-'))).toEqual([]);
    });
  });
});

/** Creates the apps before the rounds, two at a time: the password hash makes each one slow. */
async function createAll(names: readonly string[]): Promise<void> {
  const waiting = [...names];
  const create = async (admin: Client) => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      await admin.post('/auth/apps', { sourceAppId: name }).expect(200);
    }
  };
  await Promise.all(admins.map(create));
}
