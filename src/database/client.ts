import { type Collection, MongoClient, type Document as MongoDocument } from 'mongodb';
import type { Metrics } from '../metrics/metrics.ts';
import { isUnreachable } from './failures.ts';

const DEFAULT_DATABASE = 'user-collection';

/**
 * The most connections to each server of the database; `maxPoolSize` in the URI takes precedence.
 * Requests of operators take about a hundred at most; the others are for submissions and jobs.
 */
export const POOL_SIZE = 160;

/** A connected client and the database that the service uses. */
export interface Connection {
  readonly name: string;
  getClient(): MongoClient;
  collection<Document extends MongoDocument>(name: string): Collection<Document>;
  close(): Promise<void>;
}

/**
 * Connects to MongoDB. Writes are acknowledged by a majority and journaled (invariant 1); reads go
 * to the primary. Options of the URI can take precedence, so config.ts refuses them and the
 * effective ones are checked here. The timeouts are longer than the request deadline.
 *
 * @param timeoutMs how long to retry while no server can be reached
 * @throws {Error} when no server is found, or when the effective options are weaker
 */
export async function connectDatabase(uri: string, timeoutMs = 15_000): Promise<Connection> {
  const retryUntil = performance.now() + timeoutMs;
  for (;;) {
    const client = new MongoClient(uri, {
      ...(/[?&]maxPoolSize=/i.test(uri) ? {} : { maxPoolSize: POOL_SIZE }),
      writeConcern: { w: 'majority', journal: true },
      readPreference: 'primary',
      retryWrites: true,
      serverSelectionTimeoutMS: 2_000,
      connectTimeoutMS: 2_000,
      waitQueueTimeoutMS: 2_000,
      socketTimeoutMS: 30_000,
      heartbeatFrequencyMS: 1_000,
    });
    try {
      await client.connect();
      const connection = wrapClient(client, namesDatabase(uri) ? client.options.dbName : DEFAULT_DATABASE);
      assertDurable(connection);
      return connection;
    } catch (error) {
      await client.close().catch(() => undefined);
      if (performance.now() >= retryUntil || !isUnreachable(error)) throw error;
    }
  }
}

/**
 * Connects for a diagnosis: few connections, and reads from a secondary while there is no primary.
 * @throws {Error} when no member of the database can be used
 */
export async function connectForDiagnosis(uri: string): Promise<Connection> {
  const client = new MongoClient(uri, {
    maxPoolSize: 4,
    minPoolSize: 0,
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primaryPreferred',
    serverSelectionTimeoutMS: 3_000,
    connectTimeoutMS: 3_000,
    waitQueueTimeoutMS: 3_000,
    socketTimeoutMS: 60_000,
  });
  try {
    await client.connect();
    return wrapClient(client, namesDatabase(uri) ? client.options.dbName : DEFAULT_DATABASE);
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
}

const wrapClient = (client: MongoClient, name: string): Connection => ({
  name,
  getClient: () => client,
  collection: (collection) => client.db(name).collection(collection),
  close: () => client.close(),
});

/** A connection that is never opened, for descriptions of the service and of its database. */
export function createClosedConnection(uri = 'mongodb://127.0.0.1'): Connection {
  return wrapClient(new MongoClient(uri), databaseName(uri));
}

const databaseName = (uri: string): string =>
  /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1] ?? DEFAULT_DATABASE;

/** Compares the effective options of the driver with the required ones. */
function assertDurable(connection: Connection): void {
  const { writeConcern, readPreference, readConcern, retryWrites, loadBalanced } = connection.getClient().options;
  const isDurable = writeConcern?.w === 'majority' && writeConcern.journal === true;
  const hasNoTimeout = writeConcern?.wtimeout === undefined && writeConcern?.wtimeoutMS === undefined;
  const readsPrimary = readPreference.mode === 'primary' && !readPreference.tags;
  const readsCommitted = readConcern === undefined || readConcern.level === 'majority';
  if (isDurable && hasNoTimeout && readsPrimary && readsCommitted && retryWrites && !loadBalanced) return;
  throw new Error('the connection options are weaker than write concern majority with journal, read from the primary');
}

function namesDatabase(uri: string): boolean {
  return /^mongodb(?:\+srv)?:\/\/[^/]+\/[^?]/.test(uri);
}

/**
 * Calls `onChange` when the driver discovers a primary of the replica set or another election,
 * before it sends any operation to that primary. Never called for a standalone server.
 */
export function monitorPrimary(connection: Connection, onChange: () => void): void {
  let known: string | undefined;
  connection.getClient().on('topologyDescriptionChanged', ({ newDescription }) => {
    for (const { type, address, electionId } of newDescription.servers.values()) {
      if (type !== 'RSPrimary') continue;
      const found = `${address} ${electionId?.toHexString()}`;
      if (found !== known) onChange();
      known = found;
    }
  });
}

/** Measures the connections of the driver, and the operations that wait for one. */
export function measurePool(connection: Connection, metrics: Metrics): void {
  if (!metrics.isOn) return;
  const client = connection.getClient();
  const open = new Set<string>();
  let inUse = 0;
  let waiting = 0;
  const idOf = ({ address, connectionId }: { address: string; connectionId: unknown }) => `${address} ${connectionId}`;

  client.on('connectionCheckOutStarted', () => {
    waiting += 1;
  });
  client.on('connectionCheckOutFailed', () => {
    waiting -= 1;
  });
  client.on('connectionCheckedOut', (event) => {
    waiting -= 1;
    inUse += 1;
    open.add(idOf(event));
  });
  client.on('connectionCheckedIn', () => {
    inUse -= 1;
  });
  client.on('connectionReady', (event) => open.add(idOf(event)));
  client.on('connectionClosed', (event) => open.delete(idOf(event)));

  const options = { help: 'Connections to MongoDB, and operations that wait for one', labels: ['state'] };
  // An operation that waited when the measurement began ends without having begun.
  metrics.gauge('mongodb_connections', options, () => [
    { labels: { state: 'open' }, value: open.size },
    { labels: { state: 'in_use' }, value: Math.max(0, inUse) },
    { labels: { state: 'waiting' }, value: Math.max(0, waiting) },
  ]);
}
