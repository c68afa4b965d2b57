import type { mongo } from 'mongoose';

/** A submission is hung when its answer takes longer than this: the promise for a database that is away (spec 7). */
export const HUNG_AFTER_MS = 3_000;

/** What a writer was told of one unique number, in the end. */
interface Entry {
  acknowledged: boolean;
  /** How many answers or broken connections it took. */
  attempts: number;
}

/** What the database holds, against what the writers were told. */
export interface Audit {
  sent: number;
  acknowledged: number;
  /** Never acknowledged: a 503, or a connection that broke. */
  unanswered: number;
  /** Of the unanswered, those that were stored all the same. */
  storedUnanswered: number;
  /** Acknowledged and not stored. */
  lost: number[];
  /** Stored more than once. */
  twice: number[];
  /** Stored and never sent. */
  invented: number[];
}

/**
 * The ledger of a fault test. Every submission carries one array item, a number that no other carries. Acknowledged means stored exactly once; unanswered means
 * stored at most once (invariants 1 and 3).
 */
export class Ledger {
  readonly #entries: Entry[] = [];
  /** How many answers had which status; 0 is no answer. */
  readonly statuses = new Map<number, number>();
  slowestMs = 0;
  /** Requests that were answered, or broke, only after 3 s: how, and after how long. */
  readonly late: { status: number; ms: number }[] = [];

  /** A number of its own for a submission that is about to be sent. */
  open(): number {
    return this.#entries.push({ acknowledged: false, attempts: 0 }) - 1;
  }

  /** What came back for it; `status` 0 when the connection broke. */
  note(number: number, status: number, ms: number): void {
    const entry = this.#entries[number];
    if (!entry) throw new Error(`${number} was never sent`);
    entry.attempts += 1;
    if (status === 200) entry.acknowledged = true;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (ms > HUNG_AFTER_MS) this.late.push({ status, ms: Math.round(ms) });
  }

  get hung(): number {
    return this.late.length;
  }

  get acknowledged(): number {
    return this.#entries.filter((entry) => entry.acknowledged).length;
  }

  /** Statuses other than success, 503 and a broken connection: no fault is an excuse for them. */
  get unexpected(): number[] {
    return [...this.statuses.keys()].filter((status) => ![0, 200, 503].includes(status));
  }

  /** Compares with what is stored, read straight from the database. */
  async audit(users: mongo.Collection): Promise<Audit> {
    const times = await countStored(users);
    const numbers = this.#entries.map((_, number) => number);
    const isAcknowledged = (number: number): boolean => this.#entries[number]?.acknowledged ?? false;
    return {
      sent: numbers.length,
      acknowledged: this.acknowledged,
      unanswered: numbers.length - this.acknowledged,
      storedUnanswered: numbers.filter((number) => !isAcknowledged(number) && times.has(number)).length,
      lost: numbers.filter((number) => isAcknowledged(number) && !times.has(number)),
      twice: numbers.filter((number) => (times.get(number) ?? 0) > 1),
      invented: [...times.keys()].filter((number) => !this.#entries[number]),
    };
  }
}

/** How often each number is stored, whatever record it is in. */
async function countStored(users: mongo.Collection): Promise<Map<number, number>> {
  const times = new Map<number, number>();
  const records = users.find<{ data: { items?: { value: number }[] } }>({}, { projection: { 'data.items.value': 1 } });
  for await (const { data } of records) {
    for (const { value } of data.items ?? []) times.set(value, (times.get(value) ?? 0) + 1);
  }
  return times;
}

/** One line for a person. */
export function summary({ sent, acknowledged, unanswered, storedUnanswered, lost, twice }: Audit): string {
  return `${sent} sent, ${acknowledged} acknowledged, ${unanswered} unanswered (${storedUnanswered} of them stored); lost ${lost.length}, twice ${twice.length}`;
}
