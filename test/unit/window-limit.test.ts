import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWindowLimit } from '../../src/core/window-limit.ts';

const LONG_MS = 60_000;

describe('a window limit', () => {
  it('counts each key by itself, up to its limit', () => {
    const limit = createWindowLimit(2, LONG_MS);
    limit.count('a');
    expect(limit.waitMs('a')).toBe(0);
    limit.count('a');
    expect(limit.waitMs('a')).toBeGreaterThan(0);
    expect(limit.waitMs('a')).toBeLessThanOrEqual(LONG_MS);
    expect(limit.waitMs('b')).toBe(0);
  });

  it('begins anew when the window is over', async () => {
    const limit = createWindowLimit(1, 50);
    limit.count('a');
    await sleep(60);
    expect(limit.waitMs('a')).toBe(0);
    limit.count('a');
    expect(limit.waitMs('a')).toBeGreaterThan(0);
  });

  it('does not prolong a window by counting', async () => {
    const limit = createWindowLimit(2, 200);
    limit.count('a');
    await sleep(120);
    limit.count('a');
    await sleep(100);
    expect(limit.waitMs('a')).toBe(0);
  });

  it('takes events back, and forgets a key without any', () => {
    const limit = createWindowLimit(1, LONG_MS);
    const takeBack = limit.count('a');
    takeBack();
    expect(limit.waitMs('a')).toBe(0);
    expect(limit.size).toBe(0);
  });

  it('takes nothing from a later window', async () => {
    const limit = createWindowLimit(1, 50);
    const takeBack = limit.count('a');
    await sleep(60);
    limit.count('a');
    takeBack();
    expect(limit.waitMs('a')).toBeGreaterThan(0);
  });

  // Item 11: a key and a timer were kept for every app id that somebody made up.
  it('keeps a bounded number of keys of 100,000 made-up ones, and the one that is used meanwhile', () => {
    const limit = createWindowLimit(1, LONG_MS);
    limit.count('attacker');
    for (let made = 0; made < 100_000; made += 1) {
      limit.count(`made-up-${made}`);
      if (made % 40_000 === 0) expect(limit.waitMs('attacker')).toBeGreaterThan(0);
    }
    expect(limit.size).toBe(50_000);
    expect(limit.waitMs('attacker')).toBeGreaterThan(0);
  });

  it('keeps keys of any length in bounded memory, apart from each other', () => {
    const limit = createWindowLimit(1, LONG_MS, 1_000);
    const before = process.memoryUsage().rss;
    for (let made = 0; made < 1_000; made += 1) limit.count(`${'x'.repeat(100_000)}${made}`);
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024);
    expect(limit.size).toBe(1_000);
    expect(limit.waitMs(`${'x'.repeat(100_000)}999`)).toBeGreaterThan(0);
    expect(limit.waitMs(`${'x'.repeat(100_000)}1000`)).toBe(0);
  });
});
