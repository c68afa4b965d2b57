import { randomBytes } from 'node:crypto';
import bcrypt from 'bcrypt';
import { type Metrics, NO_METRICS } from '../../metrics/metrics.ts';
import { HashingQueue, type Waiter } from './hashing-queue.ts';

const COST = 12;

/** Returns a new password: 32 URL-safe characters, 192 bits from the system's random source. */
export function generatePassword(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Hashes and verifies passwords with bcrypt, at most two at a time, in the order of `HashingQueue`.
 */
export interface PasswordHasher {
  /** Resolves with the hash. Runs before all queued verifications and is never refused. */
  hash(password: string): Promise<string>;
  /**
   * Call it before the hash is read, so that a verification that cannot run reads nothing.
   * @throws {Unavailable} when `verify` would be refused now
   */
  assertCapacity(waiter: Waiter): void;
  /**
   * Resolves with whether `password` matches `hash`. Without a hash it takes the same time and
   * resolves with false, so that response times do not reveal which apps exist.
   * @throws {Unavailable} when the check cannot finish in the time that `waiter` has left
   */
  verify(password: string, hash: string | undefined, waiter: Waiter): Promise<boolean>;
}

/** @param cost the bcrypt cost factor; each step doubles the time of a hash */
export function createPasswordHasher(cost = COST, metrics: Metrics = NO_METRICS): PasswordHasher {
  const queue = new HashingQueue();
  metrics.gauge('password_queue_length', { help: 'Passwords that wait to be hashed' }, () => queue.length);
  let placeholderHash: Promise<string> | undefined;
  return {
    hash: (password) => queue.run(() => bcrypt.hash(password, cost)),
    assertCapacity: (waiter) => queue.assertCapacity(waiter),
    async verify(password, hash, waiter) {
      // Computed on the first login, whether or not its app exists: command-line calls do not need
      // it. Its duration is also the first measurement of the queue.
      placeholderHash ??= queue.run(() => bcrypt.hash(generatePassword(), cost));
      const placeholder = await placeholderHash;
      const matches = await queue.run(() => bcrypt.compare(password, hash ?? placeholder), waiter);
      return matches && hash !== undefined;
    },
  };
}
