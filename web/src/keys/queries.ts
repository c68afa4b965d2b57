import { call } from '../api/call.ts';
import type { Request } from '../api/endpoints.ts';
import { useChange } from '../api/mutations.ts';
import { endpointQuery } from '../api/queries.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

const KEY = 'api-keys';

type NewKey = NonNullable<Request<'POST /auth/keys'>['body']>;

export const keysQuery = (scope: Scope) =>
  endpointQuery([KEY, scope.sourceAppId], 'GET /auth/keys', { query: scopeParameter(scope) });

export const useCreateKey = (scope: Scope) =>
  useChange(KEY, (body: NewKey) => call('POST /auth/keys', { query: scopeParameter(scope), body }));

export const useDeleteKey = (scope: Scope) =>
  useChange(KEY, (id: string) => call('DELETE /auth/keys/:id', { params: { id }, query: scopeParameter(scope) }));
