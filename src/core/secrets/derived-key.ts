import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * Derives a key for one use from the secret of the service, by HKDF with SHA-256. Keys of different
 * uses or salts tell nothing of each other.
 *
 * @param use the purpose, such as `list cursors`; another version of its format needs another name
 * @param salt separates the keys of one use, such as those of each app
 */
export function deriveSecretKey(secret: string, use: string, salt: string | Uint8Array = ''): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `user-collection ${use} v1`, KEY_BYTES));
}
