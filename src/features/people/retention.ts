import type { ObjectId } from 'mongodb';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import type { AppPart } from '../../core/apps/app-part.ts';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { AppNotFound, Conflict } from '../../platform/core/errors.ts';
import type { Logger } from '../../platform/core/logger.ts';
import { beginsBefore, type DatabaseClock, type Until } from '../../platform/database/clock.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import { type DocumentOf, type MembersOf, only, schema } from '../../platform/database/mongoose.ts';
import { component, daysUpTo } from '../../platform/http/validation.ts';
import type { Job, StepContext } from '../../platform/jobs/job-runner.ts';
import { createPassJob } from '../../platform/jobs/pass-job.ts';
import { code } from '../../platform/languages/problems.ts';
import type { Pace } from '../activity/activity.ts';
import type { Records } from '../records/records.ts';

const MAX_DAYS = 36_500;

const RetentionBody = component('Retention', {
  days: daysUpTo(MAX_DAYS).meta({ example: 365 }),
  basis: z.enum(['createdAt', 'updatedAt'], code('notRetentionBasis')).meta({ example: 'updatedAt' }),
}).nullable();

const shared = {
  path: '/auth/apps/:sourceAppId/retention',
  params: AppPath,
  auth: 'session',
  scope: 'manage',
  load: 'light',
  tag: 'People',
  response: RetentionBody,
} as const;

/** The endpoints of the retention of records (spec 4.6). */
export const retentionEndpoints = {
  getRetention: {
    ...shared,
    method: 'get',
    scoped: true,
    summary: 'When records of an app are erased for their age',
    description: 'For the operators of the app and for admins. Null: never.',
  },
  replaceRetention: {
    ...shared,
    method: 'put',
    scoped: true,
    audit: 'retention.replaced',
    summary: 'Set when records of an app are erased for their age',
    description:
      'For the operators of the app and for admins. Records that are older than `days` are erased within an hour, permanently; null ends that.',
    body: jsonBody(RetentionBody, 'invalidRetention'),
    errors: [409],
  },
} as const satisfies Endpoints;

/** The age in days at which records are erased, and the time it counts from. */
const retentionSchema = schema({
  days: { type: Number, required: true },
  basis: { type: only<'createdAt' | 'updatedAt'>(String), required: true },
});
type Retention = DocumentOf<typeof retentionSchema>;

const members = {
  /** Absent: records are never erased for their age. */
  retention: retentionSchema,
};

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
}

export const retentionPart: AppPart = {
  members,
  // The job that erases old records.
  indexes: [[{ 'retention.days': 1 }, { sparse: true }]],
};

type RetentionStore = ReturnType<typeof createRetentionStore>;

/** The retention settings in the documents of apps. An app that is being deleted has none. */
export function createRetentionStore(apps: AppModel) {
  const find = (_id: ObjectId) => apps.findOne({ _id, ...NOT_BEING_DELETED }, { projection: { retention: 1 } });

  return {
    /** Resolves with the retention of an app; null: records are kept. @throws {NotFound} */
    async get(_id: ObjectId): Promise<Retention | null> {
      const app = await find(_id);
      if (!app) throw new AppNotFound();
      return app.retention ?? null;
    },

    /**
     * Changes nothing if the setting changed since this began: a late update must not erase by it.
     * Resolves with the replaced one.
     * @throws {NotFound} @throws {Conflict} when it was replaced meanwhile
     */
    async replace(_id: ObjectId, retention: Retention | null, until: Until): Promise<Retention | null> {
      const app = await find(_id);
      if (!app) throw new AppNotFound();
      const update = retention ? { $set: { retention } } : { $unset: { retention: 1 as const } };
      const isUnchanged = { retention: app.retention ?? { $exists: false } };
      const filter = { _id, ...NOT_BEING_DELETED, ...isUnchanged, ...beginsBefore(await until()) };
      // By the collection: equality of embedded documents.
      const { matchedCount } = await apps.collection.updateOne(filter, update);
      if (matchedCount === 0) throw new Conflict('retentionChanged');
      return app.retention ?? null;
    },

    /** Resolves with the retention; undefined: records are kept, or the app is deleted. */
    of: async (_id: ObjectId): Promise<Retention | undefined> => (await find(_id))?.retention,

    async appIds(): Promise<ObjectId[]> {
      const filter = { 'retention.days': { $gt: 0 }, ...NOT_BEING_DELETED };
      const found = await apps.find(filter, { projection: { _id: 1 } });
      return found.map(({ _id }) => _id);
    },
  };
}

export const retentionRoutes = (retention: RetentionStore): Route[] =>
  routes(retentionEndpoints, {
    getRetention: ({ app: { id } }) => retention.get(id),

    replaceRetention: async ({ app: { id }, body, until, audit }) => {
      const before = await retention.replace(id, body, until);
      audit({ changed: { before, after: body } });
      return body;
    },
  });

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Less than the hour that is promised (spec 4.6). */
const EVERY_MS = 10 * 60 * 1_000;
const BATCH = 1_000;

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
  pace: Pick<Pace, 'throttle'>;
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
      const inTime = beginsBefore(new Date(begun.getTime() + READ_HOLDS_MS));
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
    throttle: pace.throttle,
    begin: async () => ({ appIds: await store.appIds(), after: undefined, erased: 0 }),
    advance,
    end: ({ erased }) => {
      if (erased > 0) logger.info({ records: erased }, 'erased records for their age');
    },
  });
}
