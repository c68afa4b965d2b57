import { ObjectId } from 'mongodb';
import { Conflict } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { inFreePlace } from '../../platform/database/free-place.ts';
import { type Guard, insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import { parseObjectId } from '../../platform/database/ordered-ids.ts';
import { say } from '../../platform/languages/reasons.ts';

/** The shared views of an app at most, and those of each account in an app (spec 8). */
const MAX_VIEWS = 50;

/** The owner of the views that everybody of an app sees. */
export const SHARED = 'shared';

const viewSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    /** `shared`; `account:<id>`; or `login:<app id>` for all who log in with the app's password. */
    owner: { type: String, required: true },
    /** Absent unless an account is the owner. */
    accountId: ObjectId,
    /** Below {@link MAX_VIEWS} and unique for its owner, so that the index bounds the views. */
    place: { type: Number, required: true },
    name: { type: String, required: true },
    query: { type: String, required: true },
    columns: { type: [String], required: true },
    sort: { type: String, required: true },
    /** The schema version whose keys it has. */
    version: { type: Number, required: true },
    /** Replaced by each change, for `If-Match`. */
    revision: { type: ObjectId, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'views', placement: 'at most 50 shared views of an app, and 50 of each account' },
)
  .index({ appId: 1, owner: 1, place: 1 }, { unique: true })
  .index({ accountId: 1 }, { partialFilterExpression: { accountId: { $exists: true } } });

export type ViewDocument = DocumentOf<typeof viewSchema>;

/** What a view contains (spec 4.3.4). */
export type ViewContent = Pick<ViewDocument, 'name' | 'query' | 'columns' | 'sort'>;

/** Whose views are meant. */
export type ViewOwner = Pick<ViewDocument, 'owner' | 'accountId'>;

export type ViewModel = Model<ViewDocument>;

export const createViewModel = (connection: Connection): ViewModel => createModel(connection, viewSchema);

/** An estimate for statements that insert one view. */
const VIEW_BYTES = 64 * 1024;

export type ViewStore = ReturnType<typeof createViewStore>;

/** The views of all apps in the database. */
export function createViewStore(views: ViewModel) {
  const inPlaceOf = <Result>(appId: ObjectId, owner: string, write: (place: number) => Promise<Result>) =>
    inFreePlace(
      MAX_VIEWS,
      () => views.find({ appId, owner }, { projection: { place: 1 } }),
      write,
      () => new Conflict(say('viewLimit', { max: MAX_VIEWS })),
    );

  const visible = (appId: ObjectId, owner: string) => ({ appId, owner: { $in: [SHARED, owner] } });

  return {
    /** Resolves with the shared views of an app and those of the owner, by their names. */
    async list(appId: ObjectId, { owner }: ViewOwner): Promise<ViewDocument[]> {
      const found = await views.find(visible(appId, owner));
      // biome-ignore lint/plugin: a name has at most 60 characters
      return found.sort((one, other) => one.name.localeCompare(other.name) || Buffer.compare(one._id.id, other._id.id));
    },

    /** Resolves with a view that the owner can see. */
    async find(appId: ObjectId, { owner }: ViewOwner, id: string): Promise<ViewDocument | undefined> {
      const _id = parseObjectId(id);
      return (_id && (await views.findOne({ _id, ...visible(appId, owner) }))) ?? undefined;
    },

    /** Resolves with the name of each shared view, by its id in hexadecimal. */
    async namedShared(ids: readonly ObjectId[]): Promise<Map<string, string>> {
      const found = await views.find({ _id: { $in: [...ids] }, owner: SHARED }, { projection: { name: 1 } });
      return new Map(found.map(({ _id, name }) => [_id.toHexString(), name]));
    },

    /**
     * Stores a view. @param guard the account that has to exist
     * @throws {Conflict} when its owner has {@link MAX_VIEWS}
     */
    add: (
      appId: ObjectId,
      owner: ViewOwner,
      content: ViewContent & Pick<ViewDocument, 'version'>,
      guard?: Guard<{ _id: ObjectId }>,
    ): Promise<ViewDocument> =>
      inPlaceOf(appId, owner.owner, async (place) => {
        const now = new Date();
        const times = { revision: new ObjectId(), createdAt: now, updatedAt: now };
        const view: ViewDocument = { _id: new ObjectId(), appId, ...owned(owner), place, ...content, ...times };
        // By the collection: `$merge`.
        if (guard) await insertGuarded(guard, insertTarget(views.collection), [view], () => VIEW_BYTES);
        else await views.insertOne(view);
        return view;
      }),

    /**
     * Changes a view as it was read, and gives it to `to`; resolves with undefined when it has
     * changed or has been removed since, or when it is too late.
     * @throws {Conflict} when its new owner has {@link MAX_VIEWS}
     */
    async change(
      { _id, appId, owner, revision }: ViewDocument,
      content: Partial<ViewContent & Pick<ViewDocument, 'version'>>,
      to: ViewOwner,
      until?: Until,
    ): Promise<ViewDocument | undefined> {
      const write = async (place?: number): Promise<ViewDocument | null> => {
        const moved = place === undefined ? {} : { ...owned(to), place };
        const set = { ...content, ...moved, revision: new ObjectId(), updatedAt: new Date() };
        const isPublished = place !== undefined && to.accountId === undefined;
        const update = { $set: set, ...(isPublished && { $unset: { accountId: 1 as const } }) };
        const unchanged = { _id, appId, owner, revision, ...(until && beginsBefore(await until())) };
        return views.findOneAndUpdate(unchanged, update, { returnDocument: 'after' });
      };
      return (await (to.owner === owner ? write() : inPlaceOf(appId, to.owner, write))) ?? undefined;
    },

    /** Deletes a view as it was read by its owner; resolves with whether it was there. */
    remove: async ({ _id, appId, owner }: ViewDocument, until: Until): Promise<boolean> =>
      (await views.deleteOne({ _id, appId, owner, ...beginsBefore(await until()) })).deletedCount === 1,

    /** Removes the own views of an account that is being erased. */
    async forgetAccount(accountId: ObjectId): Promise<void> {
      await views.deleteMany({ accountId });
    },
  };
}

function owned({ owner, accountId }: ViewOwner): ViewOwner {
  return accountId === undefined ? { owner } : { owner, accountId };
}
