import type { Connection } from './client.ts';

/**
 * Calls `onChange` when the driver discovers the first primary of the replica set, another primary,
 * or the same one after another election, before it sends any operation to that primary. Never
 * called for a standalone server.
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
