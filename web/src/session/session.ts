import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, call, hasStatus } from '../api/call.ts';
import type { Account, Membership, SecondFactorKind, SessionAnswer } from '../api/endpoints.ts';
import { t } from '../texts/first-texts.ts';
import { preloadTexts } from '../texts/texts.ts';
import { expectsSession, noteSession } from './expected.ts';

/** Who is logged in: an app with its password, or an account. */
export interface Session {
  /** Differs between apps and accounts. */
  identity: string;
  role: 'admin' | 'user';
  /** The app of a shared log-in. */
  sourceAppId: string | undefined;
  /** The name of that app, if it has one. */
  name: string | undefined;
  account: Account | undefined;
  memberships: readonly Membership[];
}

/**
 * `ended`: the service no longer knows the session. The page keeps its state until a login.
 * `confirming`: a change waits for another log-in.
 */
type SessionState = { state: 'loggedOut' } | ({ state: 'loggedIn' | 'ended' | 'confirming' } & Session);

const SESSION_KEY = ['session'];
/** How often an open page checks its session. */
const POLL_INTERVAL_MS = 60_000;

export function useSession() {
  const client = useQueryClient();
  return useQuery(
    queryOptions({
      queryKey: SESSION_KEY,
      queryFn: async (): Promise<SessionState> => {
        if (expectsSession()) preloadTexts();
        try {
          return stateOf(client, await readSession());
        } catch (error) {
          if (!hasStatus(error, 401)) throw error;
          noteSession(false);
          return loggedOutState(cachedSession(client));
        }
      },
      refetchInterval: POLL_INTERVAL_MS,
    }),
  );
}

/** What a way in answers. `ok: false`: the log-in waits for one of the second factors. */
type Entry = { ok: true } | { ok: false; second: readonly SecondFactorKind[] };

/** What a way in led to: a session, or the second factors of which one is missing. */
type Entered = { session: Session; second?: undefined } | { session?: undefined; second: readonly SecondFactorKind[] };

/** A request that logs in. */
export function useEntry<Variables>(send: (variables: Variables) => Promise<Entry>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (variables: Variables): Promise<Entered> => {
      preloadTexts();
      const entry = await send(variables);
      return entry.ok ? { session: await confirmSession() } : { second: entry.second };
    },
    onSuccess: async ({ session }) => {
      if (!session) return;
      const before = cachedSession(client);
      if (before && before.state !== 'loggedOut' && before.identity !== session.identity) return reloadDashboard();
      client.setQueryData<SessionState>(SESSION_KEY, { state: 'loggedIn', ...session });
      endConfirmation(true);
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
    },
  });
}

export const useLogIn = () =>
  useEntry((body: { sourceAppId: string; password: string } | { email: string; password: string }) =>
    call('POST /auth/login', { body }),
  );

export const useSecondFactor = () =>
  useEntry((body: { code: string } | { recoveryCode: string }) => call('POST /auth/login/second', { body }));

export function useLogOut() {
  return useMutation({
    mutationFn: () => call('POST /auth/logout'),
    // After single sign-on the session at the provider ends, too.
    onSuccess: ({ endSessionUrl }) => (endSessionUrl ? window.location.assign(endSessionUrl) : reloadDashboard()),
  });
}

/** Requests the session again after a 401, which may be older than a new login. */
export function revalidateSession(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: SESSION_KEY });
}

/** Settles the change that waits for another log-in. */
let endConfirmation: (isConfirmed: boolean) => void = () => undefined;

/**
 * Returns a function that makes a request which needs a recent log-in. When the service asks for
 * one, the dialog of the log-in opens, and the request is repeated after it.
 */
export function useConfirmed() {
  const client = useQueryClient();
  return async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError && error.reauthenticate) || !(await confirmAgain(client))) throw error;
      return request();
    }
  };
}

function confirmAgain(client: QueryClient): Promise<boolean> {
  const session = cachedSession(client);
  if (session?.state !== 'loggedIn') return Promise.resolve(false);
  client.setQueryData<SessionState>(SESSION_KEY, { ...session, state: 'confirming' });
  return new Promise((resolve) => {
    endConfirmation = (isConfirmed) => {
      endConfirmation = () => undefined;
      resolve(isConfirmed);
    };
  });
}

/** Closes the dialog of a change that waits for another log-in. */
export function useCancelConfirmation(): () => void {
  const client = useQueryClient();
  return () => {
    const session = cachedSession(client);
    if (session?.state !== 'confirming') return;
    client.setQueryData<SessionState>(SESSION_KEY, { ...session, state: 'loggedIn' });
    endConfirmation(false);
    // The log-in may have begun, which ends the session.
    revalidateSession(client);
  };
}

async function readSession(): Promise<Session> {
  const session = sessionOf(await call('GET /auth/session'));
  noteSession(true);
  return session;
}

function sessionOf(answer: SessionAnswer): Session {
  if (!('account' in answer)) {
    const { sourceAppId, name, role } = answer;
    return { identity: `app ${sourceAppId}`, role, sourceAppId, name, account: undefined, memberships: [] };
  }
  const { account, role, memberships } = answer;
  return { identity: `account ${account.id}`, role, sourceAppId: undefined, name: undefined, account, memberships };
}

/** Checks that the browser stored the session cookie. @throws {CookieRejected} */
async function confirmSession(): Promise<Session> {
  try {
    return await readSession();
  } catch (error) {
    if (hasStatus(error, 401)) throw new CookieRejected();
    throw error;
  }
}

/** In production the session cookie is `Secure`, so the browser drops it over plain HTTP. */
export class CookieRejected extends Error {
  override readonly name = 'CookieRejected';
  constructor() {
    super(t.session.cookieRejected);
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

/** Removes the cached data of another session if it changed, for example in another tab. */
function stateOf(client: QueryClient, session: Session): SessionState {
  const before = cachedSession(client);
  const isOther = before && before.state !== 'loggedOut' && before.identity !== session.identity;
  if (isOther) clearCachedData(client);
  return { state: before?.state === 'confirming' && !isOther ? 'confirming' : 'loggedIn', ...session };
}

function clearCachedData(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}
