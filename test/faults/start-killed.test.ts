// @module-tag long
// @module-tag fault

import bcrypt from 'bcrypt';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, afterEach, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { rounds } from '../support/run/rounds.ts';
import { databaseUri, Leftovers, type Process, ServerProcess } from '../support/server/process.ts';
import { send, submit, untilServed } from './load.ts';
import { unpackRelease } from './packed-release.ts';
import { ADMIN_PASSWORD, Service } from './service.ts';

const AT_ONCE = 3;

const SERVER = [process.execPath, '--import', './test/support/clock/signal-at-statement.mjs', 'dist/server.js'];
const MIGRATE = [
  process.execPath,
  '--import',
  './test/support/clock/signal-at-statement.mjs',
  'dist/cli.js',
  'migrate',
];
const ITEMS = 20;

const leftovers = new Leftovers();
const clients: MongoClient[] = [];
const running: Process[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.child.kill('SIGCONT');
    await one.end('SIGKILL');
  }
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await leftovers.clear();
});

function newDatabase(): { uri: string; db: Db } {
  const uri = databaseUri(randomName());
  const client = new MongoClient(uri);
  clients.push(client);
  return { uri, db: client.db() };
}

/** Starts a server that gets `SIGNAL` before its statement number `AT`. */
function start(uri: string, signal: Record<string, string> = {}, command = SERVER): ServerProcess {
  const env = { MONGODB_URI: uri, SESSION_SECRET: 'a secret of killed starts', ADMIN_PASSWORD, HOST: '127.0.0.1' };
  const server = new ServerProcess({ ...env, LOG_LEVEL: 'error', ...signal }, command);
  running.push(server);
  return server;
}

/** How many statements a start sends until the server listens. */
async function countStatements(uri: string): Promise<number> {
  const server = start(uri);
  await server.url();
  server.child.kill('SIGUSR2');
  const [, count] = await server.waitForOutput(/statements: (\d+)/);
  await server.end();
  return Number(count);
}

/** The numbers of the statements: each one in `npm run test:faults`, `few` in `npm test`. */
function numbersOf(count: number, few: number): number[] {
  const every = rounds(1, Math.ceil(count / few));
  return Array.from({ length: Math.floor(count / every) }, (_, index) => (index + 1) * every);
}

/** Each number gets a database, dropped at once: mongod keeps some 150 files of each one open. */
async function forEach(
  numbers: readonly number[],
  work: (at: number, database: { uri: string; db: Db }) => Promise<void>,
): Promise<void> {
  const left = [...numbers];
  const worker = async (): Promise<void> => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) {
      const database = newDatabase();
      await work(at, database);
      await database.db.dropDatabase();
    }
  };
  await Promise.all(Array.from({ length: rounds(AT_ONCE, 2) }, worker));
}

const indexesOf = async (db: Db) => {
  const collections = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  const read = collections.map(async (name) => [
    name,
    (await db.collection(name).indexes()).map((one) => one.name).sort(),
  ]);
  return Object.fromEntries(await Promise.all(read));
};

/** One admin app with its password and one schema, and all indexes. */
async function expectWhole(db: Db, url: string, indexes: unknown, at: number): Promise<void> {
  const apps = await db.collection('apps').find().toArray();
  expect(
    apps.map(({ sourceAppId, role, creating }) => ({ sourceAppId, role, creating })),
    `statement ${at}`,
  ).toEqual([{ sourceAppId: 'admin', role: 'admin', creating: undefined }]);
  expect(await db.collection('schema_versions').countDocuments()).toBe(1);
  expect(await indexesOf(db), `statement ${at}`).toEqual(indexes);
  // A log-in of a busy machine is 503.
  expect(await bcrypt.compare(ADMIN_PASSWORD, apps[0]?.passwordHash)).toBe(true);
  await untilServed(() => send(`${url}/ready`));
}

/**
 * Resolves with the URL of a server whose start went on after a pause; undefined if it ended, since
 * a statement or a connection had timed out.
 */
async function readyOrEnded(server: ServerProcess): Promise<string | undefined> {
  const url = await Promise.race([server.url(), server.ended.then(() => undefined)]).catch(() => undefined);
  if (url === undefined) expect((await server.ended).stderr).toMatch(/^Cannot start: .*(?:[Tt]imed out|too long)/m);
  return url;
}

