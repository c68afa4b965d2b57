import type { SessionData } from 'express-session';
import { Types } from 'mongoose';
import type { App, AppService } from '../apps/apps.service.ts';
import { clientNetwork } from '../core/client-network.ts';
import { Forbidden, Unauthenticated } from '../core/errors.ts';
import { createKnownNetworks } from './known-networks.ts';
import type { LoginLimiter } from './login-limiter.ts';

/** Spec 7: the same for an unknown app and a wrong password. */
export const INVALID_CREDENTIALS = 'Invalid credentials';

/** The request that asks for a password check. */
export interface Caller {
  /** The client's IP address. */
  address: string;
  /** Milliseconds that the request has left; 0 when it is over. */
  leftMs(): number;
}

export type SessionService = ReturnType<typeof createSessionService>;

/** The rules of log-ins and sessions (spec 2.5, 4.2 and 5.2). */
export function createSessionService(deps: { apps: AppService; limiter: LoginLimiter }) {
  const { apps, limiter } = deps;
  const networks = createKnownNetworks();

  async function find(session: Partial<SessionData> | undefined): Promise<App | undefined> {
    const { appId, credentialId } = session ?? {};
    if (appId === undefined || credentialId === undefined || !Types.ObjectId.isValid(appId)) return undefined;
    return apps.findBySession(appId, credentialId);
  }

  /** The app when the password is right, else undefined. @throws {TooManyRequests} @throws {Unavailable} */
  async function check(
    sourceAppId: string,
    password: string,
    { address, leftMs }: Caller,
    hasSession: boolean,
  ): Promise<App | undefined> {
    const network = clientNetwork(address);
    const forgive = limiter.attempt(sourceAppId, network);
    let app: App | undefined;
    try {
      const known = hasSession || networks.has(network);
      app = await apps.checkPassword(sourceAppId, password, { network, known, leftMs });
    } catch (error) {
      // A log-in that could not be checked has not failed: while the database is away, repeats must not lock an operator out.
      forgive();
      throw error;
    }
    if (!app) return undefined;
    forgive();
    networks.remember(network);
    return app;
  }

  return {
    /**
     * The app when the password is right. An unknown app and a wrong password are told apart neither by the answer nor by its time.
     *
     * @throws {Unauthenticated} @throws {TooManyRequests} @throws {Unavailable} when it cannot be checked in time
     */
    async logIn(sourceAppId: string, password: string, caller: Caller): Promise<App> {
      const app = await check(sourceAppId, password, caller, false);
      if (!app) throw new Unauthenticated(INVALID_CREDENTIALS);
      return app;
    },

    /**
     * Resolves when `password` is the one of a logged-in app. Failures count like failed log-ins.
     * @throws {Forbidden} @throws {TooManyRequests} @throws {Unavailable} when it cannot be checked in time
     */
    async confirmPassword({ sourceAppId }: App, password: string, caller: Caller): Promise<void> {
      const app = await check(sourceAppId, password, caller, true);
      if (!app) throw new Forbidden('The current password is wrong');
    },

    /**
     * The app that a session speaks for. It is looked up for each request, so that a session is over at once when its app is gone or its password was
     * rotated.
     * @throws {Unauthenticated}
     */
    async authenticate(session: Partial<SessionData> | undefined): Promise<App> {
      const app = await find(session);
      if (!app) throw new Unauthenticated();
      return app;
    },

    /** Whether the app of a session is there and its password still the one that the session was made with. */
    isLive: async (session: Partial<SessionData>): Promise<boolean> => (await find(session)) !== undefined,
  };
}
