import type { ObjectId, UUID } from 'mongodb';
import type { Submission } from '../../core/users/submission.ts';
import type { RecordId, UserDocument } from '../../core/users/users.model.ts';
import type { KeptSubmissions } from '../history/kept-submissions.ts';

export type KeptWrites = ReturnType<typeof createKeptWrites>;

/**
 * The writes of submissions that store only a kept submission (spec 4.5.5). The record gets the key
 * first, with the id of the kept submission (`AppliedKey.keptAs`), so that requests with one key
 * store one of that id. The key alone proves nothing: before a request is answered because of a
 * key, the kept submission exists, or the request stores it.
 */
export function createKeptWrites(kept: Pick<KeptSubmissions, 'keepOne' | 'has'>) {
  /**
   * Claims what a submission names that changes nothing: the tokens of its files are used, as those
   * of a new person. Resolves with the end of the claim.
   */
  const claimFor = async ({ claim }: Submission, record: RecordId): Promise<Date | undefined> =>
    claim?.forRecord(record);

  /** Whether the submission of a key is stored. `keptAs`: that of the key. */
  const isDone = async (appId: ObjectId, keptAs: UUID | undefined): Promise<boolean> =>
    !keptAs || (await kept.has(appId, keptAs));

  return {
    claimFor,
    isDone,

    /** Stores what an earlier request with the same key did not store. Throws as `claimFor`. */
    async complete(
      record: Pick<UserDocument, '_id' | 'appId'>,
      submission: Submission,
      keptAs: UUID | undefined,
    ): Promise<void> {
      if (!keptAs || (await isDone(record.appId, keptAs))) return;
      await kept.keepOne(record, submission, keptAs, await claimFor(submission, record._id));
    },

    /** Stores a kept submission once. @param until the end of its claim */
    store: kept.keepOne,
  };
}
