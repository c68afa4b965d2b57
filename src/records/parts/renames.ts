import type { RecordMoves } from '../stored/record-moves.ts';
import type { RecordPart } from '../write/record-part.ts';
import { REPAIRED, type WritePart } from '../write/write-part.ts';

/** While the values of renamed fields are moved, a write moves those of its record first. */
export function createRenamesPart(moves: Pick<RecordMoves, 'one' | 'filterOf' | 'conditionOf'>): RecordPart {
  return {
    name: 'renames',
    members: {},

    under({ renames }) {
      if (!renames) return undefined;
      return {
        begin: ({ appId, email }): WritePart<never, boolean> => ({
          name: 'renames',
          bytes: 0,

          // A moved record never has both the old key and the new one.
          upsert({ filter }) {
            filter.$nor = [moves.filterOf(renames)];
            return false;
          },

          facts: () => moves.conditionOf(renames),

          async explain(isUnmovedYet) {
            if (!isUnmovedYet) return undefined;
            await moves.one({ appId, email }, renames);
            return REPAIRED;
          },
        }),
        edits: {
          name: 'renames',
          facts: moves.conditionOf(renames),
          isReady: (isUnmovedYet) => isUnmovedYet !== true,
          repair: (_facts, { appId, email }) => moves.one({ appId, email }, renames),

          add({ filter }) {
            filter.$nor = [moves.filterOf(renames)];
            return undefined;
          },
        },
      };
    },
  };
}
