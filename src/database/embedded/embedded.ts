import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../core/config.ts';
import { prepareDataDir } from '../../core/data-dir.ts';
import type { Logger } from '../../core/logger.ts';
import {
  createKey,
  keyPath,
  publishUri,
  readKey,
  removeOtherPidFiles,
  removePidFile,
  withdrawUri,
  writePidFile,
} from './claim.ts';
import { findMongod, type Mongod, type Progress } from './mongod-binary.ts';
import { freePort, LaunchError, launchMongod } from './mongod-process.ts';
import { embeddedUri, findRunning, isAlive, mongodbFolder, type RunningMongod, shutDown } from './owner.ts';

const LOOK_AGAIN_MS = 100;
/** An owner that has not connected to its mongod after this long is another process that got a dead owner's id. */
const OWNER_CONNECTS_WITHIN_MS = 5_000;
/** How long to wait for a mongod that goes down, or comes up for somebody else. */
const WAY_CLEAR_WITHIN_MS = 15_000;
const REVIVE_DELAY_MS = { first: 250, most: 5_000 };

/** A database that this process runs and owns. */
export interface EmbeddedDatabase {
  /** Holds the key to all data: not for a log, a message or a command line. */
  uri: string;
  /** Stops mongod cleanly. */
  stop(): Promise<void>;
}

/** The embedded database cannot be started; the message says why and what to do. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}

/**
 * Starts a mongod whose files are kept in `DATA_DIR/mongodb`, reachable from this machine only (decision 6), by
 * those who can read DATA_DIR. While it runs, `DATA_DIR/mongodb-uri` says how. A mongod left over from an owner that
 * was killed is stopped first. Should mongod die while this process lives, it is started again on the same port.
 *
 * @throws {EmbeddedDatabaseError} @throws {MongodNotFound} @throws {DataDirError}
 */
export async function startEmbedded(
  config: Pick<Config, 'dataDir' | 'mongod'>,
  { progress, logger }: { progress: Progress; logger: Logger },
): Promise<EmbeddedDatabase> {
  const dataDir = await prepareDataDir(config.dataDir);
  const dbPath = mongodbFolder(dataDir);
  await mkdir(dbPath, { recursive: true, mode: 0o700 });
  await stopOrphan(dataDir);
  const mongod = await findMongod(config.mongod, progress);

  const key = createKey();
  let stopping = false;
  const first = await launchWhenClear(dataDir, (port) => launch(mongod, port));
  let current = Promise.resolve(first.instance);

  async function launch(mongod: Mongod, port: number) {
    // Only what is missing is written: a full disk must not keep mongod from being started again.
    if ((await readKey(dataDir, port)) !== key) await writePidFile(dataDir, port, key);
    const onEnd = () => {
      if (!stopping) current = restart(mongod, port);
    };
    return launchMongod(mongod, { dbPath, port, keyFile: keyPath(dataDir, port), onEnd });
  }

  async function restart(mongod: Mongod, port: number): Promise<{ stop(): Promise<unknown> }> {
    for (let delay = REVIVE_DELAY_MS.first; ; delay = Math.min(2 * delay, REVIVE_DELAY_MS.most)) {
      logger.error('the embedded mongod ended unexpectedly; starting it again');
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
    // First: from when mongod is gone, the file may be that of the next process.
    await withdrawUri(dataDir);
    await (await current).stop();
    await removePidFile(dataDir, first.port);
  }

  const address = { port: first.port, key };
  try {
    await publishUri(dataDir, embeddedUri(address, 'guest'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { uri: embeddedUri(address, 'owner'), stop };
}

/**
 * The URI of the embedded database that another live process of this machine runs on `dataDir`, if one does.
 *
 * @throws {EmbeddedDatabaseError} when that one cannot prove that it is the owner's: it runs without authentication
 */
export async function attachEmbedded(config: Pick<Config, 'dataDir'>): Promise<string | undefined> {
  const dataDir = await prepareDataDir(config.dataDir);
  const running = await findRunning(dataDir);
  if (!running || !(running.isOwned || mayBeStarting(running))) return undefined;
  if (running.key !== undefined) return embeddedUri(running, 'guest');
  throw new EmbeddedDatabaseError(
    `The data folder ${dataDir} is in use by process ${running.ownerPid}, which runs an older version of the service. Restart that one first.`,
  );
}

/** Launches on a free port. Another mongod that still has the files is waited for, when it is not in use. */
async function launchWhenClear<Instance>(dataDir: string, launch: (port: number) => Promise<Instance>) {
  const giveUpAt = performance.now() + WAY_CLEAR_WITHIN_MS;
  for (;;) {
    const port = await freePort();
    try {
      const instance = await launch(port);
      await removeOtherPidFiles(dataDir, port);
      return { instance, port };
    } catch (error) {
      await removePidFile(dataDir, port);
      if (!(error instanceof LaunchError)) throw error;
      if (!error.isInTheWay || performance.now() > giveUpAt) throw startFailure(dataDir, error.message);
    }
    await sleep(LOOK_AGAIN_MS);
    await stopOrphan(dataDir);
  }
}

/** Stops a mongod on `dataDir` whose owner is gone. @throws {EmbeddedDatabaseError} when its owner lives */
async function stopOrphan(dataDir: string): Promise<void> {
  const giveUpAt = performance.now() + OWNER_CONNECTS_WITHIN_MS;
  for (;;) {
    const running = await findRunning(dataDir);
    if (!running) return;
    if (running.isOwned) {
      throw new EmbeddedDatabaseError(
        `The data folder ${dataDir} is in use by process ${running.ownerPid}. Stop that one first, or set DATA_DIR to another folder.`,
      );
    }
    if (!mayBeStarting(running) || performance.now() > giveUpAt) return shutDown(running);
    await sleep(LOOK_AGAIN_MS);
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
