import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/core/fields/compile.ts';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { formControl, sampleData } from '../../../src/features/display/presentation.ts';
import { anySchema } from '../../security/arbitraries.ts';

const bound = (low: number, high: number) => fc.option(fc.integer({ min: low, max: high }), { nil: undefined });
const satisfiable = fc.oneof(
  fc.record({ kind: fc.constantFrom('text'), minLength: bound(0, 40), maxLength: bound(40, 60) }),
  fc.record({ kind: fc.constantFrom('number'), min: bound(-50, 0), max: bound(0, 50) }),
  fc.record({ kind: fc.constantFrom('number'), min: bound(2, 9), max: bound(9, 50) }),
  fc.record({ kind: fc.constantFrom('number'), max: bound(-50, -1) }),
  fc.record({ kind: fc.constantFrom('select'), enum: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }) }),
  fc
    .uniqueArray(fc.stringMatching(/^[a-z ]+$/), { minLength: 2, maxLength: 5 })
    .chain((values) =>
      fc.record({ kind: fc.constant('multiselect'), enum: fc.constant(values), minItems: bound(0, 2) }),
    ),
  fc.record({ kind: fc.constantFrom('checkbox', 'date', 'array') }),
);
const textField = (options: object): FieldDefinition => ({
  key: 'k',
  label: 'k',
  kind: 'text',
  required: true,
  ...options,
});

describe('sample data', () => {
  it('conforms to the schema, whatever its bounds', () => {
    fc.assert(
      fc.property(fc.uniqueArray(satisfiable, { maxLength: 8 }), (kinds) => {
        const fields = kinds.map((options, index) => ({
          key: `k${index}`,
          label: '',
          required: true,
          ...options,
        })) as FieldDefinition[];
        expect(compileSchema({ rejectUnknown: true, fields }).issues(sampleData({ fields }))).toEqual([]);
      }),
    );
  });

  it.each(['^[A-Z]{2}-[0-9]{4}$', '@', '^\\+?[0-9]{5,}$', '^https://', '^\\d{4}$', '^[a-z]+$'])(
    'matches the pattern %s',
    (regex) => {
      const fields = [textField({ regex })];
      expect(compileSchema({ rejectUnknown: true, fields }).issues(sampleData({ fields }))).toEqual([]);
    },
  );

  it('leaves out the fields that it does not show', () => {
    const when = (value: boolean) => ({ all: [{ field: 'news', op: 'eq' as const, value }] });
    const fields = [
      { key: 'news', label: '', kind: 'checkbox', required: false },
      { key: 'topic', label: '', kind: 'text', required: true, showIf: when(true) },
      { key: 'reason', label: '', kind: 'text', required: true, showIf: when(false) },
    ] as FieldDefinition[];
    const validator = compileSchema({ rejectUnknown: true, fields });
    const data = sampleData({ fields });
    expect(Object.keys(data)).toEqual(['news', 'topic']);
    expect(validator.issues(data, 'everyone', false, validator.states(data))).toEqual([]);
  });

  it('names a pattern that no sample matches', () => {
    expect(sampleData({ fields: [textField({ regex: '^qqq$' })] })).toEqual({ k: 'Text that matches ^qqq$' });
  });

  it('is matched within one budget for all fields', () => {
    const plain = { ...textField({ regex: '^ada$' }), key: 'plain' };
    expect(sampleData({ fields: [plain] })).toEqual({ plain: 'ada' });
    const costly = textField({ minLength: 10_000, regex: '(?:[a-z]?){20}(?:a*)*[^a]b$' });
    expect(sampleData({ fields: [costly, plain] })).toMatchObject({ plain: 'Text that matches ^ada$' });
  });

  it('has a bounded size and is matched within the budget, whatever the options', () => {
    const fields = [
      textField({ minLength: Number.MAX_SAFE_INTEGER }),
      { ...textField({ minLength: 100_000, regex: '(?:a?){1000}a{1000}[bc]' }), key: 'l' },
    ];
    expect(JSON.stringify(sampleData({ fields })).length).toBeLessThan(30_000);
  });
});

describe('the control of a field', () => {
  it('can be sent to a browser as JSON', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        // JSON writes -0 as 0.
        const { fields } = JSON.parse(JSON.stringify(schema)) as typeof schema;
        for (const control of fields.map((field) => formControl(field))) {
          expect(JSON.parse(JSON.stringify(control))).toEqual(control);
          expect(control.choices.length > 0).toBe(['select', 'radio', 'checkboxes'].includes(control.type));
        }
      }),
    );
  });
});
