import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { revalidateSession } from '../session/session.ts';
import { hasStatus, NetworkError } from './call.ts';
import type { EndpointName } from './endpoints.ts';

const RETRIES = 2;

/** Their 401 is about the password, code or passkey that was sent. */
const LOG_INS: readonly string[] = [
  'POST /auth/login',
  'POST /auth/login/second',
  'POST /auth/login/passkey',
] satisfies EndpointName[];

/**
 * Creates the query cache. A 401 from any endpoint except the login revalidates the session, and so
 * does a 403: another window may have begun a session of somebody else.
 */
export function createQueryClient(): QueryClient {
  // A button is disabled before the next click. The default is a timer, after a double click.
  notifyManager.setScheduler(queueMicrotask);
  const onError = (error: Error): void => {
    const isRefused = hasStatus(error, 401) || hasStatus(error, 403);
    if (isRefused && !LOG_INS.includes(error.endpoint)) revalidateSession(client);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Error responses are not retried: a search that timed out would time out again.
      queries: {
        staleTime: 5_000,
        retry: (count, error) => error instanceof NetworkError && count < RETRIES,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}
