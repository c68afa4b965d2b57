import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../core/config.ts';
import { NamedError } from '../core/errors.ts';
import { createFolder } from '../core/folders.ts';
import { freePort } from '../core/free-port.ts';
import type { Logger } from '../core/logger.ts';
import { DataDirError, prepareDataDir } from '../core/session-secret.ts';
import { findMongod, type Mongod, type Progress } from './mongod-binary.ts';
import { LaunchError, launchMongod } from './mongod-process.ts';
import {
  createKey,
  embeddedUri,
  findRunning,
  isAlive,
  keyPath,
  mongodbFolder,
  publishUri,
  type RunningMongod,
  readKey,
  removeOtherPidFiles,
  removePidFile,
  shutDown,
  withdrawUri,
  writePidFile,
} from './owner.ts';

const RETRY_INTERVAL_MS = 100;
/** A live process that has not connected after this time is not the owner of the mongod. */
const OWNER_CONNECT_TIMEOUT_MS = 5_000;
/** How long another mongod on the same files may take to exit or to be ready. */
const LAUNCH_RETRY_TIMEOUT_MS = 15_000;
const RESTART_DELAY_MS = { initial: 250, max: 5_000 };

/** An embedded database owned by this process. */
interface EmbeddedDatabase {
  /** Contains the key to all data: never log it, print it or pass it on a command line. */
  uri: string;
  /** Whether DATA_DIR had no database. */
  isNew: boolean;
  /** Stops mongod cleanly. */
  stop(): Promise<void>;
}

/** The embedded database cannot be started; the message names the reason and the next step. */
export class EmbeddedDatabaseError extends NamedError {}

/**
 * Starts a mongod with its files in `DATA_DIR/mongodb`, for local users who can read DATA_DIR
 * (decision 6); `DATA_DIR/mongodb-uri` contains its URI while it runs. An orphaned mongod, whose
 * owner was killed, is stopped first. A mongod that exits is restarted on the same port.
 *
 * @throws {EmbeddedDatabaseError} @throws {MongodNotFound} @throws {DataDirError}
 */
export async function startEmbedded(
  config: Pick<Config, 'dataDir' | 'mongod'>,
  { progress, logger }: { progress: Progress; logger: Logger },
): Promise<EmbeddedDatabase> {
  const dataDir = await prepareDataDir(config.dataDir);
  const dbPath = mongodbFolder(dataDir);
  const isNew = await createFolder(dbPath).catch((error) => {
    throw new DataDirError(dataDir, error);
  });
  await stopOrphan(dataDir);
  const mongod = await findMongod(config.mongod, progress);

  const key = createKey();
  let stopping = false;
  const first = await launchWithRetry(dataDir, (port) => launch(mongod, port));
  let current = Promise.resolve(first.instance);

  async function launch(mongod: Mongod, port: number) {
    // Written only if missing: a full disk must not prevent a restart.
    if ((await readKey(dataDir, port)) !== key) await writePidFile(dataDir, port, key);
    const onEnd = () => {
      if (!stopping) current = restart(mongod, port);
    };
    return launchMongod(mongod, { dbPath, port, keyFile: keyPath(dataDir, port), onEnd });
  }

  async function restart(mongod: Mongod, port: number): Promise<{ stop(): Promise<unknown> }> {
    for (let delay = RESTART_DELAY_MS.initial; ; delay = Math.min(2 * delay, RESTART_DELAY_MS.max)) {
      logger.error('the embedded mongod exited unexpectedly; restarting it');
      await sleep(delay);
      if (stopping) return { stop: async () => undefined };
      try {
        return await launch(mongod, port);
      } catch (error) {
        logger.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'mongod did not start');
      }
    }
  }

  async function stop(): Promise<void> {
    stopping = true;
    // Removed first: once mongod has exited, the file may belong to the next process.
    await withdrawUri(dataDir);
    await (await current).stop();
    await removePidFile(dataDir, first.port);
  }

  const address = { port: first.port, key };
  try {
    await publishUri(dataDir, embeddedUri(address, 'client'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { uri: embeddedUri(address, 'owner'), isNew, stop };
}

/** The URI of the embedded database that another live process runs on `dataDir`, if any. */
export async function attachEmbedded(config: Pick<Config, 'dataDir'>): Promise<string | undefined> {
  const dataDir = await prepareDataDir(config.dataDir);
  const running = await findRunning(dataDir);
  const isUsable = running !== undefined && (running.isOwned || mayBeStarting(running));
  return isUsable ? embeddedUri(running, 'client') : undefined;
}

/** Launches mongod on a free port. Retries while an orphaned mongod still holds the files. */
async function launchWithRetry<Instance>(dataDir: string, launch: (port: number) => Promise<Instance>) {
  const retryUntil = performance.now() + LAUNCH_RETRY_TIMEOUT_MS;
  for (;;) {
    const port = await freePort();
    try {
      const instance = await launch(port);
      await removeOtherPidFiles(dataDir, port);
      return { instance, port };
    } catch (error) {
      // Another process that started at the same time removes the key before this mongod reads it.
      const isKeyGone = (await readKey(dataDir, port)) === undefined;
      await removePidFile(dataDir, port);
      if (!(error instanceof LaunchError)) throw error;
      const isRetryable = error.isRetryable || isKeyGone;
      if (!isRetryable || performance.now() > retryUntil) throw startFailure(dataDir, error.message);
    }
    await sleep(RETRY_INTERVAL_MS);
    await stopOrphan(dataDir);
  }
}

/** Stops an orphaned mongod. @throws {EmbeddedDatabaseError} when its owner is alive */
async function stopOrphan(dataDir: string): Promise<void> {
  const retryUntil = performance.now() + OWNER_CONNECT_TIMEOUT_MS;
  for (;;) {
    const running = await findRunning(dataDir);
    if (!running) return;
    if (running.isOwned) {
      throw new EmbeddedDatabaseError(
        `The data folder ${dataDir} is in use by process ${running.ownerPid}. Stop that one first, or set DATA_DIR to another folder.`,
      );
    }
    if (!mayBeStarting(running) || performance.now() > retryUntil) return shutDown(running);
    await sleep(RETRY_INTERVAL_MS);
  }
}

function mayBeStarting({ ownerPid }: RunningMongod): boolean {
  return ownerPid !== process.pid && isAlive(ownerPid);
}

function startFailure(dataDir: string, reason: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `The embedded MongoDB did not start on ${dataDir}: ${reason}. Its files may belong to another MongoDB version or to a running process; set DATA_DIR to another folder, or MONGODB_URI to a MongoDB that you run.`,
  );
}
