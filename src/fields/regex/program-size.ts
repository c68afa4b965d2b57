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
 * Estimates the number of instructions that a pattern compiles to from its source, so that a
 * pattern that takes long to compile is refused before it is compiled. Counted repetitions
 * multiply: `(a{10}){10}` is 100. A table that takes long to build counts once, as the number of
 * instructions that take as long.
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
