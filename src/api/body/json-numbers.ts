import { InvalidInput } from '../../core/errors.ts';

/**
 * Matches texts that may contain a number that JavaScript alters: 16 digits in a row (an integer
 * beyond 2^53, or a long fraction) or a negative exponent. Most bodies do not match and are not
 * scanned.
 */
const SUSPECT = /\d{16}|\de-/i;
const LITERAL = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/iy;
const INTEGER = /^-?\d{16,}$/;
/** A digit other than 0 before the exponent. */
const NONZERO = /^[^e]*[1-9]/i;

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Checks that `JSON.parse` preserved the numbers of a text. Refuses integers that JavaScript would
 * write differently (only possible beyond 2^53) and nonzero numbers that become 0. Other fractions
 * may be rounded, as by every JSON parser.
 *
 * @param json valid JSON
 * @param subject what the messages name
 * @throws {InvalidInput}
 */
export function checkNumbers(json: string, subject = 'The request body'): void {
  if (!SUSPECT.test(json)) return;
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at + 1);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) at = checkLiteral(json, at, subject);
    else at += 1;
  }
}

/** @returns the position after the string whose content begins at `start` */
function endOfString(json: string, start: number): number {
  for (let from = start; ; ) {
    const quote = json.indexOf('"', from);
    if (quote < 0) return json.length;
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/** @returns the position after the number that begins at `start` */
function checkLiteral(json: string, start: number, subject: string): number {
  LITERAL.lastIndex = start;
  const literal = LITERAL.exec(json)?.[0] ?? '-';
  if (INTEGER.test(literal) && String(Number(literal)) !== literal) {
    throw new InvalidInput(`${subject} holds an integer beyond 2^53, which would be altered; send it as text`);
  }
  if (NONZERO.test(literal) && Number(literal) === 0) {
    throw new InvalidInput(`${subject} holds a number that is too small and would become 0`);
  }
  return start + literal.length;
}
