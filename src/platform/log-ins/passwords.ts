import { randomBytes } from 'node:crypto';
import bcrypt from 'bcrypt';
import { Unavailable } from '../core/errors.ts';
import { type Metrics, NO_METRICS } from '../metrics/metrics.ts';

const COST = 12;

/** Returns a new password: 32 URL-safe characters, 192 random bits. */
export function generatePassword(): string {
  return randomBytes(24).toString('base64url');
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

/**
 * Hashes and verifies passwords with bcrypt, in the order of {@link HashingQueue}.
 * @param cost the bcrypt cost factor; each step doubles the time of a hash
 */
export function createPasswordHasher(cost = COST, metrics: Metrics = NO_METRICS) {
  const queue = new HashingQueue();
  metrics.gauge('password_queue_length', { help: 'Passwords that wait to be hashed' }, () => queue.length);
  let placeholderHash: Promise<string> | undefined;

  /** Resolves with the hash. Precedes all queued verifications and is never refused. */
  const hash = (password: string): Promise<string> => queue.run(() => bcrypt.hash(password, cost));

  return {
    hash,

    /** Call it before the hash is read. @throws {Unavailable} when `verify` would be refused now */
    assertCapacity: (waiter: Waiter): void => queue.assertCapacity(waiter),

    /**
     * Resolves with whether `password` matches. Without a hash it resolves with false in the same
     * time, so that response times do not reveal which apps exist.
     * @throws {Unavailable} when the check cannot finish in the time that `waiter` has left
     */
    async verify(password: string, stored: string | undefined, waiter: Waiter): Promise<boolean> {
      // On the first login, whether or not its app exists: command-line calls do not need it. Its
      // duration is also the first measurement of the queue.
      placeholderHash ??= hash(generatePassword());
      const placeholder = await placeholderHash;
      const matches = await queue.run(() => bcrypt.compare(password, stored ?? placeholder), waiter);
      return matches && stored !== undefined;
    },
  };
}

/** More would take too much processor time from submissions. */
const MAX_CONCURRENT = 2;
/** A flood from many unknown networks leaves the rest to known networks. */
const MAX_CONCURRENT_UNKNOWN = 1;
/** Time to save the session and send the response after the check. */
const RESPONSE_MARGIN_MS = 300;
const NEWEST_WEIGHT = 0.2;
/** Bounds a measured duration, so that one stalled hash does not refuse logins for long. */
const MAX_DURATION_MS = 5_000;

export interface Waiter {
  network: string;
  /** Whether the network logged in before (log-in-limits.ts). */
  known: boolean;
  /** Milliseconds until the request's deadline; 0 when it has ended. */
  leftMs(): number;
}

interface Job<W = Waiter | undefined> {
  waiter: W;
  /** Calls `onEnd` when the hash settles, before the caller's promise settles. */
  start(onEnd: () => void): void;
  refuse(): void;
}

/**
 * Runs hashes in this order: without a waiter (an administrator acts), of known networks, of
 * unknown networks, of which one runs at a time.
 * A hash is refused when, by the average duration, it cannot finish in the time that its request
 * has left. One network may use at most half of that time, so that it cannot fill the queue. A hash
 * whose request has ended does not run.
 */
export class HashingQueue {
  readonly #withoutWaiter: Job<undefined>[] = [];
  #known: Job<Waiter>[] = [];
  #unknown: Job<Waiter>[] = [];
  #running = 0;
  #runningUnknown = 0;
  #averageMs = 0;

  /** The number of hashes that wait. */
  get length(): number {
    return this.#withoutWaiter.length + this.#known.length + this.#unknown.length;
  }

  /** @throws {Unavailable} when `run` would refuse a hash of `waiter` now */
  assertCapacity(waiter: Waiter): void {
    if (!this.#hasCapacity(waiter)) throw refusal();
  }

  /** Settles like `hash`. @throws {Unavailable} when there is not enough time left */
  run<T>(hash: () => Promise<T>, waiter?: Waiter): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job = {
        start: (onEnd: () => void) => void hash().finally(onEnd).then(resolve, reject),
        refuse: () => reject(refusal()),
      };
      if (!waiter) this.#withoutWaiter.push({ ...job, waiter });
      else if (this.#hasCapacity(waiter)) this.#queueOf(waiter).push({ ...job, waiter });
      else job.refuse();
      this.#startNext();
    });
  }

  #queueOf({ known }: Waiter): Job<Waiter>[] {
    return known ? this.#known : this.#unknown;
  }

  #hasCapacity(waiter: Waiter): boolean {
    if (this.#canFinishInTime(waiter)) return true;
    this.#known = refuseEnded(this.#known);
    this.#unknown = refuseEnded(this.#unknown);
    return this.#canFinishInTime(waiter);
  }

  #canFinishInTime(waiter: Waiter): boolean {
    const roundsBefore = this.#roundsBefore(waiter);
    // Accepts a hash that can start at once: only a new measurement corrects the average.
    if (roundsBefore === 0) return true;
    const timeMs = waiter.leftMs() - RESPONSE_MARGIN_MS;
    const queued = this.#queueOf(waiter).filter((job) => job.waiter.network === waiter.network).length;
    const concurrency = waiter.known ? MAX_CONCURRENT : MAX_CONCURRENT_UNKNOWN;
    const isShareUsed = queued > 0 && ((queued + 1) * this.#averageMs) / concurrency > timeMs / 2;
    return !isShareUsed && (roundsBefore + 1) * this.#averageMs <= timeMs;
  }

  /** The most consecutive hashes that finish before a new one of `waiter` starts. */
  #roundsBefore({ known }: Waiter): number {
    const preferred = this.#withoutWaiter.length + this.#known.length;
    if (known) return Math.floor((this.#running + preferred) / MAX_CONCURRENT);
    const runningPreferred = this.#running - this.#runningUnknown;
    return Math.floor((runningPreferred + preferred) / MAX_CONCURRENT) + this.#runningUnknown + this.#unknown.length;
  }

  #startNext(): void {
    while (this.#running < MAX_CONCURRENT) {
      const job = this.#withoutWaiter.shift() ?? this.#takeWithWaiter();
      if (!job) return;
      this.#start(job);
    }
  }

  #takeWithWaiter(): Job | undefined {
    const known = this.#takeWithTimeLeft(this.#known);
    if (known || this.#runningUnknown >= MAX_CONCURRENT_UNKNOWN) return known;
    return this.#takeWithTimeLeft(this.#unknown);
  }

  /** Takes the first job with enough time for one hash and refuses those before it. */
  #takeWithTimeLeft(queue: Job<Waiter>[]): Job | undefined {
    for (let job = queue.shift(); job; job = queue.shift()) {
      const leftMs = job.waiter.leftMs();
      if (leftMs > 0 && (leftMs >= this.#averageMs || this.#running === 0)) return job;
      job.refuse();
    }
    return undefined;
  }

  #start({ waiter, start }: Job): void {
    const unknown = waiter && !waiter.known ? 1 : 0;
    this.#running += 1;
    this.#runningUnknown += unknown;
    const startedAt = performance.now();
    start(() => {
      this.#recordDuration(Math.min(performance.now() - startedAt, MAX_DURATION_MS));
      this.#running -= 1;
      this.#runningUnknown -= unknown;
      this.#startNext();
    });
  }

  #recordDuration(durationMs: number): void {
    this.#averageMs =
      this.#averageMs === 0 ? durationMs : this.#averageMs + NEWEST_WEIGHT * (durationMs - this.#averageMs);
  }
}

const refusal = (): Unavailable => new Unavailable('tooManyLogIns');

function refuseEnded(jobs: Job<Waiter>[]): Job<Waiter>[] {
  return jobs.filter((job) => {
    const hasEnded = job.waiter.leftMs() === 0;
    if (hasEnded) job.refuse();
    return !hasEnded;
  });
}
