import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;
/** The limits of Standard Webhooks. */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

/** The format of a secret, for error messages. */
export const SECRET_FORMAT = `${PREFIX} and 24 to 64 bytes in base64`;

/** Generates the secret of a webhook. */
export function createSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64');
}

/** Whether a text is a secret as Standard Webhooks defines it. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const encoded = text.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return key.toString('base64') === encoded && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES;
}

/** What is signed. */
export interface SignedMessage {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/**
 * The headers of a delivery by Standard Webhooks: id, time, and one signature by each secret, so
 * that a receiver can verify it with the old and with the new one.
 */
export function signedHeaders({ id, timestamp, body }: SignedMessage, secrets: readonly string[]) {
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(sign).join(' '),
  };
}
