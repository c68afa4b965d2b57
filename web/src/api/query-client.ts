import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { doubtSession } from '../session/session.ts';
import { NoAnswer, Refusal } from './call.ts';

const RETRIES = 2;

/** The cache of what the service answered. A 401 from anywhere but the log-in itself means that the session may be over. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof Refusal && error.status === 401 && error.endpoint !== 'POST /auth/login') doubtSession(client);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // A refusal is final: a search that took too long would take as long again.
      queries: {
        staleTime: 5_000,
        retry: (count, error) => error instanceof NoAnswer && count < RETRIES,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}
