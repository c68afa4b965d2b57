import { RE2JS } from 're2js';
import { type Reason, say } from '../languages/reasons.ts';

/**
 * The steps of all patterns of one submission: at most 50 ms. Linear time alone does not bound the
 * cost: each instruction may run for each character of the text (decision 8).
 */
export const MAX_PATTERN_STEPS = 1_000_000;

/** The remaining steps of one submission. */
export interface PatternBudget {
  steps: number;
}

/**
 * The instructions that the patterns of one schema may compile to together. A PUT of so many blocks
 * the event loop for about 17 ms (test/measured/event-loop.test.ts).
 */
export const MAX_PATTERN_INSTRUCTIONS = 5_000;

/** The remaining instructions of one schema. */
export interface CompileBudget {
  instructions: number;
}

/** The cost of a Unicode class, which is a table of hundreds of ranges. */
const UNICODE_CLASS = 30;
/** Its cost when case is ignored: the engine then folds each letter of the table. */
const FOLDED_UNICODE_CLASS = 100;
/** The cost of a non-ASCII range when case is ignored: the engine folds up to a million letters. */
const FOLDED_RANGE = 1_500;

/** A class such as `[a-z0-9_-]` costs one instruction for this many characters of its source. */
const CHARACTERS_PER_INSTRUCTION = 3;

const TOKEN =
  /\\[pP](?:\{[^}]*\}|.)|\\x\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\^?[a-z]{1,6}:\]|[^\]\\])*\]|\{(?<low>\d+)(?:,(?<high>\d*))?\}|./gsu;
const UNICODE_NAME = /\\[pP]/g;
const WIDE_RANGE = /-(?:\\[xu]|[^\0-\x7f])/gu;
const IGNORES_CASE = /\(\?[a-zA-Z]*i/;

/**
 * Estimates the instructions of a compiled pattern from its source, so that a slow compilation does
 * not begin. Counted repetitions multiply: `(a{10}){10}` is 100. A table that takes long to build
 * counts once, as the number of instructions that take as long.
 */
export function programSize(source: string): number {
  return tableCost(source) + instructionCount(source);
}

function tableCost(source: string): number {
  const names = source.match(UNICODE_NAME)?.length ?? 0;
  if (!IGNORES_CASE.test(source)) return names * UNICODE_CLASS;
  return names * FOLDED_UNICODE_CLASS + (source.match(WIDE_RANGE)?.length ?? 0) * FOLDED_RANGE;
}

function instructionCount(source: string): number {
  const groups = [0];
  let last = 0;
  const add = (size: number): void => {
    groups.push((groups.pop() ?? 0) + size);
    last = size;
  };
  // biome-ignore lint/plugin: of at most 500 characters
  for (const { 0: token, groups: count } of source.matchAll(TOKEN)) {
    if (token === '(') {
      groups.push(2);
    } else if (token === ')') {
      add(groups.length > 1 ? (groups.pop() ?? 0) : 0);
    } else if (count?.low === undefined) {
      add(Math.ceil(token.length / CHARACTERS_PER_INSTRUCTION));
    } else {
      const low = Number(count.low);
      const high = Math.max(low, Number(count.high ?? 0));
      // The first copy is counted already; each optional copy adds a branch.
      add(last * Math.max(0, high - 1) + high - low);
    }
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

const MAX_PATTERN_LENGTH = 500;
/** `\Q` starts a quotation, in which brackets and counts are literal, unlike in `programSize`. */
const QUOTATION = /^(?:[^\\]|\\[^Q])*\\Q/;

/** A pattern. `check` returns the code of a problem and takes its steps from `budget`. */
export interface Pattern {
  check(text: string, budget: PatternBudget): 'pattern' | 'tooLongForPattern' | undefined;
}

/**
 * Compiles the regex of a text field for a linear-time engine (spec 2.3). Returns a problem for a
 * pattern that the engine does not support, or that is larger than `budget`.
 */
export function compilePattern(source: string, budget: CompileBudget): Pattern | { problem: Reason } {
  if (source.length > MAX_PATTERN_LENGTH) return { problem: say('tooLong', { max: MAX_PATTERN_LENGTH }) };
  if (QUOTATION.test(source)) return { problem: say('patternQuotes') };
  try {
    const translated = RE2JS.translateRegExp(source);
    budget.instructions -= programSize(translated);
    if (budget.instructions < 0) return { problem: say('patternTooLarge') };
    const pattern = RE2JS.compile(translated);
    const size = pattern.programSize();
    return {
      check(text, left) {
        left.steps -= size * (text.length + 1);
        if (left.steps < 0) return 'tooLongForPattern';
        // `test` builds an automaton: slower in the worst case, and up to 8 MB for each pattern.
        return pattern.matcher(text).find() ? undefined : 'pattern';
      },
    };
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile';
    return { problem: say('patternInvalid', { reason }) };
  }
}
