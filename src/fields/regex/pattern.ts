import { RE2JS } from 're2js';
import type { CompileBudget, PatternBudget } from './budget.ts';
import { createMatcher } from './matcher.ts';
import { programSize } from './program-size.ts';

const MAX_PATTERN_LENGTH = 500;
const TOO_LARGE = 'is too large, alone or with the other patterns of the schema: use smaller repetition counts';
/**
 * `\Q` starts a quotation for the engine, in which brackets and counts are literal text.
 * `programSize` does not know quotations, so they are refused.
 */
const QUOTATION = /^(?:[^\\]|\\[^Q])*\\Q/;

/** A pattern of a text field. */
export interface Pattern {
  /** Returns what is wrong with a text, or undefined. Takes its steps from `budget`. */
  check(text: string, budget: PatternBudget): string | undefined;
}

/**
 * Compiles the regex of a text field for a linear-time engine, so that no pattern can block the
 * event loop by backtracking. It matches Unicode, anywhere in the text unless it is anchored
 * (docs/specification.md, section 2.3). Returns a problem for a pattern that the engine does not
 * support, such as look-around and back-references, and for one that is larger than `budget`.
 */
export function compilePattern(source: string, budget: CompileBudget): Pattern | { problem: string } {
  if (source.length > MAX_PATTERN_LENGTH) return { problem: `must have at most ${MAX_PATTERN_LENGTH} characters` };
  if (QUOTATION.test(source)) return { problem: 'is not a pattern that can be used: \\Q is not supported' };
  try {
    const translated = RE2JS.translateRegExp(source);
    budget.instructions -= programSize(translated);
    if (budget.instructions < 0) return { problem: TOO_LARGE };
    const matches = createMatcher(RE2JS.compile(translated));
    return {
      check(text, steps) {
        const found = matches(text, steps);
        if (found === undefined) return 'is too long to be checked against the pattern';
        return found ? undefined : 'does not match the required pattern';
      },
    };
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile';
    return { problem: `is not a pattern that can be used: ${reason}` };
  }
}
