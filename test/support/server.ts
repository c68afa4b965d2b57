import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { inject } from 'vitest';
import { createContainer, type Services } from '../../src/container.ts';
import { loadConfig } from '../../src/core/config.ts';
import { createLogger } from '../../src/core/logger.ts';
import { connectDatabase } from '../../src/database/client.ts';
import { createApp } from '../../src/http/app.ts';
import { type Listener, listen } from '../../src/http/listener.ts';
import { Client } from './client.ts';

export const ADMIN_PASSWORD = 'the-admin-password-of-the-tests';
const PASSWORD_COST = 4;

/** A running server on the shared mongod. */
export interface TestServer {
  /** A client without a session. */
  client: Client;
  /** A client that is logged in as the admin app. */
  admin: Client;
  services: Services;
  listener: Listener;
  /** The database itself, to look at what is really stored. */
  db: ReturnType<typeof databaseOf>;
  /** The name of its database; give it to a second server to have two on one. */
  database: string;
  /** All that was logged, one JSON object a line. */
  log(): string;
  close(): Promise<void>;
}

function databaseOf(connection: Awaited<ReturnType<typeof connectDatabase>>) {
  return connection.getClient().db(connection.name);
}

/**
 * Starts a real server with a database of its own.
 *
 * @param env variables as the program takes them, like `MAX_ARRAY_ITEMS`; `MONGODB_URI` for another way to the shared mongod
 * @param database an existing server's, for a second server on it
 * @param sweepEveryMs the interval between sweeps for interrupted deletions
 * @param passwordCost bcrypt's; the default takes no time
 */
export async function startServer(
  env: Record<string, string> = {},
  database = randomName(),
  { passwordCost = PASSWORD_COST, sweepEveryMs }: { passwordCost?: number; sweepEveryMs?: number } = {},
): Promise<TestServer> {
  const config = loadConfig({ NODE_ENV: 'test', ADMIN_PASSWORD, SESSION_SECRET: 'a secret of the tests', ...env });
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const logger = createLogger(config, sink);
  const uri = new URL(config.mongodbUri ?? inject('mongodbUri'));
  uri.pathname = `/${database}`;
  const connection = await connectDatabase(uri.href);
  const services = createContainer(config, connection, logger, {
    passwordCost,
    ...(sweepEveryMs !== undefined && { sweepEveryMs }),
  });
  await services.prepare();
  await services.start();
  await services.apps.ensureAdmin(config.adminAppId, config.adminPassword);
  const sessionSecret = config.sessionSecret ?? 'unset';
  const listener = await listen(createApp({ config: { ...config, sessionSecret }, logger, services }), 0, '127.0.0.1');
  const admin = new Client(listener.url);
  await admin.logIn(config.adminAppId, config.adminPassword ?? '');
  return {
    client: new Client(listener.url),
    admin,
    services,
    listener,
    db: databaseOf(connection),
    database,
    log: () => lines.join(''),
    async close() {
      await listener.close();
      await services.stop();
      await connection.close();
    },
  };
}

export function randomName(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}
