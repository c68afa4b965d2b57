import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../src/fields/compile.ts';
import type { FieldDefinition } from '../../src/fields/definition.ts';
import { createSharedSchemas } from '../../src/schemas/shared-schemas.ts';
import { formerValidator } from '../support/former-validator.ts';
import { rounds } from '../support/rounds.ts';
import { anyData, anySchema, FORBIDDEN_KEYS, INNOCENT_KEYS, ownProperties, UNMEASURABLE } from './arbitraries.ts';

// The validator made of zod schemas against the former one: path, message, code, parameters, order.

type Schema = { rejectUnknown: boolean; fields: FieldDefinition[] };
type Data = Record<string, unknown>;

/** Over all pairs, so that equal fields share a schema. */
const sharedSchema = createSharedSchemas();

/** Compares both for a submission, a partial one and an edit. Returns the number of problems. */
function compare(schema: Schema, data: Data, unset: readonly string[]): number {
  const validator = compileSchema(schema, sharedSchema);
  const former = formerValidator(schema);
  const issues = validator.issues(data);
  expect(issues).toStrictEqual(former.issues(data));
  expect(compileSchema(schema).issues(data)).toStrictEqual(issues);
  expect(validator.issues(data, true)).toStrictEqual(former.issues(data, true));
  expect(validator.editIssues(data, unset)).toStrictEqual(former.editIssues(data, unset));
  return issues.length;
}

const nested = (key: string): unknown => [
  { [key]: 1, ok: [{ a: ownProperties([[key, { b: 1 }]]) }] },
  [[{ 'ä.b': 1 }]],
];

/** Values of a wrong type, at the bounds, and such as no JSON has. */
const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(...[undefined, null, '', [], {}, UNMEASURABLE, { length: 5 }, { length: -1 }, [''], [[]]]),
  fc.constantFrom<unknown>(...['a\0b', '\ud800', '\udc00a', '😀', '😀'.repeat(6), 'x'.repeat(13), '__proto__']),
  fc.constantFrom<unknown>(...[-0, 0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', true, false]),
  fc.constantFrom<unknown>(...['2026-02-29', '2024-02-29T23:59:59Z', '2026-01-01T10:00:00', '0000-01-01']),
  fc.constantFrom(...FORBIDDEN_KEYS).map(nested),
  fc.array(fc.constantFrom(...FORBIDDEN_KEYS, 'ok').map(nested), { maxLength: 30 }),
  fc.array(fc.constantFrom(...INNOCENT_KEYS), { maxLength: 4 }),
);

const hostileKey = fc.oneof(
  fc.constantFrom(...FORBIDDEN_KEYS, ...INNOCENT_KEYS, '', '1', 'é', 'a b', 'x'.repeat(51), 'x'.repeat(52)),
  fc.string({ maxLength: 60 }),
);

const anyPair = anySchema.chain((schema) => {
  const keys = schema.fields.map(({ key }) => key);
  const ownValues = fc.dictionary(fc.constantFrom(...keys, 'name'), hostileValue, {
    maxKeys: 3,
    noNullPrototype: true,
  });
  return fc.record({
    schema: fc.constant(schema),
    data: fc
      .tuple(
        anyData(schema),
        fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: ownValues }),
        fc.oneof(
          { weight: 3, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: fc.array(fc.tuple(hostileKey, hostileValue), { maxLength: 30 }) },
        ),
        fc.boolean(),
      )
      .map(([data, values, others, isFirst]) => {
        const own = [...Object.entries(data), ...Object.entries(values)];
        return ownProperties(isFirst ? [...others, ...own] : [...own, ...others]);
      }),
    unset: fc.array(fc.constantFrom(...keys, 'name', '__proto__', 'constructor'), { maxLength: 4 }),
  });
});

describe('the validator against the former one', () => {
  it('finds the same problems in random data', () => {
    const seen = { accepted: 0, refused: 0, full: 0 };
    fc.assert(
      fc.property(anyPair, ({ schema, data, unset }) => {
        const count = compare(schema, data, unset);
        seen[count === 0 ? 'accepted' : count < 20 ? 'refused' : 'full'] += 1;
      }),
      { numRuns: rounds(100_000, 3_000) },
    );
    expect(Math.min(seen.accepted, seen.refused, seen.full)).toBeGreaterThan(30);
  }, 1_200_000);

  it('shares the steps of patterns between fields in the same way', () => {
    const text = (key: string, regex: string): FieldDefinition => ({
      key,
      label: key,
      kind: 'text',
      required: false,
      regex,
    });
    const patterns = fc.constantFrom('(([^a]|a){1,31}){1,31}$', '^[a-z]+$', '[ab]*a[ab]{90}$', 'z');
    const lengths = fc.constantFrom(0, 1, 100, 2_000, 20_000);
    const some = fc.array(fc.tuple(patterns, lengths), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(some, (fields) => {
        const schema = { rejectUnknown: false, fields: fields.map(([regex], index) => text(`f${index}`, regex)) };
        const data = Object.fromEntries(fields.map(([, length], index) => [`f${index}`, 'ab'.repeat(length / 2)]));
        compare(schema, data, []);
      }),
      { numRuns: rounds(300, 20) },
    );
  }, 1_200_000);

  it('refuses too many extra keys in the same way', () => {
    const extra = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));
    for (const rejectUnknown of [true, false]) {
      for (const count of [199, 200, 201, 1_000]) compare({ rejectUnknown, fields: [] }, extra(count), []);
    }
  });
});
