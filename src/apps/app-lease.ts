import { setTimeout as sleep } from 'node:timers/promises';

/**
 * For how long a server may rely on what it read of an app and its schema, in milliseconds from before the read began. Whoever changes either
 * commits, waits until every lease on the old state has run out, and only then answers: so no server can hold it any more,
 * without a message between servers or a shared clock (DESIGN section 5, point 2).
 */
export const LEASE_MS = 100;

/** Timers may fire a little early, and clocks of two machines run a little apart. */
const MARGIN_MS = 20;

/** Resolves when no server can still hold a lease taken before the call. */
export async function leasesOver(): Promise<void> {
  await sleep(LEASE_MS + MARGIN_MS);
}
