// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterEach, expect, it } from 'vitest';
import { appDocument, expectSlotsOfRecords } from '../support/database/index-slots.ts';
import type { Client } from '../support/server/client.ts';
import { Leftovers, runCli } from '../support/server/process.ts';
import { Ledger, summary } from './ledger.ts';
import { startLoad } from './load.ts';
import { startReplicaSet } from './mongod.ts';
import { unpackRelease } from './packed-release.ts';
import { logProgress, Service } from './service.ts';

/** Low, so that log-ins and edits are answered beside it on a busy machine. */
const RATE = 20;
const CITIES = ['Bonn', 'Lima', 'Oslo'];
const FIELDS = [
  { key: 'items', kind: 'array' as const },
  { key: 'city', kind: 'text' as const, indexed: true },
  { key: 'day', kind: 'date' as const, indexed: true },
];

const leftovers = new Leftovers();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const LIMIT_MS = 600_000;
/** A build waits for late writes, 75 s. */
const BUILT_WITHIN_MS = 300_000;

it('a release runs beside the one before it: neither loses or misreads what the other writes', {
  timeout: LIMIT_MS,
}, async () => {
  const folder = await leftovers.folder();
  cleanups.push(() => leftovers.clear());
  const program = unpackRelease(folder);
  const database = await startReplicaSet(1);
  cleanups.push(() => database.stop());
  const env = { MONGODB_URI: database.uri };
  const client = await new MongoClient(database.uri).connect();
  cleanups.push(() => client.close());
  const db = client.db('user-collection');
  const slots = async () =>
    ((await appDocument({ db }, 'forms')).slots ?? []).map(({ id, key, state }) => ({ id: String(id), key, state }));
  const untilReady = () =>
    expect
      .poll(async () => (await slots()).map(({ key, state }) => `${key} ${state}`).sort(), { timeout: BUILT_WITHIN_MS })
      .toEqual(['city ready', 'day ready']);

  const start = async (service: Service): Promise<Service> => {
    cleanups.push(() => service.stop());
    return service.start();
  };
  const earlier = await start(await Service.create(env, program));
  await earlier.createApp('forms');
  await (await earlier.admin()).putSchema('forms', { fields: FIELDS }).expect(200);
  await untilReady();
  const ledger = new Ledger();
  const admins = [await earlier.admin()];
  const load = startLoad({ urls: [earlier.url], sourceAppId: 'forms', ledger, rate: RATE });

  logProgress('the new release starts beside it');
  const first = await start(await Service.create(env));
  await load.stop();
  admins.push(await first.admin());
  const both = startLoad({ urls: [earlier.url, first.url], sourceAppId: 'forms', ledger, rate: RATE });
  const before = await slots();
  await useBoth(admins, 16);
  expect(await slots()).toEqual(before);

  logProgress('the earlier release ends, and is started again');
  const second = await start(await Service.create(env));
  await earlier.stop();
  await both.stop();
  const again = await start(await Service.create(env, program));
  const others = [await again.admin(), await second.admin()];
  const third = startLoad({ urls: [again.url, second.url], sourceAppId: 'forms', ledger, rate: RATE });
  await useBoth(others, 8);
  await again.stop();
  await third.stop();

  logProgress('contraction');
  const last = startLoad({ urls: [first.url, second.url], sourceAppId: 'forms', ledger, rate: RATE });
  expect(await runCli(['migrate', '--contract'], env)).toMatchObject({ code: 0 });
  await useBoth([admins[1], others[1]], 8);
  await untilReady();
  await last.stop();
  await sleep(100);

  await expectSlotsOfRecords({ db }, 'forms');
  const audit = await ledger.audit(db.collection('users'));
  logProgress(summary(audit));
  expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
  expect(audit.acknowledged).toBeGreaterThan(RATE);
  expect(ledger.unexpected).toEqual([]);

  /** What one server writes, the other lists, finds by an index, and edits. */
  async function useBoth(all: readonly (Client | undefined)[], times: number): Promise<void> {
    for (let round = 0; round < times; round += 1) {
      const [writer, reader] = round % 2 === 0 ? all : [...all].reverse();
      if (!writer || !reader) throw new Error('two clients are needed');
      // The job of each release then compares the slots with the schema.
      if (round % 3 === 0) await answered(() => writer.putSchema('forms', { fields: FIELDS }));
      const email = `both-${round}@example.org`;
      const city = `${CITIES[round % CITIES.length]}-${Date.now()}-${round}`;
      const data = { city, day: `2026-03-0${1 + (round % 9)}` };
      await answered(() => writer.post('/v1/users', { email, data }).set('x-app-id', 'forms'));
      const found = await find(reader, city);
      expect(found).toMatchObject([{ email, data }]);
      const path = `/auth/users/${found[0]?.id}?sourceAppId=forms`;
      await answered(() => reader.patch(path, { set: { city: `${city} edited` } }));
      expect(await find(writer, `${city} edited`)).toMatchObject([{ email, data: { city: `${city} edited` } }]);
      expect(await find(writer, city)).toEqual([]);
      await sleep(200);
    }
  }

  async function find(admin: Client, city: string): Promise<{ id: string }[]> {
    const where = encodeURIComponent(`data.city:eq:${city}`);
    const query = `sourceAppId=forms&total=none&where=${where}`;
    return (await answered(() => admin.get(`/auth/users?${query}`))).users;
  }

  /** Repeats a request while the answer is 503: a busy machine answers so. */
  async function answered(request: () => ReturnType<Client['get']>) {
    for (let attempt = 0; ; attempt += 1) {
      const { status, body } = await request();
      if (status === 200) return body;
      expect([status, body, attempt < 100]).toMatchObject([503, {}, true]);
      await sleep(300);
    }
  }
});
