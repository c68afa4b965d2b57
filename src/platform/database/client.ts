import { MongoClient, type MongoClientOptions } from 'mongodb';
import type { Metrics } from '../metrics/metrics.ts';
import { NO_RAW_FIELDS } from './collections.ts';
import { isUnreachable } from './failures.ts';
import { connectModels, type ModelConnection } from './mongoose.ts';

const DEFAULT_DATABASE = 'user-collection';

/**
 * The most connections to each server of the database; `maxPoolSize` in the URI takes precedence.
 * Requests of operators take about a hundred at most; the others are for submissions and jobs.
 */
export const POOL_SIZE = 160;

/** A connected client and the database that the service uses. */
export interface Connection extends ModelConnection {
  readonly name: string;
  getClient(): MongoClient;
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
  const options: MongoClientOptions = {
    ...(/[?&]maxPoolSize=/i.test(uri) ? {} : { maxPoolSize: POOL_SIZE }),
    readPreference: 'primary',
    retryWrites: true,
    socketTimeoutMS: 30_000,
    heartbeatFrequencyMS: 1_000,
  };
  for (;;) {
    try {
      return await open(uri, 2_000, options, assertDurable);
    } catch (error) {
      if (performance.now() >= retryUntil || !isUnreachable(error)) throw error;
    }
  }
}

/**
 * Connects for a diagnosis: few connections, and reads from a secondary while there is no primary.
 * @throws {Error} when no member of the database can be used
 */
export function connectForDiagnosis(uri: string): Promise<Connection> {
  const pool = { minPoolSize: 0, maxPoolSize: 4 };
  return open(uri, 3_000, { ...pool, readPreference: 'primaryPreferred', socketTimeoutMS: 60_000 });
}

/** @param waitMs how long to wait for a server, for its answer, and for a free connection */
async function open(
  uri: string,
  waitMs: number,
  options: MongoClientOptions,
  check: (client: MongoClient) => void = () => undefined,
): Promise<Connection> {
  const client = new MongoClient(uri, {
    ...options,
    writeConcern: { w: 'majority', journal: true },
    serverSelectionTimeoutMS: waitMs,
    connectTimeoutMS: waitMs,
    waitQueueTimeoutMS: waitMs,
    fieldsAsRaw: NO_RAW_FIELDS,
  });
  try {
    await client.connect();
    check(client);
    return wrapClient(client, uri, true);
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
}

/** A connection that is never opened, for descriptions of the service and of its database. */
export function createClosedConnection(uri = 'mongodb://127.0.0.1'): Connection {
  return wrapClient(new MongoClient(uri), uri, false);
}

function wrapClient(client: MongoClient, uri: string, isOpen: boolean): Connection {
  const namesDatabase = /^mongodb(?:\+srv)?:\/\/[^/]+\/[^?]/.test(uri);
  const name = namesDatabase ? client.options.dbName : DEFAULT_DATABASE;
  return { name, getClient: () => client, ...connectModels(client, name, isOpen) };
}

/** Compares the effective options of the driver with the required ones. */
function assertDurable({ options }: MongoClient): void {
  const { writeConcern, readPreference, readConcern, retryWrites, loadBalanced } = options;
  const isDurable = writeConcern?.w === 'majority' && writeConcern.journal === true;
  const hasNoTimeout = writeConcern?.wtimeout === undefined && writeConcern?.wtimeoutMS === undefined;
  const readsPrimary = readPreference.mode === 'primary' && !readPreference.tags;
  const readsCommitted = readConcern === undefined || readConcern.level === 'majority';
  if (isDurable && hasNoTimeout && readsPrimary && readsCommitted && retryWrites && !loadBalanced) return;
  throw new Error('the connection options are weaker than write concern majority with journal, read from the primary');
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
