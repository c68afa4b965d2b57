import { createHash } from 'node:crypto';
import MongoStore from 'connect-mongo';
import type { SessionData } from 'express-session';
import type { Connection, Types } from 'mongoose';
import { z } from 'zod';
import type { AppOwned } from '../apps/app-owned.ts';
import { INDEX_BUILD_TIME_MS, limitStatementTime } from '../database/collections.ts';

/** The lifetime of a session (spec 2.5), in milliseconds. */
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
const COLLECTION = 'sessions';

/** A stored session: the app, its role at login, and the `credentialId` of the password used. */
const StoredSession = z.looseObject({
  // The attributes are dropped: they matter only when the cookie is set, and an invalid one would
  // make express-session throw where no handler catches it.
  cookie: z.object({}),
  appId: z.string(),
  sourceAppId: z.string(),
  role: z.enum(['user', 'admin']),
  credentialId: z.string(),
});

declare module 'express-session' {
  interface SessionData {
    appId: string;
    sourceAppId: string;
    role: 'user' | 'admin';
    credentialId: string;
  }
}

/**
 * Sessions in MongoDB, written at login only: `touch` does nothing, so that a request in flight
 * cannot restore a session that a logout ended.
 */
class SessionStore extends MongoStore {
  constructor(options: ConstructorParameters<typeof MongoStore>[0]) {
    super(options);
    this.collectionP = this.collectionP.then(limitStatementTime);
  }

  override touch(_id: string, _session: SessionData, callback: (error?: unknown) => void = () => undefined): void {
    callback();
  }
}

/**
 * Creates the session store (spec 2.5). It stores each id as a hash, so that read access to the
 * database does not give access to sessions. A damaged stored session counts as absent.
 */
export function createSessionStore(connection: Connection): MongoStore {
  return new SessionStore({
    client: connection.getClient(),
    dbName: connection.name,
    collectionName: COLLECTION,
    autoRemove: 'disabled',
    transformId: (id) => createHash('sha256').update(id).digest('base64url'),
    stringify: false,
    // The store treats `null` as "no session", which its types do not allow.
    unserialize: (stored) => (StoredSession.safeParse(stored).data ?? null) as unknown as SessionData,
  });
}

/** Removes the sessions of an app with the app, and creates the collection's indexes. */
export function createSessionOwnership(connection: Connection): AppOwned & { createIndexes(): Promise<void> } {
  const sessions = limitStatementTime(connection.getClient().db(connection.name).collection(COLLECTION));
  const byApp = (appId: Types.ObjectId) => ({ 'session.appId': appId.toHexString() });
  /** Returns when a session created at `time` expires; the creation time itself is not stored. */
  const expiryOf = (time: Date): Date => new Date(time.getTime() + SESSION_LIFETIME_MS);
  return {
    removeAll: async (appId, since) =>
      (await sessions.deleteMany({ ...byApp(appId), ...(since && { expires: { $gte: expiryOf(since) } }) }))
        .deletedCount,
    has: async (appId, made, time) =>
      (await sessions.findOne({
        ...byApp(appId),
        expires: { [made === 'before' ? '$lt' : '$gte']: expiryOf(time) },
      })) !== null,
    async createIndexes() {
      await sessions.createIndex({ expires: 1 }, { expireAfterSeconds: 0, maxTimeMS: INDEX_BUILD_TIME_MS });
      await sessions.createIndex({ 'session.appId': 1 }, { maxTimeMS: INDEX_BUILD_TIME_MS });
    },
  };
}
