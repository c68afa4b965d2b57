/** Above this share of refused inserts, the upsert comes first. */
const MAX_REFUSED = 0.25;
/** The number of recent results that the share covers. */
const WINDOW = 64;

export type InsertHeuristic = ReturnType<typeof createInsertHeuristic>;

/**
 * Chooses insert or upsert for uncached persons from the recent duplicate-key rate. An insert costs
 * the database a quarter of an upsert, but a refused insert is an additional cost
 * (docs/decisions/0011-insert-first.md).
 */
export function createInsertHeuristic() {
  let refusedShare = 0;
  return {
    /** Whether an insert is expected to cost less than an upsert. */
    prefersInsert: (): boolean => refusedShare < MAX_REFUSED,

    /** Records the result for one uncached person: whether the write created a record. */
    note(created: boolean): void {
      refusedShare += ((created ? 0 : 1) - refusedShare) / WINDOW;
    },
  };
}
