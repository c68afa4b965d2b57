import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Creates what signs bytes that a client keeps and sends again, as a text of URL-safe characters.
 *
 * @param key of one use (`deriveSecretKey`) @param tagBytes of the HMAC, at most 32
 */
export function createSigner(key: Uint8Array, tagBytes = 16) {
  function tagOf(content: Uint8Array, context: string | undefined): Buffer {
    const hmac = createHmac('sha256', key);
    if (context !== undefined) hmac.update(context).update('\0');
    return hmac.update(content).digest().subarray(0, tagBytes);
  }

  return {
    /** @param context what the text is for; it is valid for nothing else */
    seal: (content: Uint8Array, context?: string): string =>
      Buffer.concat([content, tagOf(content, context)]).toString('base64url'),

    /** Returns the bytes of a text that `seal` made for this context; undefined for any other. */
    open(text: string, context?: string): Buffer | undefined {
      const bytes = Buffer.from(text, 'base64url');
      // Several texts decode to the same bytes.
      if (bytes.length < tagBytes || bytes.toString('base64url') !== text) return undefined;
      const content = bytes.subarray(0, -tagBytes);
      return timingSafeEqual(bytes.subarray(content.length), tagOf(content, context)) ? content : undefined;
    },
  };
}
