// @module-tag long

import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { definitionIssues, type FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { MAX_ISSUES, say } from '../../src/platform/languages/reasons.ts';
import {
  compilePattern,
  MAX_PATTERN_INSTRUCTIONS,
  MAX_PATTERN_STEPS,
  programSize,
} from '../../src/platform/text/regex.ts';
import { validatorOf } from '../unit/fields/cases.ts';
import { anyPattern } from './arbitraries.ts';

/** Compiles a pattern; returns undefined if the engine refuses it. */
function engineOf(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch {
    return undefined;
  }
}

describe('the size estimate of a pattern before compilation', () => {
  it('is at least a third of the size of the compiled program', () => {
    fc.assert(
      fc.property(anyPattern, fc.constantFrom('', '{40}', '{0,200}'), (source, count) => {
        const counted = `(?:${source})${count}`;
        const engine = engineOf(counted);
        if (!engine) return;
        expect(engine.programSize()).toBeLessThanOrEqual(3 * programSize(RE2JS.translateRegExp(counted)) + 3);
      }),
      { numRuns: 500 },
    );
  });

  // Each pattern takes 10 to 400 ms to compile.
  it.each([
    ['.{1000}'.repeat(71)],
    ['.{0,1000}'.repeat(55)],
    ['[a-z0-9_-]{1,1000}'.repeat(27)],
    ['(?:a|b|c|d){1000}x{1000}x{1000}x{1000}x{1000}x{1000}x{1000}x{1000}'],
    [`(?i)${'[\\u{80}-\\u{10ffff}]'.repeat(24)}`],
    [`(?i)${'[a-\u{10ffff}]'.repeat(80)}`],
    [`(?s-m:(?i)${'\\PL'.repeat(160)})`],
    ['(?:[]{9}|\\(|(?:x{10}){10}){10}'.repeat(16)],
  ])('refuses expensive pattern %# before compilation', (source) => {
    expect(compilePattern(source, { instructions: MAX_PATTERN_INSTRUCTIONS })).toEqual({
      problem: say('patternTooLarge'),
    });
  });

  it('refuses \\Q quotation, in which quantifiers and brackets are literals', () => {
    expect(compilePattern('(?:a\\Q)\\E){1000}', { instructions: MAX_PATTERN_INSTRUCTIONS })).toEqual({
      problem: say('patternQuotes'),
    });
    // An escaped backslash before a Q is not a quotation.
    expect(compilePattern('a\\\\Q', { instructions: MAX_PATTERN_INSTRUCTIONS })).toHaveProperty('check');
  });
});

describe('pattern budget per schema and per submission (docs/decisions/0008-kinds.md)', () => {
  const hundred = (regex: string): FieldDefinitionInput[] =>
    Array.from({ length: 100 }, (_, index) => ({ key: `f${index}`, kind: 'text', regex }));

  it('refuses a schema of 100 patterns that are too large together and names them', () => {
    const issues = definitionIssues(hundred('^[a-z]{1,300}$'));
    expect(issues).toHaveLength(MAX_ISSUES);
    expect(issues[0]?.path).toMatch(/^fields\.\d+\.regex$/);
    expect(issues.every(({ message }) => message.startsWith('is too large, alone or with the other patterns'))).toBe(
      true,
    );
  });

  it('accepts a schema of 100 common patterns', () => {
    expect(definitionIssues(hundred('^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$'))).toEqual([]);
  });

  it('shares one budget among 100 expensive texts of a submission', () => {
    const validator = validatorOf(hundred('[ab]*a[ab]{41}$'));
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 'ab'.repeat(490)]));
    const issues = validator.issues(data);
    expect(issues.at(-1)).toMatchObject({
      message: 'is too long to be checked against the pattern',
      code: 'tooLongForPattern',
    });
  });

  it.each([
    ['(([^a]|a){1,31}){1,31}$', 'a'],
    ['(a?){1000}[bc]', 'a'],
    ['(?:a?){1000}a{1000}[bc]', 'a'],
    ['(.{0,1000})(.{0,1000})[yz]', 'x'],
    ['[ab]*a[ab]{900}[cd]$', 'ab'],
    ['(?i)(\\pL*)(\\pL*)(\\pL*)(\\pL*)(\\pL*)(\\pL*)[!?]', 'é𐐀aж'],
    ['(?i)[\\pL\\pN]{60}[!?]', 'é𐐀aж'],
    ['\\pL{200}[!?]', 'é𐐀aж'],
    ['(\\b|a|\\B){300}[!?]', 'a '],
    ['((a*)*)*[bc]', 'a'],
    ['(x+x+)+[yz]', 'x'],
    ['(.*)(.*)(.*)[xy]', 'a'],
  ])('bounds the time of %s, and refuses a longer text before it is searched', (regex, unit) => {
    const pattern = compilePattern(regex, { instructions: Number.POSITIVE_INFINITY });
    if ('problem' in pattern) throw new Error(pattern.problem.message);
    const one = { steps: MAX_PATTERN_STEPS };
    pattern.check('', one);
    const longest = Math.floor(MAX_PATTERN_STEPS / (MAX_PATTERN_STEPS - one.steps)) - 1;
    const text = unit.repeat(longest).slice(0, longest);
    const timesMs = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      expect(pattern.check(text, { steps: MAX_PATTERN_STEPS })).not.toBe('tooLongForPattern');
      return process.cpuUsage(before).user / 1_000;
    });
    // 4 to 28 ms on an idle machine.
    expect(Math.min(...timesMs)).toBeLessThan(150);
    expect(pattern.check(`${text}a`, { steps: MAX_PATTERN_STEPS })).toBe('tooLongForPattern');
  });
});

