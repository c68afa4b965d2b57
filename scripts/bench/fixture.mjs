// The fixture of both servers: one mongod, the app and schema of the service, and the stored
// records of the cases.
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { SERVER_FLAGS } from '../../dist/operations/cli/serve-command.js';
import { createOrderedIds } from '../../dist/platform/database/ordered-ids.js';
import { call, logIn, logInCookie } from '../client.mjs';
import { schema } from './cases.mjs';
import { startReplicaSet, startStandalone } from './mongods.mjs';
import { startServer, stopServer } from './processes.mjs';

export const ADMIN_PASSWORD = 'the-password-of-the-bench';
/** The production environment of `npm start`, without the limits that the load would reach. */
const SERVICE_ENV = {
  ADMIN_PASSWORD,
  NODE_ENV: 'production',
  SESSION_SECRET: 'the session secret of the bench',
  RATE_LIMIT_SUBMIT: '0',
  MAX_ARRAY_ITEMS: '100000',
  HOST: '127.0.0.1',
  PORT: '0',
};
const LISTED = 10_000;
const STEP = 5_000;

/**
 * Runs `work` with the service on an empty embedded mongod and a session of its admin, then stops
 * and removes both.
 *
 * @param env settings of the service besides `SERVICE_ENV`
 */
export async function withService(progress, work, env = {}) {
  const database = await startStandalone(progress);
  const client = await new MongoClient(database.uri).connect();
  const server = await startService(database.uri, { env });
  try {
    return await work({ server, client, admin: await logInAdmin(server.url) });
  } finally {
    await stopServer(server);
    await client.close();
    await database.stop();
  }
}

/**
 * Starts the service on a database.
 * @param options.folder that of another version, built
 * @param options.env settings besides `SERVICE_ENV`
 */
export function startService(uri, { folder = '.', env = {} } = {}) {
  const flags = [...SERVER_FLAGS, ...(process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [])];
  return startServer([...flags, join(folder, 'dist/server.js')], { ...SERVICE_ENV, ...env, MONGODB_URI: uri });
}

/**
 * Stores records as submissions do to an app without indexes. `emailOf` gets the number of a
 * record, `dataOf` a number below 1,000,003 that no other record has.
 */
export async function storeRecords(
  db,
  { app, schemaVersion, records, dataOf, emailOf = (number) => `person${number}@example.com`, progress = () => {} },
) {
  const { _id: appId } = await db.collection('apps').findOne({ sourceAppId: app });
  const newId = createOrderedIds();
  for (let from = 0; from < records; from += STEP) {
    const batch = Array.from({ length: Math.min(STEP, records - from) }, (_, offset) => {
      const number = from + offset;
      // A fixed permutation instead of chance: every run has the same records.
      const data = dataOf((number * 7_919) % 1_000_003);
      const now = new Date();
      const own = { _id: newId(now), appId, sourceAppId: app, email: emailOf(number) };
      return { ...own, data, schemaVersion, createdAt: now, updatedAt: now };
    });
    await db.collection('users').insertMany(batch, { ordered: false });
    if (from % 100_000 === 0) progress(`${from} records stored`);
  }
}

/**
 * Starts everything; `stop` stops and removes it.
 *
 * @param options `beside`: the folder of another version, built, that is measured in turns with
 *   this one; `replicaSet`: whether the mongod is a replica set of one member
 */
export async function prepareFixture(progress, { beside, replicaSet = false }) {
  const mongod = replicaSet ? await startReplicaSet(1) : await startStandalone(progress);
  const MONGODB_URI = mongod.uri;
  const [baseline, service, other] = await Promise.all([
    startServer(['scripts/bench/baseline.mjs'], {
      MONGODB_URI: ofDatabase(MONGODB_URI, 'baseline'),
      BASELINE_SCHEMA: JSON.stringify(schema),
    }),
    startService(MONGODB_URI),
    beside && startService(ofDatabase(MONGODB_URI, 'beside'), { folder: beside }),
  ]);
  progress('Preparing ...');
  const servers = { baseline, service, ...(other && { beside: other }) };
  for (const server of [service, other].filter(Boolean)) server.cookie = await prepareService(server.url);
  baseline.cookie = service.cookie;
  await fill(baseline.url, 'list');
  return {
    servers,
    mongodPid: await pidOfUri(MONGODB_URI),
    uri: MONGODB_URI,
    async stop() {
      await Promise.all(Object.values(servers).map(stopServer));
      await mongod.stop();
    },
  };
}

export const ofDatabase = (uri, name) => uri.replace('/user-collection', `/${name}`);

/** Creates the apps; resolves with the cookie of the app whose users are listed. */
async function prepareService(url) {
  const { admin } = await createApp(url, 'bench', schema);
  const { password } = await admin('POST', '/auth/apps', { sourceAppId: 'list' });
  await fill(url, 'list');
  return logInCookie(url, 'list', password);
}

const logInAdmin = (url) => logIn(url, 'admin', ADMIN_PASSWORD);

/** Creates an app with a schema; resolves with its password, and the session of the admin. */
export async function createApp(url, sourceAppId, fields) {
  const admin = await logInAdmin(url);
  const { password } = await admin('POST', '/auth/apps', { sourceAppId });
  await admin('PUT', `/auth/apps/${sourceAppId}/schema`, fields);
  return { admin, password };
}

/** The process id of a mongod. */
export async function pidOf(client) {
  const { pid } = await client.db('admin').command({ serverStatus: 1 });
  return Number(pid);
}

async function pidOfUri(uri) {
  const client = new MongoClient(uri);
  try {
    return await pidOf(client);
  } finally {
    await client.close();
  }
}

async function fill(url, app) {
  const data = { name: 'Ada Lovelace', age: 36, plan: 'pro', agreed: true };
  const headers = { 'x-app-id': app };
  const one = (n) => call(url, 'POST', '/v1/users', { email: `listed-${n}@example.com`, data }, { headers });
  for (let n = 0; n < LISTED; n += 200) await Promise.all(Array.from({ length: 200 }, (_, i) => one(n + i)));
}
