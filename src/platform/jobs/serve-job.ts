import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationStream } from 'pino';
import type { JobState } from './job.ts';
import type { JobRunner } from './job-runner.ts';
import type { FromProcess, ToProcess } from './process-worker.ts';

const REPORT_EVERY_MS = 1_000;
/** A process ends when no work has waited for this long: it holds about 100 MB. */
const IDLE_MS = 10_000;
/** The time for an orderly end of the process after its server has stopped. */
const END_WITHIN_MS = 10_000;

interface OpenJob {
  jobs: Pick<JobRunner, 'start' | 'wake' | 'states'>;
  hasWork(): Promise<boolean>;
  /** Ends the job in an orderly way and releases what it needs. */
  close(): Promise<void>;
}

/** The log of the process of a job: the server writes it. */
export const serverLog: DestinationStream = { write: (log) => send({ log }) };

/**
 * Runs a job for the server that started this process (process-worker.ts). Resolves when the server
 * stops, or when no work has waited for 10 seconds. Ends the process when the server has died. A
 * stopping server does not wait long, so a process that was told to stop continues without it.
 * @param open opens the job with the message of the server @param idleMs shorter in tests only
 */
export async function serveJob<Setup>(
  name: string,
  open: (setup: Setup) => Promise<OpenJob>,
  idleMs = IDLE_MS,
): Promise<void> {
  // A terminal and some service managers signal all processes. The server decides when this one
  // stops, so that a batch in progress ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const stopping = new AbortController();
  process.once('disconnect', () => {
    if (stopping.signal.aborted) setTimeout(() => process.exit(1), END_WITHIN_MS).unref();
    else process.exit();
  });
  let opened: OpenJob | undefined;
  const setup = await new Promise<Setup>((resolve) => {
    process.on('message', (message: ToProcess) => {
      if (message === 'stop') stopping.abort();
      else if (message === 'wake') opened?.jobs.wake(name);
      else resolve(message.setup as Setup);
    });
  });
  opened = await open(setup);
  try {
    opened.jobs.start(name);
    opened.jobs.wake(name);
    await untilIdle(name, opened, idleMs, stopping.signal);
  } finally {
    await opened.close();
  }
}

/** Reports the state of the job once a second; resolves when no work waits, or with the signal. */
async function untilIdle(name: string, { jobs, hasWork }: OpenJob, idleMs: number, signal: AbortSignal): Promise<void> {
  let busyAt = performance.now();
  while (!signal.aborted && performance.now() - busyAt < idleMs) {
    await sleep(REPORT_EVERY_MS, undefined, { signal }).catch(() => undefined);
    // The database may be unreachable; then work may wait.
    if (await hasWork().catch(() => true)) busyAt = performance.now();
    const state = jobs.states().find((one): one is JobState => one.name === name);
    if (state) send({ state });
  }
}

function send(message: FromProcess): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
