import { describe, expect, it } from 'vitest';
import { describeKind, validatorOf, valueProblems } from '../cases.ts';

const unusable = 'fields.0.regex is not a pattern that can be used:';
const mismatch = 'does not match the required pattern';

describeKind('text', {
  definitions: {
    accepted: [
      {},
      { minLength: 0, maxLength: 0 },
      { minLength: 3, maxLength: 3 },
      { regex: '' },
      { regex: '^[a-z]{2,5}$' },
      { regex: '^\\p{Lu}\\w+$' },
      { regex: '^\\u{1F600}$' },
      { regex: '(?<year>\\d{4})' },
      { regex: 'a'.repeat(500) },
    ],
    refused: [
      [{ minLength: 4, maxLength: 3 }, 'fields.0.minLength must not be greater than maxLength'],
      [{ regex: 'a'.repeat(501) }, 'fields.0.regex must have at most 500 characters'],
      [{ regex: '(' }, `${unusable} missing closing )`],
      [{ regex: 'a(?=b)' }, `${unusable} invalid or unsupported Perl syntax`],
      [{ regex: '(?<!a)b' }, `${unusable} invalid named capture`],
      [{ regex: '(a)\\1' }, `${unusable} invalid escape sequence`],
      [{ regex: 'a{1001}' }, `${unusable} invalid repeat count`],
      [{ minLength: -1 }, '0.minLength Too small'],
      [{ maxLength: 1.5 }, '0.maxLength Invalid input'],
      [{ maxLength: '3' }, '0.maxLength Invalid input'],
      [{ maxLength: null }, '0.maxLength Invalid input'],
      [{ regex: 1 }, '0.regex Invalid input'],
      [{ min: 1 }, 'Unrecognized key'],
      [{ enum: ['a'] }, 'Unrecognized key'],
      [{ placeholder: 'x' }, 'Unrecognized key'],
    ],
  },
  values: {
    accepted: [
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
    ],
    refused: [
      [{}, 1, 'must be a text'],
      [{}, null, 'must be a text'],
      [{}, ['a'], 'must be a text'],
      [{}, { $gt: '' }, 'must be a text'],
      [{ required: true }, '', 'must not be empty'],
      [{ required: true, minLength: 0 }, '', 'must not be empty'],
      [{ minLength: 3 }, 'ab', 'must have at least 3 characters'],
      // Four UTF-16 units, but two code points.
      [{ minLength: 3 }, '😀😀', 'must have at least 3 characters'],
      [{ maxLength: 3 }, 'abcd', 'must have at most 3 characters'],
      [{ maxLength: 3 }, '😀😀😀😀', 'must have at most 3 characters'],
      [{ regex: '^b' }, 'abc', mismatch],
      [{ regex: '^\\d+$' }, '12\n', mismatch],
      [{ regex: '^[a-z]+$' }, '', mismatch],
    ],
  },
  controls: [
    [{}, { type: 'text', attributes: {}, choices: [] }],
    [
      { minLength: 2, maxLength: 9, regex: '^a' },
      { type: 'text', attributes: { minlength: 2, maxlength: 9 }, choices: [] },
    ],
  ],
  samples: [
    [{}, 'Some text'],
    [{ key: 'f', minLength: 12 }, 'Some textaaa'],
    [{ maxLength: 4 }, 'Some'],
    [{ regex: '^[A-Z]{2}-[0-9]{4}$' }, 'AB-1234'],
    [{ regex: '@' }, 'ada@example.com'],
  ],
  change: 'replace',
});

describe('the cost of patterns (docs/architecture.md, invariant 7)', () => {
  const expensive = { kind: 'text', regex: '(?:a?){1000}a{1000}[bc]' };
  const tooLong = 'is too long to be checked against the pattern';

  it('is bounded for a text on which thousands of instructions would run for seconds', () => {
    expect(valueProblems(expensive, 'a'.repeat(100_000))).toEqual([`data.f ${tooLong}`]);
  });

  it('lets a long text pass an ordinary pattern', () => {
    expect(valueProblems({ kind: 'text', regex: '^[a-z ]+$' }, 'a'.repeat(100_000))).toEqual([]);
  });

  it('is counted over all fields of a submission', () => {
    const keys = Array.from({ length: 100 }, (_, index) => `f${index}`);
    const validator = validatorOf(keys.map((key) => ({ key, kind: 'text', regex: '[ab]*a[ab]{99}$' })));
    const data = Object.fromEntries(keys.map((key) => [key, 'ab'.repeat(200)]));
    const refused = validator.issues(data);
    expect(refused).toHaveLength(20);
    expect(refused.every(({ message }) => message === tooLong)).toBe(true);
    expect(validator.issues({ f0: data.f0, f1: data.f1 })).toEqual([]);
  });
});
