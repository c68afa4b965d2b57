import { type ObjectId, UUID } from 'mongodb';
import type { RecordId } from '../../core/users/users.model.ts';
import { deriveSecretKey } from '../../platform/core/secrets.ts';
import { createSigner } from '../../platform/core/signer.ts';

const ID_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 24;
const CONTENT_BYTES = ID_BYTES + TIME_BYTES;
const lengthOf = (contentBytes: number): number => Math.ceil(((contentBytes + MAC_BYTES) * 4) / 3);
const TOKEN = new RegExp(
  `^(?:[A-Za-z0-9_-]{${lengthOf(CONTENT_BYTES)}}|[A-Za-z0-9_-]{${lengthOf(CONTENT_BYTES + ID_BYTES)}})$`,
);

/** What a link confirms, and what it opens. A token of one use is valid for no other. */
type LinkUse = 'email confirmation' | 'entry';

/** `recordId`: of a record, or of a change that waits. */
export interface LinkTarget {
  recordId: RecordId;
  expiresAt: Date;
  /** The change of the email of the record, if any: a later one ends the link. */
  emailChange?: UUID | undefined;
}

export type LinkTokens = ReturnType<typeof createLinkTokens>;

/**
 * The tokens of the links of emails to people (spec 4.12 and 4.16): record id, expiry, the id of
 * the last change of the email, if any, and a MAC over them and the incarnation of the app.
 */
export function createLinkTokens(secret: string, use: LinkUse) {
  /** The key of each app differs, so no token is valid for another app. */
  const signerOf = (appId: ObjectId) => createSigner(deriveSecretKey(secret, use, appId.id), MAC_BYTES);

  return {
    /** Returns a token, of URL-safe characters. */
    issue(appId: ObjectId, { recordId, expiresAt, emailChange }: LinkTarget): string {
      const time = Buffer.alloc(TIME_BYTES);
      time.writeUIntBE(expiresAt.getTime(), 0, TIME_BYTES);
      return signerOf(appId).seal(Buffer.concat([recordId.buffer, time, ...(emailChange ? [emailChange.buffer] : [])]));
    },

    /** Returns the content of a token, also after its expiry; undefined for any other text. */
    read(appId: ObjectId, token: string): LinkTarget | undefined {
      if (!TOKEN.test(token)) return undefined;
      const content = signerOf(appId).open(token);
      if (!content) return undefined;
      const recordId = new UUID(Buffer.from(content.subarray(0, ID_BYTES)));
      const expiresAt = new Date(content.readUIntBE(ID_BYTES, TIME_BYTES));
      if (content.length === CONTENT_BYTES) return { recordId, expiresAt };
      return { recordId, expiresAt, emailChange: new UUID(Buffer.from(content.subarray(CONTENT_BYTES))) };
    },
  };
}
