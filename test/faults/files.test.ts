// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { DataDir } from './data-dir.ts';
import { startFileLoad } from './file-load.ts';
import { inspect } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const ROUNDS = rounds(4, 1);
const WRITERS = 4;
const APP = 'forms';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

it('keeps every acknowledged file and nothing of erased ones, through kill -9 of server and mongod', async () => {
  const dataDir = await DataDir.create();
  cleanups.push(() => dataDir.remove());
  const service = await (await Service.create({ DATA_DIR: dataDir.path })).start();
  cleanups.push(() => service.stop());
  await service.createApp(APP);
  const admin = await service.admin();
  const cv = { key: 'cv', label: 'CV', kind: 'file' as const, required: true, types: ['txt' as const] };
  await admin.putSchema(APP, { fields: [cv] }).expect(200);
  const cookie = await service.cookie();
  const load = startFileLoad({ urls: [service.url], sourceAppId: APP, field: 'cv', writers: WRITERS, cookie });
  for (let round = 0; round < ROUNDS; round += 1) {
    await sleep(3_000);
    await service.kill();
    await service.start();
    await sleep(3_000);
    process.kill(await dataDir.mongodPid(), 'SIGKILL');
    logProgress(JSON.stringify(load.counts));
  }
  await sleep(5_000);
  await load.stop();
  logProgress(JSON.stringify(load.counts));
  expect(load.unexpected).toEqual([]);
  expect(load.counts.erased).toBeGreaterThan(0);
  await inspect(await dataDir.uri(), async (db) => {
    expect(await load.audit(db)).toEqual([]);
    // As if hours had passed: only what a record names is left, in both collections.
    await expect.poll(() => load.countUnnamed(db), { timeout: 60_000, interval: 500 }).toBe(0);
  });
});
