import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import type { AppScope } from '../../core/api/principal.ts';
import type { ConditionReader } from './record-conditions.service.ts';
import { RecordConditions } from './stored-conditions.ts';

const Count = z.int().nonnegative();

/** The endpoint of conditions on records (spec 4.3.2). */
export const recordConditionEndpoints = {
  testConditions: {
    method: 'post',
    path: '/auth/conditions/test',
    auth: 'session or key',
    scope: 'users:read',
    scoped: true,
    load: 'read',
    tag: 'Users',
    summary: 'Try conditions on the newest users',
    description:
      'Counts the users that match, of the newest 1,000. Reads for a limited time; `complete` is false when that was not enough. Changes nothing.',
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    body: jsonBody(
      z
        .strictObject({
          if: RecordConditions.meta({ example: { all: [{ field: 'name', op: 'exists' }] } }),
          sourceAppId: ScopeParameter,
        })
        .meta({ id: 'ConditionsTest' }),
    ),
    response: z.strictObject({
      matches: Count.meta({ example: 37 }),
      of: Count.meta({ description: 'The users that were read', example: 1_000 }),
      complete: z.boolean().meta({ description: 'Whether the newest 1,000 were read, or all' }),
    }),
  },
} as const satisfies Endpoints;

export const recordConditionRoutes = (reader: Pick<ConditionReader, 'test'>, scope: AppScope): Route[] =>
  routes(recordConditionEndpoints, {
    testConditions: async ({ app, principal, body }) => {
      // In the query, as everywhere, or beside the conditions.
      const { id } = body.sourceAppId === undefined ? app : await scope(principal, body.sourceAppId);
      return reader.test(id, body.if);
    },
  });
