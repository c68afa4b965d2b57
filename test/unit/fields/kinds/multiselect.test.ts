import { describe, expect, it } from 'vitest';
import { completeDefinition } from '../../../../src/core/fields/definition.ts';
import { formControl, valueFromForm } from '../../../../src/features/display/presentation.ts';
import { describeKind, NOW, validatorOf } from '../cases.ts';

const topics = { enum: ['news', 'events', 'jobs'] };
const choices = (...values: string[]) => values.map((value) => ({ value, label: value }));
const notAllowed = 'must have only allowed values';

describeKind('multiselect', {
  definitions: {
    accepted: [
      { enum: ['a'] },
      { ...topics, minItems: 1, maxItems: 2 },
      { ...topics, minItems: 3 },
      { ...topics, maxItems: 9 },
      { ...topics, help: 'Why', hidden: true, prefill: true, default: ['jobs', 'news'] },
      { ...topics, enumLabels: { news: 'The news' } },
      { enum: ['a;b', ' a', '=1'] },
    ],
    refused: [
      [{}, 'Invalid input'],
      [{ enum: [] }, 'must list at least one value'],
      [{ enum: [1] }, 'Invalid input'],
      [{ enum: ['a', ''] }, 'fields.0.enum must have no empty value'],
      [{ enum: ['a; b'] }, 'fields.0.enum must have no empty value, and none that contains "; "'],
      [{ ...topics, minItems: -1 }, '0.minItems'],
      [{ ...topics, minItems: 3, maxItems: 2 }, 'fields.0.minItems must not be greater than maxItems'],
      [{ ...topics, minItems: 4 }, 'fields.0.minItems must not be greater than the number of values'],
      [{ enum: ['a', 'a'], minItems: 2 }, 'fields.0.minItems must not be greater than the number of values'],
      [{ ...topics, indexed: true }, 'Unrecognized key'],
      [{ ...topics, placeholder: 'x' }, 'Unrecognized key'],
      [{ ...topics, default: 'news' }, '0.default Invalid input'],
      [{ ...topics, default: ['sport'] }, `fields.0.default ${notAllowed}`],
      [{ ...topics, minItems: 2, default: ['news'] }, 'fields.0.default must have at least 2 choices'],
      [{ ...topics, enumLabels: { sport: 'S' } }, 'fields.0.enumLabels has a label for a value that is not in enum'],
      [{ enum: ['$ref'], enumLabels: { $ref: 'R' } }, 'has a label for a value that cannot have one'],
    ],
  },
  values: {
    accepted: [
      [topics, ['news', 'jobs']],
      [topics, []],
      [{ ...topics, required: true }, ['jobs']],
      [{ ...topics, minItems: 1, maxItems: 2 }, ['events', 'jobs']],
    ],
    refused: [
      [topics, 'news', 'must be a list of the allowed values'],
      [topics, null, 'must be a list of the allowed values'],
      [topics, { 0: 'news' }, 'must be a list of the allowed values'],
      [topics, ['News'], notAllowed],
      [topics, ['constructor'], notAllowed],
      [topics, [['news']], notAllowed],
      [topics, ['news', null], notAllowed],
      [topics, ['news', 'jobs', 'news'], 'must not have a value twice'],
      [{ ...topics, required: true }, [], 'must have at least 1 choice'],
      [{ ...topics, minItems: 2 }, ['news'], 'must have at least 2 choices'],
      [{ ...topics, minItems: 2 }, [], 'must have at least 2 choices'],
      [{ ...topics, maxItems: 1 }, ['news', 'jobs'], 'must have at most 1 choice'],
    ],
  },
  controls: [
    [topics, { type: 'checkboxes', choices: choices('news', 'events', 'jobs') }],
    [
      { enum: ['a', 'b', 'a'], enumLabels: { b: 'Bee' }, required: true, maxItems: 2, default: ['b', 'a'] },
      {
        type: 'checkboxes',
        choices: [...choices('a'), { value: 'b', label: 'Bee' }],
        required: true,
        help: 'Choose at least 1.',
        default: 'b; a',
      },
    ],
  ],
  texts: {
    converted: [
      ['news', ['news']],
      ['jobs; news', ['jobs', 'news']],
      ['news; ; news', ['news']],
      ['news;jobs', ['news;jobs']],
      ['; ', undefined],
    ],
    refused: [],
  },
  samples: [
    [topics, ['news']],
    [{ ...topics, minItems: 2 }, ['news', 'events']],
  ],
  change: 'replace',
});

describe('the help of a list of choices', () => {
  it.each([
    [{}, undefined],
    [{ maxItems: 3 }, undefined],
    [{ required: true }, 'Choose at least 1.'],
    [{ minItems: 2, maxItems: 9 }, 'Choose at least 2.'],
    [{ maxItems: 2 }, 'Choose at most 2.'],
    [{ minItems: 1, maxItems: 2 }, 'Choose 1 to 2.'],
    [{ required: true, maxItems: 1, help: 'Topics' }, 'Topics. Choose 1.'],
    [{ required: true, maxItems: 1, help: 'Which?' }, 'Which? Choose 1.'],
  ])('says its bounds: %j', (options, help) => {
    const field = completeDefinition({ key: 'f', kind: 'multiselect', ...topics, ...options });
    expect(formControl(field).help).toBe(help);
  });
});

describe('a list of choices', () => {
  const field = { key: 'f', kind: 'multiselect', ...topics } as const;

  it('is kept in the order of `enum`, and the submitted list stays as it is', () => {
    const sent = ['jobs', 'news'];
    const validator = validatorOf([field]);
    expect(validator.change({ f: sent }, new Date(NOW)).set).toEqual({ f: ['news', 'jobs'] });
    expect(validator.storedValues({ f: sent, other: ['b', 'a'] })).toEqual({ f: ['news', 'jobs'], other: ['b', 'a'] });
    expect(sent).toEqual(['jobs', 'news']);
  });

  it('has the choices of all texts of a form', () => {
    expect(valueFromForm(field, ['', 'jobs', 'news', 'jobs'])).toEqual({ value: ['jobs', 'news'] });
  });

  it('is emptied by an empty text where the list may be empty, and absent elsewhere', () => {
    const definition = completeDefinition(field);
    expect(valueFromForm(definition, [''])).toEqual({ value: [] });
    expect(valueFromForm(definition, [])).toBeUndefined();
    expect(valueFromForm({ ...definition, required: true }, [''])).toBeUndefined();
    expect(valueFromForm({ ...definition, minItems: 1 } as typeof definition, [''])).toBeUndefined();
  });
});
