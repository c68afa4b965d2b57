import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { ListParameters } from '../list/list-parameters.ts';
import { STATS_DAYS, TIME_ZONE } from '../queries.ts';
import { type Scope, scopeParameter } from '../scope.ts';

/** Groups the users of a list by a field. */
export function breakdownQuery(scope: Scope, { by, q, where }: Pick<ListParameters, 'by' | 'q' | 'where'>) {
  const query = { ...scopeParameter(scope), field: by, timeZone: TIME_ZONE, q, where };
  return queryOptions({
    queryKey: ['users', 'breakdown', query],
    queryFn: ({ signal }) => call('GET /auth/users/breakdown', { query, signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  });
}

/** Groups those of the last days by the time of their creation. */
export const recentQuery = (scope: Scope, { q, where }: Pick<ListParameters, 'q' | 'where'>) =>
  breakdownQuery(scope, { q, where: [...where, `createdAt:gte:${midnightOf(lastDates()[0] ?? '')}`], by: 'createdAt' });

/** The last days of the reader, today included, oldest first. */
export function lastDates(): string[] {
  const now = new Date();
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return Array.from({ length: STATS_DAYS }, (_, index) =>
    new Date(today - (STATS_DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The begin of a day of the reader. */
const midnightOf = (date: string): string => new Date(`${date}T00:00`).toISOString();

const DAY_MS = 86_400_000;
