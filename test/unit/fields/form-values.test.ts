import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { valueFromForm } from '../../../src/features/display/presentation.ts';
import { validatorOf } from './cases.ts';

/** A browser sends each line break as CRLF. */
const lines = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/\r\n?/g, '\n'));
const sent = (text: string): string[] => [text.replaceAll('\n', '\r\n')];
const filled = (text: string): boolean => text !== '';

/** A value of each kind, with the texts that the control of a browser sends for it. */
const entered: Record<FieldDefinition['kind'], fc.Arbitrary<{ value: unknown; texts: string[] }>> = {
  text: lines.filter(filled).map((value) => ({ value, texts: sent(value) })),
  checkbox: fc.boolean().map((value) => ({ value, texts: [value ? 'on' : 'off'] })),
  select: fc
    .string({ unit: 'grapheme' })
    .filter((value) => filled(value) && !/[\r\n]/.test(value))
    .map((value) => ({ value, texts: sent(value) })),
  multiselect: fc
    .uniqueArray(
      fc.string({ unit: 'grapheme' }).filter((choice) => filled(choice) && !/; |[\r\n]/.test(choice)),
      { minLength: 1, maxLength: 5 },
    )
    .chain((value) => fc.constantFrom({ value, texts: value }, { value, texts: ['', value.join('; ')] })),
  number: fc
    .double({ noNaN: true, noDefaultInfinity: true })
    // `-0` is sent as `0`, and integers beyond 2^53 are refused when they are written out.
    .map((number) => (Number.isInteger(number) && Math.abs(number) < 1e21 ? Math.trunc(number % 2 ** 53) + 0 : number))
    .map((value) => ({ value, texts: [String(value)] })),
  date: fc
    .date({ noInvalidDate: true, min: new Date('0000-01-01'), max: new Date('9999-12-31') })
    .map((date) => date.toISOString().slice(0, 'YYYY-MM-DD'.length))
    .map((value) => ({ value, texts: [value] })),
  file: fc
    .array(fc.stringMatching(/^[\w-]{43}$/), { minLength: 1, maxLength: 5 })
    .map((value) => ({ value, texts: value })),
  array: fc
    .array(lines.filter(filled), { minLength: 1, maxLength: 5 })
    .map((value) => ({ value, texts: value.flatMap(sent) })),
};
const enumOf = (kind: string, value: unknown) => ({
  ...(kind === 'select' && { enum: [value] }),
  ...(kind === 'multiselect' && { enum: value }),
  ...(kind === 'file' && { types: ['pdf'], maxFiles: 10 }),
});
const kinds = Object.keys(entered) as FieldDefinition['kind'][];

describe('the value of the texts of a form (spec 2.7)', () => {
  it.each(kinds)('is, for the kind %s, the value that was entered', (kind) => {
    fc.assert(
      fc.property(entered[kind], ({ value, texts }) => {
        expect(valueFromForm({ kind }, texts)).toEqual({ value });
        const field = { key: 'f', kind, ...enumOf(kind, value) } as FieldDefinition;
        // What is stored is not what a form sends.
        if (kind !== 'file') expect(validatorOf([field]).issues({ f: value })).toEqual([]);
      }),
    );
  });

  it.each(kinds)('is, for the kind %s, a value, a problem or absent for any text', (kind) => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
        const converted = valueFromForm({ kind }, texts);
        if (converted && 'problem' in converted) expect(converted.problem.message).toMatch(/^(must|has|is) /);
        if (texts.every((text) => text === '')) expect(converted).toBeUndefined();
      }),
    );
  });

  it.each(kinds.filter((kind) => kind !== 'array' && kind !== 'file'))(
    'is, for the kind %s, that of the last text',
    (kind) => {
      const [[first], [last]] = fc
        .sample(entered[kind], { numRuns: 2, seed: 7 })
        .map(({ texts }) => texts) as string[][] as [[string], [string]];
      expect(valueFromForm({ kind }, [first, last])).toEqual(valueFromForm({ kind }, [last]));
      expect(valueFromForm({ kind }, [first, ''])).toBeUndefined();
    },
  );

  it('is, for the kind array, a list of all texts that are not empty', () => {
    expect(valueFromForm({ kind: 'array' }, ['b', '', ' ', 'a'])).toEqual({ value: ['b', ' ', 'a'] });
    expect(valueFromForm({ kind: 'array' }, ['', ''])).toBeUndefined();
    expect(valueFromForm({ kind: 'array' }, ['1\r\n2\r'])).toEqual({ value: ['1\n2\n'] });
  });
});
