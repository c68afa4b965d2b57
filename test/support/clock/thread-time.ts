import { pbkdf2Sync } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * The time that the main thread of a process has had on a processor, in milliseconds: other
 * processes do not add to it, and neither does a wait for them.
 */
const threadTime = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)) / 1e6;

/**
 * Returns a function that returns the {@link threadTime} of a process and of all that it started;
 * the time of one that has ended stays.
 */
export function createFamilyTime(): (pid: number) => number {
  const times = new Map<number, number>();
  const note = (pid: number): void => {
    try {
      times.set(pid, threadTime(pid));
      for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')) {
        if (child !== '') note(Number(child));
      }
    } catch {
      // It has ended.
    }
  };
  return (pid) => {
    note(pid);
    return [...times.values()].reduce((sum, time) => sum + time, 0);
  };
}

/** 50 ms on the machine on which the promises are measured (docs/performance.md). */
const ITERATIONS = 300_000;

/** The time of a fixed computation, on the processor: the least of some. */
export function unitTime(): number {
  const times = Array.from({ length: 5 }, () => {
    const from = process.cpuUsage();
    pbkdf2Sync('password', 'salt', ITERATIONS, 32, 'sha256');
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1e3;
  });
  return Math.min(...times);
}
