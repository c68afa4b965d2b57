import { createHash, randomBytes } from 'node:crypto';
import { mongo } from 'mongoose';

/** What every API key begins with, so that people and scanners of secrets recognize one. */
const KEY_PREFIX = 'uck_';
const KEY_PATTERN = /^uck_[A-Za-z0-9_-]{43}$/;

/** Returns a new key: 256 bits from the system's random source. */
export function generateKey(): string {
  return KEY_PREFIX + randomBytes(32).toString('base64url');
}

/**
 * Returns the hash under which a key is stored; undefined for a text that no key can be. A key has
 * 256 random bits, so a plain SHA-256 cannot be reversed, and a look-up by it takes no time that
 * depends on how much of a key is right.
 */
export function hashOfKey(key: string): mongo.Binary | undefined {
  if (!KEY_PATTERN.test(key)) return undefined;
  return new mongo.Binary(createHash('sha256').update(key).digest());
}

/**
 * Returns the API key in an `Authorization` header. Undefined for other credentials, which the
 * service ignores: a proxy may use them for itself.
 */
export function keyInHeader(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  return token?.startsWith(KEY_PREFIX) ? token : undefined;
}
