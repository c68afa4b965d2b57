import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { SessionData } from 'express-session';
import { LRUCache } from 'lru-cache';
import { ObjectId } from 'mongodb';
import { ALL_SCOPES, type Permission, type SessionPrincipal, withApp } from '../../api/principal.ts';
import type { App } from '../../apps/app.ts';
import type { AppService } from '../../apps/apps.service.ts';
import type { PasswordHasher, Waiter } from '../../apps/passwords.ts';
import { clientNetwork } from '../../platform/core/client-network.ts';
import { AppError, Forbidden, TooManyRequests, Unauthenticated } from '../../platform/core/errors.ts';
import type { AppRole } from '../../platform/core/roles.ts';
import type { SharedLimit, SharedLimits } from '../../platform/database/shared-limits.ts';
import type { Membership } from '../accounts/access.ts';
import type { AccountDocument, AccountSession, CodeUse, VerifiedLogIn } from '../accounts/accounts.model.ts';
import type { AccountService } from '../accounts/accounts.service.ts';
import type { RelyingParty } from '../accounts/passkeys.ts';
import type { Roles } from '../accounts/roles.ts';

const VIEWER: readonly Permission[] = ['users:read'];
const EDITOR: readonly Permission[] = [...VIEWER, 'users:write', 'import', 'export'];
const MANAGER: readonly Permission[] = [...EDITOR, 'schema:write', 'webhooks', 'manage'];

/** What each role of a member may do (spec 4.13). */
const SCOPES_OF_ROLES: Record<AppRole, ReadonlySet<Permission>> = {
  viewer: new Set(VIEWER),
  editor: new Set(EDITOR),
  manager: new Set(MANAGER),
};
const NO_SCOPES: ReadonlySet<Permission> = new Set();

/** The request that checks a password. */
interface Caller {
  address: string;
  /** Milliseconds until the request's deadline; 0 when it has ended. */
  leftMs(): number;
}

/** What a log-in names, whether or not it exists. A passkey names nobody. */
export type LogInName = { sourceAppId: string } | { email: string } | 'passkey';

/** The key of the limits on failed log-ins. */
function limitKey(named: LogInName): string {
  if (named === 'passkey') return 'a passkey';
  return 'email' in named ? `account ${named.email.trim().toLowerCase()}` : named.sourceAppId;
}

export type SessionService = ReturnType<typeof createSessionService>;

