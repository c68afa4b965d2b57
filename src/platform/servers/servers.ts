import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { memoryLimit } from '../core/memory.ts';
import { deriveSecretKey } from '../core/secrets.ts';
import type { Connection } from '../database/client.ts';
import type { Collection } from '../database/collections.ts';
import { createModel, type DocumentOf, type Model, schema } from '../database/mongoose.ts';

/** How long ago a running server renewed its document at most, four renewals. */
const SEEN_WITHIN_MS = 60_000;
const RENEW_EVERY_MS = 15_000;
const DEAD_AFTER_SECONDS = 600;

/**
 * The servers that run on a database.
 *
 * Each server process has one document in `servers`: with `WORKERS`, the first process has it for
 * all workers. It is written before the server listens, renewed every 15 s by one update, and
 * removed when the server stops. A server that is killed leaves its document; the time-to-live
 * index removes it after ten minutes. All times are MongoDB's.
 *
 * A server counts as running while its document was renewed in the last minute
 * ({@link SEEN_WITHIN_MS}). One that is paused for longer writes its document again when it goes
 * on, so the document of a server that was missing can appear at any time. The command line and the
 * process of imports have no document.
 */
const serverSchema = schema(
  {
    /** Random, another one for each start. */
    _id: { type: String, required: true },
    /** The version in package.json. */
    version: { type: String, required: true },
    /**
     * The number of the newest migration that the server knows, 0 for none. A migration of a higher
     * number is not contracted while the server runs (platform/migrations/migration.ts).
     */
    level: { type: Number, required: true },
    startedAt: { type: Date, required: true },
    /** When the document was last renewed. */
    seenAt: { type: Date, required: true },
    host: { type: String, required: true },
    pid: { type: Number, required: true },
    /** The number of processes that serve requests. */
    workers: { type: Number, required: true },
    /**
     * Equal for servers with the same session secret: an HMAC with a key that is derived from it
     * for this use only. It signs and decrypts nothing, and reveals a secret only to who can guess
     * it.
     */
    secretHash: { type: String, required: true },
    /** PUBLIC_URL; null if it is not set. */
    publicUrl: { type: String, allowNull: true },
    sendsMail: { type: Boolean, required: true },
    /** The bucket of FILES_URL with its endpoint; null if files are in the database. */
    filesBucket: { type: String, allowNull: true },
    /** The most connections of one process to one member of the database. */
    poolSize: { type: Number, required: true },
    /** The memory that the process may use, in bytes; null if it has no limit. */
    memoryLimit: { type: Number, allowNull: true },
    /** The version of Node.js. */
    node: { type: String, required: true },
    /** How far the clock of the server is ahead of the database's, in milliseconds. */
    clockAheadMs: { type: Number, required: true },
  },
  { collection: 'servers', placement: 'one document for each server' },
).index({ seenAt: 1 }, { expireAfterSeconds: DEAD_AFTER_SECONDS });
export type ServerDocument = DocumentOf<typeof serverSchema>;

type ServerCollection = Collection<ServerDocument>;

/** The model of `servers`. */
export const createServerModel = (connection: Connection): Model<ServerDocument> =>
  createModel(connection, serverSchema);

/** The version in package.json. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version;

/** A server and how long ago its document was renewed, by MongoDB's clock. */
export type SeenServer = ServerDocument & { silentMs: number };

/** Resolves with the servers that have a document, also those that were killed, oldest first. */
export function listServers(servers: ServerCollection): Promise<SeenServer[]> {
  const silentMs = { $subtract: ['$$NOW', '$seenAt'] };
  const pipeline = [{ $set: { silentMs } }, { $sort: { startedAt: 1, _id: 1 } }];
  return servers.aggregate<SeenServer>(pipeline).toArray();
}

/** Resolves with the servers that count as running. */
export async function runningServers(servers: ServerCollection): Promise<SeenServer[]> {
  return (await listServers(servers)).filter(({ silentMs }) => silentMs < SEEN_WITHIN_MS);
}

/** The hash in `secretHash` of servers with this session secret. */
export function hashSecret(secret: string): string {
  return createHmac('sha256', deriveSecretKey(secret, 'server announcement')).update('equal').digest('base64url');
}

export type ServerSettings = Pick<
  ServerDocument,
  'version' | 'level' | 'workers' | 'publicUrl' | 'sendsMail' | 'filesBucket' | 'poolSize'
> & { sessionSecret: string };

/** Also by the wall clock: the monotonic one stops while a machine is suspended. */
const moment = () => ({ monotonic: performance.now(), wall: Date.now() });

/** Announces this process in `servers` from `start` to `stop`. */
export function createAnnouncement(
  servers: ServerCollection,
  { sessionSecret, ...settings }: ServerSettings,
  {
    clockAheadMs,
    onReturn,
    renewEveryMs = RENEW_EVERY_MS,
    seenWithinMs = SEEN_WITHIN_MS,
  }: {
    clockAheadMs(): number;
    /** Called when the server did not count as running, because it was paused or cut off. */
    onReturn(): void;
    renewEveryMs?: number | undefined;
    seenWithinMs?: number;
  },
) {
  const fixed = {
    _id: randomUUID(),
    ...settings,
    secretHash: hashSecret(sessionSecret),
    host: hostname(),
    pid: process.pid,
    node: process.version,
    memoryLimit: memoryLimit(),
  };
  let renewal = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let renewedAt = moment();

  async function announce(): Promise<void> {
    const document = { $literal: { ...fixed, clockAheadMs: Math.round(clockAheadMs()) } };
    const times = { startedAt: { $ifNull: ['$startedAt', '$$NOW'] }, seenAt: '$$NOW' };
    const update = [{ $replaceWith: { $mergeObjects: [document, times] } }];
    const begun = moment();
    await servers.updateOne({ _id: fixed._id }, update, { upsert: true });
    const isBack = Math.max(begun.monotonic - renewedAt.monotonic, begun.wall - renewedAt.wall) > seenWithinMs;
    renewedAt = begun;
    if (isBack) onReturn();
  }

  return {
    id: fixed._id,

    /** Resolves when the document is written. @throws when the database does not answer */
    async start(): Promise<void> {
      renewedAt = moment();
      await announce();
      timer = setInterval(() => {
        // The database may be away; the next renewal writes the document again.
        renewal = renewal.then(announce).catch(() => undefined);
      }, renewEveryMs).unref();
    },

    /** Removes the document, after a renewal in progress, which would write it again. */
    async stop(): Promise<void> {
      if (timer === undefined) return;
      clearInterval(timer);
      await renewal;
      await servers.deleteOne({ _id: fixed._id });
    },
  };
}
