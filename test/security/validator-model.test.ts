// @module-tag long

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../src/core/fields/compile.ts';
import type { FieldDefinition } from '../../src/core/fields/definition.ts';
import { normalizeEmail } from '../../src/platform/core/identifiers.ts';
import { anyData, anySchema } from './arbitraries.ts';

const KEY = /^[a-zA-Z][a-zA-Z0-9_]{0,50}$/;
const NOW = '2026-01-31T08:30:00.000Z';

/**
 * Returns whether a value conforms to a definition. A second, independent implementation of
 * spec 2.3.
 */
function conforms(field: FieldDefinition, value: unknown): boolean {
  switch (field.kind) {
    case 'text': {
      if (typeof value !== 'string') return false;
      const length = Array.from(value).length;
      if (field.required && length === 0) return false;
      if (length < (field.minLength ?? 0) || length > (field.maxLength ?? Number.MAX_SAFE_INTEGER)) return false;
      return field.regex === undefined || new RegExp(field.regex, 'u').test(value);
    }
    case 'checkbox':
      return field.required ? value === true : value === true || value === false;
    case 'select':
      return typeof value === 'string' && field.enum.some((allowed) => allowed === value);
    case 'multiselect': {
      if (!Array.isArray(value) || (field.required && value.length === 0)) return false;
      const known = value.filter((one, at) => field.enum.indexOf(one) >= 0 && value.indexOf(one) === at);
      if (known.length !== value.length) return false;
      return known.length >= (field.minItems ?? 0) && known.length <= (field.maxItems ?? Number.MAX_SAFE_INTEGER);
    }
    case 'number':
      return (
        typeof value === 'number' &&
        !Number.isNaN(value) &&
        Math.abs(value) !== Number.POSITIVE_INFINITY &&
        !(field.min !== undefined && value < field.min) &&
        !(field.max !== undefined && value > field.max)
      );
    case 'date':
      return typeof value === 'string' && isDate(value);
    case 'file': {
      if (!Array.isArray(value) || value.length > (field.maxFiles ?? 1)) return false;
      return value.length > 0 ? value.every(isFile) : !field.required;
    }
    case 'array':
      return Array.isArray(value) && storable(value);
  }
}

/** No arbitrary value is a file. */
const isFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'sha256');

