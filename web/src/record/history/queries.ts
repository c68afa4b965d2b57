import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, callWithHeaders } from '../../api/call.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';
import { recordKey, type StoredRecord } from '../queries.ts';

export const historyKey = (id: string) => ['user', id, 'history'] as const;

/** The history of a record, page by page. */
export const historyQuery = (scope: Scope, id: string) =>
  infiniteQueryOptions({
    queryKey: historyKey(id),
    queryFn: ({ pageParam, signal }) =>
      call('GET /auth/users/:id/history', {
        params: { id },
        query: { ...scopeParameter(scope), cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });

/** Undoes a change of a record. The service refuses it when the values changed since. */
export function useRevert(scope: Scope, id: string, onReverted: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (revision: number): Promise<StoredRecord> => {
      const { body, headers } = await callWithHeaders('POST /auth/users/:id/revert', {
        params: { id },
        query: scopeParameter(scope),
        body: { revision },
      });
      return { record: body, etag: headers.get('ETag') ?? '' };
    },
    onSuccess: (stored) => {
      client.setQueryData(recordKey(id), stored);
      void client.invalidateQueries({ queryKey: historyKey(id) });
      void client.invalidateQueries({ queryKey: ['users'] });
      onReverted();
    },
  });
}
