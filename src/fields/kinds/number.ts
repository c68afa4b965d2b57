import { z } from 'zod';
import { defineKind } from '../kind.ts';

/** A finite JSON number with optional bounds, both inclusive. Numeric text is not a number. */
export const number = defineKind({
  kind: 'number',
  options: { min: z.number().optional(), max: z.number().optional() },
  checkDefinition({ min, max }, report) {
    if (min !== undefined && max !== undefined && min > max) report('must not be greater than max', 'min');
  },
  compile:
    ({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }) =>
    (value, report) => {
      if (typeof value !== 'number' || !Number.isFinite(value)) return report('must be a number');
      if (value < min) return report(`must be at least ${min}`);
      if (value > max) report(`must be at most ${max}`);
    },
});
