import type { RequestListener } from 'node:http';
import { Writable } from 'node:stream';
import type { Express } from 'express';
import { type Db, MongoClient } from 'mongodb';
import { expect, inject } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { LEASE_MS } from '../../../src/core/apps/revision.ts';
import { createEmbed } from '../../../src/http/embed.ts';
import { type Listener, listen } from '../../../src/http/listener.ts';
import type { SendingLimits } from '../../../src/http/sending-limits.ts';
import { loadConfig } from '../../../src/platform/core/config.ts';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { type Connection, connectDatabase } from '../../../src/platform/database/client.ts';
import { DEADLINE_MS } from '../../../src/platform/http/deadline.ts';
import { createServices, type Services, type Timings } from '../../../src/services.ts';
import { countServer, dropLater, emptyDatabase, keepDatabase, noteCollections } from '../database/databases.ts';
import { watchRights } from '../database/rights.ts';
import { watchShardKeys } from '../database/shard-keys.ts';
import { installValidators, watchRefusals, withoutValidators } from '../database/validators.ts';
import { rounds } from '../run/rounds.ts';
import { Client } from './client.ts';
import { shareServer } from './shared.ts';

/**
 * For servers whose background work a test waits for: they look for it five times a second instead
 * of once.
 */
export const QUICK_JOBS: Timings = { pollEveryMs: 200 };

/**
 * For tests about leases, for those that count the statements of a server, and for servers that
 * share their database with a server process: every change waits for the leases of all servers.
 */
export const FULL_LEASES: Timings = { leaseMs: LEASE_MS };

/** Each change of a schema waits for it, and most tests make some. */
const LEASE_OF_TESTS_MS = 25;

/** Many tests wait for answers that do not tell who is known. */
const ANSWER_STEP_MS = 10;

/** The deadline of requests: a busy machine may take longer than the one of the service. */
const PATIENT_MS = 10_000;

export const ADMIN_PASSWORD = 'the-admin-password-of-the-tests';
export const PASSWORD_COST = 4;

/**
 * `TEST_SERVERS=2 npm test -- test/http` answers every second request by another server on the same
 * database, as workers do. These files test what a single server keeps in memory (counts, limits,
 * metrics, queues), or the statements that it sends.
 */
const OF_SINGLE_SERVERS = [
  'audit',
  'captcha',
  'challenges',
  'dashboard-stats',
  'form-settings',
  'forms-redirect',
  'forms-refused',
  'imports-late',
  'index-builds',
  'index-late-steps',
  'login',
  'mails',
  'metrics',
  'no-store',
  'operator-load',
  'renames',
  'retention',
  'revision',
  'servers',
  'webhooks/events',
]
  .map((name) => `test/http/${name}.test.ts`)
  .concat('test/security/exports.test.ts');

/** A test that gives a server a route or a database tells it apart from others. */
function serverCount(env: Record<string, string>, database: string | undefined): number {
  const { testPath = '' } = expect.getState();
  const isSingle = env.MONGODB_URI !== undefined || database !== undefined;
  return isSingle || OF_SINGLE_SERVERS.some((file) => testPath.endsWith(file))
    ? 1
    : Number(process.env.TEST_SERVERS ?? 1);
}

/** A running server that uses the shared mongod. */
export interface TestServer {
  /** A client without a session. */
  client: Client;
  /** A client with a session of the admin app. */
  admin: Client;
  services: Services;
  listener: Listener;
  /** The database, for assertions and for documents of the test, by a client of its own. */
  db: Db;
  /** The connection of the service, for parts of it that a test creates. */
  connection: Connection;
  /** The name of the database. Pass it to `startServer` to start a second server on it. */
  database: string;
  /** Returns all log output, one JSON object per line. */
  log(): string;
  close(): Promise<void>;
}

/** The options of background work. A test that gives one of them waits for such work. */
const JOB_OPTIONS: readonly (keyof Timings)[] = [
  'sweepEveryMs',
  'mailLimits',
  'deliveryNow',
  'writesEndMs',
  'checksMs',
  'retentionEveryMs',
  'importWritesEndMs',
];

/**
 * Starts a server with its own database.
 *
 * @param env environment variables of the service, like `MAX_ARRAY_ITEMS`; `MONGODB_URI` selects
 * another route to the shared mongod, for example through a proxy; without `PORT` any port is used
 * @param givenDatabase the database of another server, to start a second server on it
 * @param timings.pollEveryMs the interval in ms at which a server reads which jobs are due; short
 * with options of background work, with emails and with webhooks
 * @param timings.sweepEveryMs the interval in ms between sweeps for interrupted deletions
 * @param timings.writesEndMs how long the builder of indexes waits for late writes
 * @param timings.retentionEveryMs the interval in ms between erasures of old records
 * @param timings.importWritesEndMs how long imports wait for writes of a run that was cut short
 * @param timings.queryBudgetMs the time that a page of a query reads
 * @param timings.mailLimits the hourly limits of emails
 * @param timings.deliveryNow the clock of deliveries
 * @param timings.passwordCost the bcrypt cost; the default takes negligible time
 * @param timings.deadlineMs the deadline of requests; that of the service with `MONGODB_URI`
 * @param timings.leaseMs the length of leases, see {@link FULL_LEASES}
 * @param timings.sending the time in which clients send
 */
