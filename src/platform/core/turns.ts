import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest turn of the event loop. */
const TURN_MS = 3;

/**
 * Returns a function that lets other requests go on when a turn has taken {@link TURN_MS}; it
 * resolves with whether it did.
 */
export function createTurns(): () => Promise<boolean> | false {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < TURN_MS) return false;
    return nextTurn().then(() => {
      begun = performance.now();
      return true;
    });
  };
}
