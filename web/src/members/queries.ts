import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { MemberRole } from '../api/endpoints.ts';
import { useChange } from '../api/mutations.ts';
import { endpointQuery } from '../api/queries.ts';

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
  endpointQuery([KEY, sourceAppId, 'access'], 'GET /auth/apps/:sourceAppId/access', { params: { sourceAppId } });

/** The changes of the members of an app. */
export const useMemberChanges = (sourceAppId: string) => ({
  change: useChange(KEY, ({ id, role }: { id: string; role: MemberRole }) =>
    call('PATCH /auth/apps/:sourceAppId/members/:accountId', {
      params: { sourceAppId, accountId: id },
      body: { role },
    }),
  ),
  remove: useChange(KEY, (accountId: string) =>
    call('DELETE /auth/apps/:sourceAppId/members/:accountId', { params: { sourceAppId, accountId } }),
  ),
  invite: useChange(KEY, (body: { email: string; role: MemberRole }) =>
    call('POST /auth/apps/:sourceAppId/invitations', { params: { sourceAppId }, body }),
  ),
  withdraw: useChange(KEY, (id: string) =>
    call('DELETE /auth/apps/:sourceAppId/invitations/:id', { params: { sourceAppId, id } }),
  ),
  setSharedLogin: useChange(KEY, (sharedLogin: boolean) =>
    call('PUT /auth/apps/:sourceAppId/access', { params: { sourceAppId }, body: { sharedLogin } }),
  ),
});
