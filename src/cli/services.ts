import { loadConfig } from '../core/config.ts';
import { createLogger } from '../core/logger.ts';
import { existingSecret } from '../core/session-secret.ts';
import { openDatabase } from '../database/open.ts';
import { createServices, type ServiceOptions } from '../services.ts';
import type { Streams, WithServices } from './command.ts';

/** Runs one task with the services, also while a server runs. @throws {ConfigError} */
export async function withServices(
  { env, streams, options }: { env: NodeJS.ProcessEnv; streams: Streams; options: ServiceOptions | undefined },
  task: Parameters<WithServices>[0],
): Promise<void> {
  const config = loadConfig(env);
  // Standard output is for the output of the command.
  const logger = createLogger({ logLevel: 'silent' }, { write: () => undefined });
  const progress = (line: string): void => void streams.stderr.write(`${line}\n`);
  const database = await openDatabase(config, { logger, progress, shared: true });
  // For hashes with the secret, such as those of imports.
  const sessionSecret = await existingSecret(config);
  const services = createServices({ ...config, sessionSecret }, database.connection, logger, options);
  try {
    await services.prepare();
    await task(services);
  } finally {
    await services.stop();
    await database.close();
  }
}
