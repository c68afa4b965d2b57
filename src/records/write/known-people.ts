import type { UUID } from 'mongodb';
import { KeyReused, Unavailable } from '../../platform/core/errors.ts';
import type { FileClaims } from '../files/file-claims.ts';
import type { KeptSubmissions } from '../history/kept-submissions.ts';
import type { AppliedKey, UserCollection, UserDocument } from '../stored/record.ts';
import type { RecordId } from '../stored/record-id.ts';
import { hasSameContent, type IdempotencyKeys } from './idempotency-keys.ts';
import { MAX_INLINE_KEYS } from './record-upsert.ts';
import type { Submission } from './submission.ts';

const MAX_ATTEMPTS = 24;

type KnownPerson = Pick<UserDocument, '_id' | 'appId' | 'createdAt' | 'updatedAt' | 'appliedKeys' | 'keyEpoch'>;

/**
 * Submissions that must not change the record of their email (spec 4.5.5). A record keeps their
 * idempotency keys among its own, so that a repeat is answered as one of a stored submission.
 */
export function createKnownPeople(deps: {
  users: UserCollection;
  keys: Pick<IdempotencyKeys, 'find' | 'moveOut'>;
  kept: Pick<KeptSubmissions, 'keepOne'>;
  newId: (at: Date) => RecordId;
  fileClaims: Pick<FileClaims, 'claim'>;
}) {
  const { users, keys, kept, newId, fileClaims } = deps;

  /** Resolves with the record of an email, and with its entry of the key of the submission. */
  async function find({ appId, email, applied }: Submission) {
    const appliedKeys = applied && { $elemMatch: { key: applied.key } };
    const projection = { appId: 1, createdAt: 1, updatedAt: 1, keyEpoch: 1, ...(appliedKeys && { appliedKeys }) };
    const record = await users.findOne<KnownPerson>({ appId, email }, { projection, readConcern: 'majority' });
    if (!record || !applied) return { record: record ?? undefined };
    const earlier: Pick<AppliedKey, 'content' | 'keptAs'> | undefined =
      record.appliedKeys?.[0] ?? (record.keyEpoch ? await keys.find(appId, record._id, applied.key) : undefined);
    if (earlier && !hasSameContent(earlier, applied)) throw new KeyReused();
    return { record, earlier };
  }

  /** Adds a key to a record. False: it has the key, it is full, or it was erased. */
  async function addKey(
    { _id, appId, keyEpoch = 0 }: KnownPerson,
    email: string,
    applied: AppliedKey,
  ): Promise<boolean> {
    const filter = {
      _id,
      appId,
      email,
      'appliedKeys.key': { $ne: applied.key },
      [`appliedKeys.${MAX_INLINE_KEYS - 1}`]: { $exists: false },
      keyEpoch: { $not: { $gt: keyEpoch } },
    };
    return (await users.updateOne(filter, { $push: { appliedKeys: applied } })).matchedCount === 1;
  }

  /** Stores the key, unless the record has it. Undefined: the email has no record. */
  async function claim(submission: Submission, keptAs?: UUID) {
    const { applied } = submission;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { record, earlier } = await find(submission);
      if (!record || earlier || !applied) return record && { record, keptAs: earlier ? earlier.keptAs : keptAs };
      if (await addKey(record, submission.email, { ...applied, ...(keptAs && { keptAs }) })) return { record, keptAs };
      // The first time, a concurrent repeat may have added it.
      if (attempt > 0) await keys.moveOut(record);
    }
    throw new Unavailable('submissionsOfRecord', 1);
  }

  /**
   * Claims the files of a submission that changes nothing: their tokens are used, as those of a
   * new person. Resolves with the end of the claim.
   */
  async function claimFiles({ files }: Submission, record: RecordId) {
    return files && (await fileClaims.claim(files, { record })).until;
  }

  return {
    claimFiles,

    /** As `earlier`: whether it repeats a submission. @throws {KeyReused} for other data */
    find,

    /** Stores the key of a submission. Resolves with the record, unless it was erased. */
    note: async (submission: Submission): Promise<KnownPerson | undefined> => (await claim(submission))?.record,

    /**
     * Changes nothing but the inbox, if the app keeps submissions: it has the submission once. The
     * key names its entry there, so that a repeat after a failure completes it.
     */
    async keep(submission: Submission): Promise<KnownPerson | undefined> {
      const claimed = await claim(submission, submission.entry && newId(submission.now));
      if (!claimed) return undefined;
      const { record, keptAs } = claimed;
      const until = await claimFiles(submission, record._id);
      if (keptAs) await kept.keepOne(record, submission, keptAs, until);
      return record;
    },
  };
}
