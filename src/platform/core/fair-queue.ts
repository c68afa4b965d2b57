/** The limits of a queue. */
interface Limits {
  /** Slots in use at the same time. */
  slots: number;
  /** Slots in use by one key. Fewer than `slots`, so that no key holds all of them. */
  perKey: number;
}

/** A place in the queue, and then some of its slots. */
export interface Turn {
  readonly hasBegun: boolean;
  /** Resolves when the turn begins. Never settles if the turn ends before. */
  readonly begun: Promise<void>;
  /** Sets the number of slots of a turn that has begun. */
  resize(slots: number): void;
  /** Frees the slots, or leaves the queue. Further calls do nothing. */
  end(): void;
}

interface Waiting extends Turn {
  slots: number;
  begin(): void;
}

/**
 * Limits how much work is in progress at the same time, with a fair share for each key. Free slots
 * go to the key with the fewest in use; among equal ones to the key that was served least recently.
 * The turns of one key are in the order of their requests. A turn that is larger than a limit
 * begins when its key, or no key, has another one in progress.
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

  /** The slots in use. */
  get inProgress(): number {
    return this.#total;
  }

  get waiting(): number {
    return this.#waitingTotal;
  }

  /** Whether a key uses as many slots as it may. */
  hasWholeShare(key: string): boolean {
    return (this.#inProgress.get(key) ?? 0) >= this.#limits.perKey;
  }

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

  /** Joins the queue for a turn that uses `slots`. The caller ends the turn in any case. */
  join(key: string, slots = 1): Turn {
    let state: 'waiting' | 'in progress' | 'ended' = 'waiting';
    let resolve: () => void = () => undefined;
    const begun = new Promise<void>((begin) => {
      resolve = begin;
    });
    const resize = (next: number): void => {
      this.#count(key, next - turn.slots);
      turn.slots = next;
      this.#beginNext();
    };
    const turn: Waiting = {
      begun,
      slots,
      get hasBegun() {
        return state !== 'waiting';
      },
      begin: () => {
        state = 'in progress';
        this.#count(key, turn.slots);
        resolve();
      },
      resize: (next) => {
        if (state === 'in progress') resize(next);
      },
      end: () => {
        const before = state;
        state = 'ended';
        if (before === 'in progress') return resize(0);
        if (before === 'waiting') this.#leave(key, turn);
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
      const { key, turn } = this.#next() ?? {};
      if (key === undefined || !turn) return;
      if (this.#total > 0 && this.#total + turn.slots > this.#limits.slots) return;
      const line = this.#leave(key, turn);
      // To the end of the order.
      if (this.#waiting.delete(key)) this.#waiting.set(key, line);
      turn.begin();
    }
  }

  #next(): { key: string; turn: Waiting } | undefined {
    let next: { key: string; turn: Waiting } | undefined;
    let fewest = this.#limits.perKey;
    for (const [key, line] of this.#waiting) {
      const used = this.#inProgress.get(key) ?? 0;
      if (used >= fewest) continue;
      const [turn] = line;
      if (!turn || (used > 0 && used + turn.slots > this.#limits.perKey)) continue;
      [next, fewest] = [{ key, turn }, used];
    }
    return next;
  }

  #leave(key: string, turn: Waiting): Set<Waiting> {
    const line = this.#waiting.get(key) ?? new Set();
    if (line.delete(turn)) this.#waitingTotal -= 1;
    if (line.size === 0) this.#waiting.delete(key);
    return line;
  }

  #count(key: string, change: number): void {
    this.#total += change;
    const count = (this.#inProgress.get(key) ?? 0) + change;
    if (count === 0) this.#inProgress.delete(key);
    else this.#inProgress.set(key, count);
  }
}
