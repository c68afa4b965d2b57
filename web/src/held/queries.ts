import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { HeldSubmission } from '../api/endpoints.ts';
import { useChange } from '../api/mutations.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

const PAGE_SIZE = 25;
const POLL_INTERVAL_MS = 60_000;
const ARRIVALS_INTERVAL_MS = 3_000;

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

/** How many submissions of an app are held; 0 until it is known, and of no app. */
export function useHeldCount(scope: Scope | undefined): number {
  const { data } = useQuery({
    ...heldCountsQuery(scope ?? { sourceAppId: '', asAdmin: false }),
    enabled: scope !== undefined,
  });
  return data ? totalOf(data) : 0;
}

export const totalOf = (counts: Readonly<Record<string, number | undefined>>): number =>
  Object.values(counts).reduce<number>((sum, count = 0) => sum + count, 0);

/** How many submissions are held, and the one that was held last since the query began. */
interface HeldArrivals {
  held: number;
  newest?: HeldSubmission | undefined;
}

/** Polled while a form is tried out. It lists only when one more is held: lists are logged. */
export const heldArrivalsQuery = (scope: Scope) => {
  const queryKey = [KEY, 'arrivals', scopeParameter(scope)];
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<HeldArrivals> => {
      const known = client.getQueryData<HeldArrivals>(queryKey);
      const held = totalOf((await call('GET /auth/held/counts', { query: scopeParameter(scope), signal })).counts);
      if (!known || held <= known.held) return { held, newest: known?.newest };
      const listed = await call('GET /auth/held', { query: { limit: 1, ...scopeParameter(scope) }, signal });
      return { held, newest: listed.held[0] };
    },
    refetchInterval: ARRIVALS_INTERVAL_MS,
    staleTime: 0,
    gcTime: 0,
  });
};

export const useRelease = (scope: Scope) =>
  useChange(KEY, (id: string) => call('POST /auth/held/:id/release', { params: { id }, query: scopeParameter(scope) }));

export const useDelete = (scope: Scope) =>
  useChange(KEY, (id: string) => call('DELETE /auth/held/:id', { params: { id }, query: scopeParameter(scope) }));
