import { randomBytes } from 'node:crypto';
import bcrypt from 'bcrypt';
import { HashingQueue, type Waiter } from './hashing-queue.ts';

const COST = 12;
/** A new password: 32 URL-safe characters, 192 bits from the system's random source. */
export function generatePassword(): string {
  return randomBytes(24).toString('base64url');
}

/** Hashes and verifies passwords, at most two at a time, in the order of `HashingQueue`. */
export interface PasswordHasher {
  /** Goes before all verifications that wait, and is never refused: for administrators. */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` is the one of `hash`. Without a hash it takes the same time and resolves
   * with false, so that the time does not tell which apps exist.
   * @throws {Unavailable} when it cannot end in the time that `waiter` has left
   */
  verify(password: string, hash: string | undefined, waiter: Waiter): Promise<boolean>;
}

export function createPasswordHasher(cost = COST): PasswordHasher {
  const queue = new HashingQueue();
  let hashOfNothing: Promise<string> | undefined;
  return {
    hash: (password) => queue.run(() => bcrypt.hash(password, cost)),
    async verify(password, hash, waiter) {
      // Made with the first log-in, whether its app exists or not: a command-line call does not
      // need it. It is also the queue's first measurement.
      hashOfNothing ??= queue.run(() => bcrypt.hash(generatePassword(), cost));
      const other = await hashOfNothing;
      const matches = await queue.run(() => bcrypt.compare(password, hash ?? other), waiter);
      return matches && hash !== undefined;
    },
  };
}
