import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BROWSER_KINDS, browserKind } from '../../../src/core/fields/base/browser-kinds.ts';
import { fieldStates, pagesOf } from '../../../src/core/fields/conditions.ts';
import { completeDefinition } from '../../../src/core/fields/definition.ts';
import { FIELD_KINDS } from '../../../src/core/fields/kinds/registry.ts';
import { valueFromForm } from '../../../src/features/display/presentation.ts';
import { foldCase, includesText } from '../../../src/platform/text/comparison.ts';
import { conditionVectors } from '../../support/samples/condition-vectors.ts';

const textsOf = (form: Record<string, string[]>, key: string): string[] =>
  Object.hasOwn(form, key) ? (form[key] ?? []) : [];

describe('the conditions of fields (spec 2.12)', () => {
  it.each(conditionVectors.filter(({ data }) => data))(
    'of a JSON body: $name',
    ({ fields, data = {}, ...expected }) => {
      const { shown, required } = fieldStates(fields, data);
      expect([...shown]).toEqual(expected.shown);
      if (expected.required) expect([...required]).toEqual(expected.required);
    },
  );

  it.each(conditionVectors.filter(({ form }) => form))('of a form: $name', ({ fields, form = {}, ...expected }) => {
    const values = fields.map(({ key, kind }) => [key, browserKind(kind).readTexts(textsOf(form, key))]);
    const { shown, required } = fieldStates(fields, Object.fromEntries(values));
    expect([...shown]).toEqual(expected.shown);
    if (expected.required) expect([...required]).toEqual(expected.required);
  });

  it('read the texts of a form as the service does', () => {
    for (const { fields, form = {} } of conditionVectors) {
      for (const field of fields) {
        const texts = textsOf(form, field.key);
        const converted = valueFromForm(completeDefinition(field), texts);
        const value = converted && 'value' in converted ? converted.value : undefined;
        const isEmptied = field.kind === 'multiselect' && Array.isArray(value) && value.length === 0;
        expect(browserKind(field.kind).readTexts(texts)).toEqual(isEmptied ? undefined : value);
      }
    }
  });

  it('have operators for each kind', () => {
    expect(Object.keys(BROWSER_KINDS)).toEqual(FIELD_KINDS.map(({ name }) => name));
  });

  it('search long texts as the method of strings does', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 33, maxLength: 60 });
    fc.assert(
      fc.property(letters, fc.nat(60), letters, (part, cut, other) => {
        for (const text of [other, other + part, part.slice(0, cut) + part + other, part.slice(0, -1) + other]) {
          expect(includesText(text, part)).toBe(text.includes(part));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('compare letters of all scripts as a regular expression that ignores case', () => {
    for (let code = 0; code <= 0x1ffff; code += 1) {
      const letter = String.fromCodePoint(code);
      for (const form of [letter.toLowerCase(), letter.toUpperCase()]) {
        if (form === letter || [...form].length > 1) continue;
        expect([letter, foldCase(letter) === foldCase(form)]).toEqual([letter, new RegExp(letter, 'iu').test(form)]);
      }
    }
  });
});

describe('the page of a field (spec 2.12)', () => {
  it('is by default that of the field before it, at first 1', () => {
    expect(pagesOf([{}, { page: 2 }, {}, { page: 4 }, {}])).toEqual([1, 2, 2, 4, 4]);
  });
});
