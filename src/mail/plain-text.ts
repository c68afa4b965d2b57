/**
 * Control characters, and characters that change the direction of the text after them, with which a
 * value could look like text of the service.
 */
const DISRUPTIVE = /[\p{Cc}\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069\u2028\u2029]/gu;

/** Returns a text as one line of at most `max` characters, without control characters. */
export function oneLine(text: string, max: number): string {
  return cut(text.replace(DISRUPTIVE, ' ').replace(/\s+/g, ' ').trim(), max);
}

/** Returns the lines of a text, of at most `max` characters, without control characters. */
export function linesOf(text: string, max: number): string[] {
  return cut(text, max)
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replace(DISRUPTIVE, ' '));
}

/** Cuts a text to at most `max` UTF-16 units and marks the cut. Splits no character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
