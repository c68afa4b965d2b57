import { type ChildProcess, fork } from 'node:child_process';
import type { Logger } from '../core/logger.ts';
import type { JobState } from './job.ts';
import { createWorker, type JobWorker } from './job-worker.ts';

export type ToProcess = { setup: unknown } | 'wake' | 'stop';

/** The state of the job, or a line of the log as JSON. */
export type FromProcess = { state: JobState } | { log: string };

export interface ProcessJob {
  name: string;
  everyMs: number;
  /** Resolves with whether work waits. Called once a second while the process does not run. */
  hasWork(): Promise<boolean>;
  /** The program of the process. It calls `serveJob`. */
  program: URL;
  flags: readonly string[];
  /** What the process needs to open its job. Sent as a message, so no other user can read it. */
  setup: unknown;
}

/** The process takes the lock of the job, so the job runs once over all servers (decision 40). */
export function createProcessWorker(job: ProcessJob, logger: Logger): JobWorker {
  const { name, everyMs, hasWork, program, flags, setup } = job;
  return createWorker({ name, everyMs }, (state, stopping) => {
    let child: ChildProcess | undefined;

    function send(message: ToProcess): void {
      // A process that is ending takes no messages; the next read starts another one if work waits.
      if (child?.connected) child.send(message, () => undefined);
    }

    async function runProcess(): Promise<void> {
      const before = { ...state };
      child = fork(program, [], {
        execArgv: [...flags],
        serialization: 'advanced',
        // A child that shares the standard error would make it blocking (see OUTPUT_OF_WORKER).
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
      child.stderr?.on('data', (text) => process.stderr.write(text));
      child.on('message', (message: FromProcess) => {
        if ('log' in message) return repeat(logger, message.log);
        const { steps, failures, ...current } = message.state;
        Object.assign(state, current, { steps: before.steps + steps, failures: before.failures + failures });
      });
      send({ setup });
      const reason = await whenEnded(child);
      child = undefined;
      state.isRunning = false;
      if (reason !== undefined && !stopping.aborted) fail({ name: reason });
    }

    function fail({ name: reason }: Pick<Error, 'name'>): void {
      state.failures += 1;
      logger.warn({ job: name, reason }, 'the process of a background job ended and will be started again');
    }

    return {
      async work() {
        if ((await hasWork()) && !stopping.aborted) await runProcess().catch(fail);
        return true;
      },
      onWake: () => send('wake'),
      onStop: () => send('stop'),
    };
  });
}

/** Resolves when a process has ended: with the reason, or undefined after exit code 0. */
function whenEnded(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('error', ({ name }) => resolve(name));
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
  });
}

function repeat(logger: Logger, line: string): void {
  const { level, time: _, msg, ...fields } = JSON.parse(line) as { level: number; time: string; msg: string };
  const method = logger.levels.labels[level] as 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  logger[method](fields, msg);
}
