import { createHash, randomInt, randomUUID } from 'node:crypto';
import { type Challenge, createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { ObjectId } from 'mongodb';
import pLimit from 'p-limit';
import { z } from 'zod';
import { Forbidden, Unavailable } from '../../platform/core/errors.ts';
import { deriveSecretKey } from '../../platform/core/secrets.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { createModel, type DocumentOf, type Model, only, schema } from '../../platform/database/mongoose.ts';

/** How long a challenge can be solved and sent: a person fills a form meanwhile. */
export const CHALLENGE_LIFETIME_MS = 20 * 60 * 1_000;

/**
 * A solver tries counters from 0 until one derives the key in the challenge. The server draws that
 * counter from this range, so the time is uniform between a half and the whole of its maximum.
 */
const ALGORITHM = 'PBKDF2/SHA-256';
const COST = 5_000;
const MIN_COUNTER = 40;
const MAX_COUNTER = 80;

/** A challenge costs about 2.5 ms of one thread. This many wait; further ones fail. */
const MAX_WAITING = 200;

/** The longest solution as it is sent, in characters. A real one has about 900. */
const MAX_SOLUTION_LENGTH = 2_000;

const Solution = z.object({
  challenge: z.object({
    parameters: z.strictObject({
      algorithm: z.string(),
      cost: z.number(),
      expiresAt: z.number(),
      keyLength: z.number(),
      keyPrefix: z.string(),
      keySignature: z.string(),
      nonce: z.string(),
      salt: z.string(),
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
});

export type Challenges = ReturnType<typeof createChallenges>;

/**
 * Issues and verifies challenges of the ALTCHA protocol, version 2 (spec 4.5, decision 20), without
 * storage: a key of the app's incarnation, derived from `secret`, signs them. So each is valid on
 * every server, and for no other app.
 */
export function createChallenges(secret: string) {
  const creating = pLimit(1);

  /** The keys of an app: `hmacKeySignatureSecret` signs the solution within the challenge. */
  function deriveKeys(appId: ObjectId) {
    const derive = (use: string): string => deriveSecretKey(secret, use, appId.id).toString('hex');
    return { hmacSignatureSecret: derive('challenge'), hmacKeySignatureSecret: derive('challenge solution') };
  }

  return {
    /** Resolves with a new challenge for an app. @throws {Unavailable} */
    async issue(
      appId: ObjectId,
      expiresAt = new Date(Date.now() + CHALLENGE_LIFETIME_MS),
    ): Promise<Challenge & { signature: string }> {
      if (creating.pendingCount >= MAX_WAITING) throw new Unavailable('challengesAtOnce', 1);
      const counter = randomInt(MIN_COUNTER, MAX_COUNTER + 1);
      const options = { algorithm: ALGORITHM, cost: COST, counter, deriveKey, expiresAt, ...deriveKeys(appId) };
      const { parameters, signature = '' } = await creating(() => createChallenge(options));
      return { parameters, signature };
    },

    /**
     * Verifies a solution: the base64 of `{ challenge, solution }` as JSON. Costs a few hashes: the
     * signed challenge contains a signature of its solution, so the key is not derived again.
     * @returns the id of the challenge
     * @throws {Forbidden} when it is malformed, expired, of another app, changed or wrong
     */
    async verify(appId: ObjectId, text: string): Promise<string> {
      const sent = parse(text);
      if (!sent) throw invalidProofError();
      const { verified, expired } = await verifySolution({ ...sent, deriveKey, ...deriveKeys(appId) });
      if (expired) throw new Forbidden('proofExpired');
      if (!verified) throw invalidProofError();
      return sent.challenge.signature;
    },
  };
}

function invalidProofError(): Forbidden {
  return new Forbidden('proofInvalid');
}

function parse(text: string) {
  if (text.length > MAX_SOLUTION_LENGTH) return undefined;
  try {
    const { challenge, solution } = Solution.parse(JSON.parse(Buffer.from(text, 'base64').toString('utf8')));
    return { challenge, solution: { ...solution, time: 0 } };
  } catch {
    return undefined;
  }
}

/** Longer than a challenge lives (20 minutes), for servers whose clocks differ. */
export const KEPT_SECONDS = 60 * 60;
const HASH_LENGTH = 32;

/**
 * A challenge whose solution was used. `_id` is the app's id and the start of its signature, or the
 * hash of a token of a provider (captcha.ts).
 */
const spentChallengeSchema = schema(
  {
    _id: { type: String, required: true },
    /** Identifies the submission that used it. */
    holder: { type: String, required: true },
    at: { type: Date, required: true },
    /** Of a provider, once it has answered. */
    verdict: only<'passed' | 'refused' | 'away'>(String),
  },
  {
    collection: 'spent_challenges',
    shardKey: { _id: 1 },
    placement: 'one for each submission with a proof of work; the id begins with that of the app',
  },
).index({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export type SpentChallengeDocument = DocumentOf<typeof spentChallengeSchema>;
type SpentChallengeCollection = Collection<SpentChallengeDocument>;

export const createSpentChallengeModel = (connection: Connection): Model<SpentChallengeDocument> =>
  createModel(connection, spentChallengeSchema);

/** Identifies a submission by its email and its `Idempotency-Key`. Without a key each differs. */
export function identifyHolder(email: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return randomUUID();
  return createHash('sha256').update(`${email} ${idempotencyKey}`).digest('base64url').slice(0, HASH_LENGTH);
}

export type SpendChallenge = ReturnType<typeof createChallengeSpending>;

/**
 * Remembers over all servers which challenges were used: the unique `_id` decides.
 *
 * @param now the time from which MongoDB keeps an entry
 * @returns a function that uses a challenge for one submission. A repeat under the same key
 *   succeeds; for others it rejects with {@link Forbidden}
 */
export function createChallengeSpending(spent: SpentChallengeCollection, now: () => Date) {
  return async (appId: ObjectId, challengeId: string, email: string, idempotencyKey?: string): Promise<void> => {
    const _id = `${appId.toHexString()} ${challengeId.slice(0, HASH_LENGTH)}`;
    const holder = identifyHolder(email, idempotencyKey);
    try {
      await spent.insertOne({ _id, holder, at: now() });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const first = await spent.findOne({ _id }, { readConcern: 'majority' });
      if (first?.holder !== holder) throw new Forbidden('proofUsed');
    }
  };
}

/** Matches the ids that begin with the app's id and a space; `!` is the character after a space. */
export function spentByApp(appId: ObjectId) {
  const id = appId.toHexString();
  return { _id: { $gte: `${id} `, $lt: `${id}!` } };
}
