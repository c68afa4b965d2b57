import { createHash } from 'node:crypto';
import MongoStore from 'connect-mongo';
import type { SessionData } from 'express-session';
import type { MongoClient } from 'mongodb';
import { z } from 'zod';
import type { Connection } from '../../platform/database/client.ts';
import { createModel, schema } from '../../platform/database/mongoose.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { SessionPart } from './session-part.ts';

/** The lifetime of a session (spec 2.5), in milliseconds. */
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** As connect-mongo stores it. `_id` is a hash of the id in the cookie. */
const sessionSchema = schema(
  {
    _id: { type: String, required: true },
    session: { type: Object, required: true },
    expires: { type: Date, required: true },
  },
  { collection: 'sessions', placement: 'one document for each log-in' },
)
  .index({ expires: 1 }, { expireAfterSeconds: 0 })
  .index({ 'session.appId': 1 });

// The attributes of the cookie are dropped: they matter only when it is set, and an invalid one
// would make express-session throw where no handler catches it.
const Stored = z.looseObject({ cookie: z.object({}) });
const ofApp = z.object({
  appId: z.string(),
  sourceAppId: z.string(),
  role: z.enum(['user', 'admin']),
  credentialId: z.string(),
});

declare module 'express-session' {
  interface SessionData extends z.infer<typeof ofApp> {}
}

/** The schema of the sessions that count: those of apps and of the kinds of parts. */
const knownSession = (parts: readonly SessionPart[]) =>
  z.union([Stored.extend(ofApp.shape), ...parts.map(({ member }) => Stored.extend({ [member]: z.string() }))]);

/** Sessions in MongoDB, written at login only: a request in flight restores no ended session. */
class SessionStore extends MongoStore {
  override touch(_id: string, _session: SessionData, callback: (error?: unknown) => void = () => undefined): void {
    callback();
  }
}

/**
 * Creates the session store (spec 2.5). Ids are stored as hashes, so that read access to the
 * database gives no access to sessions. A damaged stored session counts as absent.
 *
 * @param parts the kinds of sessions beside those of apps; called when a session is read
 */
export function createSessionStorage(connection: Connection, parts: () => readonly SessionPart[]) {
  const model = createModel(connection, sessionSchema);
  let known: ReturnType<typeof knownSession> | undefined;
  function parse(stored: unknown): object | undefined {
    known ??= knownSession(parts());
    return known.safeParse(stored).data;
  }
  const store = new SessionStore({
    // The store takes its collection from a client: that of the model limits its statements.
    client: { db: () => ({ collection: () => model.collection }) } as unknown as MongoClient,
    autoRemove: 'disabled',
    transformId: (id) => createHash('sha256').update(id).digest('base64url'),
    stringify: false,
    // The store treats `null` as "no session", which its types do not allow.
    unserialize: (stored) => (parse(stored) ?? null) as unknown as SessionData,
  });
  const owned = ownedBy(model.collection, 'expires', {
    of: (appId) => ({ 'session.appId': appId.toHexString() }),
    // The time of the creation itself is not stored.
    valueAt: (time) => new Date(time.getTime() + SESSION_LIFETIME_MS),
  });
  return { model, store, owned };
}
