import closeWithGrace from 'close-with-grace';
import type { NewPassword } from './apps/apps.service.ts';
import { createContainer } from './container.ts';
import { type Config, ConfigError, loadConfig } from './core/config.ts';
import { createLogger, type Logger } from './core/logger.ts';
import { sessionSecret } from './core/session-secret.ts';
import { openDatabase } from './database/open.ts';
import { createApp } from './http/app.ts';
import { listen } from './http/listener.ts';

const STOP_WITHIN_MS = 9_500;
const STOP_SIGNALS: closeWithGrace.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** A service that listens. */
interface Running {
  /** Answers all that was received, then closes everything. Takes at most as long as the listener, and the database's own stop. */
  close(): Promise<void>;
}

/** Starts the service: configuration, database, services, then it listens. Resolves when it does. */
async function start(config: Config, logger: Logger): Promise<Running> {
  const secret = await sessionSecret(config);
  const database = await openDatabase(config, { logger, progress: say });
  const services = createContainer(config, database.connection, logger);
  let stopping = false;
  try {
    await services.prepare();
    await services.start();
    const created = await services.apps.ensureAdmin(config.adminAppId, config.adminPassword);
    const app = createApp({
      config: { ...config, sessionSecret: secret },
      logger,
      services,
      isStopping: () => stopping,
    });
    const listener = await listen(app, config.port, config.host);
    announce(listener.url, config, created);
    return {
      async close() {
        stopping = true;
        await listener.close();
        await services.stop();
        await database.close();
      },
    };
  } catch (error) {
    await services.stop();
    await database.close();
    throw error;
  }
}

/**
 * Closes the service at the first signal or unexpected error, and ends the process: code 0 after a signal. A signal that comes while it still starts waits
 * for the start to end, so that no mongod is left behind.
 */
function closeAtTheEnd(running: Promise<Running>, logger: Logger): void {
  const options = { delay: STOP_WITHIN_MS, logger: quietly(logger), skip: STOP_SIGNALS };
  const { close } = closeWithGrace(options, async ({ err }) => {
    if (err) logger.fatal({ err: { name: err.name, stack: err.stack } }, 'stopping after an unexpected error');
    await (await running).close();
    logger.info('stopped');
  });
  // Ctrl-C under npm comes twice, from the terminal and from npm; close-with-grace would take the second for impatience and leave mongod behind.
  let asked = false;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (!asked) void close();
      asked = true;
    });
  }
}

/** The words for the person at the terminal. The admin's password is shown on the first start and never again. */
function announce(url: string, config: Config, created: NewPassword | undefined): void {
  say(`User Collection Service is ready: ${url} (API documentation: ${url}/docs)`);
  if (!created) return;
  say(`Admin app: ${created.app.sourceAppId}`);
  say(
    config.adminPassword === undefined
      ? `Admin password: ${created.password} (shown this once; keep it)`
      : 'Admin password: the one in ADMIN_PASSWORD',
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
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
  const logger = createLogger(config);
  const running = start(config, logger);
  closeAtTheEnd(running, logger);
  await running;
} catch (error) {
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  for (const line of lines) process.stderr.write(`Cannot start: ${line}\n`);
  process.exit(1);
}
