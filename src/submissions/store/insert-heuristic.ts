/** Beyond this share of people who turn out to have a record, an insert is refused too often to be worth its price. */
const WORTH_TRYING = 0.25;
/** How many of the last people the share is about. */
const MEMORY = 64;

export type InsertHeuristic = ReturnType<typeof createInsertHeuristic>;

/**
 * Guesses whether a person of whom this server knows no record has none. An insert costs the database a quarter of an upsert (docs/decisions/0011-insert-first.md), but one that is refused
 * comes on top of the upsert. Forms meet new people and apps old ones, so the last few are asked.
 */
export function createInsertHeuristic() {
  let returning = 0;
  return {
    prefersInsert: (): boolean => returning < WORTH_TRYING,

    /** Tells what such a person was in truth. */
    note(isNew: boolean): void {
      returning += ((isNew ? 0 : 1) - returning) / MEMORY;
    },
  };
}
