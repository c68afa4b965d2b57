import { type createAppRemoval, upgradeTombstones } from '../apps/app-removal.ts';
import type { createAppRevision } from '../apps/revision.ts';
import { withTimeout } from '../core/timeouts.ts';
import type { DatabaseClock } from '../database/clock.ts';
import { ensureIndexes } from '../database/collections.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { Models } from './models.ts';
import type { Stores } from './stores.ts';

/** How long `stop` waits for a step of a background job. */
const STOP_JOBS_WITHIN_MS = 1_000;

/**
 * Creates the steps in the life of the services: preparation, start and stop, and the check of the
 * database in between.
 *
 * @param deps.flushed what writes in the background, and is awaited at the end
 */
export function createLifecycle(deps: {
  clock: DatabaseClock;
  models: Models;
  sessions: Stores['sessions'];
  revision: Pick<ReturnType<typeof createAppRevision>, 'bump'>;
  removal: Pick<ReturnType<typeof createAppRemoval>, 'start'>;
  jobs: Pick<JobRunner, 'start' | 'stop'>;
  webhooks: { stop(): Promise<void> };
  notifications: { close(): void };
  flushed: readonly { flush(): Promise<unknown> }[];
  stopMeasuring: () => void;
}) {
  const { clock, models, sessions, revision, removal, jobs, webhooks, notifications, flushed } = deps;
  return {
    /** Creates the indexes on which the invariants depend. Await it before any other call. */
    async prepare(): Promise<void> {
      await upgradeTombstones(models.deletedApps.collection);
      await ensureIndexes(Object.values(models));
      await sessions.createIndexes();
    },

    /**
     * For a server, before it listens: finishes interrupted deletions and starts the background
     * jobs.
     */
    async start(): Promise<void> {
      await clock.start();
      await revision.bump();
      await removal.start();
      jobs.start();
    },

    /** Whether the database answers. */
    async ping(): Promise<boolean> {
      try {
        await clock.read();
        return true;
      } catch {
        return false; // the reason is in the log of the requests that fail
      }
    },

    /** What an operator should mend. */
    warnings: clock.warnings,

    /** Stops background work; resolves when pending writes are completed or have failed. */
    async stop(): Promise<void> {
      deps.stopMeasuring();
      clock.stop();
      await webhooks.stop().catch(() => undefined);
      // A step in progress may be abandoned: the next server repeats it.
      await withTimeout(jobs.stop(), STOP_JOBS_WITHIN_MS, () => new Error('a job goes on')).catch(() => undefined);
      notifications.close();
      await Promise.all(flushed.map((part) => part.flush())).catch(() => undefined);
    },
  };
}
