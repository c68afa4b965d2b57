/** A class of Unicode is a table of hundreds of ranges. */
const UNICODE_CLASS = 30;
/** Ignoring case makes the engine look at each letter of such a table ... */
const FOLDED_UNICODE_CLASS = 100;
/** ... and at each character of a range, which may hold a million. */
const FOLDED_RANGE = 1_500;

/** A class like `[a-z0-9_-]` takes as long as some plain characters do, the longer the more. */
const CHARACTERS_PER_INSTRUCTION = 3;

const TOKEN =
  /\\[pP](?:\{[^}]*\}|.)|\\x\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]|\{(?<low>\d+)(?:,(?<high>\d*))?\}|./gsu;
const UNICODE_NAME = /\\[pP]/g;
const WIDE_RANGE = /-(?:\\[xu]|[^\0-\x7f])/gu;
const IGNORES_CASE = /\(\?[a-zA-Z]*i/;

/**
 * About how many instructions a pattern compiles to, seen from its text alone, so that one that would take long to compile is refused before it does. Counted
 * repetitions multiply: `(a{10}){10}` is 100. Tables that are slow to build count for as much as takes as long, once.
 */
export function compiledSize(source: string): number {
  return tables(source) + instructions(source);
}

function tables(source: string): number {
  const names = source.match(UNICODE_NAME)?.length ?? 0;
  if (!IGNORES_CASE.test(source)) return names * UNICODE_CLASS;
  return names * FOLDED_UNICODE_CLASS + (source.match(WIDE_RANGE)?.length ?? 0) * FOLDED_RANGE;
}

function instructions(source: string): number {
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
      // The first one is counted already; each that may be left out needs a branch besides.
      add(last * Math.max(0, high - 1) + high - low);
    }
  }
  return groups.reduce((sum, size) => sum + size, 0);
}
