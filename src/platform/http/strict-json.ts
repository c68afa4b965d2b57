import { InvalidInput } from '../core/errors.ts';
import { say } from '../languages/reasons.ts';

const MAX_DEPTH = 20;

/** What a refusal is about: the body of a request or a line of a file. */
type Subject = 'body' | 'line';

/** Parses JSON. @throws {InvalidInput} also for deep nesting */
export function parseStrictJson(text: string, subject: Subject = 'body'): unknown {
  const value = parse(text, subject);
  checkNumbers(text, subject);
  checkValue(value, 0, subject);
  return value;
}

function parse(text: string, subject: Subject): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput(`${subject}NotJson`);
  }
}

function checkValue(value: unknown, depth: number, subject: Subject): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new InvalidInput(`${subject}NotUnicode`);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new InvalidInput(`${subject}HugeNumber`);
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) throw new InvalidInput(say(`${subject}TooDeep`, { max: MAX_DEPTH }));
    for (const key of Object.keys(value)) {
      checkValue(key, depth + 1, subject);
      checkValue((value as Record<string, unknown>)[key], depth + 1, subject);
    }
  }
}

/** Matches texts that may contain a number that JavaScript alters. Most bodies do not match. */
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
 * Checks that `JSON.parse` preserved the numbers of valid JSON. Refuses integers that JavaScript
 * would write differently and nonzero numbers that become 0. Fractions may be rounded.
 * @throws {InvalidInput}
 */
export function checkNumbers(json: string, subject: Subject = 'body'): void {
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
function checkLiteral(json: string, start: number, subject: Subject): number {
  LITERAL.lastIndex = start;
  const literal = LITERAL.exec(json)?.[0] ?? '-';
  if (INTEGER.test(literal) && String(Number(literal)) !== literal) {
    throw new InvalidInput(`${subject}AlteredInteger`);
  }
  if (NONZERO.test(literal) && Number(literal) === 0) {
    throw new InvalidInput(`${subject}NearZero`);
  }
  return start + literal.length;
}
