import { RE2JS } from 're2js';

const MAX_PATTERN_LENGTH = 500;

/** A text pattern that runs in linear time. */
export interface Pattern {
  /** The most steps that the engine takes for one character of text: the pattern's instructions, repetitions written out. */
  stepsPerCharacter: number;
  check(text: string): string | undefined;
}

/**
 * Compiles a stored regex with a linear-time engine, so that no pattern can hold the event loop by backtracking. It is found anywhere
 * in the text unless anchored, in Unicode (DESIGN section 2, "text regex"). What the engine cannot run (look-around,
 * back-references) comes back as a problem with the engine's reason.
 */
export function compilePattern(source: string): Pattern | { problem: string } {
  if (source.length > MAX_PATTERN_LENGTH) return { problem: `must have at most ${MAX_PATTERN_LENGTH} characters` };
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    return {
      stepsPerCharacter: compiled.programSize(),
      check: (text) => (compiled.test(text) ? undefined : 'does not match the required pattern'),
    };
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile';
    return { problem: `is not a pattern that can be used: ${reason}` };
  }
}
