import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';

const POLL_INTERVAL_MS = 2_000;

/** The submission that arrived last. Its record is read, as a list, of an arrival only. */
export interface NewestSubmission {
  at: string;
  id?: string;
  email?: string;
}

/** The newest submission to an app, or null. */
export const newestSubmissionQuery = (scope: Scope) => {
  const queryKey = ['newest-submission', scope.sourceAppId];
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) => newestSubmission(scope, knownIn(client, queryKey), signal),
    refetchInterval: POLL_INTERVAL_MS,
    staleTime: 0,
    gcTime: 0,
  });
};

/** Lists the record only when another submission arrived, because lists are logged. */
async function newestSubmission(
  scope: Scope,
  known: NewestSubmission | null | undefined,
  signal: AbortSignal,
): Promise<NewestSubmission | null> {
  const { lastSubmissionAt: at } = await call('GET /auth/stats', {
    query: { days: 1, ...scopeParameter(scope) },
    signal,
  });
  if (at === null) return null;
  if (known === undefined) return { at };
  if (known?.at === at) return known;
  const query = { limit: 1, sort: 'updatedAt', order: 'desc', ...scopeParameter(scope) };
  const found = await call('GET /auth/users', { query, signal }).catch(() => undefined);
  const user = found?.users[0];
  return user ? { at, id: user.id, email: user.email } : { at };
}

function knownIn(client: QueryClient, queryKey: string[]): NewestSubmission | null | undefined {
  return client.getQueryData<NewestSubmission | null>(queryKey);
}
