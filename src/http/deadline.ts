import { Unavailable } from '../errors.ts';

/** The most that the service spends on one request before it says 503; a request waits for a database that is away no longer (DESIGN section 2). */
export const DEADLINE_MS = 2_500;

/**
 * The time that one request may still spend on the service's own work. Time that the client takes to send its body does not count, so the budget is spent
 * piece by piece.
 */
export class Deadline {
  #left = DEADLINE_MS;
  #begun: number | undefined;

  /** Milliseconds that are left now, also while `run` waits; 0 when the time is over. */
  get leftMs(): number {
    const spent = this.#begun === undefined ? 0 : performance.now() - this.#begun;
    return Math.max(0, this.#left - spent);
  }

  /** Resolves like `work`. @throws {Unavailable} when the time is over; what `work` comes to after that is dropped. */
  async run<T>(work: Promise<T>): Promise<T> {
    const begun = performance.now();
    this.#begun = begun;
    let timer: NodeJS.Timeout | undefined;
    const inTime = new Promise<T>((done, fail) => {
      timer = setTimeout(
        () => fail(new Unavailable('The service or its database took too long; try again shortly')),
        this.#left,
      );
      work.then(done, fail);
    });
    try {
      return await inTime;
    } finally {
      clearTimeout(timer);
      this.#left = Math.max(0, this.#left - (performance.now() - begun));
      this.#begun = undefined;
    }
  }
}
