import { createApp } from '../../app.ts';
import { createEmbed, type Embed } from '../../http/embed.ts';
import { type Listener, listen } from '../../http/listener.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Logger } from '../../platform/core/logger.ts';
import { sessionSecret } from '../../platform/core/session-secret.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { createServices, type Services } from '../../services.ts';

/**
 * Divided among the workers, at least two for each, so that a stop loses no connection (decision
 * 40). More accept a burst sooner, also one of an attack, before the server has answered the last.
 */
const ACCEPT_HANDLES = 4;

export interface Running {
  /** Where the service listens. */
  url: string;
  /** On the first start: the admin app's password, and the token of the first admin account. */
  first: { sourceAppId: string; password: string; token: string | undefined } | undefined;
  /** Answers all received requests, then closes everything: 8 s and the time of the database. */
  close(): Promise<void>;
}

/**
 * Opens what a server has once, however many processes serve its requests: the database, indexes,
 * background jobs and the first admin.
 * @param say prints a line for the person who starts the server
 */
export async function openService(config: Config, logger: Logger, say: (line: string) => void, embed = createEmbed()) {
  const secret = await sessionSecret(config);
  const database = await openDatabase(config, { logger, progress: say });
  const services = createServices({ ...config, sessionSecret: secret }, database.connection, logger, {
    pageAssets: embed.assets,
    workers: config.workers,
    // As an unexpected error, which closes the service and ends the process.
    onOutdated: (error) =>
      setImmediate(() => {
        throw error;
      }),
    importProcess: {
      program: new URL('../../import-process.js', import.meta.url),
      setup: { uri: database.uri, sessionSecret: secret },
    },
  });
  const close = async (): Promise<void> => {
    await services.stop();
    await database.close();
  };
  try {
    await services.prepare();
    await services.start();
    const created = await services.apps.ensureAdmin(config.adminAppId, config.adminPassword);
    /** Resolves with what a first start prints, once the service listens. */
    const first = async (): Promise<Running['first']> => {
      if (!created) return undefined;
      const { app, password } = created;
      return { sourceAppId: app.sourceAppId, password, token: await services.accounts.service.firstLink() };
    };
    return { database, secret, services, embed, first, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Serves HTTP in this process. @param deps.readMetrics those of all workers of the server */
export async function serve(deps: {
  config: Config & { sessionSecret: string };
  logger: Logger;
  services: Services;
  embed: Embed;
  readMetrics?: () => Promise<string>;
}): Promise<Listener> {
  const { port, host, workers } = deps.config;
  let stopping = false;
  const http = createApp({ ...deps, isStopping: () => stopping });
  const isWorker = workers > 1;
  const acceptHandles = Math.max(isWorker ? 2 : 1, Math.ceil(ACCEPT_HANDLES / workers));
  const listener = await listen(http, port, host, { acceptHandles, isWorker });
  return {
    ...listener,
    close() {
      stopping = true;
      return listener.close();
    },
  };
}

/** Starts a server of one process. */
export async function startSingle(config: Config, logger: Logger, say: (line: string) => void): Promise<Running> {
  const opened = await openService(config, logger, say);
  const { services, embed, secret: sessionSecret } = opened;
  try {
    const listener = await serve({ config: { ...config, sessionSecret }, logger, services, embed });
    return {
      url: listener.url,
      first: await opened.first(),
      async close() {
        await listener.close();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
