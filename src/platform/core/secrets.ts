import { hkdfSync } from 'node:crypto';
import { code } from '../languages/problems.ts';

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

/** The least length of a password that somebody chooses. */
export const MIN_PASSWORD_LENGTH = 12;
/** bcrypt ignores all bytes after this length. */
const MAX_PASSWORD_BYTES = 72;

/** Returns why a password cannot be used, as the message of a schema, or undefined. */
export function passwordProblem(password: string): string | undefined {
  if (password === '') return code('empty');
  if (password.includes('\0')) return code('hasNul');
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return code('tooManyBytes', { max: MAX_PASSWORD_BYTES });
  return undefined;
}
