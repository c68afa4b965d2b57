import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import type { ObjectId } from 'mongodb';
import pLimit from 'p-limit';
import { type AppError, TooManyRequests, Unavailable } from '../core/errors.ts';
import { FairQueue } from '../core/fair-queue.ts';
import { withTimeout } from '../core/timeouts.ts';
import { type Metrics, NO_METRICS } from '../metrics/metrics.ts';
import type { Deadline } from './deadline.ts';

/**
 * The load of a request of an operator. `light`: a few statements by keys. `read`: grows with the
 * data of the app. `long`: lasts as long as the data, a client or a receiver.
 */
export type Load = 'light' | 'read' | 'long';

/**
 * What is in progress at the same time, in the process and of one app: submissions need processors
 * and connections (docs/performance.md).
 */
export const LOADS = {
  /** Look-ups of sessions and keys count here too, by the network of the client. */
  light: { slots: 24, perKey: 16 },
  read: { slots: 3, perKey: 2 },
  /** What the requests hold in memory, also for clients that do not read. */
  long: { slots: 64, perKey: 24 },
  /** Statements of long requests that read what they can in their time, and erasures. */
  scan: { slots: 2, perKey: 1 },
  /** Statements by keys, of long requests or after the start of an answer. */
  page: { slots: 8, perKey: 6 },
} as const;
/** The same for one session or API key. */
const LONG_OF_CALLER = { slots: LOADS.long.slots, perKey: 8 };

/** The requests that wait for a turn: of one key, and in the process. */
const MAX_WAITING_PER_KEY = 300;
const MAX_WAITING = 3_000;
/**
 * The longest wait, less a random part, so that not all are refused at once. Together with the
 * deadline of a request it is shorter than the time that a stop of the service takes.
 */
const MAX_WAIT_MS = 5_000;
/** The same for light requests. Within the deadline, also without a database. */
const MAX_LIGHT_WAIT_MS = 2_000;
const JITTER = 0.1;

/** Seconds after which a refused request may be repeated. */
const RETRY_AFTER = 2;
const RETRY_AFTER_LONG = 5;

export interface RequestTurn {
  /** Whether others were first, so that the caller may have lost its access. */
  hasWaited: boolean;
  end(): void;
  /** Ends the turn when the first piece of a list or a file was read: a slow client holds none. */
  onStart?: () => void;
}

interface Wait {
  res: Response;
  /** The deadline to which the time of the wait does not count. */
  deadline?: Deadline;
  maxMs: number;
  /** Makes the error for a key that uses its share. */
  tooMany?: () => AppError;
}

/** The statements that have turns of their own. */
export type StatementLoad = 'scan' | 'page';

export type AppId = ObjectId | undefined;

export type OperatorLoad = ReturnType<typeof createOperatorLoad>;

/**
 * Where requests of operators wait, so that those of one app leave the database and the processor
 * to submissions and to the operators of other apps (decision 19). A request waits twice: before
 * its session is read, by its network, because its app is not known; then for the turn of its load,
 * by its app. A `light` or `read` request waits for nothing else, unless it reads many pages. Each
 * of these, and each statement of a `long` one, waits as a step: nobody waits for a client that
 * does not read. In each queue the app with the fewest turns is next.
 */
