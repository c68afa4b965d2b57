import type { UUID } from 'mongodb';
import type { Submission } from '../../core/users/submission.ts';
import type { RecordId, UserCollection, UserDocument } from '../../core/users/users.model.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { type AppliedKey, type EarlierKey, type IdempotencyKeys, MAX_INLINE_KEYS } from './idempotency-keys.ts';
import type { KeptWrites } from './kept-writes.ts';

type KnownPerson = Pick<UserDocument, '_id' | 'appId' | 'createdAt' | 'updatedAt' | 'appliedKeys' | 'keyEpoch'>;

/** The record of an email, and the key of the submission if the record has it. */
interface Found {
  record?: KnownPerson | undefined;
  earlier?: EarlierKey | undefined;
}

/**
 * Submissions that must not change the record of their email (spec 4.5.5). A record keeps their
 * idempotency keys among its own, so that a repeat is answered as one of a stored submission.
 */
export function createKnownPeople(deps: {
  users: UserCollection;
  keys: Pick<IdempotencyKeys, 'earlier' | 'moveOut'>;
  keptWrites: KeptWrites;
  newId: (at: Date) => RecordId;
}) {
  const { users, keys, keptWrites, newId } = deps;

  /** @throws {KeyReused} when the record has the key with other data */
  async function find({ appId, email, facts: { applied } }: Submission): Promise<Found> {
    const appliedKeys = applied && { $elemMatch: { key: applied.key } };
    const projection = { appId: 1, createdAt: 1, updatedAt: 1, keyEpoch: 1, ...(appliedKeys && { appliedKeys }) };
    const record = await users.findOne<KnownPerson>({ appId, email }, { projection, readConcern: 'majority' });
    if (!record || !applied) return { record: record ?? undefined };
    return { record, earlier: await keys.earlier(record, applied) };
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

  /** Stores the key of a submission, unless the record has it: then resolves with `earlier`. */
  async function claim(submission: Submission, found: Found, keptAs?: UUID): Promise<Found> {
    const { applied } = submission.facts;
    let current = found;
    const again = limitAttempts('submissionsOfRecord', 1);
    for (let attempt = 0; ; attempt = again()) {
      const { record, earlier } = current;
      if (!record || earlier || !applied) return current;
      if (await addKey(record, submission.email, { ...applied, ...(keptAs && { keptAs }) })) return { record };
      // The first time, a concurrent repeat may have added it.
      if (attempt > 0) await keys.moveOut(record);
      current = await find(submission);
    }
  }

  /** Resolves with the record when what was stored under the key of a submission is complete. */
  async function completed({ record, earlier }: Found, submission: Submission): Promise<KnownPerson | undefined> {
    if (record) await keptWrites.complete(record, submission, earlier?.keptAs);
    return record;
  }

  return {
    find,

    /** Uses up the tokens of the files of a submission that stores none of them. */
    claimFor: keptWrites.claimFor,

    /** As `find`, when the submission is a repeat and what it repeats is complete. */
    async findCompleted(submission: Submission): Promise<Found> {
      const found = await find(submission);
      if (found.earlier) await completed(found, submission);
      return found;
    },

    /** Stores the key of a submission. Resolves with the record, unless it was erased. */
    note: async (submission: Submission): Promise<KnownPerson | undefined> =>
      completed(await claim(submission, await find(submission)), submission),

    /**
     * Changes nothing but the inbox, if the app keeps submissions: it has the submission once.
     * Resolves with the record, unless it was erased.
     * @param found by `findCompleted`
     */
    async keep(submission: Submission, found: Found): Promise<KnownPerson | undefined> {
      if (!found.record || found.earlier) return found.record;
      // Before the key: a refused claim leaves no key.
      const until = await keptWrites.claimFor(submission, found.record._id);
      const keptAs = submission.facts.isKept ? newId(submission.now) : undefined;
      const { record, earlier } = await claim(submission, found, keptAs);
      if (!record || earlier) return completed({ record, earlier }, submission);
      // The person may have another record meanwhile, which the claim of the files does not name.
      if (!record._id.equals(found.record._id)) await keptWrites.complete(record, submission, keptAs);
      else if (keptAs) await keptWrites.store(record, submission, keptAs, until);
      return record;
    },
  };
}
