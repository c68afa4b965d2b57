import { type Binary, ObjectId } from 'mongodb';
import type { Scope } from '../api/principal.ts';
import { Conflict, Unavailable } from '../core/errors.ts';
import type { Connection } from '../database/client.ts';
import {
  type Collection,
  createModel,
  declareCollection,
  type Model,
  onPrimaryShard,
} from '../database/collections.ts';
import { isDuplicateKey } from '../database/failures.ts';

/** The keys of one app at most (spec 8). */
export const MAX_KEYS = 50;

/** One API key (spec 4.8). The key itself is not stored. */
export interface ApiKeyDocument {
  _id: ObjectId;
  appId: ObjectId;
  /** A number below {@link MAX_KEYS}, unique in the app, so that the index bounds the keys. */
  place: number;
  /** The SHA-256 of the key. */
  hash: Binary;
  name: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt?: Date;
  /** The only networks that may use the key, as `canonicalNetwork` returns them. */
  cidrs?: string[];
  /** May lag by a minute. */
  lastUsedAt?: Date;
  /** The address of that request. */
  lastUsedFrom?: string;
}

const API_KEYS = declareCollection(
  'api_keys',
  onPrimaryShard('at most 50 for each app; the hash is unique over all apps'),
)
  .index({ hash: 1 }, { unique: true })
  .index({ appId: 1, place: 1 }, { unique: true });

type ApiKeyCollection = Collection<ApiKeyDocument>;

export const createApiKeyModel = (connection: Connection): Model<ApiKeyDocument> => createModel(connection, API_KEYS);

/** The age at which a stored use is replaced, in milliseconds. */
const NOTE_EVERY_MS = 60_000;

export type NewApiKey = Omit<ApiKeyDocument, '_id' | 'place'>;

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

/** The keys of all apps in the database. */
export function createApiKeyStore(keys: ApiKeyCollection) {
  /** The keys whose use is being written. */
  const noting = new Set<string>();

  return {
    /** Resolves with the key of this hash. Reads the database, so that a deletion is in force. */
    find: async (hash: Binary): Promise<ApiKeyDocument | undefined> => (await keys.findOne({ hash })) ?? undefined,

    /** Resolves with the keys of an app, the oldest first. */
    list: (appId: ObjectId): Promise<ApiKeyDocument[]> => keys.find({ appId }).sort({ _id: 1 }).toArray(),

    /** Stores a key and resolves with its id. @throws {Conflict} for more than {@link MAX_KEYS} */
    async add(key: NewApiKey): Promise<ObjectId> {
      for (let tries = 0; tries < MAX_KEYS; tries += 1) {
        const taken = await keys.find({ appId: key.appId }, { projection: { place: 1 } }).toArray();
        const place = freePlace(taken.map((other) => other.place));
        if (place === undefined) throw new Conflict(`An app has at most ${MAX_KEYS} API keys; delete one first`);
        const _id = new ObjectId();
        try {
          await keys.insertOne({ _id, place, ...key });
          return _id;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
      }
      throw new Unavailable('Too many API keys are being created; try again');
    },

    /** Deletes a key; resolves with false when the app has none of this id. */
    async remove(appId: ObjectId, id: string): Promise<boolean> {
      if (!/^[0-9a-f]{24}$/.test(id)) return false;
      return (await keys.deleteOne({ _id: new ObjectId(id), appId })).deletedCount === 1;
    },

    /** Writes that a key was used, at most once a minute over all servers. Ignores failures. */
    noteUse({ _id, lastUsedAt }: ApiKeyDocument, address: string): void {
      const now = new Date();
      const before = new Date(now.getTime() - NOTE_EVERY_MS);
      const id = _id.toHexString();
      if ((lastUsedAt && lastUsedAt > before) || noting.has(id)) return;
      noting.add(id);
      const unused = { $or: [{ lastUsedAt: { $exists: false } }, { lastUsedAt: { $lte: before } }] };
      const use = { $set: { lastUsedAt: now, lastUsedFrom: address } };
      void keys
        .updateOne({ _id, ...unused }, use, { writeConcern: { w: 1 } })
        .catch(() => undefined)
        .finally(() => noting.delete(id));
    },
  };
}

/** One of the free places by chance, so that concurrent creations rarely want the same. */
function freePlace(taken: readonly number[]): number | undefined {
  const free = Array.from({ length: MAX_KEYS }, (_, place) => place).filter((place) => !taken.includes(place));
  return free[Math.floor(Math.random() * free.length)];
}
