// @module-tag long

import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/platform/core/free-port.ts';
import { Mongod } from '../faults/mongod.ts';
import { runMongosh } from '../support/database/mongosh.ts';
import { watchRights } from '../support/database/rights.ts';
import { Receiver } from '../support/peers/receiver.ts';
import { databaseFolder } from '../support/run/scratch.ts';
import { Client } from '../support/server/client.ts';
import { runImport } from '../support/server/imports.ts';
import { rename } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';
import { CV, pdf, upload } from '../support/server/uploads.ts';

/*
 * The service in Docker Compose, without its engine: deploy/replica-set/initiate.js on a mongod
 * with a key, and a server as the user that it creates.
 */

const INITIATE = join(import.meta.dirname, '../../deploy/replica-set/initiate.js');
const KEY = '0123456789abcdef';
const [FIRST, PASSWORD] = ['first0password', 'second0password'];
const DATABASE = 'user-collection';
const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = 18;

let folder: string;
let mongod: Mongod;
let client: MongoClient;

const uriOf = (user: string, source: string) =>
  `mongodb://${user}@127.0.0.1:${mongod.port}/${DATABASE}?replicaSet=rs0&authSource=${source}`;
const serviceUri = () => uriOf(`service:${PASSWORD}`, 'admin');

const env = () => ({ MONGODB_URI: serviceUri(), SESSION_SECRET: 'a secret of the tests' });
const tool = (...args: string[]) => runTool(args, env());

/** `docker compose up` with a password. */
const initiate = (password: string) =>
  runMongosh(readFileSync(INITIATE, 'utf8'), {
    MEMBERS: `127.0.0.1:${mongod.port}`,
    MONGODB_KEY: KEY,
    MONGODB_PASSWORD: password,
  });

/** The error code with which MongoDB refuses an operation; undefined if it does not. */
async function refusalOf(operation: (client: MongoClient) => Promise<unknown>, uri = serviceUri()) {
  const other = new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 });
  try {
    await operation(other);
    return undefined;
  } catch (error) {
    return (error as { code?: number }).code;
  } finally {
    await other.close();
  }
}

beforeAll(async () => {
  folder = await databaseFolder('user-collection-user-');
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, KEY, { mode: 0o600 });
  const isClosed = ['--setParameter', 'enableLocalhostAuthBypass=false'];
  mongod = new Mongod(await freePort(), join(folder, 'db'), ['--replSet', 'rs0', '--keyFile', keyFile, ...isClosed]);
  await mongod.start();
  expect(await initiate(FIRST)).toEqual({ code: 0, printed: [] });
  client = new MongoClient(uriOf(`__system:${KEY}`, 'local'));
});
afterAll(async () => {
  await client.close();
  await mongod.kill();
  await rm(folder, { recursive: true, force: true });
});

const ping = (db: Db) => db.command({ dbStats: 1 });

it('initiate.js replaces the password, and the roles of the user', async () => {
  expect(await refusalOf((other) => ping(other.db()), uriOf(`service:${FIRST}`, 'admin'))).toBeUndefined();
  await client.db('admin').command({ grantRolesToUser: 'service', roles: ['root'] });
  expect(await initiate(PASSWORD)).toEqual({ code: 0, printed: [] });
  expect(await refusalOf((other) => ping(other.db()), uriOf(`service:${FIRST}`, 'admin'))).toBe(AUTHENTICATION_FAILED);
  const { users } = await client.db('admin').command({ usersInfo: { forAllDBs: true } });
  const roles = (users as { roles: { role: string; db: string }[] }[]).map((user) =>
    user.roles.map(({ role, db }) => `${role} ${db}`).sort(),
  );
  expect(roles).toEqual([['clusterMonitor admin', 'readWrite user-collection']]);
});

