import type { ObjectId } from 'mongodb';
import type { Pace } from '../apps/activity.ts';
import type { Retention } from '../apps/apps.model.ts';
import type { Logger } from '../core/logger.ts';
import { beginsBefore, type DatabaseClock } from '../database/clock.ts';
import type { Job, StepContext } from '../jobs/job-runner.ts';
import { createPassJob } from '../jobs/pass-job.ts';
import type { RecordId } from '../records/record-id.ts';
import type { Records } from '../records/records.ts';
import type { RetentionStore } from './retention.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Less than the hour that is promised (spec 4.6). */
const EVERY_MS = 10 * 60 * 1_000;
const BATCH = 1_000;

/** A statement that begins later after the read of its setting erases nothing. */
const ERASE_WITHIN_MS = 10_000;

interface Pass {
  appIds: ObjectId[];
  /** The newest processed record of the first app. */
  after: RecordId | undefined;
  erased: number;
}

/**
 * The job that erases records for their age (spec 4.6). A pass reads the records of each app that
 * are old enough by their id, from the oldest on. Age is by the earlier of the clocks of the
 * database and of this server; when they differ by more than five minutes, nothing is erased.
 */
export function createRetentionJob(deps: {
  store: RetentionStore;
  records: Pick<Records, 'reader' | 'erase'>;
  clock: Pick<DatabaseClock, 'read' | 'earlier' | 'isTrusted'>;
  logger: Logger;
  pace: Pick<Pace, 'rest'>;
  everyMs?: number | undefined;
}): Job {
  const { store, records, clock, logger, pace, everyMs = EVERY_MS } = deps;

  /** Resolves with the last record of the batch; undefined at the end of the app. */
  async function eraseBatch(
    appId: ObjectId,
    { days, basis }: Retention,
    current: Pass,
    begun: Date,
    { stillOwner }: StepContext,
  ): Promise<RecordId | undefined> {
    const before = new Date(clock.earlier().getTime() - days * DAY_MS);
    // No record was changed before it was created.
    const found = await records.reader.oldest(appId, { after: current.after, before, limit: BATCH });
    const old = found.filter((record) => record[basis] < before).map(({ _id }) => _id);
    if (old.length > 0 && stillOwner()) {
      // Excludes records that changed after the read, and settings that may have been replaced.
      const inTime = beginsBefore(new Date(begun.getTime() + ERASE_WITHIN_MS));
      current.erased += await records.erase(appId, old, { [basis]: { $lt: before }, ...inTime });
    }
    return found.length < BATCH ? undefined : found.at(-1)?._id;
  }

  async function advance(current: Pass, context: StepContext): Promise<boolean> {
    const [appId] = current.appIds;
    if (!appId) return false;
    const begun = await clock.read();
    if (!clock.isTrusted()) return false;
    // Read for each batch, so that the removal of a setting ends the erasure.
    const retention = await store.of(appId);
    const last = retention && (await eraseBatch(appId, retention, current, begun, context));
    current.after = last;
    if (!last) current.appIds.shift();
    return current.appIds.length > 0;
  }

  return createPassJob<Pass>({
    name: 'retention',
    everyMs,
    rest: pace.rest,
    begin: async () => ({ appIds: await store.appIds(), after: undefined, erased: 0 }),
    advance,
    end: ({ erased }) => {
      if (erased > 0) logger.info({ records: erased }, 'erased records for their age');
    },
  });
}
