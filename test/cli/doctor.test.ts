import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ObjectId, UUID } from 'mongodb';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../src/operations/doctor/findings.ts';
import { connectDatabase } from '../../src/platform/database/client.ts';
import { randomName } from '../support/database/databases.ts';
import { mailEnv, startSmtp } from '../support/peers/smtp.ts';
import { databaseUri, Process } from '../support/server/process.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

const SECRET = 'a secret of the tests';
const GIGABYTE = 2 ** 30;
const MINUTE_MS = 60_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

interface Report {
  code: number | null;
  stdout: string;
  checks: Result[];
  of(check: string): Result[];
}

async function doctor(env: Record<string, string> = {}, database = server.database): Promise<Report> {
  const all = { MONGODB_URI: databaseUri(database), SESSION_SECRET: SECRET, ...env };
  const { code, stdout, stderr } = await runTool(['doctor', '--json'], all);
  expect(stderr).toBe('');
  const { level, checks } = JSON.parse(stdout);
  expect(code).toBe(['good', 'warning', 'fault'].indexOf(level));
  return { code, stdout, checks, of: (name) => checks.filter(({ check }: Result) => check === name) };
}

/** Announces a server that does not exist, as platform/servers/servers.ts does. */
function announce({ db }: TestServer, members: Record<string, unknown>) {
  const server = { version: '1.0.0', host: 'elsewhere', pid: 1, workers: 1, poolSize: 160, memoryLimit: null };
  const others = {
    secretHash: 'of another secret',
    publicUrl: null,
    sendsMail: false,
    filesBucket: null,
    clockAheadMs: 0,
  };
  return db.collection('servers').insertOne({ ...server, ...others, seenAt: new Date(), ...members });
}

const good = (check: string, found: RegExp) => [{ check, level: 'good', found: expect.stringMatching(found) }];
const bad = (check: string, level: string, found: RegExp) => [
  { check, level, found: expect.stringMatching(found), advice: expect.stringMatching(/^[A-Z].*\.$/) },
];

describe('doctor of a working service', () => {
  it('says of every check what it found, and warns of a standalone mongod', async () => {
    const { code, of, checks } = await doctor();
    expect(of('MongoDB version')).toEqual(good('MongoDB version', /^MongoDB \d/));
    expect(of('topology')).toEqual(bad('topology', 'warning', /^a standalone mongod/));
    expect(of('majority write')).toEqual(good('majority write', /confirmed by a majority/));
    expect(of('indexes')).toEqual(good('indexes', /^all \d\d+ indexes are there$/));
    expect(of('server versions')).toEqual(good('server versions', /^1 servers of version /));
    expect(of('session secret')).toEqual(good('session secret', /^the same on 1 servers$/));
    expect(of('oplog window')).toEqual(good('oplog window', /^there is none$/));
    expect(of('waiting events')).toEqual(good('waiting events', /^no event waits$/));
    expect(checks.filter(({ level }) => level === 'fault')).toEqual([]);
    expect(code).toBe(1);
  });

  it('prints one line for each finding, the advice below it, and a summary', async () => {
    const { code, stdout } = await runTool(['doctor'], { MONGODB_URI: databaseUri(server.database) });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^good {6}indexes: all \d+ indexes are there$/m);
    expect(stdout).toMatch(/^warning {3}topology: a standalone mongod.*\n {10}Make it a replica set/m);
    expect(stdout).toMatch(/\n\d+ good, \d+ warnings, 0 faults\n$/);
  });
});

