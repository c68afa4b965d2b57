import { describe, expect, it } from 'vitest';
import { valueFromForm } from '../../../../src/features/display/presentation.ts';
import { describeKind } from '../cases.ts';

const plans = { enum: ['free', 'pro', ''] };
const choices = (...values: string[]) => values.map((value) => ({ value, label: value }));
const notAllowed = 'must be one of the allowed values';

describeKind('select', {
  definitions: {
    accepted: [
      { enum: ['a'] },
      { ...plans, help: 'Why', placeholder: 'Choose', autocomplete: 'country', hidden: true, prefill: true },
      { ...plans, ui: 'radio', default: 'pro' },
      { ...plans, enumLabels: { free: 'Free of charge', '': 'None' } },
      { enum: ['v1.0', '$5', 'constructor'], enumLabels: { 'v1.0': 'One', $5: 'Five', constructor: 'C' } },
    ],
    refused: [
      [{}, 'Invalid input'],
      [{ enum: [] }, 'must list at least one value'],
      [{ enum: [1] }, 'Invalid input'],
      [{ enum: 'a' }, 'Invalid input'],
      [{ enum: ['a'], maxLength: 1 }, 'Unrecognized key'],
      [{ ...plans, ui: 'textarea' }, '0.ui Invalid input'],
      [{ ...plans, source: 'page' }, 'Unrecognized key'],
      [{ ...plans, default: 1 }, '0.default Invalid input'],
      [{ ...plans, default: 'max' }, `fields.0.default ${notAllowed}`],
      [{ ...plans, enumLabels: ['a'] }, '0.enumLabels Invalid input'],
      [{ ...plans, enumLabels: { free: 1 } }, '0.enumLabels.free Invalid input'],
      [{ ...plans, enumLabels: { free: 'x'.repeat(201) } }, '0.enumLabels.free Too big'],
      [{ ...plans, enumLabels: { max: 'M' } }, 'fields.0.enumLabels has a label for a value that is not in enum'],
      ...['_bsontype', '$ref', '$id', '$db', 'a\0'].map((value): [Record<string, unknown>, string] => [
        { enum: [value], enumLabels: { [value]: 'x' } },
        'fields.0.enumLabels has a label for a value that cannot have one',
      ]),
    ],
  },
  values: {
    accepted: [
      [plans, 'free'],
      [plans, ''],
      [{ ...plans, required: true }, 'pro'],
    ],
    refused: [
      [plans, 'Free', notAllowed],
      [plans, 'constructor', notAllowed],
      [plans, 1, 'must be a string'],
      [plans, null, 'must be a string'],
      [plans, ['free'], 'must be a string'],
    ],
  },
  controls: [
    [plans, { type: 'select', choices: choices('free', 'pro', '') }],
    [{ enum: ['a', 'b', 'a'] }, { type: 'select', choices: choices('a', 'b') }],
    [
      { enum: ['constructor', 'b', 'c'], enumLabels: { b: 'Bee', c: '' }, ui: 'radio', default: 'b' },
      {
        type: 'radio',
        choices: [...choices('constructor'), { value: 'b', label: 'Bee' }, ...choices('c')],
        default: 'b',
        attributes: { placeholder: 'No answer' },
      },
    ],
    // Radio buttons have an empty choice, by its text, if an answer may be taken back.
    [
      { enum: ['a'], ui: 'radio', placeholder: 'Neither' },
      { type: 'radio', choices: choices('a'), attributes: { placeholder: 'Neither' } },
    ],
    [
      { enum: ['a'], ui: 'radio', placeholder: 'Neither', required: true },
      { type: 'radio', choices: choices('a'), required: true },
    ],
    [
      { ...plans, ui: 'radio' },
      { type: 'radio', choices: choices('free', 'pro', '') },
    ],
    [
      { ...plans, placeholder: 'Choose a plan' },
      { type: 'select', choices: choices('free', 'pro', ''), attributes: { placeholder: 'Choose a plan' } },
    ],
  ],
  texts: {
    converted: [
      ['free', 'free'],
      [' free', ' free'],
      ['not offered', 'not offered'],
      ['\r\n', '\r\n'],
    ],
    refused: [],
  },
  samples: [[plans, 'free']],
  change: 'replace',
});

describe('a choice with line breaks', () => {
  const choicesWith = ['one\ntwo', 'three\r\nfour', 'five\rsix', 'plain'];
  const valueIn = (text: string, known: readonly string[] = choicesWith) =>
    valueFromForm({ kind: 'select', enum: [...known] }, [text]);

  it.each([
    ['one\r\ntwo', 'one\ntwo'],
    ['one\ntwo', 'one\ntwo'],
    ['three\r\nfour', 'three\r\nfour'],
    ['three\nfour', 'three\r\nfour'],
    ['five\r\nsix', 'five\rsix'],
    ['plain', 'plain'],
    ['other\r\none', 'other\r\none'],
  ])('is named by %j', (text, value) => {
    expect(valueIn(text)).toEqual({ value });
    expect(valueFromForm({ kind: 'multiselect', enum: choicesWith }, ['', text, text])).toEqual({ value: [value] });
  });

  it('is itself before one that differs in line ends', () => {
    const both = ['a\nb', 'a\r\nb'];
    expect(valueIn('a\r\nb', both)).toEqual({ value: 'a\r\nb' });
    expect(valueIn('a\nb', both)).toEqual({ value: 'a\nb' });
  });
});
