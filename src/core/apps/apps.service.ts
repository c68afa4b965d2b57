import { randomUUID } from 'node:crypto';
import { type Filter, type FindOptions, ObjectId } from 'mongodb';
import { AppNotFound, Conflict, InvalidInput, Unauthenticated, Unavailable } from '../../platform/core/errors.ts';
import { APP_ID_PATTERN, REACHABLE_APP_ID } from '../../platform/core/identifiers.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { generatePassword, type PasswordHasher, type Waiter } from '../../platform/log-ins/passwords.ts';
import type { App, AppDocument, Role } from './app.ts';
import type { CreateApp } from './app-creation.ts';
import type { AppParts } from './app-part.ts';
import { type AppModel, type DeletedAppModel, NOT_BEING_DELETED } from './apps.model.ts';

/** Is called after the hash of a password, which may have waited for others, before the write. */
type Recheck = () => Promise<void>;

interface CreationOptions {
  recheck?: Recheck;
  /** Those of features. */
  members?: Partial<AppDocument>;
}

/** A password in plain text. Only its hash is stored. */
export interface NewPassword {
  app: App;
  password: string;
}

export type AppService = ReturnType<typeof createAppService>;

/** The operations on apps (spec 2.2 and 4.4). An app in creation or deletion is absent. */
export function createAppService(deps: {
  apps: AppModel;
  deletedApps: DeletedAppModel;
  createApp: CreateApp;
  hasher: PasswordHasher;
  parts: Pick<AppParts, 'toApp' | 'logInFilter'>;
}) {
  const { apps, deletedApps, createApp, hasher, parts } = deps;
  const { toApp } = parts;

  async function findOne(filter: Filter<AppDocument>, options?: FindOptions): Promise<App | undefined> {
    const found = await apps.findOne({ ...filter, ...NOT_BEING_DELETED }, options);
    return found ? toApp(found) : undefined;
  }

  const find = (sourceAppId: string, readConcern: 'local' | 'majority' = 'local'): Promise<App | undefined> =>
    findOne({ sourceAppId }, { readConcern });

  async function exists(filter: Filter<AppDocument>): Promise<boolean> {
    return (await apps.findOne(filter, { projection: { _id: 1 } })) !== null;
  }

  async function credentials(password: string, recheck?: Recheck) {
    const passwordHash = await hasher.hash(password);
    await recheck?.();
    return { passwordHash, credentialId: randomUUID() };
  }

  async function insert(
    sourceAppId: string,
    role: Role,
    password: string,
    { recheck, members }: CreationOptions = {},
  ): Promise<App> {
    const app = {
      sourceAppId,
      role,
      ...(await credentials(password, recheck)),
      createdAt: new Date(),
      ...members,
    };
    return toApp({ _id: await createApp(app), ...app });
  }

  async function replacePassword(
    filter: Filter<AppDocument>,
    until: Until,
    recheck?: Recheck,
  ): Promise<NewPassword | undefined> {
    const password = generatePassword();
    const update = { $set: await credentials(password, recheck) };
    const live = { ...filter, ...NOT_BEING_DELETED, ...beginsBefore(await until()) };
    const found = await apps.findOneAndUpdate(live, update, { returnDocument: 'after' });
    if (found) return { app: toApp(found), password };
    if (await exists({ ...filter, ...NOT_BEING_DELETED })) throw new Unavailable();
    return undefined;
  }

  return {
    find,

    /** @throws {NotFound} */
    async get(sourceAppId: string): Promise<App> {
      const app = await find(sourceAppId);
      if (!app) throw new AppNotFound();
      return app;
    },

    /** While the state is `deleting`, the last removal of records is still to come. */
    async stateOf(_id: ObjectId): Promise<AppState> {
      const app = await apps.findOne({ _id }, { projection: { deletingSince: 1 } });
      if (app) return app.deletingSince ? 'deleting' : 'live';
      // Read after the app, because a deletion writes the tombstone before it removes the app.
      const tombstone = await deletedApps.findOne({ _id }, { readConcern: 'majority' });
      return tombstone ? 'deleted' : 'missing';
    },

    /** Undefined when the app is deleted or its password has changed. @param id in hexadecimal */
    findBySession: (id: string, credentialId: string): Promise<App | undefined> =>
      findOne({ _id: new ObjectId(id), credentialId, ...parts.logInFilter }),

    findById: (_id: ObjectId): Promise<App | undefined> => findOne({ _id }),

    /** Yields all apps from a cursor, ordered by `sourceAppId`. */
    async *list(): AsyncGenerator<App> {
      // By the collection: a cursor.
      const found = apps.collection.find(NOT_BEING_DELETED).sort({ sourceAppId: 1 });
      for await (const app of found) yield toApp(app);
    },

    /**
     * Creates an app with a generated password and the default schema (spec 4.4).
     * @throws {InvalidInput} when the id is invalid @throws {Conflict} when it is taken
     * @throws {Unavailable} when the database cannot be reached; the app then does not exist,
     * unless the last step of the creation failed (decision 14)
     */
    async create(sourceAppId: string, role: Role = 'user', options?: CreationOptions): Promise<NewPassword> {
      if (!APP_ID_PATTERN.test(sourceAppId)) {
        throw new InvalidInput('appIdFormat');
      }
      if (!REACHABLE_APP_ID.test(sourceAppId)) throw new InvalidInput('appIdUnreachable');
      // Detects most conflicts before the expensive hash.
      if (await exists({ sourceAppId, creating: { $exists: false } })) throw new Conflict('appExists');
      const password = generatePassword();
      return { app: await insert(sourceAppId, role, password, options), password };
    },

    /**
     * Creates an admin app unless one exists; resolves with it and its password if this call did.
     * @throws {Conflict} when an app with role `user` has this `sourceAppId`
     */
    async ensureAdmin(sourceAppId: string, given?: string): Promise<NewPassword | undefined> {
      const adminFilter = { role: 'admin', creating: { $exists: false } } as const;
      if (await exists(adminFilter)) return undefined;
      const password = given ?? generatePassword();
      try {
        return { app: await insert(sourceAppId, 'admin', password), password };
      } catch (error) {
        // Another server created it, or finished the creation of this one, which was stopped.
        if (await exists(adminFilter)) return undefined;
        throw error;
      }
    },

    /** Replaces the password; the app's sessions become invalid at once. @throws {NotFound} */
    async rotatePassword(sourceAppId: string, until: Until, recheck?: Recheck): Promise<NewPassword> {
      const replaced = await replacePassword({ sourceAppId }, until, recheck);
      if (!replaced) throw new AppNotFound();
      return replaced;
    },

    /** @throws {Unauthenticated} when the password changed after the session was read */
    async rotateOwnPassword(
      { id, credentialId }: Pick<App, 'id' | 'credentialId'>,
      until: Until,
      recheck?: Recheck,
    ): Promise<NewPassword> {
      const replaced = await replacePassword({ _id: id, credentialId }, until, recheck);
      if (!replaced) throw new Unauthenticated();
      return replaced;
    },

    /**
     * Resolves with the app if the password is correct, in the same time for an unknown app.
     * @throws {Unavailable} when the check cannot finish in the time that `waiter` has left
     */
    async checkPassword(sourceAppId: string, password: string, waiter: Waiter): Promise<App | undefined> {
      hasher.assertCapacity(waiter);
      const found = await apps.findOne({ sourceAppId, ...parts.logInFilter, ...NOT_BEING_DELETED });
      const matches = await hasher.verify(password, found?.passwordHash, waiter);
      return matches && found ? toApp(found) : undefined;
    },
  };
}

/**
 * The state of an incarnation: `live`, possibly under another `sourceAppId`; `deleting`; `deleted`
 * with a tombstone; or `missing` without document and tombstone, after a manual edit or during a
 * restore. Nothing may be removed for a missing app (invariant 8).
 */
type AppState = 'live' | 'deleting' | 'deleted' | 'missing';
