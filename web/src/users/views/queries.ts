import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Request, SavedView } from '../../api/endpoints.ts';
import { type Scope, scopeParameter } from '../scope.ts';

const KEY = 'views';

type NewView = NonNullable<Request<'POST /auth/views'>['body']>;
export type ViewPart = NonNullable<Request<'PATCH /auth/views/:id'>['body']>;

/** The views of an app. They are read when a view is opened, or the menu of views. */
export const viewsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: [KEY, scope.sourceAppId],
    queryFn: ({ signal }) => call('GET /auth/views', { query: scopeParameter(scope), signal }),
  });

export function useCreateView(scope: Scope) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewView) => call('POST /auth/views', { query: scopeParameter(scope), body }),
    onSuccess: () => client.invalidateQueries({ queryKey: [KEY] }),
  });
}

/** Changes a view unless somebody else changed it since it was read. */
export function useChangeView(scope: Scope) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ view: { id, revision }, part }: { view: SavedView; part: ViewPart }) =>
      call('PATCH /auth/views/:id', {
        params: { id },
        query: scopeParameter(scope),
        body: part,
        headers: { 'If-Match': `"${revision}"` },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: [KEY] }),
  });
}

export function useDeleteView(scope: Scope) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: SavedView) => call('DELETE /auth/views/:id', { params: { id }, query: scopeParameter(scope) }),
    onSettled: () => client.invalidateQueries({ queryKey: [KEY] }),
  });
}
