import { createHmac } from 'node:crypto';
import { Binary, type Document, type ObjectId, type UUID } from 'mongodb';
import type { App } from '../../core/apps/app.ts';
import type { AppPart } from '../../core/apps/app-part.ts';
import type { AppModel } from '../../core/apps/apps.model.ts';
import type { AppRevision } from '../../core/apps/revision.ts';
import type { Claim, Submission } from '../../core/users/submission.ts';
import type { RecordId, UserCollection, UserDocument } from '../../core/users/users.model.ts';
import type { RefusingRecord } from '../../core/users/write-part.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { Conflict, Unavailable } from '../../platform/core/errors.ts';
import { deriveSecretKey } from '../../platform/core/secrets.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import type { Guard } from '../../platform/database/guarded-insert.ts';
import { STATEMENT_ENDS_MS } from '../../platform/database/lateness.ts';
import type { MembersOf } from '../../platform/database/mongoose.ts';
import {
  type AppliedKey,
  type EarlierKey,
  HASH_BYTES,
  type IdempotencyKeys,
  KEPT_SECONDS,
  keysOfRecord,
  type MovedKeyCollection,
  movedKeyId,
} from './idempotency-keys.ts';
import type { KeptWrites } from './kept-writes.ts';

const members = { formerEmailsUntil: Date } as const;

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
  interface App {
    /** Until then, a submission may repeat one of a record whose email was changed since. */
    formerEmailsUntil?: Date;
  }
}

export const formerEmailPart: AppPart = {
  members,
  read: ({ formerEmailsUntil }) => (formerEmailsUntil ? { formerEmailsUntil } : {}),
  isSame: (one, other) => one.formerEmailsUntil?.getTime() === other.formerEmailsUntil?.getTime(),
};

const KEYS_AT_ONCE = 1_000;
/** The most moved keys of a record whose email can be changed. */
const MAX_MOVED_KEYS = 20_000;
/** How long an app is marked for. A mark is renewed while it covers the time of new keys. */
const MARKED_MS = KEPT_SECONDS * 1_000 + 3_600_000;
const MARKED_AGAIN_MS = 3_600_000;
/** More than what the clocks of two servers may differ. */
const KNOWN_AFTER_MS = 10 * 60_000;
const BUSY_SECONDS = STATEMENT_ENDS_MS / 1_000;

/** The time limit of a write that claims nothing else: none. */
const NO_LIMIT = new Date(8_640_000_000_000_000);

type KeyedRecord = Pick<UserDocument, 'email' | 'appliedKeys' | 'keyEpoch'>;
type Key = Pick<AppliedKey, 'key' | 'content'>;

export type FormerEmails = ReturnType<typeof createFormerEmails>;

/**
 * The idempotency keys of records whose email was changed (invariant 3): a repeat with the former
 * email is answered as one of the record. `applied_keys` names the record of an email and a key,
 * with a keyed hash in place of the email.
 *
 * A submission with a key stores such a document before it creates a record, for that record, and
 * the insert requires it. The change of an email makes all documents of the keys of the record its
 * own before it frees the email. So the insert of a repeat stores nothing.
 *
 * @param deps.secret derives the keys of the hashes
 */
