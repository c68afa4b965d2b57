import { ConfigError, loadConfig } from '../core/config.ts';
import { createLogger } from '../core/logger.ts';
import { existingSecret } from '../core/session-secret.ts';
import { createClosedConnection } from '../database/client.ts';
import { openDatabase } from '../database/open.ts';
import { createServices, type ServiceOptions } from '../services.ts';
import type { Streams, WithConnection, WithServices } from './command.ts';

/** Runs one task with the services, also while a server runs. @throws {ConfigError} */
export async function withServices(
  { env, streams, options }: { env: NodeJS.ProcessEnv; streams: Streams; options: ServiceOptions | undefined },
  task: Parameters<WithServices>[0],
  { prepare = true }: Parameters<WithServices>[1] = {},
): Promise<void> {
  const config = loadConfig(env);
  // Standard output is for the output of the command.
  const logger = createLogger({ logLevel: 'silent' }, { write: () => undefined });
  const progress = (line: string): void => void streams.stderr.write(`${line}\n`);
  const database = await openDatabase(config, { logger, progress, shared: true });
  // For hashes with the secret, such as those of imports.
  const sessionSecret = await existingSecret(config);
  const services = createServices({ ...config, sessionSecret }, database.connection, logger, { ...options, progress });
  try {
    if (prepare) await services.prepare();
    await task(services);
  } finally {
    await services.stop();
    await database.close();
  }
}

/** Implements `WithConnection`. */
export async function withConnection(
  { env, streams }: { env: NodeJS.ProcessEnv; streams: Streams },
  ...[{ isOpen }, task]: Parameters<WithConnection>
): Promise<void> {
  const config = loadConfig(env);
  if (isOpen && config.mongodbUri === undefined) {
    throw new ConfigError(['MONGODB_URI is not set; the embedded database is one mongod, not a sharded cluster']);
  }
  const logger = createLogger({ logLevel: 'silent' }, { write: () => undefined });
  const progress = (line: string): void => void streams.stderr.write(`${line}\n`);
  const { connection, close } = isOpen
    ? await openDatabase(config, { logger, progress })
    : { connection: createClosedConnection(config.mongodbUri), close: async () => undefined };
  const services = createServices(config, connection, logger);
  try {
    const { collections, createIndexes: ensureIndexes } = services;
    await task({ client: connection.getClient(), database: connection.name, collections, ensureIndexes });
  } finally {
    await services.stop();
    await close();
  }
}
