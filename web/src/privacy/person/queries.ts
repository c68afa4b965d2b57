import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { ResponseBody } from '../../api/endpoints.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';

const PAGE_SIZE = 50;

/** All data of a person. */
export type PersonExport = ResponseBody<'POST /auth/people/export'>;
export type ErasureReceipt = ResponseBody<'POST /auth/people/erase'>;

/** One app that has a record of a person. */
interface Match {
  email: string;
  sourceAppId: string;
}

interface Matches {
  found: Match[];
  next?: string | undefined;
}

/** The records whose emails contain a text, page by page: in one app, or for an admin in all. */
export const matchesQuery = (scope: Scope | undefined, part: string) =>
  infiniteQueryOptions({
    queryKey: ['people', scope ?? null, part],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }): Promise<Matches> => findPart(scope, part, pageParam, signal),
    getNextPageParam: ({ next }) => next,
    enabled: part !== '',
    gcTime: 0,
  });

async function findPart(scope: Scope | undefined, part: string, cursor: string, signal: AbortSignal): Promise<Matches> {
  const query = { where: [`email:contains:${part}`], limit: PAGE_SIZE, cursor };
  if (!scope) {
    const { users, ...rest } = await call('GET /auth/admin/users', { query, signal });
    return { found: users, next: 'next' in rest ? rest.next : undefined };
  }
  const body = await call('GET /auth/users', { query: { ...query, ...scopeParameter(scope), total: 'none' }, signal });
  const found = body.users.map(({ email }) => ({ email, sourceAppId: scope.sourceAppId }));
  return { found, next: 'next' in body ? body.next : undefined };
}

/** All data of a person. Not cached. */
export const personQuery = (scope: Scope | undefined, email: string) =>
  queryOptions({
    queryKey: ['person', scope ?? null, email],
    queryFn: ({ signal }) =>
      call('POST /auth/people/export', { query: scope ? scopeParameter(scope) : {}, body: { email }, signal }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
