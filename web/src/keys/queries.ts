import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Request } from '../api/endpoints.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

const KEY = 'api-keys';

export type NewKey = NonNullable<Request<'POST /auth/keys'>['body']>;

export const keysQuery = (scope: Scope) =>
  queryOptions({
    queryKey: [KEY, scope.sourceAppId],
    queryFn: ({ signal }) => call('GET /auth/keys', { query: scopeParameter(scope), signal }),
  });

export function useCreateKey(scope: Scope) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewKey) => call('POST /auth/keys', { query: scopeParameter(scope), body }),
    onSuccess: () => client.invalidateQueries({ queryKey: [KEY] }),
  });
}

export function useDeleteKey(scope: Scope) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('DELETE /auth/keys/:id', { params: { id }, query: scopeParameter(scope) }),
    onSettled: () => client.invalidateQueries({ queryKey: [KEY] }),
  });
}
