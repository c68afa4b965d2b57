import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { mongo } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { recordsAsCsv } from '../../../src/users/export/csv.ts';
import { defaultColumns } from '../../../src/users/export/export.ts';

const { BSON, Decimal128, UUID } = mongo;
const KEYS = ['name', 'plan', 'constructor'];
const createdAt = new Date('2026-01-31T08:30:00.123Z');
const id = '0190b2c4-8d5e-7abc-8def-0123456789ab';

async function csvOf(data: Record<string, unknown>, columns = defaultColumns(KEYS)): Promise<string> {
  const record = {
    _id: new UUID(id),
    email: '=a@example.com',
    data,
    schemaVersion: 2,
    createdAt,
    updatedAt: createdAt,
  };
  const batches = async function* () {
    yield [BSON.serialize(record)];
  };
  const pieces: Buffer[] = [];
  for await (const piece of recordsAsCsv(batches(), { columns, keys: KEYS, bom: false }))
    pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

/** The same row from decoded values, quoted by the library. */
function reference(data: Record<string, unknown>): string {
  const stored = BSON.deserialize(BSON.serialize({ data })).data as Record<string, unknown>;
  const cell = (value: unknown): string => {
    if (value === undefined || value === null) return '';
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/.test(text) ? `'${text}` : text;
  };
  const others = Object.fromEntries(Object.entries(stored).filter(([key]) => !KEYS.includes(key)));
  const time = createdAt.toISOString();
  const own = [id, "'=a@example.com", '2', time, time];
  const values = KEYS.map((key) => cell(Object.hasOwn(stored, key) ? stored[key] : undefined));
  const row = [...own, ...values, Object.keys(others).length > 0 ? JSON.stringify(others) : ''];
  return stringify([row], { record_delimiter: '\r\n', quoted_match: /[\r\n;]/ });
}

describe('recordsAsCsv', () => {
  it('writes the rows that csv-stringify writes, for any data', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('=', '"', ',', ';', '\r', '\n', '\t', ' ', 'é', '💥', '-', "'") }),
    );
    const leaf = fc.oneof(text, fc.double({ noNaN: true }), fc.integer(), fc.boolean(), fc.constant(null));
    const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(fc.constantFrom('a', 'é'), leaf));
    const keys = fc.constantFrom(...KEYS, 'other', 'naïve', 'nam', 'a b');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, value, { maxKeys: 6 }), async (data) => {
        const csv = await csvOf(data);
        expect(csv.slice(csv.indexOf('\r\n') + 2)).toBe(reference(data));
      }),
      { numRuns: 500 },
    );
  });

  it('writes the columns of the request, and records with types that the service never stores', async () => {
    const columns = ['data.plan', 'email', 'other'].map((name) => ({ name, header: `=${name}` }));
    const row = `pro,'=a@example.com,"{""x"":1}"\r\n`;
    expect(await csvOf({ plan: 'pro', x: 1 }, columns)).toBe(`'=data.plan,'=email,'=other\r\n${row}`);
    expect(await csvOf({ plan: Decimal128.fromString('1'), x: 1 }, columns)).toContain('"{""$numberDecimal"":""1""}"');
  });
});
