import { describe, expect, it } from 'vitest';
import { createInsertHeuristic } from '../../../src/submissions/store/insert-heuristic.ts';

describe('The guess at heuristic', () => {
  it('begins with yes, turns to no when many turn out to have a record, and back when new ones come', () => {
    const heuristic = createInsertHeuristic();
    expect(heuristic.prefersInsert()).toBe(true);
    for (let n = 0; n < 30; n += 1) heuristic.note(false);
    expect(heuristic.prefersInsert()).toBe(false);
    for (let n = 0; n < 60; n += 1) heuristic.note(true);
    expect(heuristic.prefersInsert()).toBe(true);
  });

  it('stays with yes while one in ten has a record', () => {
    const heuristic = createInsertHeuristic();
    for (let n = 0; n < 1_000; n += 1) heuristic.note(n % 10 !== 0);
    expect(heuristic.prefersInsert()).toBe(true);
  });
});
