import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { NamedError } from '../core/errors.ts';
import type { Lookup } from '../database/lookups.ts';
import type { Job, StepContext } from './job.ts';
import { STEP_MS, workInBatches } from './pass-job.ts';

/** The wait of a step after an error, so that it is not repeated at once. */
const PAUSE_MS = 200;

/** Another server runs the pass, or it was removed. */
export class RunIsOver extends NamedError {}

/** Selects the first pass of each app from those that wait, in their order. */
export function firstOfEachApp<Waiting extends { appId: ObjectId }>(waiting: readonly Waiting[]): Waiting[] {
  const first = new Map<string, Waiting>();
  for (const one of waiting) {
    const app = one.appId.toHexString();
    if (!first.has(app)) first.set(app, one);
  }
  return [...first.values()];
}

/**
 * Creates a job for stored passes: one of each app at a time, all apps in turns. After an error, a
 * lost lock, or on another server a new run continues from the last stored batch.
 * @param deps.heads resolves with the passes that may run now
 * @param deps.open starts a run; undefined: the pass has ended, or another run has begun
 * @param deps.advance processes a batch; resolves with whether the pass continues. `checkOwner`
 * throws when another server may run it
 * @param deps.release lets another server continue: no write of this run is in flight
 */
export function createTurnJob<Head extends { _id: ObjectId }, Run>(deps: {
  name: string;
  everyMs: number;
  anyWork: Lookup;
  heads(): Promise<Head[]>;
  open(head: Head): Promise<Run | undefined>;
  advance(run: Run, checkOwner: () => void): Promise<boolean>;
  onError(run: Run, error: unknown): void | Promise<void>;
  release?(run: Run): Promise<void>;
  throttle(begun: number, signal: AbortSignal): Promise<void>;
}): Job {
  const { name, everyMs, anyWork, heads, open, advance, onError, release, throttle } = deps;
  const sessions = new Map<string, { run: Run; servedAt: number }>();

  async function openSession(head: Head): Promise<void> {
    const id = head._id.toHexString();
    if (sessions.has(id)) return;
    const run = await open(head);
    if (run) sessions.set(id, { run, servedAt: 0 });
  }

  async function work(id: string, session: { run: Run; servedAt: number }, context: StepContext): Promise<void> {
    const { run } = session;
    const checkOwner = (): void => {
      if (!context.stillOwner()) throw new RunIsOver();
    };
    try {
      const isOver = await workInBatches(context, STEP_MS, () => advance(run, checkOwner), throttle);
      session.servedAt = performance.now();
      if (isOver) sessions.delete(id);
    } catch (error) {
      // The next run reads what of the batch was written.
      sessions.delete(id);
      if (!(error instanceof RunIsOver)) await onError(run, error);
      await sleep(PAUSE_MS, undefined, { signal: context.signal }).catch(() => undefined);
    }
  }

  async function releaseAll(): Promise<void> {
    const opened = [...sessions.values()];
    sessions.clear();
    for (const { run } of opened) await release?.(run);
  }

  return {
    name,
    everyMs,
    hasWork: async (hasAny) => sessions.size > 0 || hasAny([anyWork]),
    async run(context) {
      const { signal, stillOwner } = context;
      const found = await heads();
      const live = new Set(found.map(({ _id }) => _id.toHexString()));
      for (const id of sessions.keys()) if (!live.has(id)) sessions.delete(id);
      for (const head of found) if (stillOwner()) await openSession(head);
      const turns = [...sessions].sort(([, one], [, other]) => one.servedAt - other.servedAt);
      const [turn] = turns;
      if (turn && stillOwner()) await work(...turn, context);
      if (signal.aborted || !stillOwner()) await releaseAll();
      return turns.length > 0;
    },
  };
}
