import { loadConfig } from '../../platform/core/config.ts';
import { createLogger } from '../../platform/core/logger.ts';
import { existingSecret } from '../../platform/core/session-secret.ts';
import { createClosedConnection } from '../../platform/database/client.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { createServices, type Timings } from '../../services.ts';
import { note, type Streams, type WithServices } from './command.ts';

/** Runs one task with the services, also while a server runs. @throws {ConfigError} */
export async function withServices(
  { env, streams, timings }: { env: NodeJS.ProcessEnv; streams: Streams; timings: Timings | undefined },
  ...[task, { prepare = true, connect = true } = {}]: Parameters<WithServices>
): Promise<void> {
  const config = loadConfig(env);
  // Standard output is for the output of the command.
  const logger = createLogger({ logLevel: 'silent' }, { write: () => undefined });
  const progress = (line: string): void => note(streams, line);
  const { connection, close } = connect
    ? await openDatabase(config, { logger, progress, shared: true })
    : { connection: createClosedConnection(config.mongodbUri), close: async () => undefined };
  // For hashes with the secret, such as those of imports.
  const sessionSecret = await existingSecret(config);
  const services = createServices({ ...config, sessionSecret }, connection, logger, { timings, progress });
  try {
    if (prepare) await services.prepare();
    await task(services, connection);
  } finally {
    await services.stop();
    await close();
  }
}