/** Validates with the platform's Date, in which a nonexistent day rolls over to another day. */
function isDate(text: string): boolean {
  const match = /^(\d{4}-\d\d-\d\d)([Tt]([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d))?$/.exec(
    text,
  );
  if (!match) return false;
  const day = new Date(`${match[1]}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === match[1];
}

/** Returns whether no nested object has a key that the database could misinterpret. */
function storable(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(storable);
  if (typeof value !== 'object' || value === null) return true;
  return Reflect.ownKeys(value).every((key) => {
    const name = String(key);
    if (name.startsWith('$') || /[.\0]/.test(name) || name === '__proto__' || name === '_bsontype') return false;
    return storable(Reflect.get(value, key));
  });
}

/** Returns the invalid keys of `data` and the missing required keys. */
function wrongKeys(schema: { rejectUnknown: boolean; fields: FieldDefinition[] }, data: Record<string, unknown>) {
  const wrong = new Set<string>();
  for (const field of schema.fields) {
    if (Object.hasOwn(data, field.key) ? !conforms(field, data[field.key]) : field.required) wrong.add(field.key);
  }
  for (const key of Reflect.ownKeys(data).map(String)) {
    if (schema.fields.some((field) => field.key === key)) continue;
    if (schema.rejectUnknown || !KEY.test(key) || !storable(data[key])) wrong.add(key);
  }
  return wrong;
}

/** Returns the stored form of an array item (spec 2.4, rules 1 to 4). */
/** Several choices are kept in the order of `enum`, all other values as they are. */
function inOrder({ fields }: { fields: FieldDefinition[] }, key: string, value: unknown): unknown {
  const field = fields.find((one) => one.key === key);
  if (field?.kind !== 'multiselect') return value;
  return field.enum.filter(
    (choice, index) => field.enum.indexOf(choice) === index && (value as string[]).includes(choice),
  );
}

function storedForm(item: unknown): unknown {
  const plain = Object.prototype.toString.call(item) === '[object Object]';
  return plain ? Object.assign({}, item, { timestamp: NOW }) : { value: item, timestamp: NOW };
}

describe('the validator against a model (spec 2.3 and 2.4)', () => {
  it('accepts and refuses the same data as the model and names the same keys', () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(
        anySchema.chain((schema) => fc.tuple(fc.constant(schema), anyData(schema))),
        ([schema, data]) => {
          const issues = compileSchema(schema).issues(data);
          const wrong = wrongKeys(schema, data);
          seen[wrong.size > 0 ? 'refused' : 'accepted'] += 1;
          expect(issues.length > 0).toBe(wrong.size > 0);
          expect(issues.length).toBeLessThanOrEqual(20);
          for (const { path } of issues) {
            expect([...wrong].some((key) => path.startsWith(`data.${/^\w{1,51}$/.test(key) ? key : '"'}`))).toBe(true);
          }
        },
      ),
      { numRuns: 1_000 },
    );
    expect(seen.accepted).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(100);
  });

  it('stores every value unchanged and every array item as section 2.4 defines', () => {
    fc.assert(
      fc.property(
        anySchema.chain((schema) => fc.tuple(fc.constant(schema), anyData(schema))),
        ([schema, data]) => {
          if (wrongKeys(schema, data).size > 0) return;
          const before = structuredClone(data);
          const change = compileSchema(schema).change(data, new Date(NOW));
          const arrays = new Set(schema.fields.filter(({ kind }) => kind === 'array').map(({ key }) => key));
          for (const [key, value] of Object.entries(data)) {
            if (arrays.has(key)) expect(change.append[key]).toEqual((value as unknown[]).map(storedForm));
            else expect(change.set[key]).toEqual(inOrder(schema, key, value));
          }
          expect([...Object.keys(change.set), ...Object.keys(change.append)].sort()).toEqual(Object.keys(data).sort());
          expect(data).toEqual(before);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('email normalisation', () => {
  const label = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9-]{0,10}[A-Za-z0-9])?$/);
  const atom = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,12}$/);
  const email = fc
    .tuple(fc.array(atom, { minLength: 1, maxLength: 4 }), fc.array(label, { minLength: 1, maxLength: 4 }))
    .chain(([local, domain]) =>
      fc.stringMatching(/^[A-Za-z]{2,6}$/).map((top) => `${local.join('.')}@${[...domain, top].join('.')}`),
    );
  const space = fc.stringMatching(/^[ \t\r\n]{0,4}$/);

  it('trims and lower-cases a valid address', () => {
    fc.assert(
      fc.property(space, email, space, (before, address, after) => {
        expect(normalizeEmail(before + address + after)).toBe(address.replace(/[A-Z]/g, (c) => c.toLowerCase()));
      }),
    );
  });

  it('is idempotent and maps all case variants to one address', () => {
    fc.assert(
      fc.property(email, (address) => {
        const once = normalizeEmail(address);
        expect(once).toBeDefined();
        expect(normalizeEmail(once ?? '')).toBe(once);
        expect(normalizeEmail(address.toUpperCase())).toBe(once);
      }),
    );
  });

  it('refuses non-ASCII and control characters, spaces and a second @', () => {
    const invalidCharacter = fc.oneof(
      fc.constantFrom(
        ' ',
        '\0',
        '\n',
        '\t',
        '@',
        '\u212a',
        '\u017f',
        '\u0130',
        '\u200b',
        '\ufeff',
        '"',
        '(',
        ',',
        ';',
        '<',
        '\\',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).filter((text) => /[^\0-\x7f]/.test(text)),
    );
    fc.assert(
      fc.property(email, invalidCharacter, fc.nat(), (address, character, offset) => {
        const index = 1 + (offset % (address.length - 1));
        expect(normalizeEmail(address.slice(0, index) + character + address.slice(index))).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts only valid addresses and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.emailAddress()), (text) => {
        const result = normalizeEmail(text);
        if (result !== undefined) expect(result).toMatch(/^[!-~]{1,64}@[a-z0-9.-]{1,252}$/);
      }),
      { numRuns: 2_000 },
    );
  });
});
