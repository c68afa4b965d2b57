import { describe, expect, it } from 'vitest';
import { definitionProblems, validatorOf, valueProblems } from './cases.ts';

const text = (constraints: object = {}) => ({ key: 'f', kind: 'text' as const, ...constraints });

describe('a text definition (SPEC 2.3)', () => {
  it.each([
    [{}],
    [{ minLength: 0, maxLength: 0 }],
    [{ minLength: 3, maxLength: 3 }],
    [{ regex: '' }],
    [{ regex: '^[a-z]{2,5}$' }],
    [{ regex: '^\\p{Lu}\\w+$' }],
    [{ regex: '^\\u{1F600}$' }],
    [{ regex: '(?<year>\\d{4})' }],
    [{ regex: 'a'.repeat(500) }],
  ])('takes %j', (constraints) => {
    expect(definitionProblems(text(constraints))).toEqual([]);
  });

  it.each([
    [{ minLength: 4, maxLength: 3 }, 'fields.0.minLength must not be greater than maxLength'],
    [{ regex: 'a'.repeat(501) }, 'fields.0.regex must have at most 500 characters'],
    [{ regex: '(' }, 'fields.0.regex is not a pattern that can be used: missing closing )'],
    [{ regex: 'a(?=b)' }, 'fields.0.regex is not a pattern that can be used: invalid or unsupported Perl syntax'],
    [{ regex: '(?<!a)b' }, 'fields.0.regex is not a pattern that can be used: invalid named capture'],
    [{ regex: '(a)\\1' }, 'fields.0.regex is not a pattern that can be used: invalid escape sequence'],
    [{ regex: 'a{1001}' }, 'fields.0.regex is not a pattern that can be used: invalid repeat count'],
  ])('refuses %j with the reason', (constraints, problem) => {
    const problems = definitionProblems(text(constraints));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it.each([
    [{ minLength: -1 }],
    [{ maxLength: 1.5 }],
    [{ maxLength: '3' }],
    [{ maxLength: null }],
    [{ regex: 1 }],
    [{ min: 1 }],
    [{ enum: ['a'] }],
    [{ placeholder: 'x' }],
  ])('refuses the form of %j', (constraints) => {
    expect(definitionProblems(text(constraints))).toHaveLength(1);
  });
});

describe('a text value', () => {
  it.each<[object, unknown]>([
    [{}, ''],
    [{}, 'Ada'],
    [{ required: true }, ' '],
    [{ minLength: 3 }, 'abc'],
    [{ maxLength: 3 }, 'abc'],
    [{ maxLength: 3 }, '😀😀😀'],
    [{ minLength: 2, maxLength: 2 }, 'é😀'],
    [{ regex: 'b' }, 'abc'],
    [{ regex: '^.$' }, '😀'],
    [{ regex: '^\\d+$' }, '123'],
  ])('of %j may be %j', (constraints, value) => {
    expect(valueProblems(text(constraints), value)).toEqual([]);
  });

  it.each<[object, unknown, string]>([
    [{}, 1, 'must be a text'],
    [{}, null, 'must be a text'],
    [{}, ['a'], 'must be a text'],
    [{}, { $gt: '' }, 'must be a text'],
    [{ required: true }, '', 'must not be empty'],
    [{ required: true, minLength: 0 }, '', 'must not be empty'],
    [{ minLength: 3 }, 'ab', 'must have at least 3 characters'],
    // Four UTF-16 units, but two characters.
    [{ minLength: 3 }, '😀😀', 'must have at least 3 characters'],
    [{ maxLength: 3 }, 'abcd', 'must have at most 3 characters'],
    [{ maxLength: 3 }, '😀😀😀😀', 'must have at most 3 characters'],
    [{ regex: '^b' }, 'abc', 'does not match the required pattern'],
    [{ regex: '^\\d+$' }, '12\n', 'does not match the required pattern'],
    [{ regex: '^[a-z]+$' }, '', 'does not match the required pattern'],
  ])('of %j may not be %j', (constraints, value, problem) => {
    expect(valueProblems(text(constraints), value)).toEqual([`data.f ${problem}`]);
  });
});

describe('what patterns may cost (DESIGN section 3, invariant 7)', () => {
  const costly = { regex: '(?:a?){1000}a{1000}[bc]' };
  const tooLong = 'is too long to be checked against the pattern';

  it('refuses a text that a pattern of thousands of instructions would run over for seconds', () => {
    expect(valueProblems(text(costly), 'a'.repeat(100_000))).toEqual([`data.f ${tooLong}`]);
  });

  it('checks a long text against an ordinary pattern', () => {
    expect(valueProblems(text({ regex: '^[a-z ]+$' }), 'a'.repeat(100_000))).toEqual([]);
  });

  it('counts all fields of a submission together', () => {
    const keys = Array.from({ length: 100 }, (_, index) => `f${index}`);
    const validator = validatorOf(keys.map((key) => ({ key, kind: 'text', regex: '[ab]*a[ab]{99}$' })));
    const data = Object.fromEntries(keys.map((key) => [key, 'ab'.repeat(200)]));
    const refused = validator.issues(data);
    expect(refused).toHaveLength(20);
    expect(refused.every(({ message }) => message === tooLong)).toBe(true);
    expect(validator.issues({ f0: data.f0, f1: data.f1 })).toEqual([]);
  });
});
