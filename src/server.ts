import closeWithGrace from 'close-with-grace';
import type { NewPassword } from './apps/apps.service.ts';
import { type Config, ConfigError, loadConfig } from './core/config.ts';
import { createLogger, type Logger } from './core/logger.ts';
import { sessionSecret } from './core/session-secret.ts';
import { openDatabase } from './database/open.ts';
import { createApp } from './http/app.ts';
import { createEmbed } from './http/embed.ts';
import { listen } from './http/listener.ts';
import { createServices } from './services.ts';

const STOP_WITHIN_MS = 9_500;
/** More accept a burst sooner, also one of an attack, before the server has answered the last. */
const ACCEPT_HANDLES = 4;
const STOP_SIGNALS: closeWithGrace.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

interface Running {
  /** Answers all received requests, then closes everything: 8 s and the time of the database. */
  close(): Promise<void>;
}

async function start(config: Config, logger: Logger): Promise<Running> {
  const secret = await sessionSecret(config);
  const database = await openDatabase(config, { logger, progress: say });
  const embed = createEmbed();
  const services = createServices({ ...config, sessionSecret: secret }, database.connection, logger, {
    pageAssets: embed.assets,
    importProcess: {
      program: new URL('./import-process.js', import.meta.url),
      setup: { uri: database.uri, sessionSecret: secret },
    },
  });
  let stopping = false;
  try {
    await services.prepare();
    await services.start();
    const created = await services.apps.ensureAdmin(config.adminAppId, config.adminPassword);
    const http = createApp({
      config: { ...config, sessionSecret: secret },
      logger,
      services,
      embed,
      isStopping: () => stopping,
    });
    const listener = await listen(http, config.port, config.host, { acceptHandles: ACCEPT_HANDLES });
    const token = created && (await services.accounts.service.firstLink());
    announce(listener.url, config, created, token);
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
 * Closes the service on the first signal or unexpected error, and ends the process; exit code 0
 * after a signal. A signal during start-up waits for its end, so that no mongod is orphaned.
 */
function closeOnSignal(running: Promise<Running>, logger: Logger): void {
  const options = { delay: STOP_WITHIN_MS, logger: consoleLogger(logger), skip: STOP_SIGNALS };
  const { close } = closeWithGrace(options, async ({ err }) => {
    if (err) logger.fatal({ err: { name: err.name, stack: err.stack } }, 'stopping after an unexpected error');
    await (await running).close();
    logger.info('stopped');
  });
  // With npm, Ctrl-C arrives twice: from the terminal and from npm. close-with-grace would exit on
  // the second signal and orphan mongod.
  let isClosing = false;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (!isClosing) void close();
      isClosing = true;
    });
  }
}

/**
 * Prints the URL and, on the first start, the admin credentials and the link to the first admin
 * account, once.
 */
function announce(url: string, config: Config, created: NewPassword | undefined, token: string | undefined): void {
  say(`User Collection Service is ready: ${url} (API documentation: ${url}/docs)`);
  if (!created) return;
  say(`Admin app: ${created.app.sourceAppId}`);
  say(
    config.adminPassword === undefined
      ? `Admin password: ${created.password} (shown this once; keep it)`
      : 'Admin password: the one in ADMIN_PASSWORD',
  );
  if (token === undefined) return;
  say(`First admin account: ${config.publicUrl ?? url}/dashboard/invitation#${token} (works once, for one hour)`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function consoleLogger(logger: Logger) {
  return {
    error: (message: unknown) => logger.error(String(message)),
    warn: (message: unknown) => logger.warn(String(message)),
  };
}

try {
  const config = loadConfig(process.env);
  const logger = createLogger(config);
  const running = start(config, logger);
  closeOnSignal(running, logger);
  await running;
} catch (error) {
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  for (const line of lines) process.stderr.write(`Cannot start: ${line}\n`);
  process.exit(1);
}
