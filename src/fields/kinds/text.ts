import { z } from 'zod';
import { Count, defineKind, MAX_PATTERN_INSTRUCTIONS } from '../kind.ts';
import { compilePattern } from '../regex/pattern.ts';

/** Text. Lengths count characters (Unicode code points), not bytes and not UTF-16 units. */
export const text = defineKind({
  kind: 'text',
  options: { minLength: Count.optional(), maxLength: Count.optional(), regex: z.string().optional() },

  checkDefinition({ minLength, maxLength, regex }, report, budget) {
    if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
      report('must not be greater than maxLength', 'minLength');
    }
    if (regex !== undefined) {
      const compiled = compilePattern(regex, budget);
      if ('problem' in compiled) report(compiled.problem, 'regex');
    }
  },

  compile({ required, minLength = 0, maxLength = Number.POSITIVE_INFINITY, regex }) {
    const least = required ? Math.max(1, minLength) : minLength;
    const pattern = regex === undefined ? undefined : compilePattern(regex, { instructions: MAX_PATTERN_INSTRUCTIONS });
    if (pattern && 'problem' in pattern) throw new Error(`stored pattern does not compile: ${pattern.problem}`);
    return (value, report, budget) => {
      if (typeof value !== 'string') return report('must be a text');
      // Characters are at most the UTF-16 units and at least half of them, so most values need no count.
      const length = value.length > maxLength || value.length < least * 2 ? characters(value) : value.length;
      if (length < least) return report(least === 1 ? 'must not be empty' : `must have at least ${least} characters`);
      if (length > maxLength) return report(`must have at most ${maxLength} characters`);
      const problem = pattern?.check(value, budget);
      if (problem) report(problem);
    };
  },
});

function characters(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}
