import { RE2JS } from 're2js';
import type { CompileBudget, PatternBudget } from '../kind.ts';
import { createMatcher } from './matcher.ts';
import { compiledSize } from './program-size.ts';

const MAX_PATTERN_LENGTH = 500;
const TOO_LARGE = 'is too large, alone or with the other patterns of the schema: use smaller repetition counts';
/** `\Q`: a letter to JavaScript, but to the engine the beginning of a quotation, in which brackets and counts are text. */
const QUOTATION = /^(?:[^\\]|\\[^Q])*\\Q/;

/** A text pattern that runs in linear time. */
export interface Pattern {
  /** What is wrong with a text, or undefined. What it takes is taken from `budget`. */
  check(text: string, budget: PatternBudget): string | undefined;
}

/**
 * Compiles a stored regex with a linear-time engine, so that no pattern can hold the event loop by backtracking. It is found anywhere
 * in the text unless anchored, in Unicode (DESIGN section 2, "text regex"). What the engine cannot run (look-around,
 * back-references) comes back as a problem with the engine's reason, and so does what is larger than `budget`.
 */
export function compilePattern(source: string, budget: CompileBudget): Pattern | { problem: string } {
  if (source.length > MAX_PATTERN_LENGTH) return { problem: `must have at most ${MAX_PATTERN_LENGTH} characters` };
  if (QUOTATION.test(source)) return { problem: 'is not a pattern that can be used: \\Q is not supported' };
  try {
    const translated = RE2JS.translateRegExp(source);
    budget.instructions -= compiledSize(translated);
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
