import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createAccumulator } from '../../../src/platform/core/accumulator.ts';
import { endSharedServer } from '../../support/server/shared.ts';

beforeAll(endSharedServer);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sums numbers; `written` has the result of each write that succeeded. */
function createSums(max?: number) {
  const written: Record<string, number>[] = [];
  const failing = { isOn: false };
  const sums = createAccumulator<number>({
    everyMs: 1_000,
    ...(max !== undefined && { max }),
    merge: (one, other) => one + other,
    async write(values) {
      if (failing.isOn) throw new Error('away');
      written.push(Object.fromEntries(values));
    },
  });
  return { sums, written, failing };
}

it('merges the values of a key and writes those of all keys together', async () => {
  const { sums, written } = createSums();
  for (const key of ['a', 'b', 'a']) sums.add(key, 1);
  await vi.advanceTimersByTimeAsync(999);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(written).toEqual([{ a: 2, b: 1 }]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toHaveLength(1);
});

it('keeps the values of a failed write for the next one', async () => {
  const { sums, written, failing } = createSums();
  failing.isOn = true;
  sums.add('a', 1);
  await expect(sums.flush()).rejects.toThrow('away');
  sums.add('a', 2);
  failing.isOn = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual([{ a: 3 }]);
});

it('writes with a flush everything that was added before', async () => {
  const { sums, written } = createSums();
  sums.add('a', 1);
  const first = sums.flush();
  sums.add('a', 2);
  await Promise.all([first, sums.flush()]);
  expect(written.reduce((sum, { a = 0 }) => sum + a, 0)).toBe(3);
});

it('holds a bounded number of keys', async () => {
  const { sums, written } = createSums(2);
  expect(['a', 'b', 'c', 'a'].map((key) => sums.add(key, 1))).toEqual([true, true, false, true]);
  await sums.flush();
  expect(written).toEqual([{ a: 2, b: 1 }]);
  expect(sums.add('c', 1)).toBe(true);
});
