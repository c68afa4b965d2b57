/** A text with more is folded. */
const MAX_LENGTH = 600;
const MAX_LINES = 12;

/** Returns the start of a text that is too long; undefined for one at most a quarter longer. */
export function headOf(text: string): string | undefined {
  const head = text.slice(0, endOfHead(text));
  return text.length - head.length > head.length / 4 ? head : undefined;
}

function endOfHead(text: string): number {
  let end = Math.min(MAX_LENGTH, text.length);
  for (let at = -1, line = 0; line < MAX_LINES; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0 || at >= end) break;
    if (line === MAX_LINES - 1) end = at;
  }
  // Does not split a surrogate pair.
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
