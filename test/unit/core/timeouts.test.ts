import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withTimeout } from '../../../src/platform/core/timeouts.ts';

const LONG_MS = 60_000;
const expired = () => new Error('expired');
const pendingTimers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;

describe('withTimeout', () => {
  it('resolves or rejects like the work, and clears its timer', async () => {
    const before = pendingTimers();
    expect(await withTimeout(Promise.resolve(7), LONG_MS, expired)).toBe(7);
    await expect(withTimeout(Promise.reject(new Error('refused')), LONG_MS, expired)).rejects.toThrow('refused');
    expect(pendingTimers()).toBe(before);
  });

  it('rejects with the given error when the work is pending after the time limit', async () => {
    await expect(withTimeout(new Promise(() => undefined), 1, expired)).rejects.toThrow('expired');
  });

  it('handles a rejection that comes after the time limit', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const work = sleep(20).then(() => Promise.reject(new Error('late')));
    await expect(withTimeout(work, 1, expired)).rejects.toThrow('expired');
    await sleep(50);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