describe('doctor names the fault', () => {
  let damaged: TestServer;
  beforeAll(async () => {
    damaged = await startServer();
  });
  afterAll(() => damaged.close());

  it('a dropped unique index, and the duplicates that prevent it, without their emails', async () => {
    const users = damaged.db.collection('users');
    await users.dropIndex({ appId: 1, email: 1 } as never);
    const appId = new ObjectId();
    const ids = [0, 1].map(() => new UUID(v7()));
    await users.insertMany(ids.map((_id) => ({ _id, appId, email: 'twice@example.com', data: {} })) as never);
    const { code, of, stdout } = await doctor({}, damaged.database);
    expect(of('indexes')).toEqual(
      bad('indexes', 'fault', /^the unique index users \{ appId: 1, email: 1 \} is missing/),
    );
    expect(of('duplicates')).toEqual(bad('duplicates', 'fault', /^users .* has duplicates in all 2 documents/));
    for (const id of ids) expect(of('duplicates')[0]?.found).toContain(id.toString());
    expect(stdout).not.toContain('twice@example.com');
    expect(code).toBe(2);
  });

  it('an index with other options, also of arrays and parts of documents', async () => {
    const [accounts, held] = [damaged.db.collection('accounts'), damaged.db.collection('held_submissions')];
    await accounts.dropIndex({ 'passkeys.id': 1 } as never);
    await accounts.createIndex({ 'passkeys.id': 1 }, { sparse: true });
    await accounts.insertMany([1, 2].map((n) => ({ email: `${n}@example.com`, passkeys: [{ id: 'a' }, { id: n }] })));
    await held.dropIndex({ appId: 1, email: 1, key: 1 } as never);
    await held.insertMany([
      { appId: 1, email: 'a' },
      { appId: 1, email: 'a' },
    ]);
    await damaged.db.collection('audit_events').dropIndex({ expiresAt: 1 } as never);
    const { of } = await doctor({}, damaged.database);
    expect(of('indexes').map(({ level, found }) => [level, found])).toEqual(
      expect.arrayContaining([
        ['fault', expect.stringMatching(/^the unique index accounts \{ passkeys.id: 1 \} has other options/)],
        ['fault', expect.stringMatching(/^the unique index held_submissions .* is missing/)],
        ['warning', expect.stringMatching(/^the index audit_events \{ expiresAt: 1 \} is missing/)],
      ]),
    );
    const duplicates = of('duplicates').map(({ level, found }) => [level, found]);
    expect(duplicates).toEqual(
      expect.arrayContaining([
        // The index holds documents with a key only, and these have none.
        ['warning', expect.stringMatching(/^held_submissions .* has no duplicates in all 2 documents$/)],
        ['fault', expect.stringMatching(/^accounts .* has duplicates in all 2 documents/)],
      ]),
    );
  });

  it('an old event that waits', { tags: 'long' }, async () => {
    const event = (ms: number) => ({ id: new UUID(v7()), at: new Date(Date.now() - ms), changed: [] });
    const document = (ms: number) => ({ _id: new UUID(v7()), appId: new ObjectId(), email: 'a', outbox: [event(ms)] });
    await damaged.db
      .collection('users')
      .createIndex({ 'outbox.0.at': 1 }, { partialFilterExpression: { 'outbox.0.at': { $exists: true } } });
    await damaged.db.collection('users').insertMany([document(10 * MINUTE_MS), document(20 * MINUTE_MS)] as never);
    const warned = await doctor({}, damaged.database);
    await damaged.db
      .collection('erasures')
      .insertOne({ appId: new ObjectId(), at: new Date(Date.now() - 180 * MINUTE_MS) });
    const faulty = await doctor({}, damaged.database);
    expect(warned.of('waiting events')).toEqual(bad('waiting events', 'warning', /event is 20 minutes old$/));
    expect(faulty.of('waiting events')).toEqual(bad('waiting events', 'fault', /event is 3 hours old$/));
  });

  it('the lock of a job that does not end, and a job that is due and does not run', { tags: 'long' }, async () => {
    const other = await startServer();
    await other.services.stop();
    const jobs = other.db.collection<{ _id: string }>('jobs');
    const at = (ms: number): Date => new Date(Date.now() + ms);
    const job = (until: number, next: number) => ({ owner: 'a', until: at(until), at: at(until), next: at(next) });
    await jobs.deleteMany({});
    const names = other.services.jobs.states().map(({ name }) => name);
    const [stuck, due] = names.sort();
    await jobs.insertMany([
      { _id: stuck ?? '', ...job(90 * MINUTE_MS, 0) },
      { _id: due ?? '', ...job(-30 * MINUTE_MS, -30 * MINUTE_MS) },
      { _id: 'a job of another configuration', ...job(-90 * MINUTE_MS, -90 * MINUTE_MS) },
    ]);
    const stopped = await doctor({}, other.database);
    expect(stopped.of('server versions')).toEqual(bad('server versions', 'warning', /^no server was seen/));
    await announce(other, {});
    const running = await doctor({}, other.database);
    await other.close();
    const lock = { level: 'fault', found: expect.stringContaining(`the job ${stuck} ends in 90 minutes`) };
    const waits = expect.stringContaining(`the job ${due} is due for 30 minutes`);
    expect(stopped.of('background jobs')).toMatchObject([lock, { level: 'warning', found: waits }]);
    expect(running.of('background jobs')).toMatchObject([lock, { level: 'fault', found: waits }]);
  });

  it('migrations of a later release, which this one may use until they are contracted', { tags: 'long' }, async () => {
    const migrations = damaged.db.collection<{ _id: number }>('migrations');
    await migrations.insertMany([98, 99].map((_id) => ({ _id, name: 'later', state: 'expanded' })));
    const expanded = await doctor({}, damaged.database);
    await migrations.updateOne({ _id: 99 }, { $set: { state: 'contracted' } });
    const contracted = await doctor({}, damaged.database);
    expect(expanded.of('migrations').map(({ level }) => level)).toEqual(['warning', 'warning']);
    expect(contracted.of('migrations').map(({ level }) => level)).toEqual(['warning', 'fault']);
    expect(contracted.of('migrations')[1]?.found).toMatch(
      /migration 99 \(later\) .* servers of this version do not start/,
    );
  });

  it('two servers with different secrets, versions and settings', { tags: 'long' }, async () => {
    const other = await startServer();
    const second = await startServer({ SESSION_SECRET: 'another secret of the tests' }, other.database);
    const differ = await doctor({ SESSION_SECRET: 'the secret of no server at all' }, other.database);
    await announce(other, { version: '0.0.1', publicUrl: 'https://a.example' });
    const versions = await doctor({}, other.database);
    await second.close();
    await other.close();
    expect(differ.of('session secret').map(({ level, found }) => [level, found])).toEqual([
      ['fault', '2 servers have 2 different values of SESSION_SECRET'],
      ['warning', 'SESSION_SECRET of this environment is that of no running server'],
    ]);
    expect(versions.of('server versions')).toEqual(
      bad('server versions', 'warning', /different versions: .*0\.0\.1 on /),
    );
    expect(versions.of('settings of servers')).toEqual(bad('settings of servers', 'warning', /PUBLIC_URL$/));
  });

  it('a clock that is wrong, of this machine and of a server', { tags: 'long' }, async () => {
    await announce(damaged, { clockAheadMs: -20_000 });
    const env = { MONGODB_URI: databaseUri(damaged.database), CLOCK_SHIFT_MS: String(10 * MINUTE_MS) };
    const command = ['--import', './test/support/clock/shifted-clock.mjs', 'dist/cli.js', 'doctor', '--json'];
    const { stdout } = await new Process([process.execPath, ...command], env).ended;
    const clocks = JSON.parse(stdout).checks.filter(({ check }: Result) => check === 'clocks');
    expect(clocks).toMatchObject([
      { level: 'fault', found: expect.stringMatching(/^this machine is 10 minutes ahead of the database/) },
      { level: 'warning', found: expect.stringMatching(/^the server elsewhere .* is 20 seconds behind the database$/) },
    ]);
  });

  it('more workers than the memory of a container suffices for; WORKERS=auto starts fewer than it has cores', {
    tags: 'long',
  }, async () => {
    await announce(damaged, { workers: 16, memoryLimit: 2 * GIGABYTE });
    const asInContainer = `
      import { syncBuiltinESMExports } from 'node:module';
      import os from 'node:os';
      os.availableParallelism = () => 16;
      process.constrainedMemory = () => ${2 * GIGABYTE};
      syncBuiltinESMExports();`;
    const memory = async (WORKERS: string) => {
      const env = { MONGODB_URI: databaseUri(damaged.database), WORKERS };
      const flags = ['--max-old-space-size=1000', `--import=data:text/javascript,${encodeURIComponent(asInContainer)}`];
      const { stdout } = await new Process([process.execPath, ...flags, 'dist/cli.js', 'doctor', '--json'], env).ended;
      return JSON.parse(stdout).checks.filter(({ check }: Result) => check === 'memory');
    };
    const [tooMany, server] = await memory('16');
    expect([tooMany]).toEqual(bad('memory', 'warning', /^a server of this machine may use 2147 MB with 16 workers,/));
    expect(tooMany.advice).toBe('Give it 4350 MB or more, or set WORKERS=auto.');
    expect([server]).toEqual(bad('memory', 'warning', /^the server elsewhere .* may use 2147 MB with 16 workers$/));
    const [auto] = await memory('auto');
    expect([auto]).toEqual(good('memory', /^a server of this machine may use 2147 MB with 7 workers,/));
  });

  it('a PUBLIC_URL that leads elsewhere or nowhere, or is missing', { tags: 'long' }, async () => {
    const elsewhere = createServer((_request, response) => response.writeHead(404).end('no such page'));
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const wrong = await doctor({ PUBLIC_URL: url });
    await new Promise((resolve) => elsewhere.close(resolve));
    expect(wrong.of('PUBLIC_URL')).toEqual(bad('PUBLIC_URL', 'fault', /answers with status 404/));
    const nowhere = await doctor({ PUBLIC_URL: url });
    expect(nowhere.of('PUBLIC_URL')).toEqual(
      bad('PUBLIC_URL', 'warning', /cannot be reached from here \(ECONNREFUSED\)/),
    );
    const right = await doctor({ PUBLIC_URL: server.listener.url });
    expect(right.of('PUBLIC_URL')).toEqual(good('PUBLIC_URL', /leads to the service$/));
    const production = await doctor({ NODE_ENV: 'production', PUBLIC_URL: server.listener.url });
    expect(production.of('PUBLIC_URL')).toEqual(bad('PUBLIC_URL', 'warning', /without TLS$/));
    const missing = await doctor({ NODE_ENV: 'production' });
    expect(missing.of('PUBLIC_URL')).toEqual(bad('PUBLIC_URL', 'warning', /^it is not set/));
  });

  it('an SMTP server that refuses the log-in, or does not answer', { tags: 'long' }, async () => {
    const smtp = await startSmtp({ auth: { user: 'ada', pass: 'right' } });
    const env = (password: string) => ({ ...mailEnv(smtp), SMTP_URL: `smtp://ada:${password}@127.0.0.1:${smtp.port}` });
    const accepted = await doctor(env('right'));
    const refused = await doctor(env('wrong-password'));
    await smtp.close();
    const away = await doctor(env('right'));
    expect(accepted.of('SMTP')).toEqual(good('SMTP', /accepts the log-in/));
    expect(refused.of('SMTP')).toEqual(bad('SMTP', 'fault', /cannot be used \(EAUTH 535\)$/));
    expect(away.of('SMTP')).toEqual(bad('SMTP', 'fault', /cannot be used \(ESOCKET\)$/));
    expect(smtp.mails).toEqual([]);
  });

  it('wrong settings', async () => {
    const { code, checks } = await doctor({ PORT: '70000', PUBLIC_URL: 'nowhere' });
    expect(code).toBe(2);
    expect(checks.map(({ check, level }) => [check, level])).toEqual([
      ['settings', 'fault'],
      ['settings', 'fault'],
    ]);
  });

  it('an empty database, which it leaves empty of indexes', async () => {
    const name = randomName();
    const { of, code } = await doctor({}, name);
    expect(of('indexes')).toEqual(bad('indexes', 'warning', /^the database is empty$/));
    expect(code).toBe(1);
    const connection = await connectDatabase(databaseUri(name));
    const collections = await connection.getClient().db(name).listCollections().toArray();
    await connection.close();
    expect(collections.map((collection) => collection.name)).toEqual(['doctor']);
  });
});

