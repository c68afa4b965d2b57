import type { Collection } from 'mongodb';

/**
 * A submission counts as hung after this time: the limit of a 503 while MongoDB is away (spec 7).
 */
export const HUNG_AFTER_MS = 3_000;

/** The app that attacks.ts attacks. Its records are not part of a ledger. */
export const ATTACKED_APP = 'under-attack';

/** The difference between the stored numbers and the answers that the writers received. */
export interface Audit {
  sent: number;
  acknowledged: number;
  /** Sent and never acknowledged: each attempt ended in a 503 or a broken connection. */
  unanswered: number;
  /** The number of unanswered submissions that were stored. */
  storedUnanswered: number;
  /** Acknowledged and not stored. */
  lost: number[];
  /** Stored more than once. */
  twice: number[];
  /** Stored and never sent. */
  invented: number[];
}

/**
 * Records the answers to the submissions of a fault test. Each submission carries one array item, a
 * unique number. An acknowledged number must be stored exactly once, an unanswered one at most once
 * (invariants 1 and 3).
 */
export class Ledger {
  /** For each number that was sent, whether it was acknowledged. */
  readonly #acknowledged: boolean[] = [];
  /** The number of answers by status; status 0 counts requests without an answer. */
  readonly statuses = new Map<number, number>();
  slowestMs = 0;
  /** The requests that certainly had no answer after `HUNG_AFTER_MS`. */
  readonly late: { status: number; ms: number }[] = [];

  /** Returns a unique number for a new submission. */
  open(): number {
    return this.#acknowledged.push(false) - 1;
  }

  /**
   * Records the end of one attempt; `status` is 0 when the connection broke.
   *
   * @param waitedMs less than `ms` when the process of the writer was too busy to read the answer
   */
  record(number: number, status: number, ms: number, waitedMs = ms): void {
    if (this.#acknowledged[number] === undefined) throw new Error(`${number} was never sent`);
    if (status === 200) this.#acknowledged[number] = true;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (waitedMs > HUNG_AFTER_MS) this.late.push({ status, ms: Math.round(ms) });
  }

  get hung(): number {
    return this.late.length;
  }

  get acknowledged(): number {
    return this.#acknowledged.filter(Boolean).length;
  }

  /** The statuses that no fault explains: all but 200, 503 and 0 (a broken connection). */
  get unexpected(): number[] {
    return [...this.statuses.keys()].filter((status) => ![0, 200, 503].includes(status));
  }

  /** Compares the ledger with the numbers in the collection `users`. */
  async audit(users: Collection): Promise<Audit> {
    const times = await countStored(users);
    const numbers = [...this.#acknowledged.keys()];
    const acknowledged = numbers.filter((number) => this.#acknowledged[number]);
    const unanswered = numbers.filter((number) => !this.#acknowledged[number]);
    return {
      sent: numbers.length,
      acknowledged: acknowledged.length,
      unanswered: unanswered.length,
      storedUnanswered: unanswered.filter((number) => times.has(number)).length,
      lost: acknowledged.filter((number) => !times.has(number)),
      twice: numbers.filter((number) => (times.get(number) ?? 0) > 1),
      invented: [...times.keys()].filter((number) => this.#acknowledged[number] === undefined),
    };
  }
}

/** Counts how often each number is stored, over all records. */
async function countStored(users: Collection): Promise<Map<number, number>> {
  const times = new Map<number, number>();
  const records = users.find<{ data: { items?: { value: number }[] } }>(
    { sourceAppId: { $ne: ATTACKED_APP } },
    { projection: { 'data.items.value': 1 } },
  );
  for await (const { data } of records) {
    for (const { value } of data.items ?? []) times.set(value, (times.get(value) ?? 0) + 1);
  }
  return times;
}

/** Formats an audit as one line of text. */
export function summary({ sent, acknowledged, unanswered, storedUnanswered, lost, twice }: Audit): string {
  return `${sent} sent, ${acknowledged} acknowledged, ${unanswered} unanswered (${storedUnanswered} of them stored); lost ${lost.length}, twice ${twice.length}`;
}
