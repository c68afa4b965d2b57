import { describe, expect, it } from 'vitest';
import { createNewcomers } from '../../../src/submissions/store/insert-heuristic.ts';

describe('The guess at newcomers', () => {
  it('begins with yes, turns to no when many turn out to have a record, and back when new ones come', () => {
    const newcomers = createNewcomers();
    expect(newcomers.areLikely()).toBe(true);
    for (let n = 0; n < 30; n += 1) newcomers.note(false);
    expect(newcomers.areLikely()).toBe(false);
    for (let n = 0; n < 60; n += 1) newcomers.note(true);
    expect(newcomers.areLikely()).toBe(true);
  });

  it('stays with yes while one in ten has a record', () => {
    const newcomers = createNewcomers();
    for (let n = 0; n < 1_000; n += 1) newcomers.note(n % 10 !== 0);
    expect(newcomers.areLikely()).toBe(true);
  });
});
