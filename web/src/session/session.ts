import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, call } from '../api/call.ts';
import type { Session } from '../api/endpoints.ts';

/** `ended`: the service no longer knows the session. The page keeps its state until a login. */
export type SessionState = { state: 'loggedOut' } | ({ state: 'loggedIn' | 'ended' } & Session);

const SESSION_KEY = ['session'];
/** How often an open page checks its session. */
const POLL_INTERVAL_MS = 60_000;

export function useSession() {
  const client = useQueryClient();
  return useQuery(
    queryOptions({
      queryKey: SESSION_KEY,
      queryFn: async (): Promise<SessionState> => {
        try {
          return loggedInState(client, await call('GET /auth/session'));
        } catch (error) {
          if (error instanceof ApiError && error.status === 401) return loggedOutState(cachedSession(client));
          throw error;
        }
      },
      refetchInterval: POLL_INTERVAL_MS,
    }),
  );
}

export function useLogIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: { sourceAppId: string; password: string }) => {
      await call('POST /auth/login', { body });
      return confirmSession();
    },
    onSuccess: async ({ sourceAppId, role }) => {
      const before = cachedSession(client);
      if (before && before.state !== 'loggedOut' && before.sourceAppId !== sourceAppId) return reloadDashboard();
      client.setQueryData<SessionState>(SESSION_KEY, loggedInState(client, { sourceAppId, role }));
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
    },
  });
}

export function useLogOut() {
  return useMutation({
    mutationFn: () => call('POST /auth/logout'),
    onSuccess: reloadDashboard,
  });
}

/** Requests the session again after a 401, which may be older than a new login. */
export function revalidateSession(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: SESSION_KEY });
}

/** Checks that the browser stored the session cookie. @throws {CookieRejected} */
async function confirmSession(): Promise<Session> {
  try {
    return await call('GET /auth/session');
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw new CookieRejected();
    throw error;
  }
}

/** In production the session cookie is `Secure`, so the browser drops it over plain HTTP. */
export class CookieRejected extends Error {
  override readonly name = 'CookieRejected';
  constructor() {
    super('The password is correct, but the browser did not store the session cookie');
  }
}

/** Reloads the start page, which removes all data of the previous session from memory. */
function reloadDashboard(): void {
  window.location.assign(import.meta.env.BASE_URL);
}

function cachedSession(client: QueryClient): SessionState | undefined {
  return client.getQueryData<SessionState>(SESSION_KEY);
}

function loggedOutState(before: SessionState | undefined): SessionState {
  return before && before.state !== 'loggedOut' ? { ...before, state: 'ended' } : { state: 'loggedOut' };
}

/** Removes the cached data of another app if the session changed, for example in another tab. */
function loggedInState(client: QueryClient, session: Session): SessionState {
  const before = cachedSession(client);
  if (before && before.state !== 'loggedOut' && before.sourceAppId !== session.sourceAppId) clearCachedData(client);
  return { state: 'loggedIn', ...session };
}

function clearCachedData(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}
