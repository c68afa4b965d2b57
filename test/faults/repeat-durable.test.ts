// @module-tag fault

import { afterEach, expect, it } from 'vitest';
import { Ledger, summary } from './ledger.ts';
import { submit, untilServed } from './load.ts';
import { inspect, type Mongod, type ReplicaSet, startReplicaSet } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Starts or stops the replication of a secondary, which keeps its vote. */
async function setReplication(member: Mongod, on: boolean): Promise<void> {
  const command = { configureFailPoint: 'stopReplProducer', mode: on ? 'off' : 'alwaysOn' };
  await member.until(async (admin) => (await admin.command(command)).ok === 1);
}

async function secondariesOf(set: ReplicaSet): Promise<Mongod[]> {
  const primary = await set.primary();
  return set.members.filter((member) => member !== primary);
}

it('acknowledges a repeat only when the repeated write is durable, so a failover cannot lose it (invariants 1 and 3)', async () => {
  const set = await startReplicaSet(3);
  cleanups.push(() => set.stop());
  const service = await (await Service.create({ MONGODB_URI: set.uri })).start();
  cleanups.push(() => service.stop());
  await service.createApp('forms');

  const ledger = new Ledger();
  const number = ledger.open();
  const send = async () => {
    const answer = await submit(service.url, 'forms', number, 'the-key');
    ledger.record(number, answer.status, answer.ms);
    return answer;
  };
  const primary = await set.primary();
  const secondaries = await secondariesOf(set);
  for (const member of secondaries) await setReplication(member, false);
  // Only the primary has the item, so neither the submission nor its repeat may be acknowledged.
  expect((await send()).status).toBe(503);
  expect((await send()).status).toBe(503);
  await primary.kill();
  for (const member of secondaries) await setReplication(member, true);
  await set.primary();
  await untilServed(send);
  await primary.start();
  const audit = await inspect(set.uri, (db) => ledger.audit(db.collection('users')));
  logProgress(`repeat across a failover: ${summary(audit)}`);
  expect(audit).toMatchObject({ acknowledged: 1, lost: [], twice: [], invented: [] });
});
