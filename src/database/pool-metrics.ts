import type { Metrics } from '../metrics/metrics.ts';
import type { Connection } from './client.ts';

/**
 * Measures the connections of the driver: those that it has used since now, those in use, and the
 * operations that wait for one.
 */
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
  // An operation that was on its way when the measurement began ends without having begun.
  metrics.gauge('mongodb_connections', options, () => [
    { labels: { state: 'open' }, value: open.size },
    { labels: { state: 'in_use' }, value: Math.max(0, inUse) },
    { labels: { state: 'waiting' }, value: Math.max(0, waiting) },
  ]);
}
