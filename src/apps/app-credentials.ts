import { randomBytes } from 'node:crypto';
import bcrypt from 'bcrypt';
import pLimit from 'p-limit';
import { Unavailable } from '../errors.ts';

/** SPEC 2.2 and section 8. */
export const APP_ID_PATTERN = /^[a-zA-Z0-9._-]{1,80}$/;

const COST = 12;
/** bcrypt reads no further than this; a longer password would be cut without a word. */
const MAX_PASSWORD_BYTES = 72;
/** A flood of log-ins must leave processor time for submissions (DESIGN section 2, "login"). */
const CONCURRENT_RUNS = 2;
const MAX_WAITING = 100;

/** Why a password cannot be used, or undefined. */
export function passwordProblem(password: string): string | undefined {
  if (password === '') return 'must not be empty';
  if (password.includes('\0')) return 'must not contain a NUL character';
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return `must have at most ${MAX_PASSWORD_BYTES} bytes`;
  return undefined;
}

/** A new password: 32 URL-safe characters, 192 bits from the system's random source. */
export function generatePassword(): string {
  return randomBytes(24).toString('base64url');
}

/** Hashes and verifies passwords, at most two at a time. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /**
   * Whether `password` is the one of `hash`. Without a hash it takes as long and says no, so that the time tells nobody which apps exist.
   * @throws {Unavailable} when too many already wait
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

export function createPasswordHasher(cost = COST): PasswordHasher {
  const limit = pLimit(CONCURRENT_RUNS);
  let hashOfNothing: Promise<string> | undefined;
  return {
    hash: (password) => limit(() => bcrypt.hash(password, cost)),
    async verify(password, hash) {
      // Made with the first log-in, whether its app exists or not: a command-line call has no use for it.
      hashOfNothing ??= limit(() => bcrypt.hash(generatePassword(), cost));
      const other = await hashOfNothing;
      // Nothing may be awaited between looking and queueing: many that come at once would all see room.
      if (limit.pendingCount >= MAX_WAITING) throw new Unavailable('Too many log-ins at once; try again shortly');
      const matches = await limit(() => bcrypt.compare(password, hash ?? other));
      return matches && hash !== undefined;
    },
  };
}