describe('doctor without a usable database or with few rights', () => {
  const SECRETS = {
    SESSION_SECRET: 'secret-of-the-sessions',
    ADMIN_PASSWORD: 'secret-of-the-admin',
    METRICS_TOKEN: 'secret-of-the-metrics',
    OIDC_CLIENT_SECRET: 'secret-of-the-provider',
    SMTP_URL: 'smtp://ada:secret-of-the-mail@127.0.0.1:1',
  };
  const OTHERS = {
    MAIL_FROM: 'forms@example.com',
    PUBLIC_URL: 'http://127.0.0.1:1',
    OIDC_ISSUER: 'http://127.0.0.1:1',
    OIDC_CLIENT_ID: 'collection',
  };

  it.concurrent.each([
    ['is away', 'mongodb://ada:secret-of-the-database@127.0.0.1:1/db'],
    ['refuses the password', undefined],
    ['has a name that is unknown', 'mongodb://ada:secret-of-the-database@nowhere.invalid/db'],
    ['has a wrong URI', 'mongodb://ada:secret-of-the-database@/db?secret-of-the-option=1'],
  ])('reports a database that %s, and never a secret', { tags: 'long' }, async (_case, uri) => {
    const address = new URL(databaseUri(server.database));
    address.username = 'ada';
    address.password = 'secret-of-the-database';
    const env = { ...SECRETS, ...OTHERS, MONGODB_URI: uri ?? address.href };
    const ended = await Promise.all([runTool(['doctor'], env), runTool(['doctor', '--json'], env)]);
    for (const { code, stdout, stderr } of ended) {
      expect(code).toBe(2);
      expect(stdout + stderr).not.toMatch(/secret-of/);
      expect(stdout).toMatch(/database|MONGODB_URI/);
    }
  });

  it('prints no secret of a working database', async () => {
    const { stdout } = await doctor({ ...SECRETS, ...OTHERS });
    expect(stdout).not.toMatch(/secret-of/);
    const { username, password } = new URL(databaseUri(server.database));
    expect(password).not.toBe('');
    expect(stdout).not.toContain(password);
    expect(username).not.toBe('');
  });

  it('says which checks a user without rights cannot run, as warnings', async () => {
    const name = randomName();
    const connection = await connectDatabase(databaseUri(name));
    const db = connection.getClient().db(name);
    await db.command({ createUser: 'reader', pwd: 'secret-of-the-reader', roles: [{ role: 'read', db: name }] });
    const uri = new URL(databaseUri(name));
    uri.username = 'reader';
    uri.password = 'secret-of-the-reader';
    uri.searchParams.set('authSource', name);
    const { code, stdout, of } = await doctor({ MONGODB_URI: uri.href });
    await db.command({ dropUser: 'reader' });
    await connection.close();
    for (const check of ['majority write', 'memory', 'connections']) {
      expect(of(check)).toEqual(bad(check, 'warning', /^it could not be checked \(Unauthorized\)$/));
    }
    expect(of('MongoDB version')).toMatchObject([{ level: 'good' }]);
    expect(stdout).not.toMatch(/secret-of/);
    expect(code).toBe(1);
  });
});
