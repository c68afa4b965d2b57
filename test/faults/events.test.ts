// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { afterEach, expect, it } from 'vitest';
import { type Answer, Receiver } from '../support/peers/receiver.ts';
import { rounds } from '../support/run/rounds.ts';
import { DataDir } from './data-dir.ts';
import { Ledger, summary } from './ledger.ts';
import { send, startLoad, untilServed } from './load.ts';
import { inspect } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const SERVER_KILLS = rounds(20, 2);
const DATABASE_KILLS = rounds(5, 1);
/** Low enough that a busy machine delivers the backlog of the kills before the timeout. */
const RATE = 50;
/** Failed attempts are repeated after five seconds, and after an outage of a minute or less. */
const SILENCE_MS = 120_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** What each record says of its events, which a receiver got, and which submissions are kept. */
async function auditEvents(users: Collection, submissions: Collection, { received }: Receiver) {
  const revisions = new Map<string, number[]>();
  for (const { body } of received) {
    const { id, revision } = body.data;
    revisions.set(id, [...(revisions.get(id) ?? []), revision]);
  }
  const audit = { records: 0, events: 0, lost: 0, invented: 0, unexpected: 0, outOfOrder: 0, unkept: 0 };
  const kept = new Map<string, number[]>();
  for await (const { userId, revision } of submissions.find({})) {
    const id = userId.toString();
    kept.set(id, [...(kept.get(id) ?? []), revision]);
  }
  for await (const { _id, eventCount, data } of users.find({})) {
    const got = revisions.get(_id.toString()) ?? [];
    const firsts = [...new Set(got)];
    audit.records += 1;
    audit.events += eventCount;
    // Each stored submission has one item and one event.
    if (eventCount !== data.items.length) audit.unexpected += 1;
    audit.lost += Array.from({ length: eventCount }, (_, index) => index + 1).filter(
      (one) => !got.includes(one),
    ).length;
    audit.invented += firsts.filter((one) => one > eventCount).length;
    const inInbox = (kept.get(_id.toString()) ?? []).sort((one, other) => one - other);
    const isKept = inInbox.length === eventCount && inInbox.every((one, index) => one === index + 1);
    if (!isKept) audit.unkept += 1;
    audit.outOfOrder += firsts.filter((one, index) => index > 0 && one < (firsts[index - 1] ?? 0)).length;
  }
  return { ...audit, repeated: received.length - audit.events };
}

/** Fails the first attempt of some events. */
function failSome(): Answer {
  const failed = new Set<string>();
  return ({ headers }, index) => {
    const id = String(headers['webhook-id']);
    if (index % 50 !== 7 || failed.has(id)) return undefined;
    failed.add(id);
    return { status: 500 };
  };
}

it(`delivers every event of a stored write, and keeps every submission once, through ${SERVER_KILLS} kills of the server and ${DATABASE_KILLS} of the database (spec 4.3.7, 6)`, {
  timeout: 840_000,
}, async () => {
  const dataDir = await DataDir.create();
  cleanups.push(() => dataDir.remove());
  const receiver = await Receiver.start(failSome());
  cleanups.push(() => receiver.close());
  const service = await (await Service.create({ DATA_DIR: dataDir.path, WEBHOOKS_ALLOW_PRIVATE: 'true' })).start();
  cleanups.push(() => service.stop());
  await service.createApp('forms');
  const events = ['user.created', 'user.updated'];
  const admin = await service.admin();
  await admin.post('/auth/webhooks?sourceAppId=forms', { url: receiver.url, events }).expect(200);

  await admin.put('/auth/apps/forms/history', { submissions: true }).expect(200);

  const ledger = new Ledger();
  const load = startLoad({ urls: [service.url], sourceAppId: 'forms', ledger, rate: RATE });
  for (let kill = 1; kill <= SERVER_KILLS + DATABASE_KILLS; kill += 1) {
    await untilServed(() => send(`${service.url}/ready`));
    // In most rounds the server that died held the lock of the job, which ends after 3.5 s.
    await sleep(kill % 3 === 0 ? 4_500 : 300 + Math.random() * 700);
    if (kill <= SERVER_KILLS) {
      await service.kill();
      await service.start();
    } else {
      process.kill(await dataDir.mongodPid(), 'SIGKILL');
    }
    logProgress(`kill ${kill}: ${ledger.acknowledged} acknowledged, ${receiver.received.length} requests received`);
  }
  await load.stop();
  await untilServed(() => send(`${service.url}/ready`));

  const uri = await dataDir.uri();
  const stored = await inspect(uri, (db) => ledger.audit(db.collection('users')));
  const auditNow = () =>
    inspect(uri, (db) => auditEvents(db.collection('users'), db.collection('submissions'), receiver));
  const silence = (): number => performance.now() - (receiver.received.at(-1)?.at ?? 0);
  const isLate = async () => {
    const { lost, unkept } = await auditNow();
    return lost + unkept > 0;
  };
  while ((await isLate()) && silence() < SILENCE_MS) await sleep(500);
  const audit = await auditNow();
  logProgress(`${summary(stored)}; events: ${JSON.stringify(audit)}`);
  expect(stored).toMatchObject({ lost: [], twice: [], invented: [] });
  expect(audit).toMatchObject({ lost: 0, invented: 0, unexpected: 0, outOfOrder: 0, unkept: 0 });
  expect(audit.events).toBeGreaterThanOrEqual(stored.acknowledged);
});
