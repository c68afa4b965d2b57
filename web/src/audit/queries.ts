import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

const PAGE_SIZE = 50;

/** The filters of the audit log. Empty texts select everything. */
export interface AuditFilters {
  action: string;
  /** A calendar date of the reader. */
  since: string;
  /** The id of an account or a key, or `admin`. */
  actor: string;
  sourceAppId: string;
}

/** The events of the audit log, page by page. */
export const auditQuery = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { ...auditParameters(filters), limit: PAGE_SIZE, cursor: pageParam };
      return call('GET /auth/audit', { query, signal });
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });

/** The filters as the parameters of the list and of its export. */
export const auditParameters = (filters: AuditFilters): AuditFilters => ({
  ...filters,
  since: beginOf(filters.since),
});

/** Returns when a day begins in the time zone of the reader; a text that is no day as it is. */
function beginOf(day: string): string {
  const begin = new Date(`${day}T00:00`);
  return Number.isNaN(begin.getTime()) ? day : begin.toISOString();
}

const MOST_PEOPLE = 200;

/** The accounts that may act in an app; without one, for an admin: those of the service. */
export const peopleQuery = (sourceAppId: string | undefined) =>
  queryOptions({
    queryKey: ['audit', 'people', sourceAppId ?? null],
    queryFn: async ({ signal }): Promise<{ id: string; name: string; email: string }[]> => {
      if (sourceAppId === undefined) {
        return (await call('GET /auth/accounts', { query: { limit: MOST_PEOPLE }, signal })).accounts;
      }
      return (await call('GET /auth/apps/:sourceAppId/members', { params: { sourceAppId }, signal })).members;
    },
  });