describe('the user of the service', () => {
  const admin = (command: object) => (other: MongoClient) => other.db('admin').command(command);

  it.each<[string, (client: MongoClient) => Promise<unknown>]>([
    ['create a user', admin({ createUser: 'me', pwd: 'x', roles: ['root'] })],
    ['give itself a role', admin({ grantRolesToUser: 'service', roles: ['root'] })],
    ['read the credentials of users', (other) => other.db('admin').collection('system.users').findOne()],
    ['drop another database', (other) => other.db('other').dropDatabase()],
    ['read another database', (other) => other.db('other').collection('a').findOne()],
    ['write the oplog', (other) => other.db('local').collection('oplog.rs').deleteMany({})],
    ['set a parameter', admin({ setParameter: 1, logLevel: 0 })],
    ['end the operations of others', admin({ killOp: 1, op: 1 })],
    ['change the members', admin({ replSetReconfig: { _id: 'rs0', version: 2, members: [] }, force: true })],
    ['shut MongoDB down', admin({ shutdown: 1, force: true })],
  ])('may not %s', async (_title, operation) => {
    expect(await refusalOf(operation)).toBe(UNAUTHORIZED);
  });

  describe('suffices for', () => {
    let server: TestServer;
    let operator: Client;
    let receiver: Receiver;
    beforeAll(async () => {
      const timings = { writesEndMs: 300, checksMs: [], retentionEveryMs: 200, deadlineMs: 20_000 };
      server = await startServer({ ...env(), WEBHOOKS_ALLOW_PRIVATE: 'true' }, DATABASE, timings);
      const { body } = await server.admin.post('/auth/apps', { sourceAppId: 'shop' }).expect(200);
      operator = await new Client(server.client.url).logIn('shop', body.password);
      receiver = await Receiver.start();
    });
    afterAll(async () => {
      await receiver.close();
      await server.close();
    });

    it('submissions with files, indexes of fields and of words, the inbox and webhooks', async () => {
      const { admin, client: stranger } = server;
      const fields = [{ key: 'name', kind: 'text' as const, indexed: true }, CV];
      await admin.putSchema('shop', { fields }).expect(200);
      await admin.put('/auth/apps/shop/history', { submissions: true }).expect(200);
      await admin.put('/auth/apps/shop/search', { enabled: true }).expect(200);
      await operator.post('/auth/webhooks', { url: receiver.url, events: ['user.created'] }).expect(200);

      const { body: sent } = await upload(stranger.url, 'shop', pdf());
      const person = { email: 'ada@example.com', data: { name: 'Ada', cv: [sent.token] } };
      const { body: stored } = await stranger.submit('shop', person).expect(200);
      await receiver.until(1);
      expect(receiver.received[0]?.body).toMatchObject({ type: 'user.created', data: { email: 'ada@example.com' } });

      const state = async (path: string) => [(await admin.get(`/auth/apps/shop/${path}`).expect(200)).body].flat();
      for (const path of ['indexes', 'search'])
        await expect.poll(() => state(path)).toMatchObject([{ state: 'ready' }]);
      expect((await operator.get('/auth/users?q=ada').expect(200)).body.users).toHaveLength(1);
      const rows = async () => (await operator.get('/auth/submissions').expect(200)).body.submissions.length;
      await expect.poll(rows).toBe(1);
      const { body: record } = await operator.get(`/auth/users/${stored.id}`).expect(200);
      await operator.get(`/auth/files/${record.data.cv[0].id}`).expect(200);
    });

    it('imports, a rename of a field and the removal of an app', async () => {
      const { admin, client: stranger } = server;
      const map = { email: 'email', name: 'data.name' };
      const result = await runImport(operator, undefined, 'email,name\neve@example.com,Eve\n', { map });
      expect(result).toMatchObject({ state: 'completed', created: 1 });
      const fields = [{ key: 'called', kind: 'text' as const, indexed: true }, CV];
      await rename(admin, 'shop', { fields, renames: [{ from: 'name', to: 'called' }] }).expect(200);
      const called = async () => (await operator.get('/auth/users?q=eve').expect(200)).body.users[0]?.data.called;
      await expect.poll(called).toBe('Eve');

      await admin.post('/auth/apps', { sourceAppId: 'gone' }).expect(200);
      await stranger.submit('gone', { email: 'ada@example.com', data: {} }).expect(200);
      await admin.delete('/auth/apps/gone').expect(200);
      const left = () => server.db.collection('users').countDocuments({ sourceAppId: 'gone' });
      await expect.poll(left).toBe(0);
    });

    it('the jobs of the server, and all its requests', () => {
      // The log has the name of an error: a refused command is a MongoServerError.
      const failures = server
        .log()
        .split('\n')
        .filter((line) => /"reason":"MongoServerError"|"status":500/.test(line));
      expect(failures).toEqual([]);
    });
  });

  it('suffices for doctor, migrate and verify, and for what shard does here', async () => {
    // Without a running server there are no writes for which `verify --write` waits.
    const { stdout } = await tool('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { check: string; level: string; found: string }[] };
    expect(stdout).not.toMatch(/not authorized|Unauthorized/);
    for (const name of ['topology', 'majority write', 'oplog window', 'free disk', 'memory', 'connections'])
      expect(checks).toContainEqual(
        expect.objectContaining({ check: name, level: expect.not.stringMatching('unknown') }),
      );
    expect(checks).toContainEqual(
      expect.objectContaining({ found: expect.stringMatching(/^replica set rs0: .* PRIMARY$/) }),
    );
    expect(checks).toContainEqual(expect.objectContaining({ found: expect.stringMatching(/^it covers /) }));

    expect(await tool('migrate')).toMatchObject({ code: 0 });
    const manifest = join(folder, 'manifest.jsonl');
    expect(await tool('verify', '--write', manifest)).toMatchObject({ code: 0 });
    expect(await tool('verify', manifest)).toMatchObject({ code: 0 });
    expect(await tool('shard', '--print')).toMatchObject({ code: 0 });
    const applied = await tool('shard', '--apply');
    expect(applied).toMatchObject({ code: 1, stderr: expect.stringContaining('not to a mongos') });
  });
});

it('watchRights tells the commands that the user may not send', async () => {
  const told: string[] = [];
  const watched = new MongoClient(serviceUri(), { monitorCommands: true });
  watchRights(watched, (excess) => void told.push(excess));
  const shop = watched.db().collection('users');
  await shop.countDocuments({});
  expect(told).toEqual([]);
  await expect(watched.db().command({ collMod: 'users', validator: {} })).rejects.toThrow(/not authorized/);
  await shop.aggregate([{ $indexStats: {} }]).toArray();
  await watched.close();
  expect(told).toEqual(['collMod', 'aggregate with $indexStats']);
});
