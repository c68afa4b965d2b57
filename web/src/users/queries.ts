import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { endpointQuery } from '../api/queries.ts';
import { type Scope, scopeParameter } from './scope.ts';

const STATS_INTERVAL_MS = 10_000;
/** The days of a chart of new users. */
export const STATS_DAYS = 30;

/** The newest schema of the app that a page shows. */
export const scopedSchemaQuery = (scope: Scope) =>
  endpointQuery(['schema', 'of', scope.sourceAppId], 'GET /auth/schema', { query: scopeParameter(scope) });

/** One schema version. Versions are immutable, so the result never becomes stale. */
export const schemaVersionQuery = (scope: Scope, version: number) =>
  queryOptions({
    queryKey: ['schema', 'of', scope.sourceAppId, version],
    queryFn: ({ signal }) => call('GET /auth/schema', { query: { version, ...scopeParameter(scope) }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The time zone of the reader, whose days are counted. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The statistics of the app that a page shows. */
export const scopedStatsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['stats', scope.sourceAppId],
    queryFn: ({ signal }) =>
      call('GET /auth/stats', {
        query: { days: STATS_DAYS, timeZone: TIME_ZONE, ...scopeParameter(scope) },
        signal,
      }),
    refetchInterval: STATS_INTERVAL_MS,
  });
