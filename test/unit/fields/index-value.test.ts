import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KindName } from '../../../src/core/fields/base/browser-kinds.ts';
import type { FieldKind } from '../../../src/core/fields/base/kind.ts';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import { MAX_INDEXED } from '../../../src/core/fields/definition.ts';
import { FIELD_KINDS, getKind } from '../../../src/core/fields/kinds/registry.ts';
import { indexText, isShortText, normalizedText } from '../../../src/platform/text/index-value.ts';
import { definitionProblems } from './cases.ts';

const indexValue = (kind: KindName, value: unknown) => getKind(kind).indexValue?.(value);

/** The kinds whose fields have no index. */
const UNINDEXED: readonly string[] = ['array', 'multiselect', 'file'];

describe('the property indexed', () => {
  it('exists for the kinds that have an index value, which are all but lists', () => {
    for (const kind of FIELD_KINDS as readonly FieldKind[]) {
      expect('indexed' in kind.options).toBe(kind.indexValue !== undefined);
      expect(kind.indexValue === undefined).toBe(UNINDEXED.includes(kind.name));
    }
  });

  it('is a boolean, and refused for an array with a path', () => {
    expect(definitionProblems({ key: 'a', kind: 'text', indexed: true })).toEqual([]);
    expect(definitionProblems({ key: 'a', kind: 'text', indexed: false })).toEqual([]);
    expect(definitionProblems({ key: 'a', kind: 'date', indexed: 'yes' })[0]).toContain('0.indexed ');
    expect(definitionProblems({ key: 'a', kind: 'array', indexed: true })[0]).toMatch(/^0 Unrecognized key/);
  });

  it(`may be set for ${MAX_INDEXED} fields of a schema; the first further one is named`, () => {
    const fields = (indexed: boolean[]): FieldDefinitionInput[] =>
      indexed.map((isIndexed, n) => ({ key: `f${n}`, kind: 'number', ...(isIndexed && { indexed: true }) }));
    const eight = Array.from({ length: 8 }, () => true);
    expect(definitionProblems(...fields([false, ...eight]))).toEqual([]);
    expect(definitionProblems(...fields([false, ...eight, false, true]))).toEqual([
      'fields.10.indexed is set for more than 8 fields',
    ]);
  });
});

describe('the index value', () => {
  it.each<[KindName, unknown, unknown]>([
    ['text', 'pro', 'pro'],
    ['text', 'ÅNGSTRÖM', 'ångström\0ÅNGSTRÖM'],
    ['text', 'A\u030Angstro\u0308m', 'ångström\0A\u030Angstro\u0308m'],
    ['text', 'ｆｕｌｌ Ⅳ ﬁ', 'full iv fi\0ｆｕｌｌ Ⅳ ﬁ'],
    ['text', 'ΟΔΟΣ', 'οδοσ\0ΟΔΟΣ'],
    ['text', '', ''],
    ['text', 'a\0A', 'a\x01a\0a\0A'],
    ['text', 'x'.repeat(64), 'x'.repeat(64)],
    ['text', 'X'.repeat(64), `${'x'.repeat(64)}\0${'X'.repeat(64)}`],
    ['text', 'x'.repeat(100_000), `${'x'.repeat(64)}\0${'x'.repeat(64)}\0`],
    ['text', '😀'.repeat(100), `${'😀'.repeat(64)}\0${'😀'.repeat(64)}\0`],
    ['text', `${'x'.repeat(63)}😀😀`, `${'x'.repeat(63)}😀\0${'x'.repeat(63)}😀\0`],
    ['text', 5, null],
    ['text', ['a'], null],
    ['select', 'Pro', 'pro\0Pro'],
    ['number', 5, 5],
    ['number', -0.5, -0.5],
    ['number', '5', null],
    ['checkbox', false, false],
    ['checkbox', 'true', null],
    ['date', '2026-01-31', new Date('2026-01-31T00:00:00.000Z')],
    ['date', '2026-01-31t08:30:00.123456+01:30', new Date('2026-01-31T07:00:00.123Z')],
    ['date', '2026-01-31T08:30:00.000999999999999999Z', new Date('2026-01-31T08:30:00.000Z')],
    ['date', '2026-01-31T08:30:00.0019999999999Z', new Date('2026-01-31T08:30:00.001Z')],
    ['date', '2026-01-31T08:30:00z', new Date('2026-01-31T08:30:00.000Z')],
    ['date', '0000-01-01', new Date('0000-01-01T00:00:00.000Z')],
    ['date', '0000-01-01T00:00:00+23:59', new Date('-000001-12-31T00:01:00.000Z')],
    ['date', '9999-12-31T23:59:59-23:59', new Date('+010000-01-01T23:58:59.000Z')],
    ['date', '2026-02-30', null],
    ['date', '31.01.2026', null],
    ['date', 2026, null],
  ])('of %s %j is %j', (kind, value, expected) => {
    expect(indexValue(kind, value)).toEqual(expected);
  });

  it.each(FIELD_KINDS.map(({ name }) => name).filter((name) => !UNINDEXED.includes(name)))(
    'of an absent value or one of another type is null: %s',
    (kind) => {
      for (const value of [undefined, null, [], {}, ['x'], { $gt: 1 }]) expect(indexValue(kind, value)).toBeNull();
    },
  );

  it('of a text begins with the form of its beginning, which is the same for its case variants', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', 'ß', 'Σ', 'İ', '7', ' ', '😀'), maxLength: 100 });
    fc.assert(
      fc.property(text, fc.nat(100), (value, length) => {
        const whole = normalizedText(value);
        expect(whole.startsWith(normalizedText([...value].slice(0, length).join('')))).toBe(true);
        expect([...whole].length).toBeLessThanOrEqual(64);
        expect(normalizedText(value.normalize('NFD').toLowerCase().normalize('NFD'))).toBe(whole);
        expect(indexText(value)?.startsWith(whole)).toBe(true);
      }),
    );
  });

  it('of a text with at most 64 characters is that of no other text', { tags: 'long' }, () => {
    const part = fc.constantFrom('a', 'A', '\0', '\x01', 'ς', 'Σ', 'ﬁ', 'fi', 'x'.repeat(63), 'X'.repeat(64), '😀');
    const text = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (one, other) => {
        if (!isShortText(one) || one === other) return;
        expect(indexText(other)).not.toBe(indexText(one));
      }),
      { numRuns: 20_000 },
    );
  });

  it('of a text depends on no more than a bounded part, however marks compose', () => {
    const cluster = '\u03B1\u0313\u0300\u0345'; // composes to one code point
    expect(normalizedText(cluster.repeat(1_000))).toBe(cluster.normalize('NFKC').repeat(64));
  });
});
