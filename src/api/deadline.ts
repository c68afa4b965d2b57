import { Unavailable } from '../core/errors.ts';

/** The most that the service spends on one request before it says 503; a request waits for a database that is away no longer (spec 7). */
export const DEADLINE_MS = 2_500;

/**
 * The time that one request may still spend on the service's own work. Time that the client takes to send its body does not count, so the budget is spent
 * piece by piece.
 */
export class Deadline {
  #left = DEADLINE_MS;
  #begun = 0;
  #timer: NodeJS.Timeout | undefined;
  #expire: (() => void) | undefined;

  /** Whether the request was refused because the time is over. */
  isOver = false;

  /** Milliseconds that are left now, also while `run` waits; 0 when the time is over. */
  get leftMs(): number {
    if (this.isOver) return 0;
    const spent = this.#timer === undefined ? 0 : performance.now() - this.#begun;
    return Math.max(0, this.#left - spent);
  }

  /** Resolves like `work`. @throws {Unavailable} when the time is over; what `work` comes to after that is dropped. */
  async run<T>(work: Promise<T>): Promise<T> {
    const inTime = new Promise<T>((done, fail) => {
      this.#expire = () => {
        this.isOver = true;
        fail(new Unavailable('The service or its database took too long; try again shortly'));
      };
      this.#start();
      work.then(done, fail);
    });
    try {
      return await inTime;
    } finally {
      this.#expire = undefined;
      this.#stop();
    }
  }

  /** Resolves like `wait`, which is part of the work of `run` but depends on the client: its time does not count. */
  async suspend<T>(wait: Promise<T>): Promise<T> {
    this.#stop();
    try {
      return await wait;
    } finally {
      this.#start();
    }
  }

  #start(): void {
    if (!this.#expire || this.isOver) return;
    this.#begun = performance.now();
    this.#timer = setTimeout(this.#expire, this.#left);
  }

  #stop(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(1, this.#left - (performance.now() - this.#begun));
  }
}
