import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { BSON, Decimal128, Double, Int32, Long, ObjectId, UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { recordsAsCsv } from '../../../src/features/exports/csv.ts';
import { defaultColumns } from '../../../src/features/exports/exports.service.ts';
import { decode } from '../../../src/platform/database/collections.ts';

const KEYS = ['name', 'plan', 'constructor', 'nam'];
const OWN = ['_id', 'email', 'schemaVersion', 'createdAt', 'updatedAt', 'confirmedAt'];
const COLUMNS = defaultColumns(KEYS, ['confirmedAt']);
const OF_CHOICES = COLUMNS.map((column) =>
  ['data.plan', 'data.name'].includes(column.name) ? { ...column, hasChoices: true } : column,
);
const createdAt = new Date('2026-01-31T08:30:00.123Z');
const id = '0190b2c4-8d5e-7abc-8def-0123456789ab';

type StoredRecord = Record<string, unknown>;

const recordOf = (data: StoredRecord): StoredRecord => ({
  _id: new UUID(id),
  email: '=a@example.com',
  data,
  schemaVersion: 2,
  createdAt,
  updatedAt: createdAt,
});

async function piecesOf(records: readonly Uint8Array[], columns = COLUMNS): Promise<Buffer[]> {
  const batches = async function* () {
    for (let at = 0; at < records.length; at += 3) yield records.slice(at, at + 3);
  };
  const pieces: Buffer[] = [];
  for await (const piece of recordsAsCsv(batches(), { columns, keys: KEYS, bom: false }))
    pieces.push(Buffer.from(piece));
  return pieces;
}

async function csvOf(records: readonly StoredRecord[], columns = COLUMNS): Promise<string> {
  const stored = records.map((record) => BSON.serialize(record));
  return Buffer.concat(await piecesOf(stored, columns)).toString();
}

const FORMULA = '[=+\\-@\uFF0B\uFF0D\uFF1D\uFF20]';
const BEGINS = new RegExp(`^'*${FORMULA}`);

/** A text with an apostrophe where a cell could begin with a formula. */
function asText(text: string): string {
  const [first = '', ...others] = text.split(/([,;\t\r\n]"*)/);
  const begins = BEGINS.test(text) || /^'*[\t\r\n]/.test(text);
  return [begins ? `'${first}` : first, ...others.map((part) => (BEGINS.test(part) ? `'${part}` : part))].join('');
}

/** JSON in which no part after a separator begins with a formula. */
function asJson(json: string): string {
  const escaped = (part: string): string =>
    new RegExp(`^${FORMULA}`).test(part)
      ? `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}${part.slice(1)}`
      : part;
  let before = '';
  return json
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((part, index) => {
      const isAfterComma = before.endsWith(',');
      before = part;
      if (index % 2 === 0) return part.replaceAll(',-', ', -');
      const [first = '', ...others] = part.slice(1, -1).split(/(?<=[,;])/);
      return `"${[isAfterComma ? escaped(first) : first, ...others.map(escaped)].join('')}"`;
    })
    .join('');
}

/** The same rows from decoded values, quoted by the library. */
function reference(records: readonly StoredRecord[], choices: readonly string[] = []): string {
  const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');
  const cell = (value: unknown): string => {
    if (value === undefined || value === null) return '';
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    const isText = value instanceof Date || value instanceof UUID;
    if (typeof value !== 'string' && !isText) return asJson(JSON.stringify(value));
    return asText(typeof value === 'string' ? value : value.toJSON());
  };
  const rows = records.map((record) => {
    const { data = {}, ...own } = decode<{ data?: StoredRecord } & StoredRecord>(BSON.serialize(record));
    const others = Object.fromEntries(Object.entries(data).filter(([key]) => !KEYS.includes(key)));
    const values = [
      ...OWN.map((name) => own[name]),
      ...KEYS.map((key) => {
        const value = Object.hasOwn(data, key) ? data[key] : null;
        return choices.includes(key) && isTexts(value) ? (value as string[]).join('; ') : value;
      }),
    ];
    return [...values, Object.keys(others).length > 0 ? others : undefined].map(cell);
  });
  return stringify([COLUMNS.map(({ header }) => header), ...rows], {
    record_delimiter: '\r\n',
    quoted_match: /[\t\r\n;]/,
  });
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'=+@",;\r\n\t é-\'＝＋－＠｀💥', '\ud800', '\udc00') }),
);
const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 1e21, 1e-7, 2 ** 31, 2 ** 53));
const time = fc.oneof(
  fc.integer({ min: 0, max: 2_000_000_000_000 }),
  fc.constantFrom(-1, -62_167_219_200_000, -62_167_219_200_001, 253_402_300_799_999, 253_402_300_800_000, 8.64e15),
);
const date = time.map((milliseconds) => new Date(milliseconds));
const leaf = fc.oneof(text, text, number, date, fc.boolean(), fc.constant(null));
const value = fc.oneof(
  leaf,
  fc.array(text, { maxLength: 3 }),
  fc.array(fc.oneof(leaf, fc.dictionary(fc.constantFrom('a', 'é', '"'), leaf)), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'é', '"', ''), fc.oneof(leaf, fc.array(leaf)), { maxKeys: 3 }),
);
const dataKeys = fc.constantFrom(...KEYS, 'other', 'name2', 'naïve', 'a b', 'id', '');
const data = fc.dictionary(dataKeys, value, { maxKeys: 6 });

