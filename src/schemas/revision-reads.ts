import { LEASE_MS } from '../apps/revision.ts';
import { type Clock, isWithin, type Moment, momentOf } from './clock.ts';

interface Reading {
  /** When the read began. */
  begun: Moment;
  stamp: string;
}

export type RevisionReads = ReturnType<typeof createRevisionReads>;

/** Readings of the change stamp (apps/app-changes.ts), each shared by all that need one meanwhile. */
export function createRevisionReads(read: () => Promise<string>, clock: Clock) {
  let last: Reading | undefined;
  let underWay: { begun: Moment; result: Promise<Reading> } | undefined;

  function begin(): { begun: Moment; result: Promise<Reading> } {
    const begun = momentOf(clock);
    const reading = { begun, result: read().then((stamp) => ({ begun, stamp })) };
    underWay = reading;
    const settled = (result?: Reading): void => {
      if (underWay !== reading) return; // forgotten meanwhile, or a later one has begun
      underWay = undefined;
      last = result ?? last;
    };
    reading.result.then(settled, () => settled());
    return reading;
  }

  return {
    /** The last stamp that was read, however long ago; nothing newer than it can have been seen by a read that begins now. */
    last: (): string | undefined => last?.stamp,

    /** The stamp by a read that began at most a lease before `asked`. */
    async asOf(asked: Moment): Promise<string> {
      if (last && isWithin(LEASE_MS, last.begun, asked)) return last.stamp;
      const reading = underWay && isWithin(LEASE_MS, underWay.begun, asked) ? underWay : begin();
      return (await reading.result).stamp;
    },

    /** Whether a read that began within the last 100 ms found this stamp. */
    confirms: (stamp: string): boolean =>
      last !== undefined && last.stamp === stamp && isWithin(LEASE_MS, last.begun, momentOf(clock)),

    forget(): void {
      last = undefined;
      underWay = undefined;
    },
  };
}