export function createFormerEmails(deps: {
  users: UserCollection;
  moved: MovedKeyCollection;
  apps: AppModel;
  revision: Pick<AppRevision, 'publish'>;
  keys: Pick<IdempotencyKeys, 'earlier'>;
  keptWrites: Pick<KeptWrites, 'complete'>;
  secret: string;
}) {
  const { users, moved, apps, revision, keys, keptWrites, secret } = deps;

  /** The key of each app differs, so that hashes do not reveal who is in two apps. */
  function hashIn(appId: ObjectId, email: string): Uint8Array {
    const key = deriveSecretKey(secret, 'former email', appId.id);
    return createHmac('sha256', key).update(email).digest().subarray(0, HASH_BYTES);
  }

  /** Resolves with a record that has a key, and what it has of it. @throws {KeyReused} */
  async function holderOf(
    appId: ObjectId,
    applied: AppliedKey,
    _id: UUID | undefined,
  ): Promise<{ record: RefusingRecord & KeyedRecord; earlier: EarlierKey } | undefined> {
    if (!_id) return undefined;
    const appliedKeys = { $elemMatch: { key: applied.key } };
    const projection = { appId: 1, email: 1, createdAt: 1, updatedAt: 1, keyEpoch: 1, appliedKeys };
    const options = { projection, readConcern: 'majority' } as const;
    const record = await users.findOne<RefusingRecord & KeyedRecord>({ _id, appId }, options);
    const earlier = record ? await keys.earlier(record, applied) : undefined;
    return record && earlier ? { record, earlier } : undefined;
  }

  /**
   * Makes `record` the one that a submission of this key creates.
   * @throws {SentBefore} when it repeats one of a record that has another email now
   */
  async function reserve(submission: Submission, applied: AppliedKey, _id: Binary, record: RecordId): Promise<void> {
    const { appId, email } = submission;
    for (const again = limitAttempts('submissionsOfRecord', 1); ; again()) {
      const own = { content: applied.content, at: '$$NOW', record };
      const isNew = { $eq: [{ $type: '$record' }, 'missing'] };
      const reserved = Object.entries(own).map(([name, value]) => [name, { $cond: [isNew, value, `$${name}`] }]);
      const found = await moved
        .findOneAndUpdate({ _id }, [{ $set: Object.fromEntries(reserved) }], { upsert: true, returnDocument: 'after' })
        .catch((error) => {
          // Another request has just stored it.
          if (isDuplicateKey(error)) return null;
          throw error;
        });
      if (!found?.record) continue;
      if (found.record.equals(record)) return;
      const before = await holderOf(appId, applied, found.record);
      if (before?.record.email === email) throw new Unavailable('recordChanging', 1);
      if (before) {
        await keptWrites.complete(before.record, submission, before.earlier.keptAs);
        throw new SentBefore();
      }
      // Of a submission that stored nothing, or whose record was erased.
      const theirs = { _id, record: found.record };
      if ((await moved.updateOne(theirs, [{ $set: own }])).matchedCount > 0) return;
    }
  }

  /**
   * Resolves with the record to which a submission of this key was applied under a former email.
   * @throws {KeyReused} for other data
   */
  async function find(appId: ObjectId, email: string, applied: AppliedKey) {
    const _id = movedKeyId(appId, hashIn(appId, email), applied.key);
    const found = await moved.findOne({ _id }, { readConcern: 'majority' });
    const before = await holderOf(appId, applied, found?.record);
    return before?.record.email === email ? undefined : before;
  }

  /** @throws {SentBefore} when a submission repeats one of a record that has another email now */
  async function refuseRepeat(submission: Submission, applied: AppliedKey): Promise<void> {
    const before = await find(submission.appId, submission.email, applied);
    if (!before) return;
    await keptWrites.complete(before.record, submission, before.earlier.keptAs);
    throw new SentBefore();
  }

  /** Makes a record the one of these documents, also of those that submissions have reserved. */
  async function take(documents: readonly (Pick<Key, 'content'> & { _id: Binary })[], record: RecordId): Promise<void> {
    const isOfOther = { $ne: [{ $ifNull: ['$record', record] }, record] };
    const busyUntil = { $cond: [isOfOther, { $add: ['$$NOW', STATEMENT_ENDS_MS] }, '$busyUntil'] };
    const writes = documents.map(({ _id, content }) => {
      const at = { $ifNull: ['$at', '$$NOW'] };
      return { updateOne: { filter: { _id }, update: [{ $set: { record, content, at, busyUntil } }], upsert: true } };
    });
    await moved.bulkWrite(writes, { ordered: false });
    const ids = documents.map(({ _id }) => _id);
    const isBusy = { _id: { $in: ids }, $expr: { $gt: ['$busyUntil', '$$NOW'] } };
    // An insert that began before may still be stored. Meanwhile the email must not be free.
    if (await moved.findOne(isBusy, { projection: { _id: 1 } })) throw new Unavailable('recordChanging', BUSY_SECONDS);
  }

  /** Whether a submission to the app may repeat one of a record whose email was changed. */
  const hasAny = ({ formerEmailsUntil }: Pick<App, 'formerEmailsUntil'>): boolean =>
    formerEmailsUntil !== undefined && formerEmailsUntil >= new Date();

  return {
    find,
    hasAny,

    /**
     * Returns the claim of a submission to an app, with that of what the submission names. It
     * rejects with {@link SentBefore} for a repeat.
     */
    claimOf(submission: Submission, app: Pick<App, 'formerEmailsUntil'>): Claim | undefined {
      const { appId, email, facts, claim: named } = submission;
      const { applied } = facts;
      if (!applied || !hasAny(app)) return named;
      const _id = movedKeyId(appId, hashIn(appId, email), applied.key);
      return {
        async forRecord(record) {
          await refuseRepeat(submission, applied);
          return named ? named.forRecord(record) : NO_LIMIT;
        },

        async forNewRecord(record) {
          await refuseRepeat(submission, applied);
          // What it names belongs to the record of the earlier submission, so no other gets it.
          if (named) return named.forNewRecord(record);
          await reserve(submission, applied, _id, record);
          return { record, guard: { collection: moved, filter: { _id, record } } as unknown as Guard<Document> };
        },

        async forHeld(...held) {
          await refuseRepeat(submission, applied);
          return named?.forHeld(...held);
        },

        giveBack: async () => named?.giveBack(),
      };
    },

    /**
     * Lets repeats of the submissions of a record be found by its present email, before it gets
     * another one. Resolves with a condition that its keys are those.
     * @throws {Unavailable} when a repeat may be stored now, or the record has too many keys
     */
    async keep({ _id, appId, email }: Pick<UserDocument, '_id' | 'appId' | 'email'>): Promise<object> {
      const options = { projection: { appliedKeys: 1, keyEpoch: 1 }, readConcern: 'majority' } as const;
      const record = await users.findOne<KeyedRecord>({ _id, appId, email }, options);
      const { appliedKeys = [], keyEpoch } = record ?? {};
      const unchanged = {
        keyEpoch: keyEpoch ?? { $exists: false },
        appliedKeys: appliedKeys.length > 0 ? { $size: appliedKeys.length } : { $in: [null, []] },
      };
      const left = keyEpoch ? await readMoved(appId, _id) : [];
      const oldest = Date.now() - KEPT_SECONDS * 1_000;
      const all: Key[] = [...appliedKeys.filter(({ at }) => at.getTime() > oldest), ...left];
      if (all.length === 0) return unchanged;
      // First: from now on, submissions with a key store a document before a record.
      await mark(appId);
      const hash = hashIn(appId, email);
      for (let at = 0; at < all.length; at += KEYS_AT_ONCE) {
        const some = all.slice(at, at + KEYS_AT_ONCE);
        await take(
          some.map(({ key, content }) => ({ _id: movedKeyId(appId, hash, key), content })),
          _id,
        );
      }
      return unchanged;
    },
  };

  /** Tells every server of the app, unless all of them have known it for a while. */
  async function mark(appId: ObjectId): Promise<void> {
    const now = Date.now();
    const app = await apps.findOne({ _id: appId }, { projection: { formerEmailsUntil: 1 } });
    const marked = now + MARKED_MS - (app?.formerEmailsUntil?.getTime() ?? 0);
    if (marked > KNOWN_AFTER_MS && marked < MARKED_AGAIN_MS) return;
    await apps.updateOne({ _id: appId }, { $max: { formerEmailsUntil: new Date(now + MARKED_MS) } });
    await revision.publish();
  }

  async function readMoved(appId: ObjectId, record: RecordId): Promise<Key[]> {
    const options = { projection: { content: 1 }, limit: MAX_MOVED_KEYS + 1 };
    const found = await moved.find(keysOfRecord(appId, record), options).toArray();
    if (found.length > MAX_MOVED_KEYS) throw new Unavailable('recordChanging', KEPT_SECONDS);
    return found.map(({ _id: { buffer }, content }) => ({ key: new Binary(buffer.subarray(-HASH_BYTES)), content }));
  }
}

/** 409: the submission repeats one of a record that has another email now. */
class SentBefore extends Conflict {
  constructor() {
    super('recordChanging');
  }
}
