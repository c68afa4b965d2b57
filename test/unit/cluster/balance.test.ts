import { expect, it } from 'vitest';
import { surplusOf } from '../../../src/cluster/balance.ts';

it('ends connections of a worker that has many more than its share, half of them at a time', () => {
  expect(surplusOf(64, 65, 2)).toBe(16);
  expect(surplusOf(16, 17, 2)).toBe(4);
  expect(surplusOf(60, 60, 4)).toBe(23);
});

it('ends none for a few connections, nor for the differences that chance makes', () => {
  expect(surplusOf(5, 5, 2)).toBe(0);
  expect(surplusOf(44, 80, 2)).toBe(0);
  expect(surplusOf(0, 80, 2)).toBe(0);
  expect(surplusOf(500, 500, 1)).toBe(0);
});

it('reaches shares with which it ends none, also when all connections come back', () => {
  let own = 1_000;
  for (let second = 0; second < 30; second += 1) own -= surplusOf(own, 1_000, 8);
  expect(surplusOf(own, 1_000, 8)).toBe(0);
});
