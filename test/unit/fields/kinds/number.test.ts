import { describe, expect, it } from 'vitest';
import { formFields, inputMarkup } from '../../../../src/features/display/markup.ts';
import { formControl } from '../../../../src/features/display/presentation.ts';
import { describeKind } from '../cases.ts';

/** A number beyond the range of a double, as it arrives in a request. */
const INFINITE = JSON.parse('1e400');

describeKind('number', {
  definitions: {
    accepted: [
      {},
      { min: -1.5, max: -1.5 },
      { min: 0 },
      { max: 1e300 },
      { help: 'Why', placeholder: '18', autocomplete: 'off', hidden: true, prefill: true },
      { min: 1, default: 1 },
      { ui: 'stars', min: 1, max: 5, default: 4 },
      { ui: 'scale', min: 0, max: 10, ends: { min: 'Not likely', max: 'Very likely' } },
      { ui: 'scale', min: -5, max: 5, ends: { min: 'Cold' }, endsByLanguage: { de: { min: 'Kalt', max: 'Warm' } } },
    ],
    refused: [
      [{ min: 2, max: 1 }, 'fields.0.min must not be greater than max'],
      [{ min: '1' }, 'Invalid input'],
      [{ max: INFINITE }, 'Invalid input'],
      [{ regex: '1' }, 'Unrecognized key'],
      [{ ui: 'tel' }, '0.ui Invalid option'],
      [{ ui: 'stars' }, 'fields.0.ui needs whole numbers as min and max, with 2 to 11 steps'],
      [{ ui: 'stars', min: 1 }, 'fields.0.ui needs whole numbers'],
      [{ ui: 'scale', min: 0.5, max: 4.5 }, 'fields.0.ui needs whole numbers'],
      [{ ui: 'scale', min: 0, max: 11 }, 'fields.0.ui needs whole numbers'],
      [{ ui: 'scale', min: 3, max: 3 }, 'fields.0.ui needs whole numbers'],
      [{ ui: 'scale', min: 1e300, max: 1e300 }, 'fields.0.ui needs whole numbers'],
      [{ ui: 'stars', min: 2, max: 1 }, 'fields.0.min must not be greater than max'],
      [{ min: 1, max: 5, ends: { min: 'Bad' } }, 'fields.0.ends is only possible with ui: stars, scale'],
      [{ endsByLanguage: { de: {} } }, 'fields.0.endsByLanguage is only possible with ui: stars, scale'],
      [{ ui: 'stars', min: 1, max: 5, ends: { mid: 'So' } }, 'Unrecognized key'],
      [{ ui: 'stars', min: 1, max: 5, ends: { min: 'x'.repeat(101) } }, '0.ends.min'],
      [{ ui: 'stars', min: 1, max: 5, endsByLanguage: { Deutsch: {} } }, '0.endsByLanguage'],
      [{ source: 'page' }, 'Unrecognized key'],
      [{ default: '1' }, '0.default Invalid input'],
      [{ default: INFINITE }, '0.default Invalid input'],
      [{ min: 1, default: 0 }, 'fields.0.default must be at least 1'],
      [{ min: 2, max: 1, default: 0 }, 'fields.0.min must not be greater than max'],
    ],
  },
  values: {
    accepted: [
      [{}, 0],
      [{}, -0.5],
      [{}, Number.MAX_VALUE],
      [{ min: 1, max: 2 }, 1],
      [{ min: 1, max: 2 }, 2],
      // The control is one of forms: values stay those of the kind.
      [{ ui: 'stars', min: 1, max: 5 }, 2.5],
    ],
    refused: [
      [{}, INFINITE, 'must be a number'],
      [{}, Number.NaN, 'must be a number'],
      [{}, '1', 'must be a number'],
      [{}, true, 'must be a number'],
      [{}, null, 'must be a number'],
      [{ min: 1 }, 0.999, 'must be at least 1'],
      [{ ui: 'stars', min: 1, max: 5 }, 6, 'must be at most 5'],
      [{ max: -2 }, -1.999, 'must be at most -2'],
    ],
  },
  controls: [
    [{}, { type: 'number', attributes: { step: 'any' } }],
    [
      { min: 0, max: 9, placeholder: '3' },
      { type: 'number', attributes: { step: 'any', min: 0, max: 9, placeholder: '3' } },
    ],
    [
      { ui: 'stars', min: 1, max: 2, default: 2 },
      {
        type: 'stars',
        attributes: { placeholder: 'No answer' },
        choices: [
          { value: '1', label: '1 star' },
          { value: '2', label: '2 stars' },
        ],
        default: '2',
      },
    ],
    [
      { ui: 'scale', min: -1, max: 0, required: true, ends: { min: 'Cold', max: '' } },
      {
        type: 'scale',
        required: true,
        choices: [
          { value: '-1', label: '-1' },
          { value: '0', label: '0' },
        ],
        ends: { min: 'Cold' },
      },
    ],
    [{ default: 1e21 }, { type: 'number', attributes: { step: 'any' }, default: '1e+21' }],
  ],
  texts: {
    converted: [
      ['12', 12],
      ['-3.5', -3.5],
      ['.5', 0.5],
      ['-.5', -0.5],
      ['1e3', 1000],
      ['1E-3', 0.001],
      ['1e+21', 1e21],
      ['007', 7],
      ['0', 0],
      [' 12\n', 12],
      ['0e999', 0],
      ['00000000000000000001', 1],
      ['9007199254740993.5', 9007199254740994],
      ['   ', undefined],
    ],
    refused: [
      ...[
        '1,5',
        '1.000,5',
        '0x10',
        '0b1',
        'Infinity',
        '-Infinity',
        'NaN',
        '１２',
        '1 000',
        '1_000',
        '+5',
        '12.',
        '.',
        '-',
        'e5',
        '1e',
        '1e1.5',
        '--1',
        'twelve',
        '٣',
        '1e400',
        '-1e400',
        '12px',
      ].map((text): [string, string] => [text, 'must be a number']),
      ['9007199254740993', 'has too many digits'],
      ['-10000000000000000000000', 'has too many digits'],
      ['1e-400', 'is too small and would become 0'],
    ],
  },
  samples: [
    [{}, 1],
    [{ min: 18 }, 18],
    [{ max: -1 }, -1],
    [{ min: -5, max: 5 }, 1],
  ],
  change: 'replace',
});

describe('the keyboard of a number', () => {
  it.each([
    [{}, undefined],
    [{ max: 9 }, undefined],
    [{ min: -1 }, undefined],
    [{ min: 0 }, 'decimal'],
  ])('with %j is %j: that for decimals has no minus', (bounds, keyboard) => {
    const [, field] = formFields([formControl({ key: 'f', label: 'f', kind: 'number', required: false, ...bounds })]);
    expect(field && inputMarkup(field, {})[1].inputmode).toBe(keyboard);
  });
});
