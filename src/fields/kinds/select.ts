import { z } from 'zod';
import { defineKind } from '../kind.ts';

/** One of a list of texts. */
export const select = defineKind({
  kind: 'select',
  options: { enum: z.array(z.string()).min(1, 'must list at least one value') },
  compile(definition) {
    const allowed: ReadonlySet<unknown> = new Set(definition.enum);
    return (value, report) => {
      if (typeof value !== 'string') return report('must be a text');
      if (!allowed.has(value)) report('must be one of the allowed values');
    };
  },
});
