import { Unavailable } from '../core/errors.ts';

/** The time after which a request is answered with 503 (spec 7). */
export const DEADLINE_MS = 2_500;

/** The time budget of one request. The time in which the client sends the body does not count. */
export class Deadline {
  #left: number;
  #startedAt = 0;
  #startedAtTime = 0;
  #timer: NodeJS.Timeout | undefined;
  #expire: (() => void) | undefined;

  /** Whether the time is over and the request was refused. */
  isOver = false;

  /** @param ms another time than {@link DEADLINE_MS} in tests only */
  constructor(ms = DEADLINE_MS) {
    this.#left = ms;
  }

  /** Milliseconds that remain, also while `run` waits; 0 when the time is over. */
  get leftMs(): number {
    if (this.isOver) return 0;
    return Math.max(0, this.#left - (this.#timer === undefined ? 0 : this.#spentMs()));
  }

  /** Settles like `work`. @throws {Unavailable} when the time is over */
  async run<T>(work: Promise<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#expire = () => {
        this.isOver = true;
        reject(new Unavailable('tookTooLong'));
      };
      this.#start();
      work.then(resolve, reject);
    });
    try {
      return await result;
    } finally {
      this.#expire = undefined;
      this.#stop();
    }
  }

  /** Settles like `wait`, which depends on the client or on other requests and does not count. */
  async suspend<T>(wait: Promise<T>): Promise<T> {
    this.#stop();
    try {
      return await wait;
    } finally {
      this.#start();
    }
  }

  /** Also by the wall clock: the monotonic one stops while a machine is suspended. */
  #spentMs(): number {
    return Math.max(performance.now() - this.#startedAt, Date.now() - this.#startedAtTime);
  }

  #start(): void {
    if (!this.#expire || this.isOver) return;
    this.#startedAt = performance.now();
    this.#startedAtTime = Date.now();
    this.#timer = setTimeout(this.#expire, this.#left);
  }

  #stop(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(1, this.#left - this.#spentMs());
  }
}
