import { RE2JS } from 're2js';

/**
 * The matcher steps of all patterns of one submission: 5 to 25 ms. Linear time alone does not bound
 * the cost: each instruction may run for each character of the text (decision 8).
 */
export const MAX_PATTERN_STEPS = 500_000;

/** The remaining matcher steps of one submission. */
export interface PatternBudget {
  steps: number;
}

let current: PatternBudget | undefined;

/**
 * Runs a synchronous check whose patterns take their steps from `budget`. A check of a schema gets
 * the value only; the variable is set during this call, which nothing else can interrupt.
 */
export function withSteps<Result>(budget: PatternBudget, run: () => Result): Result {
  const outer = current;
  current = budget;
  try {
    return run();
  } finally {
    current = outer;
  }
}

/** The steps for the patterns of a check: those of {@link withSteps}, else a full budget. */
export const stepsLeft = (): PatternBudget => current ?? { steps: MAX_PATTERN_STEPS };

/** The instructions that the patterns of one schema may compile to together: 10 to 40 ms. */
export const MAX_PATTERN_INSTRUCTIONS = 8_000;

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
  /\\[pP](?:\{[^}]*\}|.)|\\x\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]|\{(?<low>\d+)(?:,(?<high>\d*))?\}|./gsu;
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

// The instructions of a compiled program, with the numbers of re2js 2.10.0. A property test
// compares this matcher with the engine.
const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;
const ANY = 10;
const ANY_BUT_NEWLINE = 11;

// The conditions that an empty-width instruction sets for a position between two characters.
const LINE_START = 1;
const LINE_END = 2;
const TEXT_START = 4;
const TEXT_END = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

interface Instruction {
  op: number;
  out: number;
  arg: number;
  matchRune(rune: number): boolean;
}

const NEWLINE = 10;
/** Represents the character before the first one and after the last one. */
const NONE = -1;

/** Returns whether a pattern occurs in a text, or undefined when the budget does not suffice. */
type Matcher = (text: string, budget: PatternBudget) => boolean | undefined;

/**
 * Creates a matcher that simulates all threads of a compiled program in parallel and counts the
 * steps. The engine's matchers are linear too, but their cost cannot be predicted (decision 8).
 */
export function createMatcher(pattern: RE2JS): Matcher {
  const { inst: program, start }: { inst: Instruction[]; start: number } = pattern.re2Input.prog;
  const first = program[start];
  const isAnchored = first?.op === EMPTY_WIDTH && (first.arg & TEXT_START) !== 0;
  const threads = createThreads(program);

  return (text, budget) => {
    threads.reset();
    let before = NONE;
    for (let index = 0, position = 1; ; position += 1) {
      const rune = text.codePointAt(index) ?? NONE;
      if (index === 0 || !isAnchored) threads.start(start);
      const waiting = threads.follow(position, wordContext(before, rune), budget);
      if (waiting < 0) return true;
      if (rune === NONE || (waiting === 0 && isAnchored)) return false;
      budget.steps -= waiting + 1;
      if (budget.steps < 0) return undefined;
      threads.take(waiting, rune);
      before = rune;
      index += rune > 0xffff ? 2 : 1;
    }
  };
}

/** Creates the set of the threads of a program. A thread is the index of its next instruction. */
function createThreads(program: readonly Instruction[]) {
  /** The threads to follow. An instruction leads to two others at most. */
  const stack = new Int32Array(2 * program.length + 2);
  let height = 0;
  /** The threads at an instruction that takes a character. */
  const waiting = new Int32Array(program.length);
  /** The position at which each instruction was last reached, so that no thread runs twice. */
  const reachedAt = new Int32Array(program.length);

  return {
    reset(): void {
      reachedAt.fill(0);
      height = 0;
    },

    start(at: number): void {
      stack[height] = at;
      height += 1;
    },

    /** Runs all threads; returns how many wait for a character, or -1 when one matched. */
    follow(position: number, context: number, budget: PatternBudget): number {
      let count = 0;
      let pending = height;
      while (pending > 0) {
        pending -= 1;
        const at = stack[pending] as number;
        if (reachedAt[at] === position) continue;
        reachedAt[at] = position;
        budget.steps -= 1;
        const { op, out, arg } = program[at] as Instruction;
        if (op === MATCH) return -1;
        if (op >= RUNE) {
          waiting[count] = at;
          count += 1;
        } else if (op === ALT || op === ALT_MATCH) {
          stack[pending] = arg;
          stack[pending + 1] = out;
          pending += 2;
        } else if (op === NOP || op === CAPTURE || (op === EMPTY_WIDTH && (arg & ~context) === 0)) {
          stack[pending] = out;
          pending += 1;
        }
      }
      return count;
    },

    /** Advances the first `count` waiting threads over a character; threads that refuse it end. */
    take(count: number, rune: number): void {
      let accepted = 0;
      for (let index = 0; index < count; index += 1) {
        const instruction = program[waiting[index] as number] as Instruction;
        if (!accepts(instruction, rune)) continue;
        stack[accepted] = instruction.out;
        accepted += 1;
      }
      height = accepted;
    },
  };
}

function accepts(instruction: Instruction, rune: number): boolean {
  if (instruction.op === ANY) return true;
  if (instruction.op === ANY_BUT_NEWLINE) return rune !== NEWLINE;
  return instruction.matchRune(rune);
}

function wordContext(before: number, after: number): number {
  let context = isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY;
  if (before === NONE) context |= TEXT_START | LINE_START;
  if (before === NEWLINE) context |= LINE_START;
  if (after === NONE) context |= TEXT_END | LINE_END;
  if (after === NEWLINE) context |= LINE_END;
  return context;
}

function isWord(rune: number): boolean {
  return (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122);
}

const MAX_PATTERN_LENGTH = 500;
const TOO_LARGE = 'is too large, alone or with the other patterns of the schema: use smaller repetition counts';
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
        if (found === undefined) return 'tooLongForPattern';
        return found ? undefined : 'pattern';
      },
    };
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile';
    return { problem: `is not a pattern that can be used: ${reason}` };
  }
}
