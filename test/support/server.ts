import { Writable } from 'node:stream';
import { type Db, MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { LEASE_MS } from '../../src/apps/revision.ts';
import { loadConfig } from '../../src/core/config.ts';
import { createLogger } from '../../src/core/logger.ts';
import { connectDatabase } from '../../src/database/client.ts';
import { createApp } from '../../src/http/app.ts';
import { createEmbed } from '../../src/http/embed.ts';
import { type Listener, listen } from '../../src/http/listener.ts';
import { createServices, type ServiceOptions, type Services } from '../../src/services.ts';
import { Client } from './client.ts';
import { keepDatabase, randomName } from './databases.ts';
import { rounds } from './rounds.ts';
import { watchShardKeys } from './shard-keys.ts';

/**
 * For servers whose background work a test waits for: they look for it ten times a second instead
 * of once.
 */
export const QUICK_JOBS: ServiceOptions = { pollEveryMs: 100 };

/**
 * For tests about leases, for those that count the statements of a server, and for servers that
 * share their database with a server process: every change waits for the leases of all servers.
 */
export const FULL_LEASES: ServiceOptions = { leaseMs: LEASE_MS };

/** Each change of a schema waits for it, and most tests make some. */
const LEASE_OF_TESTS_MS = 25;

export const ADMIN_PASSWORD = 'the-admin-password-of-the-tests';
export const PASSWORD_COST = 4;

/** A running server that uses the shared mongod. */
export interface TestServer {
  /** A client without a session. */
  client: Client;
  /** A client with a session of the admin app. */
  admin: Client;
  services: Services;
  listener: Listener;
  /** The database, for assertions on stored documents, by a client of its own. */
  db: Db;
  /** The name of the database. Pass it to `startServer` to start a second server on it. */
  database: string;
  /** Returns all log output, one JSON object per line. */
  log(): string;
  close(): Promise<void>;
}

/** The options of background work. A test that gives one of them waits for such work. */
const JOB_OPTIONS: readonly (keyof ServiceOptions)[] = [
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
 * @param database the database of another server, to start a second server on it
 * @param options.pollEveryMs the interval in ms at which a server reads which jobs are due; short
 * with options of background work, with emails and with webhooks
 * @param options.sweepEveryMs the interval in ms between sweeps for interrupted deletions
 * @param options.writesEndMs how long the builder of indexes waits for late writes
 * @param options.retentionEveryMs the interval in ms between erasures of old records
 * @param options.importWritesEndMs how long imports wait for writes of a run that was cut short
 * @param options.queryBudgetMs the time that a page of a query reads
 * @param options.mailLimits the hourly limits of emails
 * @param options.deliveryNow the clock of deliveries
 * @param options.passwordCost the bcrypt cost; the default takes negligible time
 * @param options.leaseMs the length of leases, see {@link FULL_LEASES}
 */
export async function startServer(
  env: Record<string, string> = {},
  database = randomName(),
  options: ServiceOptions = {},
): Promise<TestServer> {
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
  const connection = await connectDatabase(uri.href);
  const { leaseMs = rounds(LEASE_MS, LEASE_OF_TESTS_MS), ...others } = options;
  const hasJobs =
    JOB_OPTIONS.some((option) => option in others) || config.mail !== undefined || config.webhooksAllowPrivate;
  const embed = createEmbed();
  const defaults = { passwordCost: PASSWORD_COST, pageAssets: embed.assets, leaseMs, ...(hasJobs && QUICK_JOBS) };
  const services = createServices(config, connection, logger, { ...defaults, ...others });
  watchShardKeys(connection.getClient(), services.collections);
  await services.prepare();
  await services.start();
  await services.apps.ensureAdmin(config.adminAppId, config.adminPassword);
  const sessionSecret = config.sessionSecret ?? 'unset';
  const listener = await listen(
    createApp({ config: { ...config, sessionSecret }, logger, services, embed }),
    env.PORT === undefined ? 0 : config.port,
    '127.0.0.1',
  );
  const admin = new Client(listener.url);
  if (!config.oidc?.only) await admin.logIn(config.adminAppId, config.adminPassword ?? '');
  return {
    client: new Client(listener.url),
    admin,
    services,
    listener,
    db: ownDatabase.db(database),
    database,
    log: () => lines.join(''),
    async close() {
      await listener.close();
      await services.stop();
      await connection.close();
      await ownDatabase.close();
    },
  };
}

let shared: Promise<TestServer> | undefined;

/**
 * The server that the files of a worker share, with clients of their own. For files that need no
 * other settings, create their own apps, and neither change nor count what belongs to all apps. It
 * ends with the worker: `close` leaves it running.
 */
export async function sharedServer(): Promise<TestServer> {
  shared ??= startServer();
  const { listener, ...server } = await shared;
  keepDatabase(server.database);
  const admin = await new Client(listener.url).logIn('admin', ADMIN_PASSWORD);
  return { ...server, listener, client: new Client(listener.url), admin, close: async () => undefined };
}
