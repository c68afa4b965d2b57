import type { Request } from 'express';
import type { ObjectId } from 'mongodb';
import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { AppName, SourceAppId } from '../../core/api/parameters.ts';
import type { AppPrincipal } from '../../core/api/principal.ts';
import type { App } from '../../core/apps/app.ts';
import type { Feature } from '../../core/feature.ts';
import { isOverTime } from '../../platform/database/failures.ts';
import { type Cursors, pageOf } from '../../platform/http/cursors.ts';
import { Timestamp, WholeNumber } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { type AppActivity, KEPT_DAYS } from '../activity/activity.ts';
import type { AppPages, AppPlace } from '../app-administration/app-pages.ts';
import type { AppReads } from '../app-administration/app-reads.ts';
import { OVERVIEW_NUMBERS, type OverviewNumber } from './overview-part.ts';

const DEFAULT_DAYS = 30;
const MAX_LIMIT = 1_000;
/** With what is read before and after, an answer takes at most 1.5 seconds (spec 4.3.8). */
const NUMBERS_WITHIN_MS = 1_200;
const DAY_MS = 24 * 60 * 60 * 1_000;

const Count = z.int().nonnegative().meta({ example: 42 });

const AppOverview = z.strictObject({
  sourceAppId: SourceAppId,
  name: AppName,
  users: Count.optional().meta({ description: 'The number of records', example: 42 }),
  submissions: z
    .array(z.strictObject({ day: z.iso.date().meta({ example: '2026-01-31' }), count: Count }))
    .meta({ description: 'The accepted submissions of each day in UTC, oldest first, days without one too' }),
  lastAt: Timestamp.optional().meta({ description: 'The time of the last submission' }),
  held: Count.optional().meta({ description: 'The submissions that bot protection holds', example: 2 }),
  webhooksFailing: Count.optional().meta({
    description: 'The webhooks whose last attempt failed, or that are disabled after failures',
    example: 1,
  }),
  mailsFailing: Count.optional().meta({
    description: 'The emails of these days that could not be sent; absent when the service sends none',
    example: 0,
  }),
  filesBytes: Count.optional().meta({ description: 'The bytes of its files', example: 1_048_576 }),
});

export const overviewEndpoints = {
  getOverview: {
    method: 'get',
    path: '/auth/overview',
    auth: 'session or key',
    scope: 'users:read',
    everyApp: true,
    load: 'read',
    tag: 'Apps',
    summary: 'What happens in the apps of the caller',
    description:
      'Admins: all apps; others: those that they may open. In the order of `sourceAppId`. A number that could not be read in time is absent; then `complete` is false.',
    query: z.strictObject({
      sourceAppId: SourceAppId.optional().meta({ description: 'Only this app', example: 'newsletter' }),
      days: WholeNumber(1, KEPT_DAYS)
        .default(DEFAULT_DAYS)
        .meta({ description: `The number of days, today included: 1 to ${KEPT_DAYS}`, example: 30 }),
      limit: WholeNumber(1, MAX_LIMIT)
        .default(MAX_LIMIT)
        .meta({ description: `The size of the page: 1 to ${MAX_LIMIT}`, example: 100 }),
      cursor: z.string(code('notOneText')).max(1_000, code('tooLongText')).optional().meta({
        description: 'The `next` of the previous page',
        example: 'AbC123',
      }),
    }),
    response: z.strictObject({
      apps: z.array(AppOverview),
      complete: z.literal(false).optional(),
      next: z.string().optional().meta({ example: 'AbC123' }),
    }),
  },
} as const satisfies Endpoints;

/** Creates the overview of apps, whose numbers are those of features (overview-part.ts). */
export function createOverview(deps: {
  accounts: Pick<Accounts, 'service' | 'roles'>;
  pages: AppPages;
  appReads: Pick<AppReads, 'named'>;
  activity: Pick<AppActivity, 'flush'>;
  cursors: Cursors;
  features: () => readonly Feature[];
}) {
  const { accounts, pages, appReads, activity, cursors, features } = deps;

  /** Resolves with the names of the apps that the caller may open; undefined: all. */
  async function namesFor(principal: AppPrincipal, req: Request): Promise<readonly string[] | undefined> {
    if (principal.role === 'admin') return undefined;
    if (principal.kind === 'key' || !principal.account) return [principal.sourceAppId];
    const own = await accounts.service.findSession(principal.account.id.toHexString(), req.sessionID);
    return own ? (await accounts.roles.read(own.account)).memberships.map(({ sourceAppId }) => sourceAppId) : [];
  }

  async function appsOf(names: readonly string[] | undefined, after: AppPlace | undefined, limit: number) {
    if (!names) return pages({ q: '', role: 'user', sort: 'sourceAppId', direction: 1, after, limit });
    const later = names.filter((name) => !after || name > after.sourceAppId);
    return appReads.named([...later].sort().slice(0, limit));
  }

  /** The numbers of each feature at the same time; undefined: the time was over. */
  async function readNumbers(appIds: readonly ObjectId[], since: Date) {
    const readers = Object.assign({}, ...features().map(({ overview }) => overview));
    const read = { appIds, since, maxTimeMS: NUMBERS_WITHIN_MS };
    const known = OVERVIEW_NUMBERS.filter((name) => readers[name]);
    const numbers = known.map(async (name) => [name, await readers[name](read).catch(undefinedIfLate)] as const);
    return Promise.all(numbers) as Promise<[OverviewNumber, ReadonlyMap<string, number> | undefined][]>;
  }

  const getOverview: Route[] = routes(overviewEndpoints, {
    getOverview: async ({ principal, req, query: { sourceAppId, days, limit, cursor } }) => {
      const bound = ['overview', sourceAppId, days];
      const after = cursors.read<AppPlace>(cursor, bound);
      await activity.flush();
      const names = sourceAppId === undefined ? await namesFor(principal, req) : [sourceAppId];
      const found = await appsOf(names, after, limit + 1);
      const { page, last } = pageOf(found, limit);
      const today = Math.floor(Date.now() / DAY_MS);
      const dates = Array.from({ length: days }, (_, index) => dayOf((today - days + 1 + index) * DAY_MS));
      const numbers = await readNumbers(
        page.map(({ id }) => id),
        new Date((today - days + 1) * DAY_MS),
      );
      return {
        apps: page.map((app) => present(app, dates, numbers)),
        ...(numbers.some(([, values]) => !values) && { complete: false as const }),
        ...(last && { next: cursors.write({ sourceAppId: last.sourceAppId }, bound) }),
      };
    },
  });
  return { routes: getOverview } satisfies Feature;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function undefinedIfLate(error: unknown): undefined {
  if (!isOverTime(error)) throw error;
}

function present(
  { id, sourceAppId, name, lastSubmissionAt, submissionDays = [] }: App,
  dates: readonly string[],
  numbers: readonly [OverviewNumber, ReadonlyMap<string, number> | undefined][],
) {
  const counts = new Map(submissionDays.map(({ day, count }) => [day, count]));
  const key = id.toHexString();
  return {
    sourceAppId,
    ...(name !== undefined && { name }),
    submissions: dates.map((day) => ({ day, count: counts.get(day) ?? 0 })),
    ...(lastSubmissionAt && { lastAt: lastSubmissionAt.toISOString() }),
    ...Object.fromEntries(numbers.flatMap(([member, values]) => (values ? [[member, values.get(key) ?? 0]] : []))),
  };
}
