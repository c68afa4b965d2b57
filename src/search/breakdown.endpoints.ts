import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../api/endpoint.ts';
import type { AppScope } from '../apps/app-scope.ts';
import { queryParameters } from './parameters.ts';
import type { UserService } from './users.service.ts';

const Count = z.int().nonnegative().meta({ example: 42 });
const Bound = z.union([z.number(), z.string()]).optional();

export const breakdownEndpoints = {
  breakDownUsers: {
    method: 'get',
    path: '/auth/users/breakdown',
    auth: 'session',
    scope: 'users:read',
    tag: 'Users',
    summary: "How the session's users divide by a field",
    description:
      'Of the users that match `where` and `q`: how many have each of the most frequent values, or a number or a date in each of some ranges. Reads for a limited time; `complete` is false when that was not enough, and `records` is the number of users that were read.',
    query: z.strictObject({
      field: z.string('must be one text').max(100, 'is too long').meta({
        description: '`data.<key>` of a field with one value, `createdAt`, `updatedAt` or `schemaVersion`',
        example: 'data.plan',
      }),
      ...queryParameters,
    }),
    response: z
      .strictObject({
        field: z.string().meta({ example: 'data.plan' }),
        records: Count.meta({ description: 'The users that were read' }),
        empty: Count.meta({ description: 'Those without a value' }),
        values: z
          .array(z.strictObject({ value: z.union([z.string(), z.boolean()]), count: Count }))
          .optional()
          .meta({
            description: 'For texts, choices and checkboxes: the most frequent values',
            example: [{ value: 'pro', count: 42 }],
          }),
        ranges: z
          .array(z.strictObject({ from: Bound, to: Bound, count: Count }))
          .optional()
          .meta({
            description: 'For numbers and dates: `from` belongs to the range, `to` does not',
            example: [{ from: 20, to: 25, count: 42 }],
          }),
        other: Count.meta({ description: 'Those with a value that is in no entry' }),
        limited: z.literal(true).optional().meta({
          description: 'There are too many different values to find the most frequent ones with certainty',
        }),
        complete: z.boolean().meta({ description: 'Whether all matching users were read' }),
      })
      .meta({ id: 'Breakdown' }),
    errors: [404],
  },
} as const satisfies Endpoints;

/** The route of `breakdownEndpoints` (spec 4.3). */
export const breakdownRoutes = (users: Pick<UserService, 'breakdown'>, scope: AppScope): Route[] =>
  routes(breakdownEndpoints, {
    breakDownUsers: async ({ principal, query: { sourceAppId, field, ...request } }) =>
      users.breakdown(await scope(principal, sourceAppId), field, request),
  });
