import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/core/fields/compile.ts';
import {
  completeDefinition,
  type FieldDefinition,
  type FieldDefinitionInput,
} from '../../../src/core/fields/definition.ts';
import { toJsonSchema } from '../../../src/features/schemas/json-schema.ts';
import { ecmaPattern } from '../../../src/platform/text/ecma-pattern.ts';
import { programSize } from '../../../src/platform/text/regex.ts';
import {
  anyData,
  anyPattern,
  anySchema,
  anyText,
  FORBIDDEN_KEYS,
  INNOCENT_KEYS,
  ownProperties,
  UNMEASURABLE,
} from '../../security/arbitraries.ts';

interface Schema {
  rejectUnknown: boolean;
  fields: FieldDefinition[];
}

/** Strict: no keyword that a validator does not know, and a type beside each keyword. */
const ajv = new Ajv2020({ strict: true, ownProperties: true });

/** The JSON Schema of a schema as the service sends it. */
function jsonSchemaOf(schema: Schema, renames?: { from: string; to: string }[]) {
  const described = toJsonSchema({ version: 1, ...schema }, compileSchema(schema), renames && { pairs: renames });
  return JSON.parse(JSON.stringify(described));
}

/** Returns a function that checks data by the validator and by the JSON Schema of a schema. */
function judgeOf(schema: Schema) {
  const validator = compileSchema(schema);
  const isValid = ajv.compile(jsonSchemaOf(schema));
  return (data: Record<string, unknown>) => {
    const issues = validator.issues(data);
    return { issues, isAccepted: issues.length === 0, isValid: isValid(data) };
  };
}

const fieldsOf = (...fields: FieldDefinitionInput[]) => fields.map(completeDefinition);
const text = (regex: string): FieldDefinitionInput => ({ key: 'f', kind: 'text', regex });
const extra = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));

const nested = (key: string): unknown => [
  { [key]: 1, ok: [{ a: ownProperties([[key, { b: 1 }]]) }] },
  [[{ 'ä.b': 1 }]],
];

const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(...[null, '', [], {}, UNMEASURABLE, { length: 5 }, [''], [[]], [null, 1, true, ['']]]),
  fc.constantFrom<unknown>(...['a\0b', '\ud800', '\udc00a', '😀', '😀'.repeat(6), 'x'.repeat(13), '__proto__']),
  fc.constantFrom<unknown>(...[0, -1e308, 1e308, 5e-324, 2 ** 53, '1', true, false]),
  fc.constantFrom<unknown>(
    ...['2026-02-29', '2024-02-29T23:59:59Z', '2026-01-01T10:00:00', '0000-02-29', '1900-02-29'],
  ),
  fc.constantFrom(...FORBIDDEN_KEYS).map(nested),
  fc.array(fc.constantFrom(...FORBIDDEN_KEYS, 'ok').map(nested), { maxLength: 3 }),
  fc.array(fc.constantFrom(...INNOCENT_KEYS), { maxLength: 4 }),
);
const hostileKey = fc.oneof(
  fc.constantFrom(...FORBIDDEN_KEYS, ...INNOCENT_KEYS, '', '1', 'é', 'a b', 'x'.repeat(51), 'x'.repeat(52)),
  fc.string({ maxLength: 60 }),
);

/** Schemas, each with data that conforms in most cases, and has hostile values and keys in some. */
const anyCase = anySchema.chain((schema) => {
  const keys = fc.constantFrom(...schema.fields.map(({ key }) => key), 'name');
  const values = fc.array(fc.tuple(fc.oneof(keys, hostileKey), hostileValue), { maxLength: 3 });
  const some = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: values });
  const data = fc
    .tuple(anyData(schema), some)
    .map(([own, others]) => ownProperties([...Object.entries(own), ...others]));
  return fc.record({ schema: fc.constant(schema), all: fc.array(data, { minLength: 10, maxLength: 10 }) });
});

