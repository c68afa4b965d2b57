// @module-tag fault

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { DataDir } from './data-dir.ts';
import { startFileLoad } from './file-load.ts';
import { Ledger, summary } from './ledger.ts';
import { send, startLoad, submit, untilServed } from './load.ts';
import { inspect } from './mongod.ts';
import { logProgress, Service } from './service.ts';
import { createSmallDisk } from './small-disk.ts';

const FULL_MS = 10_000;

const disk = await createSmallDisk();
afterAll(() => disk.remove());

it(`answers 503, keeps running and keeps every acknowledged write while the disk of the embedded database is full (${disk.kind}; invariant 1)`, async () => {
  const dataDir = new DataDir(join(disk.path, 'data'));
  const service = await (await Service.create({ DATA_DIR: dataDir.path })).start();
  const { pid } = service;
  const uri = await dataDir.uri();
  const ledger = new Ledger();
  try {
    await service.createApp('forms');
    await service.createApp('files');
    const cv = { key: 'cv', kind: 'file' as const, types: ['txt' as const] };
    await (await service.admin()).putSchema('files', { fields: [cv] }).expect(200);
    const cookie = await service.cookie();
    const files = startFileLoad({ urls: [service.url], sourceAppId: 'files', field: 'cv', writers: 2, cookie });
    const load = startLoad({ urls: [service.url], sourceAppId: 'forms', ledger, rate: 100 });
    await sleep(2_000);
    // A checkpoint makes mongod notice the full disk at once instead of after about a minute. Each
    // one also frees some space, because it removes journal files.
    const checkpoint = () => inspect(uri, (db) => db.admin().command({ fsync: 1 }), 1_000).catch(() => undefined);
    const mongods = new Set<number>();
    for (const end = performance.now() + FULL_MS; performance.now() < end || mongods.size < 2; await sleep(100)) {
      const mongodPid = await dataDir.mongodPid();
      if (mongodPid > 0) mongods.add(mongodPid);
      await disk.fill(mongodPid);
      await checkpoint();
      expect((await send(`${service.url}/health`)).status).toBe(200);
    }
    logProgress(`disk full: mongod ended and was restarted ${mongods.size - 1} times`);

    await disk.free();
    const served = await untilServed(() => submit(service.url, 'forms', ledger.open()));
    logProgress(`disk free: served again after ${Math.round(served)} ms`);
    await Promise.all([load.stop(), files.stop()]);
    expect({ isRunning: service.isRunning, pid: service.pid }).toEqual({ isRunning: true, pid });
    const audit = await inspect(uri, (db) => ledger.audit(db.collection('users')));
    logProgress(`disk full: ${summary(audit)}`);
    expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
    expect([...ledger.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    logProgress(JSON.stringify(files.counts));
    expect(files.unexpected).toEqual([]);
    await inspect(uri, async (db) => {
      expect(await files.audit(db)).toEqual([]);
      // As if hours had passed: what arrived in part is gone, and so is what nothing names.
      await expect.poll(() => files.countUnnamed(db), { timeout: 60_000, interval: 500 }).toBe(0);
    });
  } finally {
    await service.stop();
  }
});
