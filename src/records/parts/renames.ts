import type { RecordMoves } from '../stored/record-moves.ts';
import type { RecordPart } from '../write/record-part.ts';
import type { Requirement } from '../write/write-part.ts';

/** While the values of renamed fields are moved, a write moves those of its record first. */
export function createRenamesPart(moves: Pick<RecordMoves, 'one' | 'filterOf' | 'conditionOf'>): RecordPart {
  return {
    name: 'renames',
    members: {},

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
