import fc from 'fast-check';
import type { FieldDefinition } from '../../src/core/fields/definition.ts';

type Schema = { rejectUnknown: boolean; fields: FieldDefinition[] };

/**
 * Names that the field rules allow although they have a meaning in JavaScript objects, Mongoose or
 * MongoDB.
 */
export const INNOCENT_KEYS = [
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'prototype',
  'toJSON',
  'then',
  'length',
  'name',
  'id',
  'save',
  'isNew',
  'errors',
  'schema',
  'collection',
  'data',
  'email',
  'timestamp',
  'value',
];

/** Names that must never reach the database. */
export const FORBIDDEN_KEYS = ['__proto__', '_bsontype', '$set', '$where', '$', 'a.b', '.', 'a\0b'];

/** Its `length` has no primitive value: whoever compares it with a number throws. */
export const UNMEASURABLE = { length: { valueOf: 1, toString: 1 } };

const goodKey = fc.oneof(fc.constantFrom(...INNOCENT_KEYS), fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,8}$/));
const anyKey = fc.oneof(
  { weight: 12, arbitrary: goodKey },
  { weight: 1, arbitrary: fc.constantFrom(...FORBIDDEN_KEYS, '', '1', 'é', 'a b', 'x'.repeat(52)) },
);

const wellFormed = fc.string({ unit: 'grapheme', maxLength: 12 });
const finite = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1e308, 2 ** 53),
);
const primitive = fc.oneof(wellFormed, finite, fc.boolean(), fc.constant(null));

/** Any JSON with keys from `key`. `__proto__` is an own property, as after `JSON.parse`. */
const jsonOf = (key: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      primitive,
      fc.constant(UNMEASURABLE),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(ownProperties),
    ),
  })).value;

/** JSON that is allowed as a stored value. */
export const storableJson = jsonOf(fc.oneof(goodKey, fc.constantFrom('é', 'a b', '', '1', '-', 'a$b')));
const anyJson = jsonOf(anyKey);

/** Creates an object from entries; `__proto__` becomes an own property. */
export function ownProperties(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

const bounds = (value: fc.Arbitrary<number>) =>
  fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

const choice = wellFormed.filter((text) => text !== '' && !text.includes('; '));

const options: fc.Arbitrary<object & { kind: FieldDefinition['kind'] }> = fc.oneof(
  fc.constant({ kind: 'text' as const }),
  bounds(fc.nat(12)).map(([minLength, maxLength]) => ({ kind: 'text' as const, minLength, maxLength })),
  fc.constantFrom('^a', '\\d', '^[a-z]{2,4}$', 'é|😀', '^.?$').map((regex) => ({ kind: 'text' as const, regex })),
  fc.constant({ kind: 'checkbox' as const }),
  fc.array(wellFormed, { minLength: 1, maxLength: 4 }).map((values) => ({ kind: 'select' as const, enum: values })),
  fc
    .tuple(fc.uniqueArray(choice, { minLength: 1, maxLength: 4 }), fc.nat(2), fc.integer({ min: 2, max: 5 }))
    .map(([values, minItems, maxItems]) => ({
      kind: 'multiselect' as const,
      enum: values,
      maxItems,
      ...(minItems <= values.length && { minItems }),
    })),
  fc.constant({ kind: 'number' as const }),
  bounds(finite).map(([min, max]) => ({ kind: 'number' as const, min, max })),
  fc.constant({ kind: 'date' as const }),
  fc.constant({ kind: 'file' as const, types: ['pdf' as const] }),
  fc.constant({ kind: 'array' as const }),
);

const field = fc
  .tuple(goodKey, options, fc.boolean())
  .map(([key, rest, required]) => ({ key, label: key, required, ...rest }) as FieldDefinition);

/** Schemas with up to six fields. */
export const anySchema: fc.Arbitrary<Schema> = fc.record({
  rejectUnknown: fc.boolean(),
  fields: fc.uniqueArray(field, { maxLength: 6, selector: ({ key }) => key }),
});

const dateLike = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    .map((date) => date.toISOString()),
  fc.constantFrom('2024-02-29', '2023-02-29', '2026-02-30', '2026-1-1', '2026-01-01T24:00:00Z', '2026-01-01T10:00:00'),
  fc.constantFrom('1900-02-29', '2000-02-29', '2026-12-31T23:59:59+23:59', '2026-01-01T10:00:00.123456789z'),
  fc.stringMatching(/^2026-01-01T10:00:00\.\d{0,40}[zZ+]?$/),
);

/** Values that conform to a definition in nine of ten cases, and any JSON otherwise. */
function valueFor(field: FieldDefinition): fc.Arbitrary<unknown> {
  const conforming: Record<FieldDefinition['kind'], fc.Arbitrary<unknown>> = {
    text: fc.oneof(wellFormed, fc.constantFrom('', 'a', 'abc', '1', 'é', '😀😀')),
    checkbox: fc.boolean(),
    select: field.kind === 'select' ? fc.constantFrom(...field.enum) : wellFormed,
    multiselect:
      field.kind === 'multiselect' ? fc.subarray(field.enum).chain((some) => fc.shuffledSubarray(some)) : wellFormed,
    number: field.kind === 'number' && field.min !== undefined ? fc.constantFrom(field.min, field.max, 0) : finite,
    date: dateLike,
    file: fc.constant([]),
    array: fc.array(storableJson, { maxLength: 4 }),
  };
  return fc.oneof({ weight: 9, arbitrary: conforming[field.kind] }, { weight: 1, arbitrary: anyJson });
}

/** Data that conforms to a schema in most cases. */
export function anyData(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const declared = schema.fields.map((field) =>
    fc.option(valueFor(field), { freq: 12, nil: undefined }).map((value) => [field.key, value] as const),
  );
  const unknown = fc.array(fc.tuple(anyKey, anyJson), { maxLength: 2 });
  return fc
    .tuple(
      fc.tuple(...declared),
      fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: unknown }),
    )
    .map(([known, others]) => ownProperties([...others, ...known.filter(([, value]) => value !== undefined)]));
}

const atom = fc.constantFrom(
  ...['a', 'b', 'K', 'é', '😀', '.', '/', '{', '}', ']', '-', 'a{,2}', '\\.', '\\-', '\\/', '\\n', '\\u00e9', '\\x61'],
  ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\pL', '\\PL', '[[:alpha:]]', '(?:)', '()'],
  ...['[ab]', '[^a]', '[]', '[^]', '[a-f\\d]', '[a-]', '[-a]', '[^-]', '[\\d-z]', '[a-b-é]', '[\\s\\S]', '[^\\S ]'],
  ...['[\\]^\\\\[]', '[[a]', '[\\n-\\x61]', '[\\W_]', '^', '$', '\\A', '\\z', '\\b', '\\B'],
);
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{0}', '{0,3}', '{1,}', '{2,5}');
/** Regular expressions, of which the engine refuses some. */
export const { pattern: anyPattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?i:', '(?s:', '(?m:'), tie('pattern'))
      .map(([open, inner]) => `${open}${inner})`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
  ),
  pattern: fc
    .array(fc.tuple(tie('part'), quantifier), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map((part) => part.join('')).join('')),
}));
/** Texts for `anyPattern`. */
export const anyText = fc.string({
  unit: fc.constantFrom('a', 'b', 'K', 'k', 'K', 'é', 'É', '😀', '\n', ' ', '1', '.', '_'),
});
