import { describe, expect, it } from 'vitest';
import { createInsertHeuristic } from '../../../src/core/users/submission-writes.ts';

describe('the insert heuristic', () => {
  it('starts with insert, prefers upsert after many existing records, and returns to insert after new records', () => {
    const heuristic = createInsertHeuristic();
    expect(heuristic.prefersInsert()).toBe(true);
    for (let n = 0; n < 30; n += 1) heuristic.note(false);
    expect(heuristic.prefersInsert()).toBe(false);
    for (let n = 0; n < 60; n += 1) heuristic.note(true);
    expect(heuristic.prefersInsert()).toBe(true);
  });

  it('prefers insert while one person in ten has a record', () => {
    const heuristic = createInsertHeuristic();
    for (let n = 0; n < 1_000; n += 1) heuristic.note(n % 10 !== 0);
    expect(heuristic.prefersInsert()).toBe(true);
  });
});
