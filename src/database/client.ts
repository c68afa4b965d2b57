import mongoose, { type Connection } from 'mongoose';
import { isUnreachable } from './failures.ts';

const DEFAULT_DATABASE = 'user-collection';

export type { Connection } from 'mongoose';

/**
 * Connects to MongoDB with the durability that every promise rests on: each write is acknowledged by a majority and
 * journaled (invariant 1), and reads come from the primary.
 *
 * The driver prefers some options of the URI to these (`journal`, `wtimeoutMS`). config.ts refuses them at the start;
 * here the effective options are checked before the connection is used.
 *
 * The timeouts replace the driver's defaults, under which an operation hangs for half a minute when a server vanishes:
 * a stalled server is noticed by its missing heartbeat, and what waits for it fails. The request deadline
 * (http/deadline.ts) answers before that.
 *
 * @param uri names the database, else it is `user-collection`
 * @param timeoutMs how long to look for a server before giving up
 * @throws {Error} when no server is found, or when the effective options are weaker
 */
export async function connectDatabase(uri: string, timeoutMs = 15_000): Promise<Connection> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const connection = mongoose.createConnection(uri, {
      ...(namesDatabase(uri) ? {} : { dbName: DEFAULT_DATABASE }),
      writeConcern: { w: 'majority', journal: true },
      readPreference: 'primary',
      retryWrites: true,
      serverSelectionTimeoutMS: 2_000,
      connectTimeoutMS: 2_000,
      waitQueueTimeoutMS: 2_000,
      socketTimeoutMS: 30_000,
      heartbeatFrequencyMS: 1_000,
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
    });
    // A connection that fails later recovers by itself; without a listener its 'error' event would end the process.
    connection.on('error', () => undefined);
    try {
      await connection.asPromise();
      assertDurable(connection);
      return connection;
    } catch (error) {
      await connection.close().catch(() => undefined);
      if (performance.now() >= giveUpAt || !isUnreachable(error)) throw error;
    }
  }
}

/** Compares what the driver will do with what the service guarantees, wherever the difference comes from. */
function assertDurable(connection: Connection): void {
  const { writeConcern, readPreference, readConcern, retryWrites, loadBalanced } = connection.getClient().options;
  const isDurable = writeConcern?.w === 'majority' && writeConcern.journal === true;
  const isWaitedFor = writeConcern?.wtimeout === undefined && writeConcern?.wtimeoutMS === undefined;
  const readsPrimary = readPreference.mode === 'primary' && !readPreference.tags;
  const readsCommitted = readConcern === undefined || readConcern.level === 'majority';
  if (isDurable && isWaitedFor && readsPrimary && readsCommitted && retryWrites && !loadBalanced) return;
  throw new Error('the connection options are weaker than write concern majority with journal, read from the primary');
}

function namesDatabase(uri: string): boolean {
  return /^mongodb(?:\+srv)?:\/\/[^/]+\/[^?]/.test(uri);
}
