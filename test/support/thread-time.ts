import { pbkdf2Sync } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * The time that the main thread of a process has had on a processor, in milliseconds: other
 * processes do not add to it, and neither does what waits for them.
 */
export const threadTime = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)) / 1e6;

/** 50 ms on the machine on which the promises are measured (docs/performance.md). */
const ITERATIONS = 300_000;

/** The time of a fixed computation, as {@link threadTime}: the least of some. */
export function unitTime(): number {
  const times = Array.from({ length: 5 }, () => {
    const from = process.cpuUsage();
    pbkdf2Sync('password', 'salt', ITERATIONS, 32, 'sha256');
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1e3;
  });
  return Math.min(...times);
}
