import { randomUUID } from 'node:crypto';
import { type mongo, Types } from 'mongoose';
import { APP_ID_FORMAT, APP_ID_PATTERN, REACHABLE_APP_ID, UNREACHABLE_APP_ID } from '../core/app-id.ts';
import { Conflict, InvalidInput, NotFound, Unauthenticated } from '../core/errors.ts';
import type { CreateApp } from './app-creation.ts';
import { generatePassword, type PasswordHasher } from './app-credentials.ts';
import type { AppCollection, AppDocument, DeletedAppCollection, Role } from './apps.model.ts';
import type { Waiter } from './hashing-queue.ts';

/** An app as the rest of the service sees it: no hash. */
export interface App {
  id: Types.ObjectId;
  sourceAppId: string;
  role: Role;
  credentialId: string;
  createdAt: Date;
  /** When it last took a submission, as far as that was written (app-activity.ts). */
  lastSubmissionAt: Date | undefined;
}

/** A password that was just made; it is stored as a hash only, so this is the one time it can be told. */
export interface NewPassword {
  app: App;
  password: string;
}

/**
 * What became of an app that was there: it is `live`, perhaps under another name; a deletion has begun;
 * it is `deleted`, as its tombstone says; or it is `missing`, and nothing says why (renamed or restored by
 * hand). Nothing may be removed for an app that is missing.
 */
export type AppState = 'live' | 'deleting' | 'deleted' | 'missing';

export type AppService = ReturnType<typeof createAppService>;

/** The rules of apps (spec 2.2 and 4.4). An app that is being created or deleted counts as none. */
export function createAppService(deps: {
  apps: AppCollection;
  deletedApps: DeletedAppCollection;
  createApp: CreateApp;
  hasher: PasswordHasher;
}) {
  const { apps, deletedApps, createApp, hasher } = deps;

  async function find(sourceAppId: string, readConcern: 'local' | 'majority' = 'local'): Promise<App | undefined> {
    const found = await apps.findOne({ sourceAppId, deletingSince: { $exists: false } }, { readConcern });
    return found ? toApp(found) : undefined;
  }

  async function exists(filter: mongo.Filter<AppDocument>): Promise<boolean> {
    return (await apps.findOne(filter, { projection: { _id: 1 } })) !== null;
  }

  async function credentials(password: string) {
    return { passwordHash: await hasher.hash(password), credentialId: randomUUID() };
  }

  /** Stores a new app and what it begins with. The unique index decides between two that come at once. */
  async function insert(sourceAppId: string, role: Role, password: string): Promise<App> {
    const app = { sourceAppId, role, ...(await credentials(password)), createdAt: new Date() };
    return toApp({ _id: await createApp(app), ...app });
  }

  async function replacePassword(filter: mongo.Filter<AppDocument>): Promise<NewPassword | undefined> {
    const password = generatePassword();
    const live = { ...filter, deletingSince: { $exists: false } };
    const update = { $set: await credentials(password) };
    const found = await apps.findOneAndUpdate(live, update, { returnDocument: 'after' });
    return found ? { app: toApp(found), password } : undefined;
  }

  return {
    /** The app of that id, or undefined. */
    find,

    /** The app of that id. @throws {NotFound} */
    async get(sourceAppId: string): Promise<App> {
      const app = await find(sourceAppId);
      if (!app) throw new NotFound('App not found');
      return app;
    },

    /** What became of this life of an app. While it is `deleting`, its last removal of records is still to come. */
    async stateOf(_id: Types.ObjectId): Promise<AppState> {
      const app = await apps.findOne({ _id }, { projection: { deletingSince: 1 } });
      if (app) return app.deletingSince ? 'deleting' : 'live';
      // After the app: a deletion writes the tombstone first and removes the app then.
      const tombstone = await deletedApps.findOne({ _id }, { readConcern: 'majority' });
      return tombstone ? 'deleted' : 'missing';
    },

    /** The app that a session belongs to, while it lives and its password is still the one of the session. */
    async findBySession(id: string, credentialId: string): Promise<App | undefined> {
      const _id = new Types.ObjectId(id);
      const found = await apps.findOne({ _id, credentialId, deletingSince: { $exists: false } });
      return found ? toApp(found) : undefined;
    },

    /** All apps by `sourceAppId`, read as they are consumed. */
    async *list(): AsyncGenerator<App> {
      const found = apps.find({ deletingSince: { $exists: false } }).sort({ sourceAppId: 1 });
      for await (const app of found) yield toApp(app);
    },

    /**
     * Creates an app with a generated password and the default schema (spec 4.4).
     * @throws {InvalidInput} for an id of another form @throws {Conflict} when the id is taken
     * @throws {Unavailable} when the database cannot be reached; then the app does not exist, unless the
     * database was out of reach from the confirmation of the creation on (docs/decisions/0015)
     */
    async create(sourceAppId: string, role: Role = 'user'): Promise<NewPassword> {
      if (!APP_ID_PATTERN.test(sourceAppId)) {
        throw new InvalidInput(`Invalid sourceAppId: use ${APP_ID_FORMAT}`);
      }
      if (!REACHABLE_APP_ID.test(sourceAppId)) throw new InvalidInput(`Invalid sourceAppId: ${UNREACHABLE_APP_ID}`);
      // Hashing is slow on purpose; most conflicts can be told without it.
      if (await exists({ sourceAppId, creating: { $exists: false } }))
        throw new Conflict('An app with this sourceAppId already exists');
      const password = generatePassword();
      return { app: await insert(sourceAppId, role, password), password };
    },

    /**
     * Makes sure that an admin app exists. Returns it when this call made it; of two servers that start at once one does.
     * @param given the password to use instead of a generated one
     * @throws {Conflict} when `sourceAppId` is taken by an app that is no admin
     */
    async ensureAdmin(sourceAppId: string, given?: string): Promise<NewPassword | undefined> {
      const anAdmin = { role: 'admin', creating: { $exists: false } } as const;
      if (await exists(anAdmin)) return undefined;
      const password = given ?? generatePassword();
      try {
        return { app: await insert(sourceAppId, 'admin', password), password };
      } catch (error) {
        if (error instanceof Conflict && (await exists(anAdmin))) return undefined;
        throw error;
      }
    },

    /** Gives an app a new generated password. Sessions made with the old one are over at once. @throws {NotFound} */
    async rotatePassword(sourceAppId: string): Promise<NewPassword> {
      const made = await replacePassword({ sourceAppId });
      if (!made) throw new NotFound('App not found');
      return made;
    },

    /**
     * Gives the app of a session a new generated password.
     * @throws {Unauthenticated} when its password changed after the session was looked up
     */
    async rotateOwnPassword({ id, credentialId }: App): Promise<NewPassword> {
      const made = await replacePassword({ _id: id, credentialId });
      if (!made) throw new Unauthenticated();
      return made;
    },

    /**
     * The app when the password is right, else undefined; unknown apps and wrong passwords take equally long.
     * @throws {Unavailable} when it cannot be checked in the time that `waiter` has left
     */
    async checkPassword(sourceAppId: string, password: string, waiter: Waiter): Promise<App | undefined> {
      const found = await apps.findOne({ sourceAppId, deletingSince: { $exists: false } });
      const right = await hasher.verify(password, found?.passwordHash, waiter);
      return right && found ? toApp(found) : undefined;
    },
  };
}

function toApp({ _id, sourceAppId, role, credentialId, createdAt, lastSubmissionAt }: AppDocument): App {
  return { id: _id, sourceAppId, role, credentialId, createdAt, lastSubmissionAt };
}
