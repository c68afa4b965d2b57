import type { Connection } from './client.ts';

/**
 * Calls `changed` when the driver learns of another primary of the replica set, or of the same one after another election; and once for the first. It is called before any
 * operation can go to the new one. On a standalone never.
 */
export function monitorPrimary(connection: Connection, changed: () => void): void {
  let known: string | undefined;
  connection.getClient().on('topologyDescriptionChanged', ({ newDescription }) => {
    for (const { type, address, electionId } of newDescription.servers.values()) {
      if (type !== 'RSPrimary') continue;
      const found = `${address} ${electionId?.toHexString()}`;
      if (found !== known) changed();
      known = found;
    }
  });
}
