import type { Types } from 'mongoose';
import { clientNetwork } from '../../core/client-network.ts';
import { TooManyRequests } from '../../core/errors.ts';
import { createWindowLimit } from '../../core/window-limit.ts';

const WINDOW_MS = 60 * 60 * 1_000;
/** What one network may add to the queue of one app in an hour, in units. */
export const UNITS_PER_HOUR = 100;
/** An entry counts one unit for each started 16 kB. */
const UNIT_BYTES = 16 * 1024;

/**
 * Limits what one client network adds to the queue of one app, so that it cannot fill the queue
 * and keep other people from being held.
 *
 * @returns a function that counts an entry of `bytes` and throws {@link TooManyRequests} when the
 *   network has no units left
 */
export function createHeldLimiter(): (appId: Types.ObjectId, address: string, bytes: number) => void {
  const limit = createWindowLimit(UNITS_PER_HOUR, WINDOW_MS);
  return (appId, address, bytes) => {
    const key = `${appId.toHexString()} ${clientNetwork(address)}`;
    const waitMs = limit.waitMs(key);
    if (waitMs > 0) throw new TooManyRequests('Too many submissions; try again later', Math.ceil(waitMs / 1_000));
    for (let units = Math.ceil(bytes / UNIT_BYTES); units > 0; units -= 1) limit.count(key);
  };
}
