import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoInstance } from 'mongodb-memory-server-core';
import type { Config } from '../config.ts';
import type { Logger } from '../logger.ts';
import { findOwned, isAlive, OWNER_FILE, type Owned } from './embedded-owner.ts';
import { findMongod, type Mongod, type Progress } from './mongod-binary.ts';

const RESTART_DELAY_MS = 250;

/** A database that this process runs and owns. */
export interface EmbeddedDatabase {
  uri: string;
  /** Stops mongod cleanly. */
  stop(): Promise<void>;
}

/** The embedded database cannot be started; the message says why and what to do. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}

/**
 * Starts a mongod whose files are kept in `DATA_DIR/mongodb`, reachable from this machine only (DESIGN section 4). A mongod left over from an
 * owner that was killed is stopped first. Should mongod die while this process lives, it is started again on the same port.
 */
export async function startEmbedded(
  config: Pick<Config, 'dataDir' | 'mongod'>,
  { progress, logger }: { progress: Progress; logger: Logger },
): Promise<EmbeddedDatabase> {
  const dataDir = resolve(config.dataDir);
  const dbPath = join(dataDir, 'mongodb');
  await mkdir(dbPath, { recursive: true, mode: 0o700 });
  await retireLeftover(await findOwned(dataDir), dataDir);

  const mongod = await findMongod(config.mongod, progress);
  const port = await freePort();
  let stopping = false;
  let instance = await launch();

  async function launch(): Promise<MongoInstance> {
    const next = new MongoInstance(instanceOptions(mongod, dbPath, port));
    const lines = lastLines(next);
    try {
      await next.start();
    } catch (error) {
      throw new EmbeddedDatabaseError(startFailure(dataDir, error, lines()));
    }
    next.once('instanceClosed' as never, () => void revive());
    const owned: Owned = { ownerPid: process.pid, mongodPid: next.mongodProcess?.pid ?? 0, port };
    await writeFile(join(dataDir, OWNER_FILE), JSON.stringify(owned), { mode: 0o600 });
    return next;
  }

  async function revive(): Promise<void> {
    while (!stopping) {
      logger.error('the embedded mongod ended unexpectedly; starting it again');
      await sleep(RESTART_DELAY_MS);
      try {
        instance = await launch();
        return;
      } catch (error) {
        logger.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'mongod did not start');
      }
    }
  }

  return {
    uri: embeddedUri(port),
    async stop() {
      stopping = true;
      await instance.stop();
      await rm(join(dataDir, OWNER_FILE), { force: true });
    },
  };
}

/** The URI of the embedded database that another live process of this machine runs on `dataDir`, if one does. */
export async function attachEmbedded(config: Pick<Config, 'dataDir'>): Promise<string | undefined> {
  const owned = await findOwned(resolve(config.dataDir));
  return owned && isAlive(owned.ownerPid) ? embeddedUri(owned.port) : undefined;
}

function embeddedUri(port: number): string {
  return `mongodb://127.0.0.1:${port}/user-collection?directConnection=true`;
}

async function retireLeftover(owned: Owned | undefined, dataDir: string): Promise<void> {
  if (!owned) return;
  if (owned.ownerPid !== process.pid && isAlive(owned.ownerPid)) {
    throw new EmbeddedDatabaseError(
      `The data folder ${dataDir} is in use by process ${owned.ownerPid}. Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
  process.kill(owned.mongodPid, 'SIGTERM');
  while (isAlive(owned.mongodPid)) await sleep(20);
}

function instanceOptions({ path, version }: Mongod, dbPath: string, port: number) {
  return {
    instance: {
      port,
      ip: '127.0.0.1',
      dbPath,
      storageEngine: 'wiredTiger' as const,
      // Recovery after a crash reads the journal, which takes longer than a plain start.
      launchTimeout: 120_000,
      args: ['--quiet', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
    },
    binary: { systemBinary: path, version },
    // A process group of its own: Ctrl-C in a terminal must reach the service, which then stops mongod when all is answered.
    spawn: { detached: true },
  };
}

/** Remembers the end of mongod's own log, for the message when it does not start. */
function lastLines(instance: MongoInstance): () => string[] {
  const lines: string[] = [];
  instance.on('instanceSTDOUT' as never, (text: string) => {
    for (const line of String(text).split('\n')) {
      const message = /"s":"[EF]".*?"msg":"([^"]+)"/.exec(line)?.[1];
      const detail = /"error":"([^"]+)"/.exec(line)?.[1];
      if (message) lines.push(detail ? `${message}: ${detail}` : message);
    }
    lines.splice(0, lines.length - 3);
  });
  return () => lines;
}

function startFailure(dataDir: string, error: unknown, lines: string[]): string {
  const said = lines.length > 0 ? lines.join('; ') : error instanceof Error ? error.message.split('\n')[0] : 'unknown';
  return `The embedded MongoDB did not start on ${dataDir}: ${said}. Its files may belong to another MongoDB version or to a running process; set DATA_DIR to another folder, or MONGODB_URI to a MongoDB that you run.`;
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? done(address.port) : fail(new Error('no port'))));
    });
  });
}
