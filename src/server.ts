import closeWithGrace from 'close-with-grace';
import { createApp } from './app.ts';
import type { NewPassword } from './apps/apps.service.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { openDatabase } from './database/open.ts';
import { listen } from './http/listener.ts';
import { createLogger, type Logger } from './logger.ts';
import { createServices } from './services.ts';
import { sessionSecret } from './session-secret.ts';

const STOP_WITHIN_MS = 9_500;

/** Starts the service: configuration, database, services, then it listens. Resolves when it does. */
async function start(config: Config, logger: Logger): Promise<void> {
  const progress = (line: string): void => void process.stdout.write(`${line}\n`);
  const secret = await sessionSecret(config);
  const database = await openDatabase(config, { logger, progress });
  const services = createServices(config, database.connection, logger);
  let stopping = false;
  try {
    await services.prepare();
    const created = await services.apps.ensureAdmin(config.adminAppId, config.adminPassword);
    const app = createApp({
      config: { ...config, sessionSecret: secret },
      logger,
      services,
      isStopping: () => stopping,
    });
    const listener = await listen(app, config.port, config.host);
    closeWithGrace({ delay: STOP_WITHIN_MS, logger: quietly(logger) }, async ({ err }) => {
      if (err) logger.fatal({ err: { name: err.name, stack: err.stack } }, 'stopping after an unexpected error');
      stopping = true;
      await listener.close();
      await services.stop();
      await database.close();
      logger.info('stopped');
    });
    announce(listener.url, config, created, progress);
  } catch (error) {
    await services.stop();
    await database.close();
    throw error;
  }
}

/** The words for the person at the terminal. The admin's password is shown on the first start and never again. */
function announce(url: string, config: Config, created: NewPassword | undefined, say: (line: string) => void): void {
  say(`User Collection Service is ready: ${url} (API documentation: ${url}/docs)`);
  if (!created) return;
  say(`Admin app: ${created.app.sourceAppId}`);
  say(
    config.adminPassword === undefined
      ? `Admin password: ${created.password} (shown this once; keep it)`
      : 'Admin password: the one in ADMIN_PASSWORD',
  );
}

/** close-with-grace reports through a console-like object. */
function quietly(logger: Logger) {
  return {
    error: (message: unknown) => logger.error(String(message)),
    warn: (message: unknown) => logger.warn(String(message)),
  };
}

try {
  const config = loadConfig(process.env);
  await start(config, createLogger(config));
} catch (error) {
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  for (const line of lines) process.stderr.write(`Cannot start: ${line}\n`);
  process.exit(1);
}
