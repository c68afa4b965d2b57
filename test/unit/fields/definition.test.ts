import { describe, expect, it } from 'vitest';
import { completeDefinition, FieldDefinition, FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import { definitionProblems } from './cases.ts';

describe('a field key (spec 2.3)', () => {
  it.each(['a', 'Z', 'a_1', 'constructor', 'toString', 'hasOwnProperty', `a${'b'.repeat(50)}`])('may be %s', (key) => {
    expect(definitionProblems({ key, kind: 'text' })).toEqual([]);
  });

  it.each([
    '',
    '1a',
    '_a',
    '__proto__',
    '$a',
    'a.b',
    'a b',
    'a-b',
    'é',
    'a\n',
    'a\0',
    `a${'b'.repeat(51)}`,
    7,
    null,
    undefined,
  ])('may not be %j', (key) => {
    expect(definitionProblems({ key, kind: 'text' })).toHaveLength(1);
  });
});

describe('a list of definitions', () => {
  it('may not use a key twice', () => {
    const fields = [
      { key: 'a', kind: 'text' },
      { key: 'A', kind: 'text' },
      { key: 'a', kind: 'number' },
    ];
    expect(definitionProblems(...fields)).toEqual(['fields.2.key is used by an earlier field']);
  });

  it('names the problem of a default value only when the rest of its field is valid', () => {
    const fields = [
      { key: 'a', kind: 'text', regex: '(', default: 1 },
      { key: 'b', kind: 'text', regex: '^b', default: 'a' },
    ];
    expect(definitionProblems(...fields)).toEqual(['0.default Invalid input: expected string, received number']);
    expect(
      definitionProblems({ ...fields[0], default: 'a' }, fields[1]).map((problem) => problem.split(' ')[0]),
    ).toEqual(['fields.0.regex', 'fields.1.default']);
  });

  it('has a common limit of work for the patterns of its default values', () => {
    const fields = Array.from({ length: 12 }, (_, index) => ({
      key: `f${index}`,
      kind: 'text',
      regex: '[ab]*a[ab]{99}$',
      default: 'ab'.repeat(400),
    }));
    expect(definitionProblems(...fields)).toContain('fields.11.default is too long to be checked against the pattern');
    expect(definitionProblems(...fields.slice(0, 2))).toEqual([]);
  });

  it('names each problem', () => {
    const fields = [
      { key: 'a', kind: 'number', min: 2, max: 1 },
      { key: 'b', kind: 'text', minLength: 2, maxLength: 1, regex: '(' },
    ];
    expect(definitionProblems(...fields).map((problem) => problem.split(' ')[0])).toEqual([
      'fields.0.min',
      'fields.1.minLength',
      'fields.1.regex',
    ]);
  });

  it.each([undefined, 'email', 'constructor', '__proto__', 1])('refuses the kind %j and lists the kinds', (kind) => {
    expect(definitionProblems({ key: 'a', kind })).toEqual([
      '0.kind must have a kind: text, checkbox, select, multiselect, number, date, file or array',
    ]);
  });

  it.each([{ label: 1 }, { label: 'x'.repeat(201) }, { required: 'yes' }, { required: null }])(
    'refuses %j',
    (wrong) => {
      expect(definitionProblems({ key: 'a', kind: 'text', ...wrong })).toHaveLength(1);
    },
  );
});

describe('the stored form of a definition', () => {
  it('has the key as its label and is not required by default', () => {
    const stored = completeDefinition({ key: 'plan', kind: 'select', enum: ['a'] });
    expect(stored).toEqual({ key: 'plan', label: 'plan', kind: 'select', required: false, enum: ['a'] });
    expect(FieldDefinition.parse(stored)).toEqual(stored);
  });

  it.each([
    '{"key":"a","label":"A","kind":"text","required":true,"minLength":1,"maxLength":3,"regex":"a"}',
    '{"key":"a","label":"A","kind":"number","required":false,"min":1,"max":2}',
    '{"key":"a","label":"A","kind":"select","required":false,"enum":["a"]}',
    '{"key":"a","label":"A","kind":"array","required":false}',
  ])('without form options has no other bytes than before they existed: %s', (json) => {
    expect(JSON.stringify(completeDefinition(FieldDefinitionInput.parse(JSON.parse(json))))).toBe(json);
  });

  it('keeps the form options', () => {
    const consent = { version: '3', url: 'https://example.com/terms' };
    const sent = {
      key: 'a',
      label: 'A',
      kind: 'checkbox' as const,
      required: true,
      help: 'Why',
      prefill: true,
      consent,
    };
    expect(completeDefinition(FieldDefinitionInput.parse(sent))).toEqual(sent);
    expect(FieldDefinition.parse(sent)).toEqual(sent);
  });

  it('keeps what was sent', () => {
    const sent = { key: 'a', label: '', kind: 'text' as const, required: true, maxLength: 3 };
    expect(completeDefinition(sent)).toEqual(sent);
  });
});