/** The operations on logins and sessions (spec 2.5, 4.2 and 5.2). */
export function createSessionService(deps: {
  apps: AppService;
  accounts: AccountService;
  roles: Pick<Roles, 'read'>;
  limiter: LoginLimiter;
  hasher: Pick<PasswordHasher, 'assertCapacity'>;
  /** Whether single sign-on is the only way to log in. */
  signOnOnly: boolean;
  /** Called for each wrong password and each unknown app or email. Must not take time. */
  onFailure?: (named: LogInName, address: string) => void;
  /** Called with the network of each log-in. */
  onKnownNetwork?: ((network: string) => void) | undefined;
}) {
  const { apps, accounts, roles, limiter, hasher, signOnOnly, onFailure, onKnownNetwork } = deps;
  const networks = createKnownNetworks();
  const delayRefusal = createRefusalDelay();

  async function find(session: Partial<SessionData> | undefined): Promise<App | undefined> {
    const { appId, credentialId } = session ?? {};
    if (signOnOnly) return undefined;
    if (appId === undefined || credentialId === undefined || !ObjectId.isValid(appId)) return undefined;
    return apps.findBySession(appId, credentialId);
  }

  /** Resolves with what `verify` resolves with, unless that is falsy; counts failures. */
  async function check<Found>(
    named: LogInName,
    verify: (waiter: Waiter) => Promise<Found | undefined>,
    { address, leftMs }: Caller,
    hasSession = false,
  ): Promise<Found | undefined> {
    const network = clientNetwork(address);
    let undoCount: (() => Promise<void>) | undefined;
    let found: Found | undefined;
    try {
      if (hasSession) networks.noteSession(network);
      const waiter = { network, known: networks.has(network), leftMs };
      limiter.refuse(limitKey(named), network);
      // A flood must not reach the database. A passkey needs no hash.
      if (named !== 'passkey') hasher.assertCapacity(waiter);
      undoCount = await limiter.attempt(limitKey(named), network);
      found = await verify(waiter);
    } catch (error) {
      // Retries while the database is unavailable must not lock an operator out.
      await undoCount?.().catch(() => undefined);
      if (error instanceof AppError) await delayRefusal(leftMs());
      throw error;
    }
    if (!found) {
      networks.noteFailure(network);
      onFailure?.(named, address);
      return undefined;
    }
    await undoCount().catch(() => undefined);
    networks.remember(network);
    onKnownNetwork?.(network);
    return found;
  }

  /** Resolves with what a log-in named and proved. @throws {Unauthenticated} for a wrong proof */
  async function logIn<Found>(
    named: LogInName,
    verify: (waiter: Waiter) => Promise<Found | undefined>,
    caller: Caller,
  ): Promise<Found> {
    accounts.requirePasswords();
    const found = await check(named, verify, caller);
    if (!found) throw new Unauthenticated('invalidCredentials');
    return found;
  }

  /** A group gives a role by the name of an app, an invitation by its id. */
  const findApp = ({ appId, sourceAppId }: Membership) => (appId ? apps.findById(appId) : apps.find(sourceAppId));

  /** What an account may do in the app that a request names, or in its only app. */
  async function accountPrincipal(account: AccountDocument, session: AccountSession, named: string | undefined) {
    const { isAdmin, memberships } = await roles.read(account, named);
    const [membership] = memberships.length === 1 ? memberships : [];
    const app = membership && (await findApp(membership));
    const own = app && (named === undefined || app.sourceAppId === named) ? app : undefined;
    if (named !== undefined && !own && !isAdmin) throw new Forbidden('accountNotMember');
    const scopes = isAdmin ? ALL_SCOPES : own && membership ? SCOPES_OF_ROLES[membership.role] : NO_SCOPES;
    const role = isAdmin ? ('admin' as const) : ('user' as const);
    const shown = { id: account._id, method: session.method };
    return withApp({ kind: 'session' as const, role, own, scopes, account: shown });
  }

  return {
    /**
     * Resolves with the app when the password is correct (spec 4.2). The response and its time are
     * the same for an unknown app and a wrong password.
     * @throws {Unauthenticated} when the credentials are wrong
     * @throws {TooManyRequests} after too many failures
     * @throws {Unavailable} when the password cannot be checked in time
     */
    logIn: (sourceAppId: string, password: string, caller: Caller): Promise<App> =>
      logIn({ sourceAppId }, (waiter) => apps.checkPassword(sourceAppId, password, waiter), caller),

    /**
     * Resolves with the way into an account when the password is correct (spec 4.13). The response
     * and its time are the same for an unknown email, a wrong password and a suspended account.
     * Throws as `logIn`.
     */
    logInAccount: (email: string, password: string, caller: Caller): Promise<VerifiedLogIn> =>
      logIn({ email }, (waiter) => accounts.checkPassword(email, password, waiter), caller),

    /**
     * Resolves with the way into the account whose passkey signed. Throws as `logIn`; failures of a
     * network count together.
     */
    logInByPasskey: (response: AuthenticationResponseJSON, at: RelyingParty, caller: Caller): Promise<VerifiedLogIn> =>
      logIn('passkey', () => accounts.checkPasskey(response, at), caller),

    /** As `AccountService.checkCode`. A wrong code counts as a failed log-in in the audit log. */
    async checkCode(
      account: AccountDocument,
      given: Parameters<AccountService['checkCode']>[1],
      address: string,
    ): Promise<CodeUse> {
      try {
        return await accounts.checkCode(account, given);
      } catch (error) {
        if (error instanceof AppError) onFailure?.({ email: account.email }, address);
        throw error;
      }
    },

    /** Resolves with whether a password has this hash. Failures count as failed logins. */
    async confirmAccount(email: string, password: string, hash: string | undefined, caller: Caller): Promise<boolean> {
      const verify = (waiter: Waiter) => accounts.verify(password, hash, waiter);
      return (await check({ email }, verify, caller, true)) ?? false;
    },

    /**
     * Resolves when `password` is the password of a logged-in app. Failures count as failed logins.
     * @throws {Forbidden} when it is wrong @throws {TooManyRequests} after too many failures
     * @throws {Unavailable} when the password cannot be checked in time
     */
    async confirmPassword({ sourceAppId }: Pick<App, 'sourceAppId'>, password: string, caller: Caller): Promise<void> {
      const verify = (waiter: Waiter) => apps.checkPassword(sourceAppId, password, waiter);
      const app = await check({ sourceAppId }, verify, caller, true);
      if (!app) throw new Forbidden('wrongPassword');
    },

    /**
     * Resolves with the caller of a session, read on each call.
     * @param named the app that the request names @throws {Unauthenticated}
     * @throws {Forbidden} when an account is no member of the named app
     */
    async authenticate(
      session: Partial<SessionData> | undefined,
      sessionId: string,
      named: string | undefined,
    ): Promise<SessionPrincipal> {
      if (session?.accountId !== undefined) {
        const found = await accounts.findSession(session.accountId, sessionId);
        if (found?.session.state !== 'active') throw new Unauthenticated();
        return accountPrincipal(found.account, found.session, named);
      }
      const app = await find(session);
      if (!app) throw new Unauthenticated();
      return withApp({ kind: 'session' as const, role: app.role, own: app, scopes: ALL_SCOPES });
    },

    /** Notes a network that logged in at another process of the server. */
    noteKnownNetwork: networks.remember,

    /** Resolves with whether the session's app exists and its password is unchanged since login. */
    isLive: async (session: Partial<SessionData>): Promise<boolean> => (await find(session)) !== undefined,
  };
}

