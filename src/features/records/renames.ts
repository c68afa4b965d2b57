import type { RecordPart } from '../../core/users/record-part.ts';
import type { UserCollection } from '../../core/users/users.model.ts';
import type { Requirement } from '../../core/users/write-part.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import type { RecordBase, RecordFeature } from './base.ts';
import { createRecordMoves, createRenameJob, type RecordMoves } from './rename-moves.ts';

/**
 * Creates the moves of values to the new keys of their fields.
 * @param submissions the collection of kept submissions, whose values move too
 * @param keyed members of records that have the keys of fields
 */
export function createRenames(
  { users, passes, slotHandover, renames }: RecordBase,
  submissions: UserCollection,
  keyed: readonly string[],
) {
  const moves = createRecordMoves(users, keyed);
  const parts = [moves, createRecordMoves(submissions)];
  return {
    part: createRenamesPart(moves, renames.since),
    jobs: [createRenameJob({ ...passes, store: renames, parts, slots: slotHandover })],
  } satisfies RecordFeature;
}

/** While the values of renamed fields are moved, a write moves those of its record first. */
export function createRenamesPart(
  moves: Pick<RecordMoves, 'one' | 'filterOf' | 'conditionOf'>,
  renamesSince: RenameStore['since'],
): RecordPart {
  return {
    name: 'renames',
    members: {},

    async correct({ appId, email, schemaVersion }, _before, { schema }) {
      if (schema.version === schemaVersion) return;
      // Versions store finished renames too.
      for (const renames of await renamesSince(appId, schemaVersion)) await moves.one({ appId, email }, renames);
    },

    under({ renames }) {
      if (!renames) return undefined;
      const isMoved: Requirement<boolean> = {
        name: 'moved values',
        // A moved record never has both the old key and the new one.
        filter: { $nor: [moves.filterOf(renames)] },
        facts: moves.conditionOf(renames),
        isMet: (isUnmovedYet) => isUnmovedYet !== true,
        restore: (_facts, { appId, email }) => moves.one({ appId, email }, renames),
      };
      const part = { name: 'renames', bytes: 0, requires: [isMoved] };
      return { begin: () => part, edits: part };
    },
  };
}