it('the first start of a server that is killed before any of its statements is finished by the next start', async () => {
  const whole = newDatabase();
  const count = await countStatements(whole.uri);
  expect(count).toBeGreaterThan(40);
  const indexes = await indexesOf(whole.db);
  await forEach(numbersOf(count, 3), async (at, { uri, db }) => {
    const killed = start(uri, { SIGNAL: 'SIGKILL', AT: String(at) });
    expect((await killed.ended).code, `statement ${at}`).toBeNull();
    const next = start(uri);
    await expectWhole(db, await next.url(), indexes, at);
    await next.end();
  });
}, 1_800_000);

it('a first start that stops before any of its statements changes nothing when it goes on after another', async () => {
  const whole = newDatabase();
  const count = await countStatements(whole.uri);
  const indexes = await indexesOf(whole.db);
  await forEach(numbersOf(count, 3), async (at, { uri, db }) => {
    const stopped = start(uri, { SIGNAL: 'SIGSTOP', AT: String(at) });
    await stopped.waitForOutput(/before statement/);
    const other = start(uri);
    const url = await other.url();
    await expectWhole(db, url, indexes, at);
    const before = await db.collection('apps').findOne();
    stopped.child.kill('SIGCONT');
    const late = await readyOrEnded(stopped);
    await expectWhole(db, url, indexes, at);
    if (late) await expectWhole(db, late, indexes, at);
    expect(await db.collection('apps').findOne()).toMatchObject({
      _id: before?._id,
      passwordHash: before?.passwordHash,
      credentialId: before?.credentialId,
    });
    await Promise.all([stopped.end(), other.end()]);
  });
}, 1_800_000);

it('a first start that stops before it confirms its admin app is ready when it goes on after another did', async () => {
  const whole = newDatabase();
  await countStatements(whole.uri);
  const { uri, db } = newDatabase();
  const stopped = start(uri, { SIGNAL: 'SIGSTOP', AT: '1', UPDATE_OF: 'apps' });
  await stopped.waitForOutput(/before statement/);
  expect(await db.collection('apps').countDocuments({ creating: true })).toBe(1);
  const other = start(uri);
  await other.url();
  const before = await db.collection('apps').find().toArray();
  stopped.child.kill('SIGCONT');
  const late = await readyOrEnded(stopped);
  if (late) await expectWhole(db, late, await indexesOf(whole.db), 1);
  expect(await db.collection('apps').find().toArray()).toEqual(before);
});

it.each([
  ['a server', SERVER],
  ['migrate', MIGRATE],
])(
  'the upgrade of a database of the earlier release by %s that is killed before any of its statements loses nothing',
  async (_, command) => {
    const { uri, db } = newDatabase();
    const program = unpackRelease(await leftovers.folder());
    const earlier = await Service.create({ MONGODB_URI: uri }, program);
    await earlier.start();
    await earlier.createApp('forms');
    for (let n = 0; n < ITEMS; n += 1) expect((await submit(earlier.url, 'forms', n, `key-${n}`)).status).toBe(200);
    const documents = async () => ({
      users: await db
        .collection('users')
        .find({}, { projection: { outbox: 0 } })
        .sort({ _id: 1 })
        .toArray(),
      schemas: await db.collection('schema_versions').find().sort({ _id: 1 }).toArray(),
    });
    const before = await documents();
    const count = await countStatements(uri);
    const indexes = await indexesOf(db);
    for (const at of numbersOf(count, 3)) {
      await start(uri, { SIGNAL: 'SIGKILL', AT: String(at) }, command).ended;
      expect((await submit(earlier.url, 'forms', 0, 'key-0')).status).toBe(200);
    }
    await earlier.stop();
    const server = start(uri);
    const url = await server.url();
    expect(await indexesOf(db)).toEqual(indexes);
    for (let n = 0; n < ITEMS; n += 1) expect((await submit(url, 'forms', n, `key-${n}`)).status).toBe(200);
    expect(await documents()).toEqual(before);
  },
  900_000,
);
