// @module-tag fault

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { DataDir } from './data-dir.ts';
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
    await load.stop();
    expect({ isRunning: service.isRunning, pid: service.pid }).toEqual({ isRunning: true, pid });
    const audit = await inspect(uri, (db) => ledger.audit(db.collection('users')));
    logProgress(`disk full: ${summary(audit)}`);
    expect(audit).toMatchObject({ lost: [], twice: [], invented: [] });
    expect([...ledger.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  } finally {
    await service.stop();
  }
});
