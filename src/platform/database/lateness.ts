// How late a write may be, in milliseconds. A write that depends on a read has a condition on
// MongoDB's clock (`beginsBefore`). Code that depends on the end of other writes waits for it.

/** The default time limit of one statement. */
export const STATEMENT_TIME_MS = 3_000;

/**
 * A statement that began, by MongoDB's clock, before a time has ended by this time after it: its
 * limit, and what the clocks of the members of a replica set may differ. Such statements have a
 * condition on the clock, or are sent once and not repeated by the driver (guarded-insert.ts).
 */
export const STATEMENT_ENDS_MS = STATEMENT_TIME_MS + 2_000;

/**
 * A write that a running server began before has ended: 3 s in the queue of the server, the limit
 * of a statement, and one repetition by the driver. A server that lost its lease repairs its late
 * writes itself (core/users/revalidation.ts).
 */
export const WRITE_ENDS_MS = 10_000;

/**
 * A write of a server that may have stopped has ended: the driver waits for a write and for its
 * repetition, and no filter refuses an insert.
 */
export const LATE_WRITE_ENDS_MS = 75_000;

/** After this time the last check looks for the writes of servers that were suspended. */
export const SUSPENDED_WRITE_ENDS_MS = 24 * 60 * 60 * 1_000;

/**
 * How long a removal, or a change by an operator, may rely on a read: its statements begin by then
 * or not at all. A person who restores a backup meanwhile takes longer.
 */
export const READ_HOLDS_MS = 10_000;