export async function startServer(
  env: Record<string, string> = {},
  givenDatabase?: string,
  timings: Timings & { sending?: Partial<SendingLimits> } = {},
): Promise<TestServer> {
  const database = givenDatabase ?? emptyDatabase();
  countServer(database, 1);
  // Held bytes may arrive after the file.
  if (env.MONGODB_URI !== undefined) dropLater(database);
  const config = loadConfig({ NODE_ENV: 'test', ADMIN_PASSWORD, SESSION_SECRET: 'a secret of the tests', ...env });
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, callback) {
      lines.push(String(chunk));
      callback();
    },
  });
  const logger = createLogger(config, sink);
  const uri = new URL(config.mongodbUri ?? inject('mongodbUri'));
  uri.pathname = `/${database}`;
  const ownDatabase = new MongoClient(uri.href);
  uri.searchParams.set('monitorCommands', 'true');
  const { leaseMs = rounds(LEASE_MS, LEASE_OF_TESTS_MS), sending, ...others } = timings;
  // A request of a test through a proxy may wait until the deadline.
  const { deadlineMs = env.MONGODB_URI === undefined ? rounds(DEADLINE_MS, PATIENT_MS) : DEADLINE_MS } = timings;
  const hasJobs =
    JOB_OPTIONS.some((option) => option in others) || config.mail !== undefined || config.webhooksAllowPrivate;
  const embed = createEmbed();
  const shortened = {
    passwordCost: PASSWORD_COST,
    leaseMs,
    answerStepMs: ANSWER_STEP_MS,
    ...(hasJobs && QUICK_JOBS),
    ...others,
  };
  const sessionSecret = config.sessionSecret ?? 'unset';

  async function startService() {
    const connection = await connectDatabase(uri.href);
    const services = createServices(config, connection, logger, { timings: shortened, pageAssets: embed.assets });
    watchShardKeys(connection.getClient(), services.collections);
    watchRefusals(connection.getClient());
    watchRights(connection.getClient());
    noteCollections(services.collections);
    await installValidators(ownDatabase.db(database), services.collections);
    await services.prepare();
    await services.start();
    const app = createApp({ config: { ...config, sessionSecret }, logger, services, embed, timings: { deadlineMs } });
    return { connection, services, app };
  }
  const first = await startService();
  const running = [first];
  while (running.length < serverCount(env, givenDatabase)) running.push(await startService());
  const jobs = {
    ...first.services.jobs,
    stop: async () => void (await Promise.all(running.map(({ services }) => services.jobs.stop()))),
  };
  const services = running.length === 1 ? first.services : { ...first.services, jobs };
  await services.apps.ensureAdmin(config.adminAppId, config.adminPassword);
  const listener = await listen(
    inTurns(running.map(({ app }) => app)),
    env.PORT === undefined ? 0 : config.port,
    '127.0.0.1',
    { sending },
  );
  const admin = new Client(listener.url);
  if (!config.oidc?.only) await admin.logIn(config.adminAppId, config.adminPassword ?? '');
  return {
    client: new Client(listener.url),
    admin,
    services,
    listener,
    db: withoutValidators(ownDatabase.db(database)),
    connection: first.connection,
    database,
    log: () => lines.join(''),
    async close() {
      await listener.close();
      for (const { services, connection } of running) {
        await services.stop();
        await connection.close();
      }
      await ownDatabase.close();
      countServer(database, -1);
    },
  };
}

/** Answers each request by the next application, as if each had a process of its own. */
function inTurns(apps: Express[]): Express {
  const [first] = apps;
  if (!first || apps.length === 1) return first as Express;
  let next = 0;
  const handle: RequestListener = (req, res) => {
    next = (next + 1) % apps.length;
    apps[next]?.(req, res);
  };
  return Object.assign(handle, { request: first.request, response: first.response }) as unknown as Express;
}

/**
 * The server that the files of a worker share, with clients of their own. For files that need no
 * other settings, create their own apps, and neither change nor count what belongs to all apps. It
 * ends with the worker: `close` leaves it running.
 */
export async function sharedServer(): Promise<TestServer> {
  const { listener, ...server } = await shareServer(startServer);
  keepDatabase(server.database);
  const admin = await new Client(listener.url).logIn('admin', ADMIN_PASSWORD);
  return { ...server, listener, client: new Client(listener.url), admin, close: async () => undefined };
}
