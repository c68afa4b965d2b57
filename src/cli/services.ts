import { createContainer } from '../container.ts';
import { loadConfig } from '../core/config.ts';
import { createLogger } from '../core/logger.ts';
import { openDatabase } from '../database/open.ts';
import type { WithServices } from './command.ts';

/**
 * Opens the database that `env` names, runs one task with the services, and closes it again. Works beside a running server too.
 *
 * @param env variables as the program takes them @throws {ConfigError}
 */
export async function withServices(env: NodeJS.ProcessEnv, task: Parameters<WithServices>[0]): Promise<void> {
  const config = loadConfig(env);
  // Standard output belongs to what the command prints.
  const logger = createLogger({ logLevel: 'silent' }, { write: () => undefined });
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  const database = await openDatabase(config, { logger, progress, shared: true });
  const services = createContainer(config, database.connection, logger);
  try {
    await services.prepare();
    await task(services);
  } finally {
    await services.stop();
    await database.close();
  }
}
