// npm run bench -- --growth: measures whether the cost of a submission depends on the stored data.
// One mongod; each size has its own service and database, measured in turn.
import { MongoClient, ObjectId } from 'mongodb';
import { createRecordIds } from '../../dist/records/record-id.js';
import { HOT_USERS, schema, submission } from './cases.mjs';
import { ADMIN_PASSWORD, createApp, pidOf, SERVICE_ENV } from './fixture.mjs';
import { measure } from './measure.mjs';
import { startStandalone } from './mongods.mjs';
import { START_FLAGS, startServer, stopServer } from './processes.mjs';
import { median } from './report.mjs';

const CONNECTIONS = 32;
const STEP = 10_000;
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
export async function measureGrowth({ rounds, seconds, progress }) {
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
  return { sizes: sizes.map(summary), table: table(sizes) };
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
  const server = await startServer([...START_FLAGS, 'dist/server.js'], {
    ...SERVICE_ENV,
    MONGODB_URI: uri.replace('/user-collection', `/${name}`),
  });
  await createApp(server.url, 'bench', schema, ADMIN_PASSWORD);
  progress(`Storing ${count} ${kind} ...`);
  await (kind === 'users' ? storeUsers : storeApps)(client.db(name), count);
  return { kind, count, server, results: { new: [], update: [] } };
}

/** Inserts records in the stored form of the service. */
async function storeUsers(db, count) {
  const { _id: appId } = await db.collection('apps').findOne({ sourceAppId: 'bench' });
  const newId = createRecordIds();
  for (let from = 0; from < count; from += STEP) {
    const records = Array.from({ length: STEP }, (_, offset) => {
      const now = new Date();
      const times = { createdAt: now, updatedAt: now };
      const email = storedEmail(from + offset);
      return { _id: newId(now), appId, sourceAppId: 'bench', email, data: FIELDS, schemaVersion: 2, ...times };
    });
    await db.collection('users').insertMany(records, { ordered: false });
  }
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

function table(sizes) {
  const all = sizes.map(summary);
  const rows = all.map((size) => {
    const first = all.find(({ kind }) => kind === size.kind);
    const cells = ['new', 'update'].flatMap((name) => [
      Math.round(size[name].rate),
      (size[name].rate / first[name].rate).toFixed(2),
      size[name].p99.toFixed(1),
      (size[name].p99 / first[name].p99).toFixed(2),
    ]);
    return [`${size.count.toLocaleString('en')} ${size.kind}`, ...cells];
  });
  const head = ['stored', 'new/s', 'x first', 'p99 ms', 'x', 'update/s', 'x first', 'p99 ms', 'x'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
