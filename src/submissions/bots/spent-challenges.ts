import { createHash, randomUUID } from 'node:crypto';
import type { Connection, Types } from 'mongoose';
import type { AppOwned } from '../../apps/app-owned.ts';
import { Forbidden } from '../../core/errors.ts';
import { type Collection, createModel, type Model, Schema } from '../../database/collections.ts';
import { isDuplicateKey } from '../../database/failures.ts';
import { NEW_CHALLENGE, type Proof } from './challenges.ts';

/** Longer than a challenge lives (20 minutes), for servers whose clocks differ. */
const KEPT_SECONDS = 60 * 60;
const HASH_LENGTH = 32;

/** A challenge whose solution was used. `_id` is the app's id and the start of its signature. */
interface SpentChallengeDocument {
  _id: string;
  /** Identifies the submission that used it. */
  holder: string;
  at: Date;
}

const spentChallengeSchema = new Schema(
  {
    _id: { type: String, required: true },
    holder: { type: String, required: true },
    at: { type: Date, required: true, expires: KEPT_SECONDS },
  },
  { collection: 'spent_challenges', versionKey: false },
);

export type SpentChallengeCollection = Collection<SpentChallengeDocument>;

/** The model of `spent_challenges`. */
export const createSpentChallengeModel = (connection: Connection): Model<SpentChallengeDocument> =>
  createModel(connection, 'SpentChallenge', spentChallengeSchema);

/**
 * Identifies a submission by its email and its `Idempotency-Key`. Without a key each is another.
 */
export function holderOf(email: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return randomUUID();
  return createHash('sha256').update(`${email} ${idempotencyKey}`).digest('base64url').slice(0, HASH_LENGTH);
}

export interface SpentChallenges extends AppOwned {
  /**
   * Uses a challenge for one submission. A call with the same holder succeeds again.
   * @throws {Forbidden} when another submission used it
   */
  spend(appId: Types.ObjectId, proof: Proof, holder: string): Promise<void>;
}

/**
 * Remembers over all servers which challenges were used: the unique `_id` decides.
 *
 * @param now the time from which MongoDB keeps an entry
 */
export function createSpentChallenges(spent: SpentChallengeCollection, now: () => Date): SpentChallenges {
  return {
    async spend(appId, { challengeId }, holder) {
      const _id = `${appId.toHexString()} ${challengeId.slice(0, HASH_LENGTH)}`;
      try {
        await spent.insertOne({ _id, holder, at: now() });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await spent.findOne({ _id }, { readConcern: 'majority' });
        if (first?.holder !== holder) {
          throw new Forbidden(`The proof of work was used before; ${NEW_CHALLENGE}`);
        }
      }
    },

    removeAll: async (appId, since) =>
      (await spent.deleteMany({ ...ofApp(appId), ...(since && { at: { $gte: since } }) })).deletedCount,

    has: async (appId, made, time) =>
      (await spent.findOne({ ...ofApp(appId), at: { [made === 'before' ? '$lt' : '$gte']: time } })) !== null,
  };
}

/** Matches the ids that begin with the app's id and a space; `!` is the character after a space. */
function ofApp(appId: Types.ObjectId) {
  const id = appId.toHexString();
  return { _id: { $gte: `${id} `, $lt: `${id}!` } };
}
