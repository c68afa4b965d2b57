import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { call } from '../api/call.ts';

const PAGE_SIZE = 50;

/** The filters of the audit log. Empty texts select everything. */
export interface AuditFilters {
  action: string;
  /** A calendar date. */
  since: string;
  sourceAppId: string;
}

/** The events of the audit log, page by page. */
export const auditQuery = ({ action, since, sourceAppId }: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['audit', action, since, sourceAppId],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call('GET /auth/audit', { query: { action, since, sourceAppId, limit: PAGE_SIZE, cursor: pageParam }, signal }),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
