import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useChange } from '../api/mutations.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

const PAGE_SIZE = 25;
const POLL_INTERVAL_MS = 60_000;
const NEWEST_INTERVAL_MS = 3_000;

const KEY = 'held';

export const heldQuery = (scope: Scope, cursor: string | undefined) =>
  queryOptions({
    queryKey: [KEY, 'page', scopeParameter(scope), cursor],
    queryFn: ({ signal }) =>
      call('GET /auth/held', { query: { limit: PAGE_SIZE, cursor, ...scopeParameter(scope) }, signal }),
    placeholderData: keepPreviousData,
  });

/** How many submissions of an app are held, by reason. */
export const heldCountsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: [KEY, 'counts', scopeParameter(scope)],
    queryFn: async ({ signal }) =>
      (await call('GET /auth/held/counts', { query: scopeParameter(scope), signal })).counts,
    refetchInterval: POLL_INTERVAL_MS,
  });

/** How many submissions of an app are held; 0 until it is known. */
export function useHeldCount(scope: Scope): number {
  const { data } = useQuery(heldCountsQuery(scope));
  return data ? data.honeypot + data['no-proof'] : 0;
}

/** The submission that was held last, or null. Polled while a form is tried out. */
export const newestHeldQuery = (scope: Scope) =>
  queryOptions({
    queryKey: [KEY, 'newest', scopeParameter(scope)],
    queryFn: async ({ signal }) =>
      (await call('GET /auth/held', { query: { limit: 1, ...scopeParameter(scope) }, signal })).held[0] ?? null,
    refetchInterval: NEWEST_INTERVAL_MS,
    staleTime: 0,
    gcTime: 0,
  });

export const useRelease = (scope: Scope) =>
  useChange(KEY, (id: string) => call('POST /auth/held/:id/release', { params: { id }, query: scopeParameter(scope) }));

export const useDelete = (scope: Scope) =>
  useChange(KEY, (id: string) => call('DELETE /auth/held/:id', { params: { id }, query: scopeParameter(scope) }));
