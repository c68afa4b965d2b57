import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/fields/compile.ts';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { sampleData } from '../../../web/src/connect/sample.ts';

const bound = (low: number, high: number) => fc.option(fc.integer({ min: low, max: high }), { nil: undefined });
const kind = fc.oneof(
  fc.record({ kind: fc.constantFrom('text'), minLength: bound(0, 40), maxLength: bound(40, 60) }),
  fc.record({ kind: fc.constantFrom('number'), min: bound(-50, 0), max: bound(0, 50) }),
  fc.record({ kind: fc.constantFrom('number'), min: bound(2, 9), max: bound(9, 50) }),
  fc.record({ kind: fc.constantFrom('number'), max: bound(-50, -1) }),
  fc.record({ kind: fc.constantFrom('select'), enum: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constantFrom('checkbox', 'date', 'array') }),
);

describe('the sample of the snippets', () => {
  it('conforms to the schema, whatever its bounds', () => {
    fc.assert(
      fc.property(fc.uniqueArray(kind, { maxLength: 8 }), (kinds) => {
        const fields = kinds.map((own, index) => ({
          key: `k${index}`,
          label: '',
          required: true,
          ...own,
        })) as FieldDefinition[];
        expect(compileSchema({ rejectUnknown: true, fields }).issues(sampleData({ fields }))).toEqual([]);
      }),
    );
  });

  it.each(['^[A-Z]{2}-[0-9]{4}$', '@', '^\\+?[0-9]{5,}$', '^https://', '^\\d{4}$', '^[a-z]+$'])(
    'matches the pattern %s',
    (regex) => {
      const fields: FieldDefinition[] = [{ key: 'k', label: 'k', kind: 'text', required: true, regex }];
      expect(compileSchema({ rejectUnknown: true, fields }).issues(sampleData({ fields }))).toEqual([]);
    },
  );
});