/** Records with any of the members of stored ones and others, in any order. */
const anyRecord = fc
  .record(
    {
      _id: fc.constant(new UUID(id)),
      appId: fc.constant(new ObjectId()),
      email: text,
      data,
      schemaVersion: fc.integer(),
      createdAt: date,
      updatedAt: date,
      confirmedAt: date,
      id: text,
      other: text,
      consents: fc.constant([{ key: 'news', at: createdAt }]),
    },
    { requiredKeys: [] },
  )
  .chain((record) => {
    const members = Object.entries(record);
    return fc.shuffledSubarray(members, { minLength: members.length }).map((some) => Object.fromEntries(some));
  });

describe('recordsAsCsv', () => {
  it('writes the rows that csv-stringify writes, for any records, one after the other', { tags: 'long' }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { minLength: 1, maxLength: 8 }), async (records) => {
        expect(await csvOf(records)).toBe(reference(records));
        expect(await csvOf(records, OF_CHOICES)).toBe(reference(records, ['plan', 'name']));
      }),
      { numRuns: 500 },
    );
  });

  it('writes every kind of number, and records with types that the service never stores', async () => {
    const numbers = [new Int32(-5), new Double(3), new Double(-0), -0, 1e21, Number.NaN, Number.NEGATIVE_INFINITY];
    const odd = [Long.fromNumber(2 ** 40), Decimal128.fromString('1.50'), new ObjectId(), /=x/g];
    const records = [...numbers, ...odd].flatMap((name) => [
      recordOf({ name, plan: [name], x: { name } }),
      recordOf({ name: 'Ada', x: 1 }),
    ]);
    expect(await csvOf(records)).toBe(reference(records));
    expect(await csvOf(records, OF_CHOICES)).toBe(reference(records, ['plan', 'name']));
  });

  it('writes the columns of the request', async () => {
    const columns = ['data.plan', 'email', 'other'].map((name) => ({ name, header: `=${name}` }));
    const row = `pro,'=a@example.com,"{""x"":1}"\r\n`;
    expect(await csvOf([recordOf({ plan: 'pro', x: 1 })], columns)).toBe(`'=data.plan,'=email,'=other\r\n${row}`);
  });

  it('writes UTF-8 also when a stored text is not', async () => {
    const stored = Buffer.from(BSON.serialize(recordOf({ name: 'caf\xff', plan: 'é', x: '\xff' })));
    for (let at = stored.indexOf('\xff'); at >= 0; at = stored.indexOf('\xff', at)) stored.fill(0xff, at, at + 2);
    const columns = ['data.name', 'data.plan', 'other'].map((name) => ({ name, header: name }));
    const [, row] = Buffer.concat(await piecesOf([stored], columns))
      .toString('latin1')
      .split('\r\n');
    const replaced = Buffer.from('\uFFFD\uFFFD').toString('latin1');
    expect(row).toBe(`caf${replaced},${Buffer.from('é').toString('latin1')},"{""x"":""${replaced}""}"`);
  });

  it('yields pieces of about 64 kB that end with a row', async () => {
    const record = BSON.serialize(recordOf({ name: 'é'.repeat(5_000), plan: '"'.repeat(1_000) }));
    const pieces = await piecesOf(Array(20).fill(record));
    for (const piece of pieces) expect(piece.subarray(-2).toString()).toBe('\r\n');
    for (const piece of pieces) expect(piece.length).toBeLessThan(80_000);
    expect(Buffer.concat(pieces).toString().split('\r\n')).toHaveLength(22);
    const long = { name: '"é'.repeat(300_000) };
    expect(await csvOf([recordOf(long)])).toBe(reference([recordOf(long)]));
  });
});
