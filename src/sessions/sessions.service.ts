import type { SessionData } from 'express-session';
import { Types } from 'mongoose';
import type { App, AppService } from '../apps/apps.service.ts';
import { Unauthenticated } from '../errors.ts';
import type { LoginLimiter } from './login-limiter.ts';

/** SPEC section 7: the same for an unknown app and a wrong password. */
export const INVALID_CREDENTIALS = 'Invalid credentials';

export type SessionService = ReturnType<typeof createSessionService>;

/** The rules of log-ins and sessions (SPEC 2.5, 4.2 and 5.2). */
export function createSessionService(deps: { apps: AppService; limiter: LoginLimiter }) {
  const { apps, limiter } = deps;

  async function find(session: Partial<SessionData> | undefined): Promise<App | undefined> {
    const { appId, credentialId } = session ?? {};
    if (appId === undefined || credentialId === undefined || !Types.ObjectId.isValid(appId)) return undefined;
    return apps.findBySession(appId, credentialId);
  }

  return {
    /**
     * The app when the password is right. An unknown app and a wrong password are told apart neither by the answer nor by its time.
     *
     * @param address the client's, for the limit of failures
     * @throws {Unauthenticated} @throws {TooManyRequests}
     */
    async logIn(sourceAppId: string, password: string, address: string): Promise<App> {
      await limiter.attempt(sourceAppId, address);
      let app: App | undefined;
      try {
        app = await apps.checkPassword(sourceAppId, password);
      } catch (error) {
        // A log-in that could not be checked has not failed: while the database is away, repeats must not lock an operator out.
        await limiter.forgive(sourceAppId, address);
        throw error;
      }
      if (!app) throw new Unauthenticated(INVALID_CREDENTIALS);
      await limiter.forgive(sourceAppId, address);
      return app;
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
