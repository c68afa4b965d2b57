import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { ListParameters } from './list-parameters.ts';

/** How often an open page looks for new users, in milliseconds. A window in the background does not. */
const LOOK_AGAIN_MS = 5_000;
/** What was refused or slow is not asked for as often. */
const AFTER_ERROR_MS = 30_000;

/** The newest schema of the app that is logged in. */
export const schemaQuery = queryOptions({
  queryKey: ['schema'],
  queryFn: ({ signal }) => call('GET /auth/schema', { signal }),
});

/** The schema as it was in one version; a version never changes. */
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
      const answer = await call('GET /auth/users', {
        query: { limit: size, skip: (page - 1) * size, search, sort, order, ...filter },
        signal,
      });
      if ('total' in answer) return answer;
      throw new Error('A page was asked for, and the whole list came');
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.status === 'error' ? AFTER_ERROR_MS : LOOK_AGAIN_MS),
  });

export const statsQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: ({ signal }) => call('GET /auth/stats', { query: { days: 30 }, signal }),
  refetchInterval: LOOK_AGAIN_MS * 2,
});