export function createOperatorLoad(metrics: Metrics = NO_METRICS) {
  const light = new FairQueue(LOADS.light);
  const read = new FairQueue(LOADS.read);
  const long = new FairQueue(LOADS.long);
  const longOfCaller = new FairQueue(LONG_OF_CALLER);
  const steps = { scan: new FairQueue(LOADS.scan), page: new FairQueue(LOADS.page) };
  const pauses = pLimit(1);

  const help = 'Requests of operators by load, in progress and waiting for a turn';
  metrics.gauge('operator_requests', { help, labels: ['load', 'state'] }, () => [
    ...queueSamples('light', light),
    ...queueSamples('read', read),
    ...queueSamples('long', long, longOfCaller.waiting),
  ]);

  /**
   * Resolves in its turn.
   *
   * @throws {TooManyRequests} when too many requests of the key wait, or when the turn does not
   *   come soon because the key uses its share
   * @throws {Unavailable} when too many wait in all, or when the turn does not come soon
   */
  async function turnIn(
    queue: FairQueue,
    key: string,
    { res, deadline, maxMs, tooMany = tooManyError }: Wait,
  ): Promise<Pick<RequestTurn, 'end' | 'hasWaited'>> {
    if (queue.waitingOf(key) >= MAX_WAITING_PER_KEY) throw tooMany();
    if (queue.waiting >= MAX_WAITING || res.closed) throw busyError();
    const turn = queue.join(key);
    if (turn.hasBegun) return { end: turn.end, hasWaited: false };
    const leave = () => {
      if (!turn.hasBegun) turn.end();
    };
    res.once('close', leave);
    try {
      const waitMs = maxMs * (1 - JITTER * Math.random());
      const refusal = () => (queue.hasWholeShare(key) ? tooMany() : busyError());
      const wait = withTimeout(turn.begun, waitMs, refusal);
      await (deadline ? deadline.suspend(wait) : wait);
    } catch (error) {
      turn.end();
      throw error;
    } finally {
      res.off('close', leave);
    }
    return { end: turn.end, hasWaited: true };
  }

  /** The turn of a long request counts for its session or key and for its app. */
  async function longTurn(app: string, caller: string, wait: Wait): Promise<RequestTurn> {
    const ofCaller = await turnIn(longOfCaller, caller, wait);
    try {
      const ofApp = await turnIn(long, app, wait);
      return {
        hasWaited: ofCaller.hasWaited || ofApp.hasWaited,
        end() {
          ofApp.end();
          ofCaller.end();
        },
      };
    } catch (error) {
      ofCaller.end();
      throw error;
    }
  }

  return {
    /**
     * Waits for the turn of the look-ups of a request, from its session to its account or key.
     * Resolves with a function that ends it. @throws {Unavailable}
     * @param network names the network of its client
     */
    async beginLookUps(network: string, res: Response): Promise<() => void> {
      const { end } = await turnIn(light, network, { res, maxMs: MAX_LIGHT_WAIT_MS, tooMany: busyError });
      return end;
    },

    /**
     * Resolves in the turn of a request. The caller ends it when the work has ended, also if the
     * client left before.
     * @param of names the app whose share the request uses, and its session, key or network
     * @throws {TooManyRequests} when the session or the app has too many at once
     * @throws {Unavailable} when the process has too many at once
     */
    async begin(
      load: Load,
      { app, caller }: { app: string; caller: string },
      { res, deadline }: { res: Response; deadline: Deadline },
    ): Promise<RequestTurn> {
      const wait = { res, deadline, maxMs: MAX_WAIT_MS };
      if (load === 'long') return longTurn(app, caller, { ...wait, tooMany: tooManyLongError });
      const turn = await (load === 'read'
        ? turnIn(read, app, wait)
        : turnIn(light, app, { res, maxMs: MAX_LIGHT_WAIT_MS }));
      return { ...turn, onStart: turn.end };
    },

    /** Runs a statement on the records of an app, or of all apps, in a turn of its own. */
    step: <T>(step: StatementLoad, appId: AppId, statement: () => Promise<T>): Promise<T> =>
      steps[step].run(appId?.toHexString() ?? 'all apps', statement),

    /** Resolves in a later turn of the event loop, so other requests are answered in between. */
    pause: (): Promise<void> => pauses(() => nextTurn()),
  };
}

function queueSamples(load: Load, { inProgress, waiting }: FairQueue, alsoWaiting = 0) {
  return [
    { labels: { load, state: 'in_progress' }, value: inProgress },
    { labels: { load, state: 'waiting' }, value: waiting + alsoWaiting },
  ];
}

function tooManyError(): AppError {
  return new TooManyRequests('tooManyRequests', RETRY_AFTER);
}

function tooManyLongError(): AppError {
  return new TooManyRequests('tooManyExports', RETRY_AFTER_LONG);
}

function busyError(): AppError {
  return new Unavailable('tooManyOperators', RETRY_AFTER);
}