describe('common patterns', () => {
  const url =
    '^https?:\\/\\/(www\\.)?[-a-zA-Z0-9@:%._\\+~#=]{1,256}\\.[a-zA-Z0-9()]{1,6}\\b([-a-zA-Z0-9()@:%_\\+.~#?&\\/=]*)$';

  it.each([
    ['email', '^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$', `${'ada.'.repeat(700)}l@example.co.uk`, 'ada@'],
    ['phone', '^\\+?[0-9][0-9 ()-]{5,20}$', '+49 (170) 123-4567', '+49 x'],
    ['UK postcode', '(?i)^[a-z]{1,2}[0-9][0-9a-z]? ?[0-9][a-z]{2}$', 'SW1A 1AA', 'SW1A'],
    ['US zip', '^\\d{5}(-\\d{4})?$', '12345-6789', '1234'],
    ['slug', '^[a-z0-9]+(?:-[a-z0-9]+)*$', 'slug-'.repeat(600).slice(0, -1), 'slug-'],
    ['URL', url, `https://www.example.com/${'path/'.repeat(300)}?q=1`, 'ftp://example.com'],
    ['name', "^[\\p{L}\\p{M}' .-]{1,200}$", 'Åsa Öberg-D’Arcy'.replace('’', "'"), 'x1'],
    ['counted text', '^.{1,500}$', 'é'.repeat(500), 'é'.repeat(501)],
    ['counted lines', '^[\\s\\S]{10,500}$', 'a\n'.repeat(250), 'short'],
    ['UUID', '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$', '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57', '01924c9e'],
    ['word in prose', '\\bcolou?r\\b', `${'some long prose, '.repeat(250)}colour`, 'collar'],
  ])('accept matching text within the budget and refuse other text: %s', (_name, regex, right, wrong) => {
    const validator = validatorOf([{ key: 'f', kind: 'text', regex }]);
    expect(validator.issues({ f: right })).toEqual([]);
    expect(validator.issues({ f: wrong })).toEqual([
      { path: 'data.f', message: 'does not match the required pattern', code: 'pattern' },
    ]);
  });
});
