import type { ObjectId } from 'mongodb';
import type { RecordPart } from '../../core/users/record-part.ts';
import type { Submission } from '../../core/users/submission.ts';
import type { UserCollection, UserDocument } from '../../core/users/users.model.ts';
import { push, REPAIRED, type RefusingRecord, StoredBefore, type WritePart } from '../../core/users/write-part.ts';
import type { Definition } from '../../platform/database/mongoose.ts';
import type { KeptSubmissions } from '../history/kept-submissions.ts';
import type { RecordBase, RecordFeature } from '../records/base.ts';
import { createFormerEmails, type FormerEmails } from './former-emails.ts';
import {
  type AppliedKey,
  appliedKeySchema,
  createIdempotencyKeys,
  createMovedKeyModel,
  type IdempotencyKeys,
  MAX_INLINE_KEYS,
  type WithKeys,
} from './idempotency-keys.ts';
import { createKeptWrites, type KeptWrites } from './kept-writes.ts';
import { createKnownPeople } from './known-people.ts';

declare module '../../core/users/submission.ts' {
  interface SubmissionFacts {
    /** The key under which it was sent. */
    applied?: AppliedKey | undefined;
  }
}

const KEY_MEMBERS: Definition<WithKeys> = { appliedKeys: [appliedKeySchema], keyEpoch: Number };

interface KeyDeps {
  users: UserCollection;
  keys: Pick<IdempotencyKeys, 'earlier' | 'find' | 'moveOut'>;
  keptWrites: Pick<KeptWrites, 'complete' | 'isDone'>;
}

/** Creates the idempotency keys of submissions (invariant 3), also of those without a record. */
export function createKeys(
  { connection, users, guardOfErased, newId, apps, secret }: RecordBase,
  kept: KeptSubmissions,
) {
  const model = createMovedKeyModel(connection);
  const keys = createIdempotencyKeys(users, model.collection, guardOfErased);
  const keptWrites = createKeptWrites(kept);
  const { model: appModel, revision } = apps;
  const moved = model.collection;
  const formerEmails = createFormerEmails({ users, moved, apps: appModel, revision, keys, keptWrites, secret });
  return {
    formerEmails,
    findApplied: createAppliedFinder({ users, keys, keptWrites, formerEmails }),
    knownPeople: createKnownPeople({ users, keys, keptWrites, newId }),
    feature: {
      part: createKeyPart({ users, keys, keptWrites }),
      headers: ['Idempotency-Key'],
      models: [model],
      owned: [keys],
      traces: [keys.traces],
      consumers: [keys.consumer],
    } satisfies RecordFeature,
  };
}

/** What a refused submission with a key reads of the record. */
interface Facts {
  /** The key, if the record holds it: at most one element. */
  appliedKeys: AppliedKey[];
  inlineKeys: number;
  keyEpoch?: number;
}

/**
 * The idempotency keys in a record: a submission with a key is applied once (invariant 3). The
 * state of a record is the `keyEpoch` at which `applied_keys` does not hold the key.
 */
export function createKeyPart(deps: KeyDeps): RecordPart {
  return {
    name: 'keys',
    members: KEY_MEMBERS,
    ofPersons: Object.keys(KEY_MEMBERS),
    under: () => ({
      begin: (submission) =>
        submission.facts.applied ? keyWrite(submission, submission.facts.applied, deps) : undefined,
    }),
  };
}

function keyWrite(
  submission: Submission,
  applied: AppliedKey,
  { keys, keptWrites }: KeyDeps,
): WritePart<number, Facts> {
  const { appId } = submission;
  return {
    name: 'keys',
    bytes: 0,

    insert(record) {
      record.appliedKeys = [applied];
    },

    /** Appends the key if it was not applied before and the list has room. */
    upsert(statement, keyEpoch = 0) {
      const { filter } = statement;
      filter['appliedKeys.key'] = { $ne: applied.key };
      filter[`appliedKeys.${MAX_INLINE_KEYS - 1}`] = { $exists: false };
      filter.keyEpoch = { $not: { $gt: keyEpoch } };
      push(statement, 'appliedKeys', applied);
      return false;
    },

    facts() {
      const inline = { $ifNull: ['$appliedKeys', []] };
      return {
        appliedKeys: { $filter: { input: inline, cond: { $eq: ['$$this.key', applied.key] } } },
        inlineKeys: { $size: inline },
        keyEpoch: '$keyEpoch',
      };
    },

    async explain({ appliedKeys, inlineKeys, keyEpoch = 0 }, record) {
      const earlier = await keys.earlier({ ...record, appliedKeys, keyEpoch }, applied);
      if (earlier) {
        await keptWrites.complete(record, submission, earlier.keptAs);
        return new StoredBefore(record);
      }
      if (inlineKeys < MAX_INLINE_KEYS) return keyEpoch;
      await keys.moveOut(record);
      return REPAIRED;
    },

    isFresh: async (keyEpoch, record) => keyEpoch === 0 || !(await keys.find(appId, record, applied.key)),

    stored: (keyEpoch = 0) => keyEpoch,
  };
}

/**
 * Finds the record of what was applied under a key, also under a former email. A key whose
 * submission is not stored yet is not applied.
 * @throws {KeyReused} for other data
 */
const createAppliedFinder =
  ({ users, keys, keptWrites, formerEmails }: KeyDeps & { formerEmails: Pick<FormerEmails, 'find'> }) =>
  async (appId: ObjectId, email: string, applied: AppliedKey): Promise<RefusingRecord | undefined> => {
    const appliedKeys = { $elemMatch: { key: applied.key } };
    const projection = { appId: 1, createdAt: 1, updatedAt: 1, keyEpoch: 1, appliedKeys };
    type Found = RefusingRecord & Pick<UserDocument, 'keyEpoch' | 'appliedKeys'>;
    const record = await users.findOne<Found>({ appId, email }, { projection, readConcern: 'majority' });
    const earlier = record && (await keys.earlier(record, applied));
    const found = earlier ? { record, earlier } : await formerEmails.find(appId, email, applied);
    return found && (await keptWrites.isDone(appId, found.earlier.keptAs)) ? found.record : undefined;
  };
