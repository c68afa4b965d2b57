import { createHash } from 'node:crypto';
import { Binary, type ObjectId, UUID } from 'mongodb';
import type { RecordId, UserCollection, UserDocument } from '../../core/users/users.model.ts';
import type { DocumentId } from '../../platform/bson/documents.ts';
import { KeyReused } from '../../platform/core/errors.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { isOnlyDuplicates } from '../../platform/database/failures.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import { prefixRange } from '../../platform/database/ordered-ids.ts';
import { ownedBy, removeInSteps } from '../../platform/database/removal.ts';
import type { EventConsumer } from '../outbox/outbox.ts';
import type { ErasureGuard, RecordTraces } from '../records/erasure.ts';

/** Of the hash of a key. */
export const HASH_BYTES = 16;
const TEXTS_HASH_BYTES = 8;
const RECORD_ID_BYTES = 16;
const APP_ID_BYTES = 12;
/** 24 hours (invariant 3), and one hour for clock skew and the interval of the TTL monitor. */
export const KEPT_SECONDS = 25 * 60 * 60;

/** With this many keys a record moves them to `applied_keys`. */
export const MAX_INLINE_KEYS = 128;

/** A submission with an `Idempotency-Key`: hashes of the key and of the data, and the time. */
export const appliedKeySchema = schema({
  key: { type: Binary, required: true },
  content: { type: Binary, required: true },
  at: { type: Date, required: true },
  /**
   * The kept submission that is all its submission stores (known-people.ts). The key is applied
   * when that one exists.
   */
  keptAs: UUID,
});
export type AppliedKey = DocumentOf<typeof appliedKeySchema>;

/** The members of a record with keys. */
export interface WithKeys {
  /** The newest submissions with a key, oldest first. Others are in `applied_keys`. */
  appliedKeys?: AppliedKey[];
  /** The number of moves from `appliedKeys` to `applied_keys` (idempotency-keys.ts). */
  keyEpoch?: number;
}

declare module '../../core/users/users.model.ts' {
  interface UserDocument extends WithKeys {}
}

/**
 * A key that was moved out of its record. `_id`: the app's id, the record's id, the key's hash. Or
 * the record of a key and a former email, of which the id has a hash (former-emails.ts).
 */
const movedKeySchema = schema(
  {
    _id: { type: Binary, required: true },
    content: { type: Binary, required: true },
    at: { type: Date, required: true },
    keptAs: UUID,
    /** Of a former email: the record, and how long another one may still be stored for the key. */
    record: UUID,
    busyUntil: Date,
  },
  {
    collection: 'applied_keys',
    shardKey: { _id: 1 },
    placement: 'one for each keyed submission beyond 128 of a record; the id begins with that of the app',
  },
).index({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS });

/** The key of an earlier submission, from its record or moved out of it. */
export type EarlierKey = Pick<AppliedKey, 'content' | 'keptAs'>;

type MovedKeyDocument = DocumentOf<typeof movedKeySchema>;
export type MovedKeyCollection = Collection<MovedKeyDocument>;

/** The model of `applied_keys`. */
export const createMovedKeyModel = (connection: Connection): Model<MovedKeyDocument> =>
  createModel(connection, movedKeySchema);

/** Hashes of bounded size, also of the texts of a form: the schema determines their data. */
export function appliedKey(
  key: string,
  { data = {}, texts }: { data?: Record<string, unknown> | undefined; texts?: string },
  at: Date,
): AppliedKey {
  const hashOfData = digest(JSON.stringify(data));
  const content =
    texts === undefined ? hashOfData : Buffer.concat([hashOfData, digest(texts).subarray(0, TEXTS_HASH_BYTES)]);
  return { key: new Binary(digest(key)), content: new Binary(content), at };
}

/** Whether two submissions have the same data, or the same texts of a form. */
function hasSameContent(one: Pick<AppliedKey, 'content'>, other: Pick<AppliedKey, 'content'>): boolean {
  const [a, b] = [keyBytes(one.content), keyBytes(other.content)];
  const [textsOfA, textsOfB] = [a.subarray(HASH_BYTES), b.subarray(HASH_BYTES)];
  return (
    a.subarray(0, HASH_BYTES).equals(b.subarray(0, HASH_BYTES)) || (textsOfA.length > 0 && textsOfA.equals(textsOfB))
  );
}

/** Identifies a submission among all of an app: a repeat is the same one. */
export function submissionHash(email: string, { key, content }: Pick<AppliedKey, 'key' | 'content'>): Binary {
  const hash = createHash('sha256').update(keyBytes(key)).update(keyBytes(content)).update(email);
  return new Binary(hash.digest().subarray(0, HASH_BYTES));
}

function keyBytes({ buffer, position }: Binary): Buffer {
  return Buffer.from(buffer.buffer, buffer.byteOffset, position);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);
}

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

/**
 * Keeps the idempotency keys that were moved out of their records (invariant 3, decision 2). A
 * full record moves its keys to `applied_keys` and increments its `keyEpoch`. The filter of an
 * upsert has the epoch of its look-up, so a move in between fails the write instead of applying a
 * repeat twice.
 */
