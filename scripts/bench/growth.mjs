// npm run bench -- --growth: does the price of a submission stay the same as the service fills up? One mongod, and for each size a service and a database of its own, driven in turn.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { pino } from 'pino';
import { loadConfig } from '../../dist/core/config.js';
import { startEmbedded } from '../../dist/database/embedded/embedded.js';
import { createRecordIds } from '../../dist/users/record-id.js';
import { HOT_USERS, schema, submission } from './cases.mjs';
import { ADMIN_PASSWORD, makeApp, SERVICE_ENV } from './fixture.mjs';
import { measure } from './measure.mjs';
import { START_FLAGS, startServer, stopServer } from './processes.mjs';
import { median } from './report.mjs';

const { MongoClient, ObjectId } = mongoose.mongo;
const CONNECTIONS = 32;
const STEP = 10_000;
/** Stored users of one app, and apps. The first of each kind is what the others are compared with. */
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

/** What is asked of a size: `new` people, and `update` of a thousand that are spread over all that is stored. */
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

/** Fills, measures and resolves with the lines of the table, as Markdown. */
export async function measureGrowth({ rounds, seconds, progress }) {
  const dataDir = await mkdtemp(join(tmpdir(), 'user-collection-bench-'));
  const { mongod } = loadConfig(process.env);
  const database = await startEmbedded({ dataDir, mongod }, { progress, logger: pino({ level: 'silent' }) });
  const client = await new MongoClient(database.uri).connect();
  const sizes = [];
  try {
    for (const size of SIZES) sizes.push(await prepare(size, database.uri, client, progress));
    const { pid } = await client.db('admin').command({ serverStatus: 1 });
    for (let round = 0; round <= rounds; round += 1) {
      for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
        await meetApps(size);
        for (const [name, request] of Object.entries(requests)) {
          const load = { server: size.server, mongodPid: Number(pid), request: () => request(size) };
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
    await rm(dataDir, { recursive: true, force: true });
  }
  return { sizes: sizes.map(summary), table: table(sizes) };
}

/**
 * One submission to each app, so that what is measured is a server that knows its apps. The first one in a minute costs two reads more; at the rates that are measured here that is one of
 * forty when there are 10,000 apps.
 */
async function meetApps({ kind, count, server }) {
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
  await makeApp(server.url, 'bench', schema, ADMIN_PASSWORD);
  progress(`Storing ${count} ${kind} ...`);
  await (kind === 'users' ? storeUsers : storeApps)(client.db(name), count);
  return { kind, count, server, results: { new: [], update: [] } };
}

/** Records as the service stores them, straight into the database. */
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

/** Copies of the app and its schemas: making each by the service would hash ten thousand passwords. */
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
