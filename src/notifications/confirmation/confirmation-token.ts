import { createHmac, timingSafeEqual } from 'node:crypto';
import { mongo, type Types } from 'mongoose';
import { deriveSecretKey } from '../../core/secrets/derived-key.ts';
import type { RecordId } from '../../users/record-id.ts';

const ID_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 24;
const TOKEN = new RegExp(`^[A-Za-z0-9_-]{${Math.ceil(((ID_BYTES + TIME_BYTES + MAC_BYTES) * 4) / 3)}}$`);

/** What a valid token names. */
export interface Confirmation {
  recordId: RecordId;
  expiresAt: Date;
}

export type ConfirmationTokens = ReturnType<typeof createConfirmationTokens>;

/**
 * The tokens in links of confirmation emails (spec 4.12): the id of the record, the time of expiry
 * and a MAC over both and the incarnation of the app. Nothing of a token is stored.
 *
 * @param secret SESSION_SECRET, the same on every server
 */
export function createConfirmationTokens(secret: string) {
  /** The key of each app differs, so no token is valid for another app. */
  function macOf(appId: Types.ObjectId, content: Uint8Array): Buffer {
    const key = deriveSecretKey(secret, 'email confirmation', appId.id);
    return createHmac('sha256', key).update(content).digest().subarray(0, MAC_BYTES);
  }

  return {
    /** Returns the token of a record. It has URL-safe characters only. */
    issue(appId: Types.ObjectId, { recordId, expiresAt }: Confirmation): string {
      const time = Buffer.alloc(TIME_BYTES);
      time.writeUIntBE(expiresAt.getTime(), 0, TIME_BYTES);
      const content = Buffer.concat([recordId.buffer, time]);
      return Buffer.concat([content, macOf(appId, content)]).toString('base64url');
    },

    /** Returns what a token names, also after its expiry; undefined for any other text. */
    read(appId: Types.ObjectId, token: string): Confirmation | undefined {
      if (!TOKEN.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      const content = bytes.subarray(0, ID_BYTES + TIME_BYTES);
      // The last character has unused bits, so several texts would decode to these bytes.
      if (bytes.toString('base64url') !== token) return undefined;
      if (!timingSafeEqual(bytes.subarray(content.length), macOf(appId, content))) return undefined;
      const recordId = new mongo.UUID(Buffer.from(content.subarray(0, ID_BYTES)));
      return { recordId, expiresAt: new Date(content.readUIntBE(ID_BYTES, TIME_BYTES)) };
    },
  };
}
