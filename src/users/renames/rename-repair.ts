import type { RenameStore } from '../../schemas/renames/pending-renames.ts';
import type { UserDocument } from '../users.model.ts';
import type { RecordMoves } from './record-moves.ts';

export type RepairRenames = ReturnType<typeof createRenameRepair>;

/**
 * Returns a function that moves a record after a write that was checked against `schemaVersion` and
 * may have ended after the lease: the job may have passed the record before. The versions keep what
 * they renamed, so this works also when the renames are done.
 */
export function createRenameRepair({ store, moves }: { store: Pick<RenameStore, 'since'>; moves: RecordMoves }) {
  return async ({ appId, email }: Pick<UserDocument, 'appId' | 'email'>, schemaVersion: number): Promise<void> => {
    for (const renames of await store.since(appId, schemaVersion)) await moves.one({ appId, email }, renames);
  };
}
