import { z } from 'zod';
import type { Endpoints } from '../../api/endpoint.ts';
import { Timestamp, WholeNumber } from '../../api/validation.ts';
import { SourceAppId } from '../../apps/apps.contract.ts';
import { ScopeParameter } from '../query/query-parameters.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 365;
/** The most apps that a request names (spec 8). */
const MAX_NAMED = 200;

const Count = z.int().nonnegative().meta({ example: 42 });
const LastSubmission = Timestamp.nullable().meta({
  description: 'The time of the last accepted submission, or null; up to a second behind submissions to other servers',
});

const SomeApps = z
  .union([SourceAppId.transform((id) => [id]), z.array(SourceAppId)], 'must be app ids')
  .refine((ids) => ids.length <= MAX_NAMED, `must be given at most ${MAX_NAMED} times`)
  .optional()
  .meta({
    override: { type: 'array', items: { type: 'string' }, maxItems: MAX_NAMED },
    description: 'Only these apps; repeated for several. One that does not exist is left out',
    example: ['newsletter'],
  });

/** The endpoints for statistics. */
export const userStatsEndpoints = {
  getStats: {
    method: 'get',
    path: '/auth/stats',
    auth: 'session',
    tag: 'Users',
    summary: "How many users the session's app has",
    description: 'With the number of records created on each of the last days (UTC, today included), oldest first.',
    query: z.strictObject({
      days: WholeNumber(1, MAX_DAYS)
        .default(DEFAULT_DAYS)
        .meta({ description: `The number of days: 1 to ${MAX_DAYS}`, example: 30 }),
      sourceAppId: ScopeParameter,
    }),
    response: z.strictObject({
      users: Count,
      lastSubmissionAt: LastSubmission,
      days: z.array(z.strictObject({ date: z.iso.date().meta({ example: '2026-01-31' }), created: Count })),
    }),
    errors: [404],
  },
  getStatsOfAllApps: {
    method: 'get',
    path: '/auth/admin/stats',
    auth: 'session',
    role: 'admin',
    tag: 'Users',
    summary: 'How many users each app has',
    description: 'All apps, or those that are named, sorted by `sourceAppId`.',
    query: z.strictObject({ sourceAppId: SomeApps }),
    response: z.strictObject({
      apps: z.array(z.strictObject({ sourceAppId: SourceAppId, users: Count, lastSubmissionAt: LastSubmission })),
    }),
    errors: [],
  },
} as const satisfies Endpoints;
