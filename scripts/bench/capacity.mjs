// npm run bench -- --capacity: what one submission, page and event costs in processor time, writes
// and bytes, on replica sets of one and three members and with one and two workers; and what the
// capacity model makes of it.
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { MongoClient } from 'mongodb';
import { POOL_SIZE } from '../../dist/platform/database/client.js';
import { logInCookie } from '../client.mjs';
import { costOfMix } from './capacity-model.mjs';
import { capacityTables } from './capacity-tables.mjs';
import { cases, schema, submission } from './cases.mjs';
import { startReceiver } from './events.mjs';
import { ADMIN_PASSWORD, createApp, pidOf, startService, storeRecords } from './fixture.mjs';
import { startReplicaSet } from './mongods.mjs';
import { childrenOf, cpuMicroseconds, stopServer } from './processes.mjs';

const CONNECTIONS = 32;
/** Pages are read by few operators at once. */
const LISTING_CONNECTIONS = 4;
const EVENTS = 2_000;
const EVENTS_WITHIN_MS = 60_000;
/** The applications of the measured cases; `heard` has a webhook. */
const [APP, HEARD] = ['bench', 'heard'];
const VALUES = { name: 'Ada Lovelace', age: 36, plan: 'pro', agreed: true };
/** The records whose bytes are measured. */
const STORED = 200_000;
const EMAIL_INDEX = 'appId_1_email_1';
const WORKERS = [1, 2];
const MEMBERS = [1, 3];

/** Measures and resolves with the results and the tables. */
export default async function measureCapacity({ seconds, progress }) {
  const measured = [];
  for (const members of MEMBERS) {
    for (const workers of WORKERS) {
      progress(`${members} members, ${workers} workers`);
      const options = { members, workers, seconds, progress };
      measured.push({ members, workers, ...(await onReplicaSet(members, (uri) => measureTopology(uri, options))) });
    }
  }
  const of = (members, workers) => measured.find((one) => one.members === members && one.workers === workers);
  const { new: first, update, listing, event } = of(3, 1);
  const costs = { new: first, update, listing, event, ...(await bytesOfRecord()) };
  const checks = measured.map(({ members, workers, mixed }) => ({
    members,
    workers,
    rate: mixed.rate,
    measured: mixed,
    predicted: predict(of(members, 1)),
  }));
  const results = { costs, checks, poolSize: POOL_SIZE };
  return { results, table: Object.values(capacityTables(results)).join('\n\n') };
}

/** Half new persons, half updates: the traffic of the check. */
const predict = ({ new: first, update }) => costOfMix({ new: first, update }, { new: 0.5, update: 0.5 });

/** Runs `measure` with the URI of a new replica set. */
async function onReplicaSet(count, measure) {
  const set = await startReplicaSet(count);
  try {
    return await measure(set.uri);
  } finally {
    await set.stop();
  }
}

async function measureTopology(uri, { members, workers, seconds, progress }) {
  const client = await new MongoClient(uri).connect();
  const receiver = await startReceiver();
  const env = { WEBHOOKS_ALLOW_PRIVATE: 'true', WORKERS: String(workers) };
  const server = await startService(uri, { env });
  try {
    const processes = { ...(await membersOf(client)), server: [server.pid, ...childrenOf(server.pid)] };
    const bench = { server, client, processes, seconds };
    await createApp(server.url, APP, schema);
    const { admin } = await createApp(server.url, HEARD, schema);
    const webhook = { url: receiver.url, events: ['user.created'] };
    await admin('POST', `/auth/webhooks?sourceAppId=${HEARD}`, webhook);
    const cookie = await logInCookie(server.url, 'admin', ADMIN_PASSWORD);
    await load(bench, cases.new.request, CONNECTIONS);

    const first = await load(bench, cases.new.request, CONNECTIONS);
    const update = await load(bench, () => cases.update.request({ run: `${members}-${workers}` }), CONNECTIONS);
    const page = { method: 'GET', path: `/auth/users?sourceAppId=${APP}&limit=50`, headers: { cookie } };
    const listing = await load(bench, () => page, LISTING_CONNECTIONS);
    const mixed = await load(
      bench,
      alternate(cases.new.request, () => cases.update.request({ run: 'mixed' })),
      CONNECTIONS,
    );
    const heard = await load(bench, newPersonOf(HEARD), CONNECTIONS, EVENTS, () => haveArrived(receiver, EVENTS));
    const event = difference(heard, first);
    progress(JSON.stringify({ first, update, listing, mixed, event }));
    return { new: first, update, listing, event, mixed };
  } finally {
    receiver.close();
    await stopServer(server);
    await client.close();
  }
}

