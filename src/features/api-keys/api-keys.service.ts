import { Binary, ObjectId } from 'mongodb';
import {
  type AppPrincipal,
  type KeyPrincipal,
  type Permission,
  type Scope,
  withApp,
} from '../../core/api/principal.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import { clientNetwork } from '../../platform/core/client-network.ts';
import { Conflict, Forbidden, NotFound, TooManyRequests, Unauthenticated } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import { inFreePlace } from '../../platform/database/free-place.ts';
import { createModel, type DocumentOf, only, schema } from '../../platform/database/mongoose.ts';
import { parseObjectId } from '../../platform/database/ordered-ids.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import { say } from '../../platform/languages/reasons.ts';
import { generateKey, hashKey, isInNetworks } from './key-text.ts';

/** The keys of one app at most (spec 8). */
const MAX_KEYS = 50;
/** The age at which a stored use is replaced, in milliseconds. */
const NOTE_EVERY_MS = 60_000;
const FAILURE_WINDOW_MS = 15 * 60 * 1_000;
/** The limit of one network over all apps, as a multiple of `RATE_LIMIT_LOGIN`. */
const NETWORK_FACTOR = 3;

/** One API key (spec 4.8). The key itself is not stored. */
const apiKeySchema = schema(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    /** A number below {@link MAX_KEYS}, unique in the app, so that the index bounds the keys. */
    place: { type: Number, required: true },
    /** The SHA-256 of the key. */
    hash: { type: Binary, required: true },
    name: { type: String, required: true },
    scopes: { type: [only<Scope>(String)], required: true },
    createdAt: { type: Date, required: true },
    expiresAt: Date,
    /** The only networks that may use the key, as `canonicalNetwork` returns them. */
    cidrs: [String],
    /** May lag by a minute. */
    lastUsedAt: Date,
    /** The address of that request. */
    lastUsedFrom: String,
  },
  { collection: 'api_keys', placement: 'at most 50 for each app; the hash is unique over all apps' },
)
  .index({ hash: 1 }, { unique: true })
  .index({ appId: 1, place: 1 }, { unique: true });
export type ApiKeyDocument = DocumentOf<typeof apiKeySchema>;

interface KeyInput {
  name: string;
  scopes: Scope[];
  expiresAt?: Date | null | undefined;
  cidrs?: string[] | null | undefined;
}

export type ApiKeyService = ReturnType<typeof createApiKeyService>;

/** The operations on API keys (spec 4.8). @param deps.failures RATE_LIMIT_LOGIN; 0: no limit */
export function createApiKeyService(deps: {
  connection: Connection;
  apps: Pick<AppService, 'findById'>;
  failures: number;
  limits: SharedLimits;
}) {
  const { connection, apps, failures, limits } = deps;
  const keys = createModel(connection, apiKeySchema);
  const limit = failures > 0 ? limits.create('API keys', failures * NETWORK_FACTOR, FAILURE_WINDOW_MS) : undefined;
  /** The keys whose use is being written. */
  const noting = new Set<string>();

  /** Counts a failure of a network and resolves with its error, which tells nothing of the key. */
  async function refusal(network: string): Promise<Error> {
    const waitMs = (await limit?.take(network))?.waitMs ?? 0;
    if (waitMs > 0) return new TooManyRequests('tooManyInvalidKeys', Math.ceil(waitMs / 1000));
    return new Unauthenticated('invalidApiKey');
  }

  /** Writes that a key was used, at most once a minute over all servers. Ignores failures. */
  function noteUse({ _id, lastUsedAt }: ApiKeyDocument, address: string): void {
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
  }

  /** Stores a key and resolves with its id. @throws {Conflict} for more than {@link MAX_KEYS} */
  async function store(key: Omit<ApiKeyDocument, '_id' | 'place'>): Promise<string> {
    const taken = () => keys.find({ appId: key.appId }, { projection: { place: 1 } });
    const insert = async (place: number): Promise<string> => {
      const _id = new ObjectId();
      await keys.insertOne({ _id, place, ...key });
      return _id.toHexString();
    };
    const full = () => new Conflict(say('keyLimit', { max: MAX_KEYS }));
    return inFreePlace(MAX_KEYS, taken, insert, full);
  }

  return {
    model: keys,

    /**
     * Resolves with the caller that has a key. Reads the key and its app on each call, so that a
     * deletion is in force on every server at once.
     * @throws {Unauthenticated} when the key is wrong, deleted or expired, or not for this address
     * @throws {TooManyRequests} instead, after too many such failures of a network
     */
    async authenticate(text: string, address: string): Promise<KeyPrincipal> {
      const hash = hashKey(text);
      const key = hash && (await keys.findOne({ hash }));
      const app = key && isUsable(key, address) ? await apps.findById(key.appId) : undefined;
      if (!key || !app) throw await refusal(clientNetwork(address));
      noteUse(key, address);
      const scopes = new Set<Permission>(key.scopes);
      return withApp({ kind: 'key' as const, role: app.role, own: app, scopes, keyId: key._id.toHexString() });
    },

    /**
     * Creates a key of an app, and resolves with it. It cannot be shown again.
     * @throws {Forbidden} when the key could do more than its creator
     * @throws {Conflict} when the app has too many keys
     */
    async create(
      appId: ObjectId,
      { name, scopes, expiresAt, cidrs }: KeyInput,
      creator: AppPrincipal,
    ): Promise<{ id: string; key: string }> {
      if (scopes.includes('schema:write') && !mayWriteSchemas(creator)) {
        throw new Forbidden('adminForScope');
      }
      // The key of an admin app has the rights of an admin.
      if (creator.role !== 'admin' && creator.app.role === 'admin') {
        throw new Forbidden('adminForKeys');
      }
      const { key, hash } = generateKey();
      const id = await store({
        appId,
        hash,
        name,
        scopes,
        createdAt: new Date(),
        ...(expiresAt && { expiresAt }),
        ...(cidrs?.length && { cidrs }),
      });
      return { id, key };
    },

    /** Resolves with the keys of an app, expired ones included, the oldest first. */
    list: (appId: ObjectId): Promise<ApiKeyDocument[]> => keys.find({ appId }, { sort: { _id: 1 } }),

    /** Resolves with the name of each key that exists, by its id in hexadecimal. */
    async named(ids: readonly ObjectId[]): Promise<Map<string, string>> {
      const found = await keys.find({ _id: { $in: [...ids] } }, { projection: { name: 1 } });
      return new Map(found.map(({ _id, name }) => [_id.toHexString(), name]));
    },

    /** Deletes a key. After that no server accepts it. @throws {NotFound} */
    async remove(appId: ObjectId, id: string): Promise<void> {
      const _id = parseObjectId(id);
      if (_id && (await keys.deleteOne({ _id, appId })).deletedCount === 1) return;
      throw new NotFound('keyNotFound');
    },
  };
}

/** Operators with the password of their app may not write its schema; managers may. */
function mayWriteSchemas({ role, kind, scopes, ...caller }: AppPrincipal): boolean {
  return role === 'admin' || (kind === 'session' && 'account' in caller && scopes.has('schema:write'));
}

function isUsable({ expiresAt, cidrs }: ApiKeyDocument, address: string): boolean {
  if (expiresAt && expiresAt.getTime() <= Date.now()) return false;
  return cidrs === undefined || isInNetworks(address, cidrs);
}