const WINDOW_MS = 15 * 60 * 1000;
/** The limit of one network over all apps, as a multiple of its limit for one app. */
const NETWORK_FACTOR = 3;

type LoginLimiter = ReturnType<typeof createLoginLimiter>;

/**
 * Limits failed log-ins per network and app, and per network over all apps. The limit over all apps
 * bounds attempts with invented app ids, each of which costs a hash, and the number of keys that
 * one network adds to the limit per app.
 *
 * @param failures the failures allowed in 15 minutes per app and network; 0 disables both limits
 */
export function createLoginLimiter(failures: number, limits: SharedLimits) {
  const ofNetwork = limits.create('log-ins of a network', failures * NETWORK_FACTOR, WINDOW_MS);
  const ofApp = limits.create('log-ins', failures, WINDOW_MS);

  /** The limits that apply, each with its key. */
  const applied = (sourceAppId: string, network: string): [SharedLimit, string][] =>
    failures === 0
      ? []
      : [
          [ofNetwork, network],
          [ofApp, `${sourceAppId} ${network}`],
        ];

  const requireNone = (waitMs: number): void => {
    if (waitMs === 0) return;
    throw new TooManyRequests('tooManyFailedLogIns', Math.ceil(waitMs / 1000));
  };

  return {
    /** Takes no time. @throws {TooManyRequests} when this process knows that a limit is reached */
    refuse(sourceAppId: string, network: string): void {
      requireNone(Math.max(0, ...applied(sourceAppId, network).map(([limit, key]) => limit.waitMs(key))));
    },

    /**
     * Counts an attempt before its password check, so that concurrent attempts on all servers stay
     * in the limit. Resolves with a function that undoes the count; call it at most once, after an
     * attempt that succeeded or could not be checked. Rejects when the database is away.
     * @throws {TooManyRequests} when a limit is reached; the attempt is not counted
     */
    async attempt(sourceAppId: string, network: string): Promise<() => Promise<void>> {
      const undos: (() => Promise<void>)[] = [];
      const undoAll = async (): Promise<void> => void (await Promise.all(undos.map((undo) => undo())));
      try {
        for (const [limit, key] of applied(sourceAppId, network)) {
          const { undo, waitMs } = await limit.take(key);
          requireNone(waitMs);
          if (undo) undos.push(undo);
        }
      } catch (error) {
        await undoAll().catch(() => undefined);
        throw error;
      }
      return undoAll;
    },
  };
}

const REFUSAL_DELAY_MS = 1_000;
/** Time that the response of a refusal needs. */
const RESPONSE_MARGIN_MS = 200;
/** Refusals that wait at the same time; a request holds about 11 kB meanwhile. */
const MAX_DELAYED = 500;

/**
 * Returns a function that waits a second before a refusal without a password check, or less when
 * the request has less time. Without it, clients that send one password after the other would keep
 * the event loop busy. At most 500 refusals are delayed at the same time, others are not.
 */
export function createRefusalDelay(wait: (ms: number) => Promise<unknown> = sleep) {
  let delayed = 0;
  return async (leftMs: number): Promise<void> => {
    const delayMs = Math.min(REFUSAL_DELAY_MS, leftMs - RESPONSE_MARGIN_MS);
    if (delayed >= MAX_DELAYED || delayMs <= 0) return;
    delayed += 1;
    await wait(delayMs);
    delayed -= 1;
  };
}

const MAX_NETWORKS = 10_000;
/** Wrong passwords after which a network counts as unknown, until its next login. */
const MAX_FAILURES = 5;
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** Keeps the networks with a recent login in memory. `HashingQueue` gives them priority. */
export function createKnownNetworks() {
  const networks = new LRUCache<string, { failures: number }>({ max: MAX_NETWORKS, ttl: KEEP_MS });
  return {
    /** Whether a network logged in and sent few wrong passwords since. */
    has: (network: string): boolean => (networks.get(network)?.failures ?? MAX_FAILURES) < MAX_FAILURES,
    /** Notes a login of a network, which ends its count of wrong passwords. */
    remember: (network: string): void => void networks.set(network, { failures: 0 }),
    /** Notes a session of a network, which keeps that count. */
    noteSession(network: string): void {
      if (!networks.has(network)) networks.set(network, { failures: 0 });
    },
    /** Notes a wrong password. Several end the priority. */
    noteFailure(network: string): void {
      const known = networks.peek(network);
      if (known) known.failures += 1;
    },
  };
}
