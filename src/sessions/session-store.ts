import { createHash } from 'node:crypto';
import MongoStore from 'connect-mongo';
import type { SessionData } from 'express-session';
import type { Connection, Types } from 'mongoose';
import { z } from 'zod';
import type { AppOwned } from '../apps/app-owned.ts';
import { INDEX_BUILD_TIME_MS, limitStatementTime } from '../database/collections.ts';

/** Spec 2.5. */
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
const COLLECTION = 'sessions';

/** What a session carries: the app, its role at log-in, and under which password it was made. */
const StoredSession = z.looseObject({
  // Its attributes are left behind: they matter when the cookie is set, and one of a wrong form would make express-session throw where nobody catches it.
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
 * Sessions in MongoDB. They are written at log-in and never after: `touch` does nothing, so no request in flight can bring back a session that a log-out ended.
 * The id is stored as a hash, so the database alone lets nobody in. A stored session that is damaged counts as none.
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

export function createSessionStore(connection: Connection): MongoStore {
  return new SessionStore({
    client: connection.getClient(),
    dbName: connection.name,
    collectionName: COLLECTION,
    autoRemove: 'disabled',
    transformId: (id) => createHash('sha256').update(id).digest('base64url'),
    stringify: false,
    // The store hands `null` on as "no session"; its types do not say that it may.
    unserialize: (stored) => (StoredSession.safeParse(stored).data ?? null) as unknown as SessionData,
  });
}

/** The sessions of an app, so that its deletion can end them. */
export function createSessionOwnership(connection: Connection): AppOwned & { createIndexes(): Promise<void> } {
  const sessions = limitStatementTime(connection.getClient().db(connection.name).collection(COLLECTION));
  const of = (appId: Types.ObjectId) => ({ 'session.appId': appId.toHexString() });
  /** A session is made one lifetime before it expires. */
  const expiryOf = (time: Date): Date => new Date(time.getTime() + SESSION_LIFETIME_MS);
  return {
    removeAll: async (appId, since) =>
      (await sessions.deleteMany({ ...of(appId), ...(since && { expires: { $gte: expiryOf(since) } }) })).deletedCount,
    has: async (appId, made, time) =>
      (await sessions.findOne({ ...of(appId), expires: { [made === 'before' ? '$lt' : '$gte']: expiryOf(time) } })) !==
      null,
    async createIndexes() {
      await sessions.createIndex({ expires: 1 }, { expireAfterSeconds: 0, maxTimeMS: INDEX_BUILD_TIME_MS });
      await sessions.createIndex({ 'session.appId': 1 }, { maxTimeMS: INDEX_BUILD_TIME_MS });
    },
  };
}