export function createIdempotencyKeys(users: UserCollection, moved: MovedKeyCollection, guardOfErased: ErasureGuard) {
  const moves = new Map<string, Promise<void>>();

  async function move({ _id, appId }: Pick<UserDocument, '_id' | 'appId'>): Promise<void> {
    const projection = { email: 1, appliedKeys: 1, keyEpoch: 1, now: '$$NOW' };
    const record = await users.findOne<Pick<UserDocument, 'email' | 'appliedKeys' | 'keyEpoch'> & { now: Date }>(
      { _id, appId },
      { projection, readConcern: 'majority' },
    );
    if (!record?.appliedKeys?.length) return;
    const { email, appliedKeys, keyEpoch, now } = record;
    // From now on, by MongoDB's clock, which removes them: the keys have times of other clocks.
    await insertMissing(
      appliedKeys.map(({ key, content, keptAs }) => ({
        _id: movedKeyId(appId, _id.buffer, key),
        content,
        at: now,
        ...(keptAs && { keptAs }),
      })),
    );
    await users.updateOne(
      { _id, appId, email, keyEpoch: keyEpoch ?? { $exists: false } },
      {
        $pull: { appliedKeys: { key: { $in: appliedKeys.map(({ key }) => key) } } },
        $set: { keyEpoch: (keyEpoch ?? 0) + 1 },
      },
    );
  }

  /** The moved keys of some records, of one to a thousand. */
  const ofRecords = (appIds: readonly ObjectId[], records: readonly DocumentId[]) => ({
    $or: appIds.flatMap((appId) => records.map((record) => ({ _id: idRange(appId.id, record.buffer) }))),
  });

  async function insertMissing(documents: MovedKeyDocument[]): Promise<void> {
    if (documents.length === 0) return;
    try {
      await moved.insertMany(documents, { ordered: false });
    } catch (error) {
      if (!isOnlyDuplicates(error)) throw error;
    }
  }

  /** A moved key, or undefined when the key was not moved. */
  async function find(appId: ObjectId, record: RecordId, key: Binary): Promise<EarlierKey | undefined> {
    return (await moved.findOne({ _id: movedKeyId(appId, record.buffer, key) })) ?? undefined;
  }

  return {
    find,

    /**
     * The earlier submission of a key, in its record or moved out of it; undefined: there is none.
     * @param record of its keys only this one was read @throws {KeyReused} for other data
     */
    async earlier(
      { _id, appId, appliedKeys = [], keyEpoch = 0 }: Pick<UserDocument, '_id' | 'appId' | 'appliedKeys' | 'keyEpoch'>,
      applied: AppliedKey,
    ): Promise<EarlierKey | undefined> {
      const found = appliedKeys[0] ?? (keyEpoch > 0 ? await find(appId, _id, applied.key) : undefined);
      if (found && !hasSameContent(found, applied)) throw new KeyReused();
      return found;
    },

    /** Moves all keys out of a record. Concurrent calls for one record share one move. */
    moveOut(record: Pick<UserDocument, '_id' | 'appId'>): Promise<void> {
      const id = record._id.toHexString();
      const running = moves.get(id) ?? move(record).finally(() => moves.delete(id));
      moves.set(id, running);
      return running;
    },

    traces: {
      exist: async (...of) => (await moved.findOne(ofRecords(...of), { projection: { _id: 1 } })) !== null,
      remove: (appIds, ids, guard) => removeInSteps(moved, ofRecords(appIds, ids), guard),
    } satisfies RecordTraces,

    /** Removes the keys of erased records, because an erasure may stop before it does. */
    consumer: {
      async consume(events) {
        const erased = new Map<string, { appId: ObjectId; ids: RecordId[] }>();
        for (const { type, appId, recordId } of events) {
          if (type !== 'user.erased') continue;
          const ofApp = erased.get(appId.toHexString()) ?? { appId, ids: [] };
          erased.set(appId.toHexString(), ofApp);
          ofApp.ids.push(recordId);
        }
        for (const { appId, ids } of erased.values()) {
          await removeInSteps(moved, ofRecords([appId], ids), guardOfErased([appId], ids));
        }
      },
    } satisfies EventConsumer,

    ...ownedBy(moved, 'at', { of: (appId) => ({ _id: idRange(appId.id) }) }),
  };
}

const idRange = (...parts: Uint8Array[]) => prefixRange(APP_ID_BYTES + RECORD_ID_BYTES + HASH_BYTES, ...parts);

/** @param owner the id of the record, or the hash of a former email */
export function movedKeyId(appId: ObjectId, owner: Uint8Array, key: Binary): Binary {
  return new Binary(Buffer.concat([appId.id, owner, key.buffer]));
}

/** Matches the moved keys of a record. */
export const keysOfRecord = (appId: ObjectId, record: RecordId) => ({ _id: idRange(appId.id, record.buffer) });
