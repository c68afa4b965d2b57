import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

const PAGE_SIZE = 25;
const POLL_INTERVAL_MS = 60_000;
const NEWEST_INTERVAL_MS = 3_000;
/** The navigation shows no greater number. */
export const MAX_COUNT = 9;

const KEY = 'held';

/** A page of held submissions. */
export const heldQuery = (scope: Scope, cursor: string | undefined) =>
  queryOptions({
    queryKey: [KEY, 'page', scopeParameter(scope), cursor],
    queryFn: ({ signal }) =>
      call('GET /auth/held', { query: { limit: PAGE_SIZE, cursor, ...scopeParameter(scope) }, signal }),
    placeholderData: keepPreviousData,
  });

/** How many submissions are held, up to one more than `MAX_COUNT`. */
export const heldCountQuery = queryOptions({
  queryKey: [KEY, 'count'],
  queryFn: async ({ signal }) => {
    const { held } = await call('GET /auth/held', { query: { limit: MAX_COUNT + 1 }, signal });
    return held.length;
  },
  refetchInterval: POLL_INTERVAL_MS,
});

/** The submission that was held last, or null. Polled while a form is tried out. */
export const newestHeldQuery = queryOptions({
  queryKey: [KEY, 'newest'],
  queryFn: async ({ signal }) => (await call('GET /auth/held', { query: { limit: 1 }, signal })).held[0] ?? null,
  refetchInterval: NEWEST_INTERVAL_MS,
  staleTime: 0,
  gcTime: 0,
});

/** Stores a held submission. */
export function useRelease(scope: Scope) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('POST /auth/held/:id/release', { params: { id }, query: scopeParameter(scope) }),
    onSettled: () => client.invalidateQueries({ queryKey: [KEY] }),
  });
}

export function useDelete(scope: Scope) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('DELETE /auth/held/:id', { params: { id }, query: scopeParameter(scope) }),
    onSettled: () => client.invalidateQueries({ queryKey: [KEY] }),
  });
}
