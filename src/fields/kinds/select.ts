import { z } from 'zod';
import { defineKind } from '../kind.ts';

/** One string of a list. */
export const select = defineKind({
  name: 'select',
  displayName: 'Single choice',
  options: {
    enum: {
      schema: z.array(z.string()).min(1, 'must list at least one value'),
      label: 'Choices',
      control: 'choices',
      initial: ['first', 'second'],
    },
  },
  compile(definition) {
    const allowed: ReadonlySet<unknown> = new Set(definition.enum);
    return (value, report) => {
      if (typeof value !== 'string') return report('must be a text');
      if (!allowed.has(value)) report('must be one of the allowed values');
    };
  },
  sample: (definition) => definition.enum[0] ?? '',
  control: 'select',
  choices: (definition) => [...new Set(definition.enum)],
});
