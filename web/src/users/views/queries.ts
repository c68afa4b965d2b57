import { call } from '../../api/call.ts';
import type { Request, SavedView } from '../../api/endpoints.ts';
import { useChange } from '../../api/mutations.ts';
import { endpointQuery } from '../../api/queries.ts';
import { type Scope, scopeParameter } from '../scope.ts';

const KEY = 'views';

type NewView = NonNullable<Request<'POST /auth/views'>['body']>;
type ViewPart = NonNullable<Request<'PATCH /auth/views/:id'>['body']>;

/** The views of an app. They are read when a view is opened, or the menu of views. */
export const viewsQuery = (scope: Scope) =>
  endpointQuery([KEY, scope.sourceAppId], 'GET /auth/views', { query: scopeParameter(scope) });

export const useCreateView = (scope: Scope) =>
  useChange(KEY, (body: NewView) => call('POST /auth/views', { query: scopeParameter(scope), body }));

/** Changes a view unless somebody else changed it since it was read. */
export const useChangeView = (scope: Scope) =>
  useChange(KEY, ({ view: { id, revision }, part }: { view: SavedView; part: ViewPart }) =>
    call('PATCH /auth/views/:id', {
      params: { id },
      query: scopeParameter(scope),
      body: part,
      headers: { 'If-Match': `"${revision}"` },
    }),
  );

export const useDeleteView = (scope: Scope) =>
  useChange(KEY, ({ id }: SavedView) =>
    call('DELETE /auth/views/:id', { params: { id }, query: scopeParameter(scope) }),
  );
