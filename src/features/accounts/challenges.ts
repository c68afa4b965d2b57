import { randomBytes } from 'node:crypto';
import type { Binary } from 'mongodb';
import { deriveSecretKey } from '../../platform/core/secrets.ts';
import { createSigner } from '../../platform/core/signer.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { hashToken } from './account-documents.ts';
import type { UsedModel } from './accounts.model.ts';

const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const LIFETIME_MS = 5 * 60 * 1_000;
/** The clocks of the servers and of the database differ: it removes what expired by its own. */
const KEPT_LONGER_MS = 60 * 60 * 1_000;

export type LoginChallenges = ReturnType<typeof createLoginChallenges>;

/**
 * Challenges that any server of the database can check. Nothing is stored when one is issued, so
 * that strangers fill no collection; what is used is stored until it would have expired.
 */
export function createLoginChallenges(secret: string, used: UsedModel) {
  const { seal, open } = createSigner(deriveSecretKey(secret, 'log-in challenges'));

  return {
    /** @param purpose what the challenge is for, and for whom; it is valid for nothing else */
    issue(purpose: string): Uint8Array<ArrayBuffer> {
      const payload = Buffer.alloc(NONCE_BYTES + TIME_BYTES);
      randomBytes(NONCE_BYTES).copy(payload);
      payload.writeUIntBE(Date.now() + LIFETIME_MS, NONCE_BYTES, TIME_BYTES);
      return new Uint8Array(Buffer.from(seal(payload, purpose), 'base64url'));
    },

    /** Returns whether the service issued the challenge in the last five minutes for `purpose`. */
    isGenuine(challenge: string, purpose: string): boolean {
      const payload = open(challenge, purpose);
      return payload !== undefined && payload.readUIntBE(NONCE_BYTES, TIME_BYTES) > Date.now();
    },

    /**
     * Uses a challenge or another text up; resolves with false when it was used before, on any
     * server. Call it last, after everything else was verified.
     * @param forMs how long the text could be used again
     */
    async use(text: string, forMs = LIFETIME_MS): Promise<boolean> {
      const _id: Binary = hashToken(text);
      try {
        await used.insertOne({ _id, expiresAt: new Date(Date.now() + forMs + KEPT_LONGER_MS) });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}
