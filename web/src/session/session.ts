import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, Refusal } from '../api/call.ts';
import type { Session } from '../api/endpoints.ts';

/** `ended`: there was a session and the service no longer knows it. The page stays as it is until its app is logged in again. */
export type SessionState = { state: 'out' } | ({ state: 'in' | 'ended' } & Session);

const KEY = ['session'];
/** How often an open page asks whether its session still lives, in milliseconds. */
const LOOK_AGAIN_MS = 60_000;

export function useSession() {
  const client = useQueryClient();
  return useQuery(
    queryOptions({
      queryKey: KEY,
      queryFn: async (): Promise<SessionState> => {
        try {
          return entered(client, await call('GET /auth/session'));
        } catch (error) {
          if (error instanceof Refusal && error.status === 401) return left(current(client));
          throw error;
        }
      },
      refetchInterval: LOOK_AGAIN_MS,
    }),
  );
}

export function useLogIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: { sourceAppId: string; password: string }) => {
      await call('POST /auth/login', { body });
      return begunSession();
    },
    onSuccess: async ({ sourceAppId, role }) => {
      const before = current(client);
      if (before && before.state !== 'out' && before.sourceAppId !== sourceAppId) return startAnew();
      client.setQueryData<SessionState>(KEY, entered(client, { sourceAppId, role }));
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
    },
  });
}

export function useLogOut() {
  return useMutation({
    mutationFn: () => call('POST /auth/logout'),
    onSuccess: startAnew,
  });
}

/** The service refused a request for want of a session. The request may be older than a new log-in, so the session itself is asked for. */
export function doubtSession(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: KEY });
}

/** What follows a right log-in, when the browser has kept its cookie. @throws {CookieRefused} */
async function begunSession(): Promise<Session> {
  try {
    return await call('GET /auth/session');
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) throw new CookieRefused();
    throw error;
  }
}

/** In production the cookie is for HTTPS only, and over plain HTTP the browser drops it without a word. */
export class CookieRefused extends Error {
  override readonly name = 'CookieRefused';
  constructor() {
    super('The password is right, but the browser did not keep the session cookie');
  }
}

/** Loads the start page afresh: nothing that was seen or typed under the former session is left in memory. */
function startAnew(): void {
  window.location.assign(import.meta.env.BASE_URL);
}

function current(client: QueryClient): SessionState | undefined {
  return client.getQueryData<SessionState>(KEY);
}

function left(before: SessionState | undefined): SessionState {
  return before && before.state !== 'out' ? { ...before, state: 'ended' } : { state: 'out' };
}

/** Another app's session, from this page or another tab: nothing that the former one saw may stay. */
function entered(client: QueryClient, session: Session): SessionState {
  const before = current(client);
  if (before && before.state !== 'out' && before.sourceAppId !== session.sourceAppId) forgetData(client);
  return { state: 'in', ...session };
}

function forgetData(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
}
