import { LEASE_MS } from '../apps/revision.ts';
import { type Clock, isWithin, type Moment, momentOf } from './clock.ts';

interface Reading {
  /** When the read began. */
  begun: Moment;
  revision: string;
}

interface PendingRead {
  begun: Moment;
  result: Promise<Reading>;
}

export type RevisionReads = ReturnType<typeof createRevisionReads>;

/**
 * Reads the revision (apps/revision.ts) for the leases of one server. Concurrent callers share one
 * read, and each read is valid for a lease.
 */
export function createRevisionReads(read: () => Promise<string>, clock: Clock) {
  let last: Reading | undefined;
  let pending: PendingRead | undefined;

  function startRead(): PendingRead {
    const begun = momentOf(clock);
    const started = { begun, result: read().then((revision) => ({ begun, revision })) };
    pending = started;
    const onSettled = (reading?: Reading): void => {
      if (pending !== started) return; // cleared meanwhile, or replaced by a later read
      pending = undefined;
      last = reading ?? last;
    };
    started.result.then(onSettled, () => onSettled());
    return started;
  }

  return {
    /**
     * Returns the revision of the last successful read, of any age, or undefined. The database
     * state that a read sees from now on is never older than this revision.
     */
    last: (): string | undefined => last?.revision,

    /**
     * Resolves with the revision of a read that began at most {@link LEASE_MS} before
     * `requestedAt`. Rejects with the error of the read.
     */
    async asOf(requestedAt: Moment): Promise<string> {
      if (last && isWithin(LEASE_MS, last.begun, requestedAt)) return last.revision;
      const current = pending && isWithin(LEASE_MS, pending.begun, requestedAt) ? pending : startRead();
      return (await current.result).revision;
    },

    /** Returns whether a read that began within the last {@link LEASE_MS} found this revision. */
    confirms: (revision: string): boolean =>
      last !== undefined && last.revision === revision && isWithin(LEASE_MS, last.begun, momentOf(clock)),

    /** Discards the last read and ignores the result of a pending one. */
    clear(): void {
      last = undefined;
      pending = undefined;
    },
  };
}
