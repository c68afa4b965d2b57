import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { MemberRole } from '../api/endpoints.ts';

const KEY = 'members';

export const membersQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: [KEY, sourceAppId],
    queryFn: async ({ signal }) =>
      (await call('GET /auth/apps/:sourceAppId/members', { params: { sourceAppId }, signal })).members,
  });

export const invitationsQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: [KEY, sourceAppId, 'invitations'],
    queryFn: async ({ signal }) =>
      (await call('GET /auth/apps/:sourceAppId/invitations', { params: { sourceAppId }, signal })).invitations,
  });

/** Whether the password of the app may log in. */
export const accessQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: [KEY, sourceAppId, 'access'],
    queryFn: ({ signal }) => call('GET /auth/apps/:sourceAppId/access', { params: { sourceAppId }, signal }),
  });

/** The changes of the members of an app. */
export function useMemberChanges(sourceAppId: string) {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: [KEY] });
  return {
    change: useMutation({
      mutationFn: ({ id, role }: { id: string; role: MemberRole }) =>
        call('PATCH /auth/apps/:sourceAppId/members/:accountId', {
          params: { sourceAppId, accountId: id },
          body: { role },
        }),
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (accountId: string) =>
        call('DELETE /auth/apps/:sourceAppId/members/:accountId', { params: { sourceAppId, accountId } }),
      onSettled,
    }),
    invite: useMutation({
      mutationFn: (body: { email: string; role: MemberRole }) =>
        call('POST /auth/apps/:sourceAppId/invitations', { params: { sourceAppId }, body }),
      onSettled,
    }),
    withdraw: useMutation({
      mutationFn: (id: string) =>
        call('DELETE /auth/apps/:sourceAppId/invitations/:id', { params: { sourceAppId, id } }),
      onSettled,
    }),
    setSharedLogin: useMutation({
      mutationFn: (sharedLogin: boolean) =>
        call('PUT /auth/apps/:sourceAppId/access', { params: { sourceAppId }, body: { sharedLogin } }),
      onSettled,
    }),
  };
}
