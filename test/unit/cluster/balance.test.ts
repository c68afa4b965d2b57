import type { Worker } from 'node:cluster';
import { expect, it } from 'vitest';
import { countToEnd, createBalance } from '../../../src/operations/cluster/balance.ts';

it('ends connections of a worker that has many more than its share, half of them at a time', () => {
  expect(countToEnd(64, 65, 2)).toBe(16);
  expect(countToEnd(16, 17, 2)).toBe(4);
  expect(countToEnd(60, 60, 4)).toBe(23);
});

it('ends none for a few connections, nor for the differences that chance makes', () => {
  expect(countToEnd(5, 5, 2)).toBe(0);
  expect(countToEnd(44, 80, 2)).toBe(0);
  expect(countToEnd(0, 80, 2)).toBe(0);
  expect(countToEnd(500, 500, 1)).toBe(0);
});

it('is repeated until a worker has about its share, and then ends none', () => {
  let own = 1_000;
  for (let second = 0; second < 30; second += 1) own -= countToEnd(own, 1_000, 8);
  expect(countToEnd(own, 1_000, 8)).toBe(0);
});

it('counts no connections of a worker that has ended, also when its last report comes later', () => {
  const sent: unknown[] = [];
  const createWorker = (): Worker =>
    ({ isConnected: () => true, send: (message: unknown) => sent.push(message) }) as unknown as Worker;
  const [ended, busy, next] = [createWorker(), createWorker(), createWorker()];
  const serving = new Set([ended, busy]);
  const balance = createBalance(() => serving);
  balance.note(ended, 100);
  sent.length = 0;
  balance.note(busy, 100);
  expect(sent).toEqual([]);
  serving.delete(ended);
  serving.add(next);
  balance.note(ended, 100);
  balance.note(busy, 100);
  expect(sent).toEqual([{ endConnections: 25 }]);
});
