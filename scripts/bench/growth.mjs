// npm run bench -- --growth: measures whether the cost of a submission depends on the stored data.
// One mongod; each size has its own service and database, measured in turn.
import { MongoClient, ObjectId } from 'mongodb';
import { HOT_USERS, schema, submission } from './cases.mjs';
import { createApp, ofDatabase, pidOf, startService, storeRecords } from './fixture.mjs';
import { measure } from './measure.mjs';
import { startStandalone } from './mongods.mjs';
import { stopServer } from './processes.mjs';
import { median, table } from './report.mjs';

const CONNECTIONS = 32;
/** Numbers of stored users of one app, and of apps. The first of each kind is the reference. */
const SIZES = [
  { kind: 'users', count: 10_000 },
  { kind: 'users', count: 100_000 },
  { kind: 'users', count: 1_000_000 },
  { kind: 'apps', count: 1 },
  { kind: 'apps', count: 100 },
  { kind: 'apps', count: 10_000 },
];
const FIELDS = { name: 'Ada Lovelace', age: 36, plan: 'pro', agreed: true };
let counter = 0;

/**
 * The requests: `new` inserts, `update` changes a thousand records that are spread over all stored
 * data.
 */
const requests = {
  new({ kind, count }) {
    counter += 1;
    const app = kind === 'apps' ? appName(counter % count) : 'bench';
    return submission(app, `person-${process.pid}-${counter}@example.com`, FIELDS);
  },
  update({ kind, count }) {
    counter += 1;
    const hot = counter % HOT_USERS;
    const app = kind === 'apps' ? appName(Math.floor((hot * count) / HOT_USERS)) : 'bench';
    const email = kind === 'apps' ? `hot-${hot}@example.com` : storedEmail(Math.floor((hot * count) / HOT_USERS));
    return submission(app, email, { ...FIELDS, visits: [`page-${counter}`] });
  },
};

const appName = (index) => (index === 0 ? 'bench' : `bench-${index}`);
const storedEmail = (index) => `stored-${index}@example.com`;

/** Fills the databases and measures; resolves with the results and a Markdown table. */
export default async function measureGrowth({ rounds, seconds, progress }) {
  const database = await startStandalone(progress);
  const client = await new MongoClient(database.uri).connect();
  const sizes = [];
  try {
    for (const size of SIZES) sizes.push(await prepare(size, database.uri, client, progress));
    const mongodPid = await pidOf(client);
    for (let round = 0; round <= rounds; round += 1) {
      for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
        await warmUpApps(size);
        for (const [name, request] of Object.entries(requests)) {
          const load = { server: size.server, mongodPid, request: () => request(size) };
          const result = await measure({ ...load, connections: CONNECTIONS, seconds: round === 0 ? 2 : seconds });
          if (round === 0) continue;
          size.results[name].push(result);
          progress(
            `${size.count} ${size.kind}, ${name}, round ${round} of ${rounds}: ${Math.round(result.rate)} requests/s`,
          );
        }
      }
    }
  } finally {
    await Promise.all(sizes.map(({ server }) => stopServer(server)));
    await client.close();
    await database.stop();
  }
  const results = { sizes: sizes.map(summary) };
  return { results, table: tableOf(results.sizes) };
}

/**
 * Sends one submission to each app, so that its lease is cached before the measurement. The first
 * submission within a minute costs two more reads; at the measured rates with 10,000 apps that is
 * one of forty.
 */
async function warmUpApps({ kind, count, server }) {
  if (kind !== 'apps') return;
  const pending = Array.from({ length: count }, (_, index) => index);
  const worker = async () => {
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      const { path, ...init } = submission(appName(index), 'first@example.com', FIELDS);
      const { status } = await fetch(server.url + path, init);
      if (status !== 200) throw new Error(`${appName(index)}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

async function prepare({ kind, count }, uri, client, progress) {
  const name = `growth-${kind}-${count}`;
  const server = await startService(ofDatabase(uri, name));
  await createApp(server.url, 'bench', schema);
  progress(`Storing ${count} ${kind} ...`);
  const users = { app: 'bench', schemaVersion: 2, records: count, dataOf: () => FIELDS, emailOf: storedEmail };
  await (kind === 'users' ? storeRecords(client.db(name), users) : storeApps(client.db(name), count));
  return { kind, count, server, results: { new: [], update: [] } };
}

/** Inserts copies of the app and its schemas: the service would hash ten thousand passwords. */
async function storeApps(db, count) {
  const app = await db.collection('apps').findOne({ sourceAppId: 'bench' });
  const versions = await db.collection('schema_versions').find({ appId: app._id }).toArray();
  const copies = Array.from({ length: count - 1 }, (_, index) => ({
    ...app,
    _id: new ObjectId(),
    sourceAppId: appName(index + 1),
  }));
  if (copies.length === 0) return;
  await db.collection('apps').insertMany(copies);
  const schemas = copies.flatMap(({ _id }) =>
    versions.map((version) => ({ ...version, _id: new ObjectId(), appId: _id })),
  );
  await db.collection('schema_versions').insertMany(schemas);
}

function summary({ kind, count, results }) {
  const of = (list) => ({ rate: median(list.map(({ rate }) => rate)), p99: median(list.map(({ p99 }) => p99)) });
  return { kind, count, new: of(results.new), update: of(results.update) };
}

function tableOf(sizes) {
  const rows = sizes.map((size) => {
    const first = sizes.find(({ kind }) => kind === size.kind);
    const cells = ['new', 'update'].flatMap((name) => [
      Math.round(size[name].rate),
      (size[name].rate / first[name].rate).toFixed(2),
      size[name].p99.toFixed(1),
      (size[name].p99 / first[name].p99).toFixed(2),
    ]);
    return [`${size.count.toLocaleString('en')} ${size.kind}`, ...cells];
  });
  const head = ['stored', 'new/s', 'x first', 'p99 ms', 'x', 'update/s', 'x first', 'p99 ms', 'x'];
  return table(head, rows);
}