/** The processes of the members, by their part. */
async function membersOf(client) {
  const { members } = await client.db('admin').command({ replSetGetStatus: 1 });
  const processes = { primary: [], secondary: [] };
  for (const { name, stateStr } of members) {
    const member = await new MongoClient(`mongodb://${name}/?directConnection=true`).connect();
    processes[stateStr === 'PRIMARY' ? 'primary' : 'secondary'].push(await pidOf(member));
    await member.close();
  }
  return processes;
}

/** Sends requests for some time, or `amount` of them; resolves with the cost of one. */
async function load({ server, client, processes, seconds }, request, connections, amount, isDone = async () => {}) {
  const before = await counters(client, processes);
  const startedAt = performance.now();
  const {
    non2xx,
    errors,
    '2xx': count,
  } = await autocannon({
    url: server.url,
    connections,
    ...(amount ? { amount } : { duration: seconds }),
    requests: [{ setupRequest: (base) => Object.assign(base, request()) }],
  });
  const rate = count / ((performance.now() - startedAt) / 1_000);
  if (non2xx > 0 || errors > 0 || count === 0)
    throw new Error(`${non2xx} refusals, ${errors} errors beside ${count} answers`);
  await isDone();
  const after = await counters(client, processes);
  return { rate, count, ...eachOf(Object.keys(after), (key) => (after[key] - before[key]) / count) };
}

const eachOf = (keys, read) => Object.fromEntries(keys.map((key) => [key, read(key)]));

/** What grows with the work: processor time, written documents, and bytes of the oplog. */
async function counters(client, { server, primary, secondary }) {
  const { metrics } = await client.db('admin').command({ serverStatus: 1 });
  const { inserted, updated, deleted } = metrics.document;
  const oplog = await client.db('local').command({ collStats: 'oplog.rs' });
  const cpu = (pids) => pids.reduce((sum, pid) => sum + cpuMicroseconds(pid), 0);
  return {
    serverCpu: cpu(server),
    primaryCpu: cpu(primary),
    secondaryCpu: secondary.length > 0 ? cpu(secondary) / secondary.length : 0,
    writes: Number(inserted) + Number(updated) + Number(deleted),
    oplogBytes: oplog.size,
  };
}

/** The bytes of a stored record and of its index entries on the disk of a member. */
async function bytesOfRecord() {
  return onReplicaSet(1, async (uri) => {
    const client = await new MongoClient(uri).connect();
    const server = await startService(uri);
    try {
      await createApp(server.url, APP, schema);
      const before = await sizesOf(client);
      await storeRecords(client.db(), { app: APP, schemaVersion: 2, records: STORED, ...PEOPLE });
      const after = await sizesOf(client);
      const each = (key) => (after[key] - before[key]) / STORED;
      return { recordBytes: each('records'), indexBytes: each('indexes'), emailIndexBytes: each('emails') };
    } finally {
      await stopServer(server);
      await client.close();
    }
  });
}

/** Emails and names in no order, as people come: ordered or equal ones take less. */
const PEOPLE = {
  emailOf: () => `${randomUUID().slice(0, 13)}@example.com`,
  dataOf: () => ({ ...VALUES, name: randomUUID().slice(0, 18), age: randomInt(100) }),
};

/** The bytes on disk of the records and of their indexes, after a checkpoint. */
async function sizesOf(client) {
  await client.db('admin').command({ fsync: 1 });
  const { storageSize, totalIndexSize, indexSizes } = await client.db().command({ collStats: 'users' });
  return { records: storageSize, indexes: totalIndexSize, emails: indexSizes[EMAIL_INDEX] };
}

/** What a submission with an event costs more than one without. */
function difference(heard, plain) {
  const keys = ['serverCpu', 'primaryCpu', 'secondaryCpu', 'writes', 'oplogBytes'];
  return eachOf(keys, (key) => Math.max(0, heard[key] - plain[key]));
}

function alternate(one, other) {
  let isFirst = false;
  return () => {
    isFirst = !isFirst;
    return isFirst ? one() : other();
  };
}

let people = 0;

const newPersonOf = (app) => () => {
  people += 1;
  return submission(app, `heard-${people}@example.com`, VALUES);
};

/** Resolves when the receiver has the events of `count` persons. */
async function haveArrived({ arrivals }, count) {
  const until = performance.now() + EVENTS_WITHIN_MS;
  while (arrivals.size < count && performance.now() < until) await sleep(50);
  if (arrivals.size < count) throw new Error(`${arrivals.size} of ${count} events arrived`);
}
