import { RE2JS } from 're2js';

/** The engine's `\s` has no Unicode spaces. These are the members of a class. */
const SPACES = '\\t\\n\\f\\r ';
const NO_SPACES = '\\x00-\\x08\\x0b\\x0e-\\x1f!-\\u{10ffff}';
const CONTROLS: Readonly<Record<string, number>> = { a: 7, t: 9, n: 10, v: 11, f: 12, r: 13 };
const TEXT_BOUNDS: Readonly<Record<string, string>> = { '\\A': '^', '\\z': '$' };

const ASSERTION = /\\[bBAz]|[\^$]/y;
const QUANTIFIER = /(?:[*+?]|\{(?:0|[1-9]\d*)(?:,(?:0|[1-9]\d*)?)?\})\??/y;
/** A group without flags, which ECMA-262 has for a whole expression only. */
const OPEN = /\(\?P?<\w+>|\(\?:|\((?!\?)/y;
const PERL_CLASS = /\\[dswDSW]/y;
/** A character, also as an escape. Not an octal one: its digits depend on what follows. */
const CHARACTER = /\\x\{([0-9a-fA-F]+)\}|\\x([0-9a-fA-F]{2})|\\([atnvfr])|\\([!-/:-@[-`{-~])|([^\\])/uy;

/**
 * Translates the regex of a text field to ECMA-262 with the flag `u`, for JSON Schema. Both match
 * the same texts. Undefined for flags in the expression, and for classes of POSIX and of Unicode:
 * which characters the latter contain depends on the version of Unicode that an engine has.
 */
export function ecmaPattern(regex: string): string | undefined {
  return translate(RE2JS.translateRegExp(regex));
}

/** Returns the same expression in the other dialect, or undefined. @param source compiles */
function translate(source: string): string | undefined {
  let at = 0;

  function take(token: RegExp): RegExpExecArray | [] {
    token.lastIndex = at;
    const found = token.exec(source);
    if (found) at = token.lastIndex;
    return found ?? [];
  }

  function takeCharacter(syntax: RegExp): string | undefined {
    const [, braced, hex, control, escaped, plain] = take(CHARACTER);
    if (control !== undefined) return printed(CONTROLS[control], syntax);
    const digits = braced ?? hex;
    return printed(digits === undefined ? (escaped ?? plain)?.codePointAt(0) : Number.parseInt(digits, 16), syntax);
  }

  function takeMember(isFirst: boolean): string | undefined {
    if (source.startsWith('[:', at)) return undefined;
    const [perl] = take(PERL_CLASS);
    if (perl !== undefined) return { '\\s': SPACES, '\\S': NO_SPACES }[perl] ?? perl;
    const low = takeCharacter(CLASS_SYNTAX);
    if (low === undefined) return undefined;
    if (source[at] !== '-' || source[at + 1] === ']')
      return low === '-' && !isFirst && source[at] !== ']' ? '\\-' : low;
    at += 1;
    const high = takeCharacter(CLASS_SYNTAX);
    return high === undefined ? undefined : `${low}-${high}`;
  }

  /** Takes a class; a `]` at its start is a member. */
  function takeClass(): string | undefined {
    const [start = ''] = take(/\[\^?/y);
    let members = '';
    do {
      const member = takeMember(members === '');
      if (member === undefined) return undefined;
      members += member;
    } while (source[at] !== ']');
    at += 1;
    return `${start}${members}]`;
  }

  function takeAtom(): string | undefined {
    if (source[at] === '[') return takeClass();
    if (source.startsWith('(?', at)) return undefined;
    const [other] = take(/[.)|]/y);
    if (other !== undefined) return other === '.' ? '[^\\n]' : other;
    const [perl] = take(PERL_CLASS);
    if (perl !== undefined) return { '\\s': `[${SPACES}]`, '\\S': `[^${SPACES}]` }[perl] ?? perl;
    return takeCharacter(SYNTAX);
  }

  let pattern = '';
  while (at < source.length) {
    const [open] = take(OPEN);
    if (open !== undefined) {
      pattern += open === '(?:' ? open : '(';
      continue;
    }
    const [assertion] = take(ASSERTION);
    const part = assertion === undefined ? takeAtom() : (TEXT_BOUNDS[assertion] ?? assertion);
    if (part === undefined) return undefined;
    const [quantifier = ''] = take(QUANTIFIER);
    // ECMA-262 repeats groups that hold an assertion, but no assertion.
    pattern += assertion !== undefined && quantifier !== '' ? `(?:${part})${quantifier}` : part + quantifier;
  }
  return pattern;
}

const SYNTAX = /[\^$\\.*+?()[\]{}|]/;
const CLASS_SYNTAX = /[\\\]^[]/;
const VISIBLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

function printed(character: number | undefined, syntax: RegExp): string | undefined {
  if (character === undefined) return undefined;
  const text = String.fromCodePoint(character);
  if (VISIBLE.test(text)) return syntax.test(text) ? `\\${text}` : text;
  const digits = character.toString(16);
  return character < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`;
}
