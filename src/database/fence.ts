/**
 * Matches documents only while MongoDB's clock is before a time. mongod evaluates it when the
 * statement begins, so a statement that arrives late changes nothing, however long its process or
 * its connection was stalled. The time must come from MongoDB's clock (database-clock.ts), and be
 * read before what the statement depends on. A step of that clock backwards prolongs it.
 *
 * MongoDB refuses it in the filter of an upsert.
 */
export function beginsBefore(deadline: Date): { $expr: object } {
  return { $expr: { $lt: ['$$NOW', deadline] } };
}
