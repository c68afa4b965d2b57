import type { SessionData } from 'express-session';
import { Types } from 'mongoose';
import type { App } from '../apps/app.ts';
import type { AppService } from '../apps/apps.service.ts';
import { clientNetwork } from '../core/client-network.ts';
import { AppError, Forbidden, Unauthenticated } from '../core/errors.ts';
import { createKnownNetworks } from './known-networks.ts';
import { createRefusalDelay, type LoginLimiter } from './login-limiter.ts';

/** The message for an unknown app and for a wrong password alike (spec 7). */
export const INVALID_CREDENTIALS = 'Invalid credentials';

/** The request that checks a password. */
export interface Caller {
  /** The client's IP address. */
  address: string;
  /** Milliseconds until the request's deadline; 0 when it has ended. */
  leftMs(): number;
}

export type SessionService = ReturnType<typeof createSessionService>;

/** The operations on logins and sessions (spec 2.5, 4.2 and 5.2). */
export function createSessionService(deps: {
  apps: AppService;
  limiter: LoginLimiter;
  /** Called for each wrong password and each unknown app. Must not take time. */
  onFailure?: (sourceAppId: string, address: string) => void;
}) {
  const { apps, limiter, onFailure } = deps;
  const networks = createKnownNetworks();
  const delayRefusal = createRefusalDelay();

  async function find(session: Partial<SessionData> | undefined): Promise<App | undefined> {
    const { appId, credentialId } = session ?? {};
    if (appId === undefined || credentialId === undefined || !Types.ObjectId.isValid(appId)) return undefined;
    return apps.findBySession(appId, credentialId);
  }

  /**
   * Resolves with the app when the password is correct, else with undefined, and counts failures.
   * @param hasSession whether the request has a session; its network then counts as known
   * @throws {TooManyRequests} @throws {Unavailable}
   */
  async function check(
    sourceAppId: string,
    password: string,
    { address, leftMs }: Caller,
    hasSession: boolean,
  ): Promise<App | undefined> {
    const network = clientNetwork(address);
    let undoCount: (() => void) | undefined;
    let app: App | undefined;
    try {
      undoCount = limiter.attempt(sourceAppId, network);
      if (hasSession) networks.noteSession(network);
      app = await apps.checkPassword(sourceAppId, password, { network, known: networks.has(network), leftMs });
    } catch (error) {
      // A login that could not be checked is not a failure: retries while the database is
      // unavailable must not lock an operator out.
      undoCount?.();
      if (error instanceof AppError) await delayRefusal(leftMs());
      throw error;
    }
    if (!app) {
      networks.noteFailure(network);
      onFailure?.(sourceAppId, address);
      return undefined;
    }
    undoCount();
    networks.remember(network);
    return app;
  }

  return {
    /**
     * Resolves with the app when the password is correct (spec 4.2). The response and its time are
     * the same for an unknown app and a wrong password.
     *
     * @throws {Unauthenticated} when the credentials are wrong
     * @throws {TooManyRequests} after too many failures
     * @throws {Unavailable} when the password cannot be checked in time
     */
    async logIn(sourceAppId: string, password: string, caller: Caller): Promise<App> {
      const app = await check(sourceAppId, password, caller, false);
      if (!app) throw new Unauthenticated(INVALID_CREDENTIALS);
      return app;
    },

    /**
     * Resolves when `password` is the password of a logged-in app. Failures count as failed logins.
     * @throws {Forbidden} when it is wrong @throws {TooManyRequests} after too many failures
     * @throws {Unavailable} when the password cannot be checked in time
     */
    async confirmPassword({ sourceAppId }: Pick<App, 'sourceAppId'>, password: string, caller: Caller): Promise<void> {
      const app = await check(sourceAppId, password, caller, true);
      if (!app) throw new Forbidden('The current password is wrong');
    },

    /**
     * Resolves with the app of a session. Reads the app on each call, so that a session becomes
     * invalid immediately when its app is deleted or its password replaced.
     * @throws {Unauthenticated}
     */
    async authenticate(session: Partial<SessionData> | undefined): Promise<App> {
      const app = await find(session);
      if (!app) throw new Unauthenticated();
      return app;
    },

    /** Resolves with whether the session's app exists and its password is unchanged since login. */
    isLive: async (session: Partial<SessionData>): Promise<boolean> => (await find(session)) !== undefined,
  };
}
