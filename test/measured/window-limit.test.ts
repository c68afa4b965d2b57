// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWindowLimit } from '../../src/platform/core/window-limit.ts';

const LONG_MS = 60_000;

describe('a window limit', () => {
  it('counts each key separately, up to the limit', () => {
    const limit = createWindowLimit(2, LONG_MS);
    limit.count('a');
    expect(limit.waitMs('a')).toBe(0);
    limit.count('a');
    expect(limit.waitMs('a')).toBeGreaterThan(0);
    expect(limit.waitMs('a')).toBeLessThanOrEqual(LONG_MS);
    expect(limit.waitMs('b')).toBe(0);
  });

  it('starts a new window when the previous one has ended', async () => {
    const limit = createWindowLimit(1, 50);
    limit.count('a');
    await sleep(60);
    expect(limit.waitMs('a')).toBe(0);
    limit.count('a');
    expect(limit.waitMs('a')).toBeGreaterThan(0);
  });

  it('does not extend a window when an event is counted', async () => {
    const limit = createWindowLimit(2, 200);
    limit.count('a');
    await sleep(120);
    limit.count('a');
    await sleep(100);
    expect(limit.waitMs('a')).toBe(0);
  });

  it('takes an event back, and removes a key without events', () => {
    const limit = createWindowLimit(1, LONG_MS);
    const takeBack = limit.count('a');
    takeBack();
    expect(limit.waitMs('a')).toBe(0);
    expect(limit.size).toBe(0);
  });

  it('does not take an event of an earlier window back from a later one', async () => {
    const limit = createWindowLimit(1, 50);
    const takeBack = limit.count('a');
    await sleep(60);
    limit.count('a');
    takeBack();
    expect(limit.waitMs('a')).toBeGreaterThan(0);
  });

  it('keeps 50,000 of 100,000 keys, and a key that is in use (invariant 7)', () => {
    const limit = createWindowLimit(1, LONG_MS);
    limit.count('attacker');
    for (let index = 0; index < 100_000; index += 1) {
      limit.count(`made-up-${index}`);
      if (index % 40_000 === 0) expect(limit.waitMs('attacker')).toBeGreaterThan(0);
    }
    expect(limit.size).toBe(50_000);
    expect(limit.waitMs('attacker')).toBeGreaterThan(0);
  });

  it('keeps keys of any length in bounded memory, and distinguishes them', () => {
    const limit = createWindowLimit(1, LONG_MS, 1_000);
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 1_000; index += 1) limit.count(`${'x'.repeat(100_000)}${index}`);
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024);
    expect(limit.size).toBe(1_000);
    expect(limit.waitMs(`${'x'.repeat(100_000)}999`)).toBeGreaterThan(0);
    expect(limit.waitMs(`${'x'.repeat(100_000)}1000`)).toBe(0);
  });
});
