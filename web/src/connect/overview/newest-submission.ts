import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';

const POLL_INTERVAL_MS = 2_000;

/** The submission that arrived last. Without `id` its record could not be found in time. */
export interface NewestSubmission {
  at: string;
  id?: string;
  email?: string;
}

/** The newest submission to an app, or null. Admins see new people only: no list sorts changes. */
export const newestSubmissionQuery = (scope: Scope) => {
  const { sourceAppId, asAdmin } = scope;
  const queryKey = ['newest-submission', sourceAppId];
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) =>
      asAdmin ? newestRecord(sourceAppId, signal) : newestChange(scope, knownIn(client, queryKey), signal),
    refetchInterval: POLL_INTERVAL_MS,
    staleTime: 0,
    gcTime: 0,
  });
};

async function newestRecord(sourceAppId: string, signal: AbortSignal): Promise<NewestSubmission | null> {
  const { users } = await call('GET /auth/admin/users', { query: { sourceAppId, limit: 1, skip: 0 }, signal });
  const [user] = users;
  return user ? { at: user.updatedAt, id: user.id, email: user.email } : null;
}

/** Reads the record only when the time of the last submission has changed. */
async function newestChange(
  scope: Scope,
  known: NewestSubmission | null | undefined,
  signal: AbortSignal,
): Promise<NewestSubmission | null> {
  const { lastSubmissionAt: at } = await call('GET /auth/stats', {
    query: { days: 1, ...scopeParameter(scope) },
    signal,
  });
  if (at === null) return null;
  if (known?.at === at) return known;
  const query = { limit: 1, sort: 'updatedAt', order: 'desc', ...scopeParameter(scope) };
  const found = await call('GET /auth/users', { query, signal }).catch(() => undefined);
  const user = found?.users[0];
  return user ? { at, id: user.id, email: user.email } : { at };
}

function knownIn(client: QueryClient, queryKey: string[]): NewestSubmission | null | undefined {
  return client.getQueryData<NewestSubmission | null>(queryKey);
}
