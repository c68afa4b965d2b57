import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { ListParameters } from './list-parameters.ts';

/** How often a visible page requests the newest users. */
const POLL_INTERVAL_MS = 5_000;
/** Requests that fail, for example searches that time out, are repeated less often. */
const POLL_INTERVAL_AFTER_ERROR_MS = 30_000;

/** The newest schema of the session's app. */
export const schemaQuery = queryOptions({
  queryKey: ['schema'],
  queryFn: ({ signal }) => call('GET /auth/schema', { signal }),
});

/** One schema version. Versions are immutable, so the result never becomes stale. */
export const schemaVersionQuery = (version: number) =>
  queryOptions({
    queryKey: ['schema', version],
    queryFn: ({ signal }) => call('GET /auth/schema', { query: { version }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const usersQuery = ({ page, size, search, sort, order, field, value }: ListParameters) =>
  queryOptions({
    queryKey: ['users', { page, size, search, sort, order, field, value }],
    queryFn: async ({ signal }) => {
      const filter = value === '' ? {} : { field, value };
      const body = await call('GET /auth/users', {
        query: { limit: size, skip: (page - 1) * size, search, sort, order, ...filter },
        signal,
      });
      if ('total' in body) return body;
      throw new Error('The service returned the whole list instead of a page');
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.status === 'error' ? POLL_INTERVAL_AFTER_ERROR_MS : POLL_INTERVAL_MS),
  });

export const statsQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: ({ signal }) => call('GET /auth/stats', { query: { days: 30 }, signal }),
  refetchInterval: POLL_INTERVAL_MS * 2,
});
