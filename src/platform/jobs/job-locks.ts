import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Connection } from '../database/client.ts';
import { isOfClockSetBack } from '../database/clock.ts';
import type { Collection } from '../database/collections.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { createModel, type DocumentOf, type Model, schema } from '../database/mongoose.ts';
import type { StepContext } from './job.ts';

/** The lock of one job. All times are by MongoDB's clock. */
const jobSchema = schema(
  {
    _id: { type: String, required: true },
    /** The runner that holds the lock until `until`; empty after a release. */
    owner: { type: String, required: true },
    turn: ObjectId,
    until: { type: Date, required: true },
    /** When the lock was last taken or renewed. */
    at: { type: Date, required: true },
    /** Before this time only a runner that was woken takes the lock. */
    next: { type: Date, required: true },
  },
  { collection: 'jobs', placement: 'one document for each job' },
);
type JobDocument = DocumentOf<typeof jobSchema>;

type JobCollection = Collection<JobDocument>;

/** The model of `jobs`. */
export const createJobModel = (connection: Connection): Model<JobDocument> => createModel(connection, jobSchema);

const LOCK_MS = 3_500;

const NEVER = new Date(0);

/** The times of the lock are those of another clock. */
const IS_AHEAD = isOfClockSetBack('$at');

/** Why a job does not run: another server holds its lock, or it is not due. */
export type Obstacle = 'held' | 'early';

export type JobLocks = ReturnType<typeof createJobLocks>;

/** The locks of jobs over all servers, by MongoDB's clock. Each call creates an owner. */
export function createJobLocks(jobs: JobCollection) {
  const self = randomUUID();

  return {
    /** Reads why jobs cannot run now. A missing one can run, unless another owner is faster. */
    async obstacles(names: readonly string[]): Promise<Map<string, Obstacle>> {
      const isHeld = { $and: [{ $ne: ['$owner', self] }, { $gt: ['$until', '$$NOW'] }] };
      const isEarly = { $gt: ['$next', '$$NOW'] };
      const found = await jobs
        .find<{ _id: string; isHeld: boolean }>(
          { _id: { $in: [...names] }, $expr: { $and: [{ $not: [IS_AHEAD] }, { $or: [isHeld, isEarly] }] } },
          { projection: { isHeld } },
        )
        .toArray();
      return new Map(found.map((job) => [job._id, job.isHeld ? 'held' : 'early']));
    },

    /**
     * Takes or renews the lock of a job, if it is free and the job is due or `evenEarly`. Resolves
     * with whether this owner holds it for {@link LOCK_MS} from now, in this `turn`.
     */
    async hold(name: string, evenEarly: boolean, turn: ObjectId): Promise<boolean> {
      // In the update, because the filter of an upsert cannot contain `$expr`.
      const isFree = { $lte: [{ $ifNull: ['$until', NEVER] }, '$$NOW'] };
      const isDue = evenEarly || { $lte: [{ $ifNull: ['$next', NEVER] }, '$$NOW'] };
      const takes = { $or: [{ $eq: ['$owner', self] }, IS_AHEAD, { $and: [isFree, isDue] }] };
      const set = (member: string, value: unknown) => ({ [member]: { $cond: [takes, value, `$${member}`] } });
      const until = { $add: ['$$NOW', LOCK_MS] };
      const update = {
        ...set('owner', self),
        ...set('turn', turn),
        ...set('until', until),
        ...set('at', '$$NOW'),
        ...set('next', '$$NOW'),
      };
      try {
        const options = { upsert: true, returnDocument: 'after' } as const;
        return (await jobs.findOneAndUpdate({ _id: name }, [{ $set: update }], options))?.owner === self;
      } catch (error) {
        if (isDuplicateKey(error)) return false; // another owner took the lock for the first time
        throw error;
      }
    },

    /** Resolves with when the lock of a turn ends, by MongoDB's clock; undefined: it was lost. */
    async heldUntil(name: string, turn: ObjectId): Promise<Date | undefined> {
      const filter = { _id: name, owner: self, turn, $expr: { $gt: ['$until', '$$NOW'] } };
      return (await jobs.findOne(filter, { projection: { until: 1 } }))?.until;
    },

    /** Releases the lock; the job is due in `dueInMs`. Does nothing if another turn has it. */
    async release(name: string, dueInMs: number, turn: ObjectId): Promise<void> {
      const next = { $add: ['$$NOW', dueInMs] };
      await jobs.updateOne({ _id: name, owner: self, turn }, [{ $set: { owner: '', until: '$$NOW', next } }]);
    },
  };
}

const RENEW_EVERY_MS = 1_000;
/** A lock counts as lost this long before it ends, because clocks run at different rates. */
const MARGIN_MS = 500;

export interface HeldLock extends StepContext {
  /** Aborts the signal. */
  abort(): void;
  /** Ends the renewals. Resolves when none is in flight, which could take a released lock again. */
  end(): Promise<void>;
}

/** Renews a lock until `end` is called. @param takenAt when the call began that took it */
export function keepLock(locks: JobLocks, name: string, turn: ObjectId, takenAt: number): HeldLock {
  const ending = new AbortController();
  let isLost = false;
  let heldSince = takenAt;
  let renewal = Promise.resolve();

  async function renew(): Promise<void> {
    const begun = performance.now();
    try {
      if (await locks.hold(name, false, turn)) heldSince = begun;
      else isLost = true;
      if (isLost) ending.abort();
    } catch {
      // The next renewal may succeed, and `stillOwner` compares the time.
    }
  }

  const timer = setInterval(() => {
    renewal = renewal.then(renew);
  }, RENEW_EVERY_MS);
  timer.unref();
  return {
    signal: ending.signal,
    stillOwner: () => !isLost && performance.now() - heldSince < LOCK_MS - MARGIN_MS,
    abort: () => ending.abort(),
    async end() {
      clearInterval(timer);
      await renewal;
    },
  };
}
