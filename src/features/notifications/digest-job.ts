import { fromDate, toCalendarDate } from '@internationalized/date';
import type { ObjectId } from 'mongodb';
import type { RecordId } from '../../core/users/users.model.ts';
import { canonicalTimeZone } from '../../platform/core/identifiers.ts';
import type { Job, StepContext } from '../../platform/jobs/job-runner.ts';
import { createPassJob } from '../../platform/jobs/pass-job.ts';
import type { Pace } from '../activity/activity.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';
import type { MailApps } from './mail-apps.ts';
import type { MailQueue } from './mail-queue.ts';

/**
 * Returns the last day over at `now`, of 23 to 25 hours, named `YYYY-MM-DD`. An unknown time zone
 * counts as UTC.
 */
export function lastDay(now: Date, timeZone = 'UTC') {
  const zone = canonicalTimeZone(timeZone) ?? 'UTC';
  const today = toCalendarDate(fromDate(now, zone));
  const day = today.subtract({ days: 1 });
  return { name: day.toString(), start: day.toDate(zone), end: today.toDate(zone) };
}

/** How long after the end of a day its email may be planned. */
const EVERY_MS = 5 * 60_000;
const BATCH = 5_000;

interface Count {
  mailId: string;
  day: ReturnType<typeof lastDay>;
  after: RecordId | undefined;
  created: number;
  changed: number;
}

/** The remaining apps, beginning with the one in progress. */
interface Pass {
  appIds: ObjectId[];
  count: Count | undefined;
}

/**
 * The job that plans the daily emails (spec 4.12). After the end of a day in the time zone of an
 * app, it counts the records that were created on that day, and the older ones last changed on it.
 * The email is named after the app and the day, so each day has one.
 */
export function createDigestJob(deps: {
  apps: Pick<MailApps, 'withDigest' | 'ofId'>;
  records: Pick<RecordReader, 'oldest'>;
  queue: Pick<MailQueue, 'add' | 'exists'>;
  wake(): void;
  pace: Pick<Pace, 'throttle'>;
  /** Another clock in tests only. */
  now?: () => number;
}): Job {
  const { apps, records, queue, wake, pace, now = Date.now } = deps;

  async function beginCount(appId: ObjectId): Promise<Count | undefined> {
    const app = await apps.ofId(appId);
    if (app?.form?.notify?.when !== 'daily') return undefined;
    const day = lastDay(new Date(now()), app.form.timeZone);
    const mailId = `digest:${appId.toHexString()}:${day.name}`;
    if (await queue.exists(mailId)) return undefined;
    return { mailId, day, after: undefined, created: 0, changed: 0 };
  }

  /** Counts a batch of records; resolves with whether more follow. */
  async function countBatch(appId: ObjectId, count: Count): Promise<boolean> {
    const { start, end } = count.day;
    const found = await records.oldest(appId, { after: count.after, before: end, limit: BATCH });
    for (const { createdAt, updatedAt } of found) {
      if (createdAt >= start && createdAt < end) count.created += 1;
      else if (createdAt < start && updatedAt >= start && updatedAt < end) count.changed += 1;
    }
    count.after = found.at(-1)?._id;
    return found.length === BATCH;
  }

  /** Processes a batch of the first app; resolves with whether the pass continues. */
  async function advance(current: Pass, { stillOwner }: StepContext): Promise<boolean> {
    const [appId] = current.appIds;
    if (!appId) return false;
    current.count ??= await beginCount(appId);
    const { count } = current;
    if (count && (await countBatch(appId, count))) return true;
    if (count && stillOwner()) {
      const { mailId: _id, day, created, changed } = count;
      await queue.add([{ _id, appId, purpose: 'digest', day: day.name, created, changed }]);
      wake();
    }
    current.count = undefined;
    current.appIds.shift();
    return current.appIds.length > 0;
  }

  return createPassJob<Pass>({
    name: 'mail-digests',
    everyMs: EVERY_MS,
    throttle: pace.throttle,
    begin: async () => ({ appIds: await apps.withDigest(), count: undefined }),
    advance,
  });
}
