import type { RE2JS } from 're2js';
import type { PatternBudget } from '../kind.ts';

/** Instructions of a compiled program, by the engine's numbers. A property test holds this matcher against the engine's own. */
const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;
const ANY = 10;
const ANY_BUT_NEWLINE = 11;

/** What an empty-width instruction may ask of a place between two characters. */
const LINE_BEGINS = 1;
const LINE_ENDS = 2;
const TEXT_BEGINS = 4;
const TEXT_ENDS = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

interface Instruction {
  op: number;
  out: number;
  arg: number;
  matchRune(rune: number): boolean;
}

const NEWLINE = 10;
/** Stands for the character before the first and after the last. */
const NONE = -1;

/** Whether a pattern is found in a text, or undefined when finding out would take more steps than are left. */
export type Matcher = (text: string, budget: PatternBudget) => boolean | undefined;

/**
 * Runs a compiled pattern by following all its paths at once, and counts the steps. The engine's own ways to run it are linear too, but by a factor of the program's
 * size times what building an automaton costs, which no look at pattern and text tells beforehand; this one stops at exactly the same step on every machine
 * (docs/decisions/0008-regex-budget.md).
 */
export function createMatcher(pattern: RE2JS): Matcher {
  const { inst: program, start }: { inst: Instruction[]; start: number } = pattern.re2Input.prog;
  const begin = program[start];
  const anchored = begin?.op === EMPTY_WIDTH && (begin.arg & TEXT_BEGINS) !== 0;
  /** Where the paths are, before and after the instructions that take no character were followed. Each instruction leads to two others at most. */
  const landed = new Int32Array(2 * program.length + 2);
  const waiting = new Int32Array(program.length);
  /** At which place of the text an instruction was last reached, so that no path is followed twice. */
  const reachedAt = new Int32Array(program.length);

  /** Follows all paths up to instructions that take a character; returns how many those are, or -1 when one path is at its end. */
  function follow(count: number, place: number, context: number, budget: PatternBudget): number {
    let found = 0;
    let pending = count;
    while (pending > 0) {
      pending -= 1;
      const at = landed[pending] as number;
      if (reachedAt[at] === place) continue;
      reachedAt[at] = place;
      budget.steps -= 1;
      const { op, out, arg } = program[at] as Instruction;
      if (op === MATCH) return -1;
      if (op >= RUNE) {
        waiting[found] = at;
        found += 1;
      } else if (op === ALT || op === ALT_MATCH) {
        landed[pending] = arg;
        landed[pending + 1] = out;
        pending += 2;
      } else if (op === NOP || op === CAPTURE || (op === EMPTY_WIDTH && (arg & ~context) === 0)) {
        landed[pending] = out;
        pending += 1;
      }
    }
    return found;
  }

  /** Takes one character; returns how many paths go on. */
  function take(found: number, rune: number): number {
    let count = 0;
    for (let index = 0; index < found; index += 1) {
      const instruction = program[waiting[index] as number] as Instruction;
      if (!accepts(instruction, rune)) continue;
      landed[count] = instruction.out;
      count += 1;
    }
    return count;
  }

  return (text, budget) => {
    reachedAt.fill(0);
    let count = 0;
    let before = NONE;
    for (let index = 0, place = 1; ; place += 1) {
      const rune = text.codePointAt(index) ?? NONE;
      if (index === 0 || !anchored) {
        landed[count] = start;
        count += 1;
      }
      const found = follow(count, place, contextOf(before, rune), budget);
      if (found < 0) return true;
      if (rune === NONE || (found === 0 && anchored)) return false;
      budget.steps -= found + 1;
      if (budget.steps < 0) return undefined;
      count = take(found, rune);
      before = rune;
      index += rune > 0xffff ? 2 : 1;
    }
  };
}

function accepts(instruction: Instruction, rune: number): boolean {
  if (instruction.op === ANY) return true;
  if (instruction.op === ANY_BUT_NEWLINE) return rune !== NEWLINE;
  return instruction.matchRune(rune);
}

function contextOf(before: number, after: number): number {
  let context = isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY;
  if (before === NONE) context |= TEXT_BEGINS | LINE_BEGINS;
  if (before === NEWLINE) context |= LINE_BEGINS;
  if (after === NONE) context |= TEXT_ENDS | LINE_ENDS;
  if (after === NEWLINE) context |= LINE_ENDS;
  return context;
}

function isWord(rune: number): boolean {
  return (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122);
}
