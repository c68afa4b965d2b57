import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { type Scope, scopeParameter } from './scope.ts';

const STATS_INTERVAL_MS = 10_000;

/** The newest schema of the session's app. */
export const schemaQuery = queryOptions({
  queryKey: ['schema'],
  queryFn: ({ signal }) => call('GET /auth/schema', { signal }),
});

/** The newest schema of the app that a page shows. */
export const scopedSchemaQuery = ({ sourceAppId, asAdmin }: Scope) =>
  queryOptions({
    queryKey: asAdmin ? ['schema', 'of', sourceAppId] : schemaQuery.queryKey,
    queryFn: ({ signal }) =>
      asAdmin
        ? call('GET /auth/apps/:sourceAppId/schema', { params: { sourceAppId }, signal })
        : call('GET /auth/schema', { signal }),
  });

/** One schema version. Versions are immutable, so the result never becomes stale. */
export const schemaVersionQuery = ({ sourceAppId, asAdmin }: Scope, version: number) =>
  queryOptions({
    queryKey: ['schema', 'of', asAdmin ? sourceAppId : '', version],
    queryFn: ({ signal }) =>
      asAdmin
        ? call('GET /auth/apps/:sourceAppId/schema', { params: { sourceAppId }, query: { version }, signal })
        : call('GET /auth/schema', { query: { version }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The statistics of the app that a page shows. */
export const scopedStatsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: scope.asAdmin ? ['stats', scope.sourceAppId] : statsQuery.queryKey,
    queryFn: ({ signal }) => call('GET /auth/stats', { query: { days: 30, ...scopeParameter(scope) }, signal }),
    refetchInterval: STATS_INTERVAL_MS,
  });

/** The statistics of the session's app. */
export const statsQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: ({ signal }) => call('GET /auth/stats', { query: { days: 30 }, signal }),
  refetchInterval: STATS_INTERVAL_MS,
});
