import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { createPasskey } from '../session/passkeys.ts';
import { revalidateSession, useConfirmed } from '../session/session.ts';

const KEY = 'account';

export const accountQuery = queryOptions({
  queryKey: [KEY, 'own'],
  queryFn: ({ signal }) => call('GET /auth/account', { signal }),
});

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
  const onSettled = () => client.invalidateQueries({ queryKey: [KEY] });
  return {
    rename: useMutation({
      mutationFn: (name: string) => call('PATCH /auth/account', { body: { name } }),
      onSuccess: () => revalidateSession(client),
      onSettled,
    }),
    replacePassword: useMutation({
      mutationFn: (body: { current?: string; password: string }) =>
        confirmed(() => call('PUT /auth/account/password', { body })),
      onSettled,
    }),
    beginTotp: useMutation({ mutationFn: () => confirmed(() => call('POST /auth/account/totp')) }),
    confirmTotp: useMutation({
      mutationFn: (code: string) => confirmed(() => call('POST /auth/account/totp/confirm', { body: { code } })),
      onSettled,
    }),
    removeTotp: useMutation({
      mutationFn: (_: string) => confirmed(() => call('DELETE /auth/account/totp')),
      onSettled,
    }),
    addPasskey: useMutation({ mutationFn: (name: string) => confirmed(() => createPasskey(name)), onSettled }),
    removePasskey: useMutation({
      mutationFn: (id: string) => confirmed(() => call('DELETE /auth/account/passkeys/:id', { params: { id } })),
      onSettled,
    }),
    endSession: useMutation({
      mutationFn: (id: string) => call('DELETE /auth/account/sessions/:id', { params: { id } }),
      onSettled,
    }),
    endOthers: useMutation({ mutationFn: () => call('DELETE /auth/account/sessions'), onSettled }),
  };
}
