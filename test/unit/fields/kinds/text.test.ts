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
      { help: 'x'.repeat(500), placeholder: 'x'.repeat(200), hidden: true, prefill: false },
      { help: '', placeholder: '' },
      ...['textarea', 'tel', 'url', 'email'].map((ui) => ({ ui })),
      ...['page', 'referrer', 'utm_source', 'utm_medium', 'utm_campaign'].map((source) => ({ source })),
      { autocomplete: 'section-1 shipping street-address' },
      { default: '' },
      { regex: '^[a-z]+$', maxLength: 3, default: 'abc' },
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
      [{ help: 'x'.repeat(501) }, '0.help Too big'],
      [{ help: 1 }, '0.help Invalid input'],
      [{ placeholder: 'x'.repeat(201) }, '0.placeholder Too big'],
      [{ ui: 'radio' }, '0.ui Invalid option'],
      [{ ui: 'password' }, '0.ui Invalid option'],
      [{ source: 'cookie' }, '0.source Invalid option'],
      [{ hidden: 'yes' }, '0.hidden Invalid input'],
      [{ prefill: null }, '0.prefill Invalid input'],
      ...['', 'on"', 'a_b', 'é', 'a\n', 'x'.repeat(101)].map((autocomplete): [Record<string, unknown>, string] => [
        { autocomplete },
        '0.autocomplete must be autofill tokens',
      ]),
      [{ consent: { version: '1' } }, 'Unrecognized key'],
      [{ enumLabels: {} }, 'Unrecognized key'],
      [{ default: 1 }, '0.default Invalid input'],
      [{ required: true, default: '' }, 'fields.0.default must not be empty'],
      [{ maxLength: 3, default: 'abcd' }, 'fields.0.default must have at most 3 characters'],
      [{ regex: '^a', default: 'b' }, `fields.0.default ${mismatch}`],
      [{ regex: '(', default: 'b' }, `${unusable} missing closing )`],
      [{ ui: 'time', default: '24:00' }, 'fields.0.default must be a time like 08:30'],
      [{ ui: 'time', maxLength: 4 }, 'fields.0.ui needs lengths in which a time like 08:30 fits'],
      [{ ui: 'time', minLength: 6 }, 'fields.0.ui needs lengths in which a time like 08:30 fits'],
      [{ hint: 'x' }, 'Unrecognized key'],
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
      [{}, 1, 'must be a string'],
      [{}, null, 'must be a string'],
      [{}, ['a'], 'must be a string'],
      [{}, { $gt: '' }, 'must be a string'],
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
    [{}, { type: 'text' }],
    [
      { minLength: 2, maxLength: 9, regex: '^a' },
      // A browser counts an emoji as two.
      { type: 'text', attributes: { minlength: 2, maxlength: 18, 'data-max-length': 9 } },
    ],
    [
      { label: 'Phone', required: true, ui: 'tel', autocomplete: 'tel', placeholder: '+44', help: 'For questions' },
      {
        type: 'tel',
        label: 'Phone',
        required: true,
        help: 'For questions',
        attributes: { autocomplete: 'tel', placeholder: '+44' },
      },
    ],
    [
      { label: '', hidden: true, prefill: true, source: 'utm_source', default: 'none', help: '', placeholder: '' },
      { type: 'text', hidden: true, prefill: true, source: 'utm_source', default: 'none' },
    ],
    [
      { ui: 'time', minLength: 5, maxLength: 5, default: '08:30' },
      { type: 'time', default: '08:30' },
    ],
    ...(['textarea', 'url', 'email'] as const).map((ui): [Record<string, unknown>, { type: typeof ui }] => [
      { ui },
      { type: ui },
    ]),
  ],
  texts: {
    converted: [
      ['Ada', 'Ada'],
      [' Ada ', ' Ada '],
      [' ', ' '],
      ['a\r\nb\rc\nd\r\r\n', 'a\nb\nc\nd\n\n'],
      ['1', '1'],
    ],
    refused: [],
  },
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
