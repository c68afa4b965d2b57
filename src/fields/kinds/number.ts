import { z } from 'zod';
import { defineKind } from '../kind.ts';

/** A finite JSON number with inclusive bounds. A numeric string is not a number. */
export const number = defineKind({
  name: 'number',
  displayName: 'Number',
  options: {
    min: { schema: z.number().optional(), label: 'Min value', control: 'number', stricter: 'higher' },
    max: { schema: z.number().optional(), label: 'Max value', control: 'number', stricter: 'lower' },
  },
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
  sample({ min, max }) {
    if (min !== undefined && min > 1) return min;
    if (max !== undefined && max < 1) return max;
    return 1;
  },
  control: 'number',
  attributes: ({ min, max }) => ({ step: 'any', min, max }),
});
