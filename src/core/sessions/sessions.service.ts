import type { SessionData } from 'express-session';
import { ObjectId } from 'mongodb';
import { clientNetwork } from '../../platform/core/client-network.ts';
import { AppError, Forbidden, Unauthenticated } from '../../platform/core/errors.ts';
import { createKnownNetworks, createRefusalDelay, type LoginLimiter } from '../../platform/log-ins/log-in-limits.ts';
import type { PasswordHasher, Waiter } from '../../platform/log-ins/passwords.ts';
import type { AuditPart, FindNamed } from '../api/endpoint.ts';
import { ALL_SCOPES, type SessionPrincipal, withApp } from '../api/principal.ts';
import type { App } from '../apps/app.ts';
import type { AppService } from '../apps/apps.service.ts';
import { partOf, type SessionPart } from './session-part.ts';

/** The request that checks a password. */
export interface Caller {
  address: string;
  /** Milliseconds until the request's deadline; 0 when it has ended. */
  leftMs(): number;
}

/** What a log-in names, whether or not it exists. */
export interface LogInName {
  /** The key of the limit on its failures, which no log-in of another kind has. */
  key: string;
  /** Whether its check computes a hash, for which the queue needs room. */
  takesHash: boolean;
  /** For the event of a failure. Undefined: failures have no event. */
  find?: FindNamed;
}

export type SessionService = ReturnType<typeof createSessionService>;

/** The operations on logins and sessions (spec 2.5, 4.2 and 5.2). */
export function createSessionService(deps: {
  apps: AppService;
  /** Returns the kinds of sessions beside those of apps. */
  parts: () => readonly SessionPart[];
  limiter: LoginLimiter;
  hasher: Pick<PasswordHasher, 'assertCapacity'>;
  /** Called for each wrong password and each unknown name. Must not take time. */
  onFailure?: AuditPart['noteFailedLogIn'];
  /** Called with the network of each log-in. */
  onKnownNetwork?: ((network: string) => void) | undefined;
}) {
  const { apps, parts, limiter, hasher, onFailure, onKnownNetwork } = deps;
  const networks = createKnownNetworks();
  const delayRefusal = createRefusalDelay();

  /** Why apps may not log in; undefined when they may. */
  const refusal = () => parts().find(({ refusesApps }) => refusesApps)?.refusesApps;

  const nameOf = (sourceAppId: string): LogInName => ({
    key: sourceAppId,
    takesHash: true,
    async find() {
      const app = await apps.find(sourceAppId);
      return app && { app };
    },
  });

  const passwordOf = (sourceAppId: string, password: string) => (waiter: Waiter) =>
    apps.checkPassword(sourceAppId, password, waiter);

  async function find(session: Partial<SessionData> | undefined): Promise<App | undefined> {
    const { appId, credentialId } = session ?? {};
    if (refusal() !== undefined) return undefined;
    if (appId === undefined || credentialId === undefined || !ObjectId.isValid(appId)) return undefined;
    return apps.findBySession(appId, credentialId);
  }

  /** Notes that a proof of who logs in was wrong. */
  const noteFailure = (named: LogInName, address: string): void => {
    if (named.find) onFailure?.(named.find, address);
  };

  /**
   * Resolves with what `verify` resolves with, unless that is falsy. Counts failures.
   * @param hasSession whether the caller has a session, so that the network is a known one
   * @throws {TooManyRequests} after too many failures
   * @throws {Unavailable} when `verify` cannot finish in time
   */
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
      limiter.refuse(named.key, network);
      // A flood must not reach the database.
      if (named.takesHash) hasher.assertCapacity(waiter);
      undoCount = await limiter.attempt(named.key, network);
      found = await verify(waiter);
    } catch (error) {
      // Retries while the database is unavailable must not lock an operator out.
      await undoCount?.().catch(() => undefined);
      if (error instanceof AppError) await delayRefusal(leftMs());
      throw error;
    }
    if (!found) {
      networks.noteFailure(network);
      noteFailure(named, address);
      return undefined;
    }
    await undoCount().catch(() => undefined);
    networks.remember(network);
    onKnownNetwork?.(network);
    return found;
  }

  /** As `check`. @throws {Unauthenticated} also for a wrong proof */
  async function prove<Found>(
    named: LogInName,
    verify: (waiter: Waiter) => Promise<Found | undefined>,
    caller: Caller,
  ): Promise<Found> {
    const found = await check(named, verify, caller);
    if (!found) throw new Unauthenticated('invalidCredentials');
    return found;
  }

  return {
    /**
     * Resolves with the app when the password is correct (spec 4.2). The response and its time are
     * the same for an unknown app and a wrong password.
     * @throws {Unauthenticated} when the credentials are wrong
     * @throws {Forbidden} when apps may not log in
     * @throws {TooManyRequests} after too many failures
     * @throws {Unavailable} when the password cannot be checked in time
     */
    async logIn(sourceAppId: string, password: string, caller: Caller): Promise<App> {
      const refused = refusal();
      if (refused !== undefined) throw new Forbidden(refused);
      return prove(nameOf(sourceAppId), passwordOf(sourceAppId, password), caller);
    },

    check,
    prove,
    noteFailure,

    /**
     * Resolves when `password` is the password of a logged-in app. Failures count as failed logins.
     * @throws {Forbidden} when it is wrong @throws {TooManyRequests} after too many failures
     * @throws {Unavailable} when the password cannot be checked in time
     */
    async confirmPassword({ sourceAppId }: Pick<App, 'sourceAppId'>, password: string, caller: Caller): Promise<void> {
      const app = await check(nameOf(sourceAppId), passwordOf(sourceAppId, password), caller, true);
      if (!app) throw new Forbidden('wrongPassword');
    },

    /**
     * Resolves with the caller of a session, read on each call.
     * @param named the app that the request names @throws {Unauthenticated}
     * @throws {Forbidden} when the caller may not act for the named app
     */
    async authenticate(
      session: Partial<SessionData> | undefined,
      sessionId: string,
      named: string | undefined,
    ): Promise<SessionPrincipal> {
      const part = partOf(parts(), session);
      if (part && session) return part.authenticate(session, sessionId, named);
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
