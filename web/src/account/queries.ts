import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useChange } from '../api/mutations.ts';
import { endpointQuery } from '../api/queries.ts';
import { createPasskey } from '../session/passkeys.ts';
import { revalidateSession, useConfirmed } from '../session/session.ts';

const KEY = 'account';

export const accountQuery = endpointQuery([KEY, 'own'], 'GET /auth/account');

export const sessionsQuery = queryOptions({
  queryKey: [KEY, 'sessions'],
  queryFn: async ({ signal }) => (await call('GET /auth/account/sessions', { signal })).sessions,
});

export const passkeysQuery = queryOptions({
  queryKey: [KEY, 'passkeys'],
  queryFn: async ({ signal }) => (await call('GET /auth/account/passkeys', { signal })).passkeys,
});

/** The changes of the own account. Those that need a recent log-in ask for it. */
export function useAccountChanges() {
  const client = useQueryClient();
  const confirmed = useConfirmed();
  return {
    rename: useChange(KEY, async (name: string) => {
      await call('PATCH /auth/account', { body: { name } });
      revalidateSession(client);
    }),
    replacePassword: useChange(KEY, (body: { current?: string; password: string }) =>
      confirmed(() => call('PUT /auth/account/password', { body })),
    ),
    beginTotp: useMutation({ mutationFn: () => confirmed(() => call('POST /auth/account/totp')) }),
    confirmTotp: useChange(KEY, (code: string) =>
      confirmed(() => call('POST /auth/account/totp/confirm', { body: { code } })),
    ),
    removeTotp: useChange(KEY, (_: string) => confirmed(() => call('DELETE /auth/account/totp'))),
    addPasskey: useChange(KEY, (name: string) => confirmed(() => createPasskey(name))),
    removePasskey: useChange(KEY, (id: string) =>
      confirmed(() => call('DELETE /auth/account/passkeys/:id', { params: { id } })),
    ),
    endSession: useChange(KEY, (id: string) => call('DELETE /auth/account/sessions/:id', { params: { id } })),
    endOthers: useChange(KEY, () => call('DELETE /auth/account/sessions')),
  };
}
