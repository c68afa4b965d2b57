import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Field } from '../../api/endpoints.ts';
import { t } from '../../texts/texts.ts';
import { breakdownQuery, recentQuery } from '../breakdown/query.ts';
import { scopedStatsQuery } from '../queries.ts';
import { type Scope, scopeParameter } from '../scope.ts';
import { isFiltered, type ListParameters, orderOf, type UserFilter } from './list-parameters.ts';
import type { UserList } from './use-user-list.ts';

/** The number of users in a list. `moreThan` and `atLeast`: lower bounds. */
export interface UserCount {
  total: number;
  is: 'exact' | 'moreThan' | 'atLeast';
}

/** The number of matches: up to 10,000, or the exact one. A long count is partial. */
export const countQuery = (scope: Scope, { q, where }: UserFilter, total: 'capped' | 'exact') =>
  queryOptions({
    queryKey: ['users', 'count', scopeParameter(scope), { q, where, total }],
    queryFn: ({ signal }) => countUsers(scope, { q, where }, total, signal),
  });

/** Requests the number of matches. */
export async function countUsers(
  scope: Scope,
  { q, where }: UserFilter,
  total: 'capped' | 'exact',
  signal: AbortSignal,
): Promise<UserCount> {
  const body = await call('GET /auth/users', {
    query: { ...scopeParameter(scope), q, where, total, limit: 1 },
    signal,
  });
  const is = 'totalIs' in body ? body.totalIs : undefined;
  return {
    total: 'total' in body ? (body.total ?? 0) : 0,
    is: is === 'exact' ? 'exact' : is === 'capped' ? 'moreThan' : 'atLeast',
  };
}

/**
 * Counts the users of a list, without a request if the page already knows the number. A search by
 * text is counted only on demand, because that reads all records.
 */
export function useUserCount(scope: Scope, parameters: ListParameters, list: UserList) {
  const { q, where, page, size, by } = parameters;
  const view = JSON.stringify([scope, q, where]);
  const [exactView, setExactView] = useState<string>();
  const isExact = exactView === view;
  const ofList = countOfLastPage(list, parameters);
  const stats = useQuery(scopedStatsQuery(scope));
  const ofApp = isFiltered(parameters) ? undefined : stats.data?.users;
  const isUnknown = list.users !== undefined && !list.isStale && ofList === undefined && ofApp === undefined;
  const capped = useQuery({ ...countQuery(scope, parameters, 'capped'), enabled: isUnknown && q === '' });
  const exact = useQuery({ ...countQuery(scope, parameters, 'exact'), enabled: isUnknown && isExact });

  const breakdown = useQuery({ ...breakdownQuery(scope, parameters), enabled: isUnknown && by !== '' });

  const shown = list.users && !list.isStale ? (page - 1) * size + list.users.length : 0;
  const least: UserCount | undefined = shown > 0 && q !== '' ? { total: shown, is: 'atLeast' } : undefined;
  const ofBreakdown = breakdown.data?.complete && !breakdown.isPlaceholderData ? breakdown.data.records : undefined;
  const known = ofList ?? ofApp ?? (isUnknown ? ofBreakdown : undefined);
  // What the statistics beside the list have counted, so that both say the same.
  const recent = useQuery({ ...recentQuery(scope, parameters), enabled: false });
  const ofRecent = isUnknown && !recent.isPlaceholderData ? (recent.data?.records ?? 0) : 0;
  const counted = notLessThan(ofRecent, (isExact ? exact.data : undefined) ?? capped.data ?? least);
  return {
    count:
      known === undefined ? (isUnknown ? counted : undefined) : ({ total: known, is: 'exact' } satisfies UserCount),
    isCounting: isExact && exact.isFetching,
    /** Whether the time of an exact count ended before all users were counted. */
    isTooLong: known === undefined && isUnknown && isExact && exact.data !== undefined && exact.data.is !== 'exact',
    /** Undefined when the count is exact, or an exact count was tried. */
    countExactly:
      known === undefined && isUnknown && !isExact && counted && counted.is !== 'exact'
        ? () => setExactView(view)
        : undefined,
  };
}

/** Raises a count that ended early, when another count found more. */
export function notLessThan(found: number, count: UserCount | undefined): UserCount | undefined {
  if (count?.is !== 'atLeast' || found <= count.total) return count;
  return { total: found, is: 'atLeast' };
}

/** The number of users, when the list shows its last page. */
function countOfLastPage({ users, state, next, isStale }: UserList, { page, size }: ListParameters) {
  const isLast = users !== undefined && state === 'whole' && next === undefined && !isStale;
  return isLast && (users.length > 0 || page === 1) ? (page - 1) * size + users.length : undefined;
}

/** A count in words, for example `More than 10,000 matching users`. */
export function countWords({ total, is }: UserCount, isOfFilter: boolean): string {
  return t.users.summary[isOfFilter ? 'matching' : 'all'][is](total);
}

/** In an order that no index has, the service leaves out at most this many records. */
const MAX_SORTED_SKIP = 10_000;

/** The last page that can be opened by its number; 1 while the number of users is unknown. */
export function lastPageOf(parameters: ListParameters, count: UserCount | undefined, fields: readonly Field[]): number {
  if (!count) return 1;
  const pages = Math.ceil(count.total / parameters.size);
  const { sort = 'createdAt' } = orderOf(parameters);
  const isIndexed =
    sort === 'createdAt' ||
    sort === 'email' ||
    fields.some((field) => `data.${field.key}` === sort && 'indexed' in field && field.indexed === true);
  return isIndexed ? pages : Math.min(pages, Math.floor(MAX_SORTED_SKIP / parameters.size) + 1);
}
