import { Unavailable } from '../core/errors.ts';

/** More hashes at once would take processor time from submissions (spec 8). */
const PLACES = 2;
/** Of these, so that a flood from many networks leaves a place to those that are known. */
const PLACES_OF_UNKNOWN = 1;
/** After the check a log-in still saves its session and sends its answer. */
const MARGIN_MS = 300;
/** How much the newest run counts in the moving average. */
const NEWEST = 0.2;
/** The longest run that is believed: one stalled run must not refuse log-ins for long after it. */
const MAX_RUN_MS = 5_000;

/** A request that waits for a hash. */
export interface Waiter {
  /** The client's, as `clientNetwork` gives it. */
  network: string;
  /** Whether that network logged in before. */
  known: boolean;
  /** Milliseconds that the request has left; 0 when it is over. */
  leftMs(): number;
}

interface Job<Who = Waiter | undefined> {
  waiter: Who;
  /** Begins the hash; `onEnd` is called before the result is told. */
  begin(onEnd: () => void): void;
  refuse(): void;
}

/**
 * Runs at most two hashes at once, in this order: those without a waiter (an administrator creates
 * an app or replaces a password), those of known networks, those of unknown networks. Unknown
 * networks have one place at most.
 *
 * A hash with a waiter is refused at once when it cannot end in the time that its request has left,
 * by the measured duration of recent runs. One network gets half of that time at most, so that it
 * cannot fill the queue for the others. A hash whose request is over does not run.
 */
export class HashingQueue {
  readonly #first: Job<undefined>[] = [];
  #known: Job<Waiter>[] = [];
  #unknown: Job<Waiter>[] = [];
  #running = 0;
  #runningUnknown = 0;
  #averageMs = 0;

  /**
   * Resolves like `hash`.
   * @param waiter who waits; without one the hash goes first and is never refused
   * @throws {Unavailable} when there is not enough time left
   */
  run<T>(hash: () => Promise<T>, waiter?: Waiter): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job = {
        begin: (onEnd: () => void) => void hash().finally(onEnd).then(resolve, reject),
        refuse: () => reject(new Unavailable('Too many log-ins at once; try again shortly')),
      };
      if (!waiter) this.#first.push({ ...job, waiter });
      else if (this.#hasRoom(waiter)) this.#laneOf(waiter).push({ ...job, waiter });
      else job.refuse();
      this.#startNext();
    });
  }

  #laneOf({ known }: Waiter): Job<Waiter>[] {
    return known ? this.#known : this.#unknown;
  }

  #hasRoom(waiter: Waiter): boolean {
    if (this.#endsInTime(waiter)) return true;
    this.#known = withoutOver(this.#known);
    this.#unknown = withoutOver(this.#unknown);
    return this.#endsInTime(waiter);
  }

  #endsInTime(waiter: Waiter): boolean {
    const runsBefore = this.#runsBefore(waiter);
    // Without a run there would be no newer measurement, however wrong the last one is.
    if (runsBefore === 0) return true;
    const timeMs = waiter.leftMs() - MARGIN_MS;
    const ofSame = this.#laneOf(waiter).filter((job) => job.waiter.network === waiter.network).length;
    const places = waiter.known ? PLACES : PLACES_OF_UNKNOWN;
    const isShareFull = ofSame > 0 && ((ofSame + 1) * this.#averageMs) / places > timeMs / 2;
    return !isShareFull && (runsBefore + 1) * this.#averageMs <= timeMs;
  }

  /** How many runs, one after the other, end before a new one of `waiter` begins, at most. */
  #runsBefore({ known }: Waiter): number {
    const preferred = this.#first.length + this.#known.length;
    if (known) return Math.floor((this.#running + preferred) / PLACES);
    const runningPreferred = this.#running - this.#runningUnknown;
    return Math.floor((runningPreferred + preferred) / PLACES) + this.#runningUnknown + this.#unknown.length;
  }

  #startNext(): void {
    while (this.#running < PLACES) {
      const job = this.#first.shift() ?? this.#takeWaiting();
      if (!job) return;
      this.#start(job);
    }
  }

  #takeWaiting(): Job | undefined {
    const known = this.#takeInTime(this.#known);
    if (known || this.#runningUnknown >= PLACES_OF_UNKNOWN) return known;
    return this.#takeInTime(this.#unknown);
  }

  /** The first that still has time for one run; those before it are refused. */
  #takeInTime(lane: Job<Waiter>[]): Job | undefined {
    for (let job = lane.shift(); job; job = lane.shift()) {
      const leftMs = job.waiter.leftMs();
      if (leftMs > 0 && (leftMs >= this.#averageMs || this.#running === 0)) return job;
      job.refuse();
    }
    return undefined;
  }

  #start({ waiter, begin }: Job): void {
    const unknown = waiter && !waiter.known ? 1 : 0;
    this.#running += 1;
    this.#runningUnknown += unknown;
    const begun = performance.now();
    begin(() => {
      this.#measured(Math.min(performance.now() - begun, MAX_RUN_MS));
      this.#running -= 1;
      this.#runningUnknown -= unknown;
      this.#startNext();
    });
  }

  #measured(runMs: number): void {
    this.#averageMs = this.#averageMs === 0 ? runMs : this.#averageMs + NEWEST * (runMs - this.#averageMs);
  }
}

/** The jobs whose request is not over; the others are refused. */
function withoutOver(jobs: Job<Waiter>[]): Job<Waiter>[] {
  return jobs.filter((job) => {
    const isOver = job.waiter.leftMs() === 0;
    if (isOver) job.refuse();
    return !isOver;
  });
}
