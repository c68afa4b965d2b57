import type { ObjectId } from 'mongodb';
import type { AppPrincipal, Scope } from '../api/principal.ts';
import type { App } from '../apps/app.ts';
import type { AppService } from '../apps/apps.service.ts';
import { clientNetwork } from '../core/client-network.ts';
import { Forbidden, NotFound, TooManyRequests, Unauthenticated } from '../core/errors.ts';
import type { SharedLimit, SharedLimits } from '../database/shared-limits.ts';
import type { ApiKeyDocument, ApiKeyStore } from './api-key-store.ts';
import { generateKey, hashKey, isInNetworks } from './key-text.ts';

/** The same for every key that is refused, so that an attacker learns nothing from it. */
const INVALID_KEY = 'Invalid API key';

const FAILURE_WINDOW_MS = 15 * 60 * 1_000;
/** The limit of one network over all apps, as a multiple of `RATE_LIMIT_LOGIN`. */
const NETWORK_FACTOR = 3;

interface KeyInput {
  name: string;
  scopes: Scope[];
  expiresAt?: Date | null | undefined;
  cidrs?: string[] | null | undefined;
}

export type ApiKeyService = ReturnType<typeof createApiKeyService>;

/** The operations on API keys (spec 4.8). @param deps.failures RATE_LIMIT_LOGIN; 0: no limit */
export function createApiKeyService(deps: {
  store: ApiKeyStore;
  apps: Pick<AppService, 'findById'>;
  failures: number;
  limits: SharedLimits;
}) {
  const { store, apps, failures, limits } = deps;
  const limit = failures > 0 ? limits.create('API keys', failures * NETWORK_FACTOR, FAILURE_WINDOW_MS) : undefined;

  return {
    /**
     * Resolves with a key and its app. Reads both on each call, so that a deletion is in force on
     * every server at once.
     * @throws {Unauthenticated} when the key is wrong, deleted or expired, or not for this address
     * @throws {TooManyRequests} instead, after too many such failures of a network
     */
    async authenticate(text: string, address: string): Promise<{ key: ApiKeyDocument; app: App }> {
      const hash = hashKey(text);
      const key = hash && (await store.find(hash));
      const app = key && isUsable(key, address) ? await apps.findById(key.appId) : undefined;
      if (!key || !app) throw await refusal(limit, clientNetwork(address));
      store.noteUse(key, address);
      return { key, app };
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
        throw new Forbidden('Admin role required to give the scope schema:write');
      }
      // The key of an admin app has the rights of an admin.
      if (creator.role !== 'admin' && creator.app.role === 'admin') {
        throw new Forbidden('Admin role required to create keys of an admin app');
      }
      const { key, hash } = generateKey();
      const id = await store.add({
        ...{ appId, hash, name, scopes, createdAt: new Date() },
        ...(expiresAt && { expiresAt }),
        ...(cidrs?.length && { cidrs }),
      });
      return { id: id.toHexString(), key };
    },

    /** Resolves with the keys of an app, expired ones included, the oldest first. */
    list: store.list,

    /** Deletes a key. After that no server accepts it. @throws {NotFound} */
    async remove(appId: ObjectId, id: string): Promise<void> {
      if (!(await store.remove(appId, id))) throw new NotFound('API key not found');
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

/** Counts a failure of a network and resolves with its error. */
async function refusal(limit: SharedLimit | undefined, network: string): Promise<Error> {
  const waitMs = (await limit?.take(network))?.waitMs ?? 0;
  if (waitMs > 0) return new TooManyRequests('Too many invalid API keys; try again later', Math.ceil(waitMs / 1000));
  return new Unauthenticated(INVALID_KEY);
}
