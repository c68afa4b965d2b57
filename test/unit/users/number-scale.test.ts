import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberScale } from '../../../src/features/search/tallies.ts';

describe('the ranges of numbers', () => {
  const tiny = fc
    .integer({ min: 1, max: 10_000_000 })
    .map((step) => Number(`1.00000${String(step).padStart(8, '0')}e-300`));
  const values = fc.oneof(
    fc.array(tiny, { minLength: 2 }),
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 2 }),
  );

  it('hold the values that they count, tiny ones too', () => {
    fc.assert(
      fc.property(values, (all) => {
        const sorted = [...all].sort((one, other) => one - other);
        const width = numberScale.shown(sorted, undefined);
        for (const value of sorted) {
          const start = numberScale.floor(value, width);
          expect(start).toBeLessThanOrEqual(value);
          expect(numberScale.next(start, width)).toBeGreaterThan(value);
        }
      }),
    );
  });
});