describe('the JSON Schema of an app (spec 2.10)', () => {
  it('accepts exactly what the validator accepts, in random schemas and data', { tags: 'long' }, () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(anyCase, ({ schema, all }) => {
        const judge = judgeOf(schema);
        for (const data of all) {
          const { issues, isAccepted, isValid } = judge(data);
          seen[isAccepted ? 'accepted' : 'refused'] += 1;
          expect({ isValid, issues }).toEqual({ isValid: isAccepted, issues });
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(500);
  });

  it('accepts any data that the validator refuses for a limit only', () => {
    const tooLong = fieldsOf(text('^[a-z]+$'));
    expect(judgeOf({ rejectUnknown: false, fields: tooLong })({ f: 'a'.repeat(400_000) })).toMatchObject({
      issues: [{ code: 'tooLongForPattern' }],
      isValid: true,
    });
    for (const [count, isAccepted, isValid] of [
      [200, true, true],
      [201, false, true],
      [202, false, false],
    ] as const) {
      const schema = { rejectUnknown: false, fields: fieldsOf({ key: 'f', kind: 'date' }) };
      expect(judgeOf(schema)(extra(count))).toMatchObject({ isAccepted, isValid });
    }
    expect(judgeOf({ rejectUnknown: false, fields: [] })(extra(201))).toMatchObject({ isValid: false });
  });

  it('says in a comment which expression it cannot state', () => {
    const { properties } = jsonSchemaOf({ rejectUnknown: true, fields: fieldsOf(text('(?i)^ab$'), text('^\\pL')) });
    expect(properties).toEqual({
      f: { title: 'f', type: 'string', $comment: 'The text must also match the RE2 expression ^\\pL' },
    });
  });

  it('accepts the old key of a renamed field while values are being moved', () => {
    const fields = fieldsOf(
      { key: 'to', kind: 'text', required: true },
      { key: 'other', kind: 'date', required: true },
    );
    const renames = [{ from: 'from', to: 'to' }];
    const isValid = ajv.compile(jsonSchemaOf({ rejectUnknown: false, fields }, renames));
    expect(isValid({ from: 'a', other: '2026-01-31' })).toBe(true);
    expect(isValid({ from: 'a' })).toBe(false);
    const strict = ajv.compile(jsonSchemaOf({ rejectUnknown: true, fields }, renames));
    expect(strict({ from: 'a', other: '2026-01-31' })).toBe(false);
  });

  it('has titles, descriptions and defaults, and the version of a consent', () => {
    const fields = fieldsOf(
      { key: 'name', label: 'Your name', kind: 'text', required: true, maxLength: 9, help: 'As on your card' },
      { key: 'plan', kind: 'select', enum: ['free', 'pro', 'free'], default: 'pro' },
      { key: 'size', kind: 'multiselect', enum: ['s', 'l'], required: true, maxItems: 1 },
      { key: 'age', kind: 'number', min: 18 },
      { key: 'terms', kind: 'checkbox', required: true, consent: { version: '2026-01' } },
      { key: 'notes', kind: 'array' },
    );
    const schema = jsonSchemaOf({ rejectUnknown: true, fields });
    expect(schema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $comment: expect.stringMatching(/^Version 1\. The service also refuses /),
      type: 'object',
      properties: {
        name: { title: 'Your name', description: 'As on your card', type: 'string', minLength: 1, maxLength: 9 },
        plan: { title: 'plan', type: 'string', enum: ['free', 'pro'], default: 'pro' },
        size: {
          title: 'size',
          type: 'array',
          items: { type: 'string', enum: ['s', 'l'] },
          uniqueItems: true,
          minItems: 1,
          maxItems: 1,
        },
        age: { title: 'age', type: 'number', minimum: 18 },
        terms: { title: 'terms', type: 'boolean', const: true, $comment: 'true is the consent to version 2026-01' },
        notes: { title: 'notes', type: 'array', items: { $ref: '#/$defs/storable' } },
      },
      required: ['name', 'size', 'terms'],
      additionalProperties: false,
      $defs: { storable: expect.any(Object) },
    });
  });
});

describe('the pattern of a regex in JSON Schema', () => {
  it('matches the texts that the engine matches', { tags: 'long' }, () => {
    const seen = { translated: 0, matched: 0 };
    // Without what has no translation, so that most of the patterns have one.
    const pattern = anyPattern.map((source) =>
      source.replace(/\(\?[ims]:/g, '(?:').replace(/\\[pP]L|\[\[:alpha:\]\]/g, 'K'),
    );
    fc.assert(
      fc.property(pattern, anyText, (source, value) => {
        const engine = engineOf(source);
        // A backtracking engine takes long for nested repetitions.
        if (!engine || programSize(source) > 40) return;
        // V8 finds it between the halves of a surrogate pair too, against ECMA-262.
        if (source.includes('\\B') && /[\ud800-\udbff]/.test(value)) return;
        const translated = ecmaPattern(source);
        if (translated === undefined) throw new Error('has no translation');
        seen.translated += 1;
        const isFound = new RegExp(translated, 'u').test(value);
        seen.matched += isFound ? 1 : 0;
        expect(isFound).toBe(engine.test(value));
      }),
      { numRuns: 3_000 },
    );
    expect(seen.translated).toBeGreaterThan(300);
    expect(seen.matched).toBeGreaterThan(100);
  });

  it.each([
    ['^[A-Z]{2}-[0-9]{4}$', '^[A-Z]{2}-[0-9]{4}$'],
    ['^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$', '^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$'],
    ['^.+\\s[^\\s]$', '^[^\\n]+[\\t\\n\\f\\r ][^\\t\\n\\f\\r ]$'],
    ['[]a]', '[^\\x00-\\u{10ffff}]a\\]'],
    ['a{,5}|{|a{01}', 'a\\{,5\\}|\\{|a\\{01\\}'],
    ['[\\d-z]', '[\\d\\-z]'],
    ['^*\\@\\/', '(?:^)*@/'],
    ['(?P<year>\\d)\\z', '(\\d)$'],
    ['\\u00e9\\x{200d}', 'é\\u{200d}'],
  ])('of %s is %s', (source, pattern) => {
    expect(ecmaPattern(source)).toBe(pattern);
    expect(engineOf(source)).toBeDefined();
    expect(new RegExp(pattern, 'u').unicode).toBe(true);
  });

  it.each(['(?i)a', '(?s:.)', '\\pL', '[\\p{Greek}]', '[[:alpha:]]', '\\07'])('does not exist for %s', (source) => {
    expect(engineOf(source)).toBeDefined();
    expect(ecmaPattern(source)).toBeUndefined();
  });
});

function engineOf(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch {
    return undefined;
  }
}
