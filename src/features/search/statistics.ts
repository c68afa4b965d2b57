import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter, SourceAppId } from '../../core/api/parameters.ts';
import type { App } from '../../core/apps/app.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import { AppNotFound } from '../../platform/core/errors.ts';
import { JsonStream } from '../../platform/http/reply.ts';
import { Timestamp, WholeNumber } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import type { AppActivity } from '../activity/activity.ts';
import type { AppReads } from '../app-administration/app-reads.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';
import { TimeZoneParameter } from './parameters.ts';
import { timeZoneOf } from './time-zone.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 365;
/** Spec 8. */
const MAX_NAMED = 200;

const Count = z.int().nonnegative().meta({ example: 42 });
const LastSubmission = Timestamp.nullable().meta({
  description: 'The time of the last accepted submission, or null; up to a second behind submissions to other servers',
});

const SomeApps = z
  .union([SourceAppId.transform((id) => [id]), z.array(SourceAppId)], code('notAppIds'))
  .refine((ids) => ids.length <= MAX_NAMED, code('tooManyTimes', { max: MAX_NAMED }))
  .optional()
  .meta({
    override: { type: 'array', items: { type: 'string' }, maxItems: MAX_NAMED },
    description: 'Only these apps; repeated for several. One that does not exist is left out',
    example: ['newsletter'],
  });

const shared = {
  method: 'get',
  auth: 'session or key',
  scope: 'users:read',
  tag: 'Users',
} as const;

export const userStatsEndpoints = {
  getStats: {
    ...shared,
    path: '/auth/stats',
    scoped: true,
    summary: "How many users the session's app has",
    description:
      'With the number of records created on each of the last days of `timeZone` (today included), oldest first.',
    query: z.strictObject({
      days: WholeNumber(1, MAX_DAYS)
        .default(DEFAULT_DAYS)
        .meta({ description: `The number of days: 1 to ${MAX_DAYS}`, example: 30 }),
      timeZone: TimeZoneParameter,
      sourceAppId: ScopeParameter,
    }),
    response: z.strictObject({
      users: Count,
      lastSubmissionAt: LastSubmission,
      timeZone: z.string().meta({ description: 'The time zone of the days', example: 'UTC' }),
      days: z.array(z.strictObject({ date: z.iso.date().meta({ example: '2026-01-31' }), created: Count })),
    }),
  },
  getStatsOfAllApps: {
    ...shared,
    path: '/auth/admin/stats',
    role: 'admin',
    summary: 'How many users each app has',
    description: 'All apps, or those that are named, sorted by `sourceAppId`.',
    query: z.strictObject({ sourceAppId: SomeApps }),
    response: z.strictObject({
      apps: z.array(z.strictObject({ sourceAppId: SourceAppId, users: Count, lastSubmissionAt: LastSubmission })),
    }),
  },
} as const satisfies Endpoints;

const DAY_MS = 24 * 60 * 60 * 1000;
/** The days that one statement counts: it ends within its time limit with a million records. */
const DAYS_AT_ONCE = 92;

/** Counts come from index keys (record-reader.ts), last submissions from the apps (activity.ts). */
export const userStatsRoutes = (deps: {
  apps: AppService;
  appReads: Pick<AppReads, 'named'>;
  activity: AppActivity;
  reader: RecordReader;
}): Route[] => {
  const { apps, appReads, activity, reader } = deps;

  const present = ({ sourceAppId, lastSubmissionAt }: App, users = 0) => ({
    sourceAppId,
    users,
    lastSubmissionAt: lastSubmissionAt ?? null,
  });

  async function* ofApps(names: readonly string[]) {
    await activity.flush();
    for (const app of await appReads.named(names)) yield present(app, await reader.count(app.id));
  }

  async function* ofAllApps() {
    const [users] = await Promise.all([reader.countByApp(), activity.flush()]);
    for await (const app of apps.list()) yield present(app, users.get(app.id.toHexString()));
  }

  return routes(userStatsEndpoints, {
    getStats: async ({ app: { id, sourceAppId }, query }) => {
      await activity.flush();
      const app = await apps.get(sourceAppId);
      if (!app.id.equals(id)) throw new AppNotFound();
      const zone = timeZoneOf(query.timeZone);
      const firstDay = Math.floor(zone.localTime(Date.now()) / DAY_MS) - query.days + 1;
      const localMidnights = Array.from({ length: query.days + 1 }, (_, index) => (firstDay + index) * DAY_MS);
      const midnights = localMidnights.map((time) => new Date(zone.instantOf(time)));
      const users = await reader.count(id);
      const created: number[] = [];
      for (let day = 0; day < query.days; day += DAYS_AT_ONCE) {
        created.push(...(await reader.countCreated(id, midnights.slice(day, day + DAYS_AT_ONCE + 1))));
      }
      const dates = localMidnights.map((time) => new Date(time).toISOString().slice(0, 10));
      const days = created.map((count, index) => ({ date: dates[index] ?? '', created: count }));
      return { users, lastSubmissionAt: app.lastSubmissionAt?.toISOString() ?? null, timeZone: zone.name, days };
    },

    getStatsOfAllApps: ({ query: { sourceAppId } }) =>
      JsonStream.of('apps', sourceAppId ? ofApps(sourceAppId) : ofAllApps(), (app) => app),
  });
};
