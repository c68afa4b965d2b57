import { createHash } from 'node:crypto';
import MongoStore from 'connect-mongo';
import type { Request, RequestHandler, Response } from 'express';
import session, { type SessionData, type Store } from 'express-session';
import { z } from 'zod';
import { ownedBy } from '../apps/feature.ts';
import type { Config } from '../core/config.ts';
import type { Connection } from '../database/client.ts';
import { limitStatementTime } from '../database/collections.ts';
import { createModel, schema } from '../database/mongoose.ts';

/** The lifetime of a session (spec 2.5), in milliseconds. */
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** As connect-mongo stores it. `_id` is a hash of the id in the cookie. */
interface SessionDocument {
  _id: string;
  session: Record<string, unknown>;
  expires: Date;
}

const sessionSchema = schema<SessionDocument>(
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
const cookie = z.object({});
const ofApp = {
  ...{ appId: z.string(), sourceAppId: z.string() },
  ...{ role: z.enum(['user', 'admin']), credentialId: z.string() },
};
/** The account's document says whether the session lives. */
const ofAccount = { accountId: z.string() };
const StoredSession = z.union([z.looseObject({ cookie, ...ofApp }), z.looseObject({ cookie, ...ofAccount })]);
const Data = z.object({ ...ofApp, ...ofAccount });

declare module 'express-session' {
  interface SessionData extends z.infer<typeof Data> {}
}

/** Sessions in MongoDB, written at login only: a request in flight restores no ended session. */
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
 * Creates the session store (spec 2.5). Ids are stored as hashes, so that read access to the
 * database gives no access to sessions. A damaged stored session counts as absent.
 */
export function createSessionStorage(connection: Connection) {
  const model = createModel(connection, sessionSchema);
  const store = new SessionStore({
    client: connection.getClient(),
    dbName: connection.name,
    collectionName: sessionSchema.options.collection,
    autoRemove: 'disabled',
    transformId: (id) => createHash('sha256').update(id).digest('base64url'),
    stringify: false,
    // The store treats `null` as "no session", which its types do not allow.
    unserialize: (stored) => (StoredSession.safeParse(stored).data ?? null) as unknown as SessionData,
  });
  const owned = ownedBy(model.collection, 'expires', {
    of: (appId) => ({ 'session.appId': appId.toHexString() }),
    // The time of the creation itself is not stored.
    valueAt: (time) => new Date(time.getTime() + SESSION_LIFETIME_MS),
  });
  return { model, store, owned };
}

/**
 * Sets `req.session` of a request; resolves with the session as the store has it now, also when it
 * is called again. Rejects with the store's error.
 */
export type LoadSession = (req: Request, res: Response) => Promise<Partial<SessionData> | undefined>;

/** Cookie sessions (spec 2.5 and 5.2). Nothing is stored before a login. */
export function createSessionLoader(
  config: Pick<Config, 'production' | 'sessionCookieName'> & { sessionSecret: string },
  store: Store,
): LoadSession {
  const load: RequestHandler = session({
    name: config.sessionCookieName,
    secret: config.sessionSecret,
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: config.production, maxAge: SESSION_LIFETIME_MS, path: '/' },
  });
  return (req, res) =>
    new Promise((resolve, reject) => {
      // express-session loads the session of a request once.
      if (req.session) {
        store.get(req.sessionID, (error, found) => (error ? reject(error) : resolve(found ?? undefined)));
        return;
      }
      if (config.production) assumeTls(req);
      load(req, res, (error?: unknown) => (error ? reject(error) : resolve(req.session)));
    });
}

/**
 * Makes express-session set the Secure cookie. In production a proxy terminates TLS; without
 * TRUST_PROXY express-session would take the request for plain HTTP and omit the cookie.
 */
function assumeTls(req: Request): void {
  Object.defineProperty(req, 'secure', { value: true, configurable: true });
}

/** Starts the session of an app or an account, under a new id against session fixation. */
export async function beginSession(req: Request, data: Partial<SessionData>): Promise<void> {
  await settled((done) => req.session.regenerate(done));
  Object.assign(req.session, data);
  await settled((done) => req.session.save(done));
}

/** Ends the session of a request, if any, and clears the cookie. */
export async function endSession(req: Request, res: Response, cookieName: string): Promise<void> {
  await settled((done) => req.session.destroy(done));
  res.clearCookie(cookieName, { path: '/', httpOnly: true, sameSite: 'lax' });
}

/** Rejects with the error of the session store. */
function settled(start: (done: (error: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
}
