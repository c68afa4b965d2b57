import { assert, constantFrom, integer, oneof, option, property, record, string, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/fields/compile.ts';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { sampleData } from '../../../web/src/connect/sample.ts';

const bound = (low: number, high: number) => option(integer({ min: low, max: high }), { nil: undefined });
const kind = oneof(
  record({ kind: constantFrom('text'), minLength: bound(0, 40), maxLength: bound(40, 60) }),
  record({ kind: constantFrom('number'), min: bound(-50, 0), max: bound(0, 50) }),
  record({ kind: constantFrom('number'), min: bound(2, 9), max: bound(9, 50) }),
  record({ kind: constantFrom('number'), max: bound(-50, -1) }),
  record({ kind: constantFrom('select'), enum: uniqueArray(string(), { minLength: 1, maxLength: 3 }) }),
  record({ kind: constantFrom('checkbox', 'date', 'array') }),
);

describe('the sample of the snippets', () => {
  it('conforms to the schema, whatever its bounds', () => {
    assert(
      property(uniqueArray(kind, { maxLength: 8 }), (kinds) => {
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
