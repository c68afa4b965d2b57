import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { ListParameters } from '../list/list-parameters.ts';
import { TIME_ZONE } from '../queries.ts';
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
