import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { NamedError } from '../../platform/core/errors.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.ts';

/** The wait before a worker is replaced; it doubles with each worker that ends early. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
/** A worker that ran for this long did not end early. */
const STEADY_MS = 60_000;
/** Longer than a worker takes to drain, and short enough to stop the database afterwards. */
const KILL_AFTER_MS = 8_700;

/**
 * How often the pool looks whether its workers report, and how many looks in a row may find none.
 * Looks, not a time: after a pause of this process or of the machine there is one look, and the
 * reports follow it.
 */
const LOOK_EVERY_MS = 1_000;
const MAX_SILENT_LOOKS = 30;

/** The last is standard output, as OUTPUT_OF_WORKER. */
const STDIO = ['ignore', 'ignore', 'pipe', 'ipc', 1];

class WorkerFailed extends NamedError {}

/** Sends a message. A worker that is ending takes none. */
export function sendTo(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/**
 * Keeps `count` workers running. Each place has one process at a time: the next one starts when the
 * one before has ended, and later each time that it ends early. A worker that serves sends a
 * message each second; one that does not for half a minute is stuck, and is ended.
 *
 * @param deps.program the program of a worker @param deps.setup called for each worker
 * @param deps.lookEveryMs shorter in tests only
 */
export function createWorkerPool(deps: {
  count: number;
  program: string;
  setup(): WorkerSetup;
  onMessage(message: FromWorker, worker: Worker): void;
  onEnd(worker: Worker): void;
  logger: Logger;
  lookEveryMs?: number;
}) {
  const { count, program, setup, onMessage, onEnd, logger, lookEveryMs = LOOK_EVERY_MS } = deps;
  const live = new Set<Worker>();
  const serving = new Set<Worker>();
  /** The looks since the last message of a worker. */
  const silentLooks = new WeakMap<Worker, number>();
  const stopping = new AbortController();
  const places: Promise<void>[] = [];
  let looking: NodeJS.Timeout | undefined;
  let hasStarted = false;

  /** Resolves with the reason when the process has ended. */
  function run(place: number, onReady: (url: string) => void): Promise<string> {
    return new Promise((resolve) => {
      const worker = cluster.fork();
      worker.process.stderr?.on('data', (text) => process.stderr.write(text));
      let reason: string | undefined;
      live.add(worker);
      const end = (found: string): void => {
        if (!live.delete(worker)) return;
        serving.delete(worker);
        onEnd(worker);
        resolve(reason ?? found);
      };
      worker.on('message', (message: FromWorker) => {
        silentLooks.set(worker, 0);
        if ('reading' in message) sendTo(worker, stopping.signal.aborted ? { stop: true } : { setup: setup() });
        if ('failed' in message) reason = message.failed;
        if ('ready' in message) {
          if (hasStarted) logger.info({ worker: place }, 'a worker serves again');
          serving.add(worker);
          onReady(message.ready);
        }
        onMessage(message, worker);
      });
      worker.once('error', ({ name }) => end(name));
      worker.once('exit', (code, signal) => end(`a worker ended (${signal ?? `exit code ${code}`})`));
    });
  }

  async function keepRunning(place: number, onReady: (url: string) => void, onFail: (reason: string) => void) {
    for (let early = 0; !stopping.signal.aborted; ) {
      const startedAt = performance.now();
      const reason = await run(place, onReady);
      if (stopping.signal.aborted) return;
      if (!hasStarted) return onFail(reason);
      early = performance.now() - startedAt < STEADY_MS ? early + 1 : 0;
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** early);
      logger.warn({ worker: place, reason, pauseMs }, 'a worker ended and will be started again');
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  function endStuck(): void {
    for (const worker of serving) {
      const looks = (silentLooks.get(worker) ?? 0) + 1;
      silentLooks.set(worker, looks);
      // Also a process that a signal stopped.
      if (looks > MAX_SILENT_LOOKS) worker.process.kill('SIGKILL');
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    clearInterval(looking);
    for (const worker of live) sendTo(worker, { stop: true });
    const timer = setTimeout(() => {
      for (const worker of live) worker.process.kill('SIGKILL');
    }, KILL_AFTER_MS);
    await Promise.all(places);
    clearTimeout(timer);
  }

  return {
    /** The workers that serve requests. */
    serving: (): ReadonlySet<Worker> => serving,

    /** Resolves with the URL when all workers serve. @throws {WorkerFailed} after ending them */
    async start(): Promise<string> {
      // Each worker accepts connections itself (decision 40).
      cluster.schedulingPolicy = cluster.SCHED_NONE;
      cluster.setupPrimary({ exec: program, args: [], stdio: STDIO });
      try {
        const ready = Array.from(
          { length: count },
          (_, place) =>
            new Promise<string>((resolve, reject) => {
              const fail = (reason: string): void => reject(new WorkerFailed(reason));
              places.push(keepRunning(place + 1, resolve, fail));
            }),
        );
        const [url = ''] = await Promise.all(ready);
        hasStarted = true;
        looking = setInterval(endStuck, lookEveryMs).unref();
        return url;
      } catch (error) {
        await stop();
        throw error;
      }
    },

    /** Lets the workers drain, ends those that do not, and resolves when none runs. */
    stop,
  };
}
