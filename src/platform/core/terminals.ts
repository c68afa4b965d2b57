import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Lets this process end when its terminal is gone. Call it before anything else. Node restores the
 * settings of the terminals that it found at its start, fails when one is gone, and then may never
 * end. It leaves a descriptor alone that was closed.
 */
export function surviveLostTerminals(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.once('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}
