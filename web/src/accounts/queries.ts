import { infiniteQueryOptions, keepPreviousData, useMutation } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useChange } from '../api/mutations.ts';

const KEY = 'accounts';
const PAGE_SIZE = 50;

/** The accounts whose email contains `q`, page by page. */
export const accountsQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: [KEY, q],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call('GET /auth/accounts', { query: { q, limit: PAGE_SIZE, cursor: pageParam }, signal }),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });

export interface AccountChange {
  id: string;
  admin?: boolean;
  suspended?: boolean;
}

/** What admins change of accounts. */
export const useAccountAdministration = () => ({
  invite: useMutation({
    mutationFn: (body: { email: string; admin: boolean }) => call('POST /auth/accounts', { body }),
  }),
  change: useChange(KEY, ({ id, ...body }: AccountChange) =>
    call('PATCH /auth/accounts/:id', { params: { id }, body }),
  ),
  endSessions: useChange(KEY, (id: string) => call('DELETE /auth/accounts/:id/sessions', { params: { id } })),
  erase: useChange(KEY, (id: string) => call('DELETE /auth/accounts/:id', { params: { id } })),
});
