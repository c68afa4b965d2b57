// @module-tag long
// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { rounds } from '../support/run/rounds.ts';
import { databaseUri } from '../support/server/process.ts';
import { FULL_LEASES, startServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';
import { send } from './load.ts';
import { inspect } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const ROUNDS = rounds(20, 2);
const WRITERS = 16;
const MONGODB_URI = databaseUri(randomName());

describe('a server that is stopped while an app is deleted and created again (invariant 5)', () => {
  let stopped: Service;
  let other: Service;
  beforeAll(async () => {
    const create = async () => (await Service.create({ MONGODB_URI })).start();
    [stopped, other] = [await create(), await create()];
  });
  afterAll(async () => {
    await stopped.stop();
    await other.stop();
  });

  /**
   * Submits continuously; the returned function ends that, and resolves when nothing is in flight.
   */
  function keepSubmitting(sourceAppId: string) {
    let running = true;
    let sent = 0;
    const write = async () => {
      while (running) {
        sent += 1;
        const body = { email: `u${sent}@example.org`, data: { items: [sent] } };
        await send(`${stopped.url}/v1/users`, { method: 'POST', headers: { 'x-app-id': sourceAppId }, body });
      }
    };
    const writers = Promise.all(Array.from({ length: WRITERS }, write));
    return async () => {
      running = false;
      await writers;
    };
  }

  it(`leaves no record of the deleted app in ${ROUNDS} rounds of SIGSTOP and SIGCONT`, async () => {
    const admin = await other.admin();
    await inspect(MONGODB_URI, async (db) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const sourceAppId = `stopped-${round}`;
        await other.createApp(sourceAppId);
        const old = await db.collection('apps').findOne({ sourceAppId });
        const stop = keepSubmitting(sourceAppId);
        while ((await db.collection('users').countDocuments({ appId: old?._id })) < 20) await sleep(5);
        process.kill(stopped.pid, 'SIGSTOP');
        await admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
        await other.createApp(sourceAppId);
        // In every second round, longer than the time limit of a batch.
        await sleep(round % 2 === 0 ? 100 : 3_500);
        process.kill(stopped.pid, 'SIGCONT');
        await sleep(300);
        await stop();
        // A write that failed may take effect late; the server that sent it removes it then.
        const left = () => db.collection('users').countDocuments({ appId: old?._id });
        await expect.poll(left, { message: `round ${round}` }).toBe(0);
        await admin.submit(sourceAppId, { email: 'new@example.org', data: { items: [1] } }).expect(200);
        if (round % 5 === 4) logProgress(`${round + 1} of ${ROUNDS} rounds`);
      }
      const appIds = await db.collection('apps').distinct('_id');
      expect(await db.collection('users').countDocuments({ appId: { $nin: appIds } })).toBe(0);
    });
  }, 300_000);
});

describe('a write that reaches the database hours after the deletion of its app (invariant 5)', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('is undone, although its request has failed and its record id is as old as a restored one', async () => {
    const { proxy, slow } = await startSlow({}, undefined, FULL_LEASES);
    const other = await startServer({}, slow.database, FULL_LEASES);
    try {
      const { sourceAppId } = await other.admin.buildApp();
      const app = await other.db.collection('apps').findOne({ sourceAppId });
      const count = () => other.db.collection('users').countDocuments({ appId: app?._id });
      await slow.client.submit(sourceAppId, { email: 'warm@example.org' }).expect(200);
      const held = proxy.holdNext('insert', 'users');
      const submitting = slow.client.submit(sourceAppId, { email: 'late@example.org' }).then(({ status }) => status);
      const forward = await held;
      proxy.stall();
      const now = Date.now();
      vi.spyOn(Date, 'now').mockReturnValue(now + 3 * 3_600_000);
      await other.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
      await other.admin.post('/auth/apps', { sourceAppId }).expect(200);
      expect(await submitting).toBe(503);
      // The request times out first, then the batch; only after that does the write arrive.
      await sleep(1_500);
      proxy.restore();
      await forward();
      await expect.poll(count).toBe(0);
    } finally {
      await other.close();
      await slow.close();
    }
  });
});
