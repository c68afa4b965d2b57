/** The limits of a queue. */
interface Limits {
  /** Turns at the same time. */
  slots: number;
  /** Turns of one key at the same time. Fewer than `slots`, so that no key holds all of them. */
  perKey: number;
}

/** A place in the queue, and then one of its slots. */
export interface Turn {
  readonly hasBegun: boolean;
  /** Resolves when the turn begins. Never settles if the turn ends before. */
  readonly begun: Promise<void>;
  /** Frees the slot, or leaves the queue. Further calls do nothing. */
  end(): void;
}

interface Waiting extends Turn {
  begin(): void;
}

/**
 * Limits how much work is in progress at the same time, with a fair share for each key. A free slot
 * goes to the key with the fewest turns in progress; among equal ones to the key that was served
 * least recently. The turns of one key are in the order of their requests.
 */
export class FairQueue {
  readonly #limits: Limits;
  readonly #inProgress = new Map<string, number>();
  /** The turns that wait. The keys are in the order in which they were served. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #total = 0;
  #waitingTotal = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The turns in progress. */
  get inProgress(): number {
    return this.#total;
  }

  /** The turns that wait. */
  get waiting(): number {
    return this.#waitingTotal;
  }

  /** Whether a key has as many turns in progress as it may have. */
  hasWholeShare(key: string): boolean {
    return (this.#inProgress.get(key) ?? 0) >= this.#limits.perKey;
  }

  /** The turns of one key that wait. */
  waitingOf(key: string): number {
    return this.#waiting.get(key)?.size ?? 0;
  }

  /** Waits for a turn and runs `work` in it. Settles like `work`. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = this.join(key);
    try {
      if (!turn.hasBegun) await turn.begun;
      return await work();
    } finally {
      turn.end();
    }
  }

  /** Joins the queue. The caller ends the turn in any case. */
  join(key: string): Turn {
    let state: 'waiting' | 'in progress' | 'ended' = 'waiting';
    let resolve: () => void = () => undefined;
    const begun = new Promise<void>((begin) => {
      resolve = begin;
    });
    const turn: Waiting = {
      begun,
      get hasBegun() {
        return state !== 'waiting';
      },
      begin: () => {
        state = 'in progress';
        this.#count(key, 1);
        resolve();
      },
      end: () => {
        const before = state;
        state = 'ended';
        if (before === 'waiting') this.#leave(key, turn);
        if (before !== 'in progress') return;
        this.#count(key, -1);
        this.#beginNext();
      },
    };
    const line = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, line.add(turn));
    this.#waitingTotal += 1;
    this.#beginNext();
    return turn;
  }

  #beginNext(): void {
    while (this.#total < this.#limits.slots) {
      const key = this.#nextKey();
      const [turn] = (key !== undefined && this.#waiting.get(key)) || [];
      if (key === undefined || !turn) return;
      const line = this.#leave(key, turn);
      // To the end of the order.
      if (this.#waiting.delete(key)) this.#waiting.set(key, line);
      turn.begin();
    }
  }

  #nextKey(): string | undefined {
    let next: string | undefined;
    let fewest = this.#limits.perKey;
    for (const key of this.#waiting.keys()) {
      const count = this.#inProgress.get(key) ?? 0;
      if (count >= fewest) continue;
      [next, fewest] = [key, count];
    }
    return next;
  }

  #leave(key: string, turn: Waiting): Set<Waiting> {
    const line = this.#waiting.get(key) ?? new Set();
    if (line.delete(turn)) this.#waitingTotal -= 1;
    if (line.size === 0) this.#waiting.delete(key);
    return line;
  }

  #count(key: string, change: 1 | -1): void {
    this.#total += change;
    const count = (this.#inProgress.get(key) ?? 0) + change;
    if (count === 0) this.#inProgress.delete(key);
    else this.#inProgress.set(key, count);
  }
}
