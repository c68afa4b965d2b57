import fc from 'fast-check';
import { BSON } from 'mongodb';
import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { type ExportDelimiter, recordsAsCsv } from '../../../src/features/exports/csv.ts';
import { choiceColumns } from '../../../src/features/exports/exports.service.ts';
import { createLineReader, readLayout } from '../../../src/features/imports/line-reader.ts';
import { createValueReader } from '../../../src/features/imports/line-values.ts';

const CHOICES = ['a', 'b;c', '-1', '=x, y', 'é'];
const FIELDS = [
  { key: 'text', kind: 'text' },
  { key: 'number', kind: 'number' },
  { key: 'day', kind: 'date' },
  { key: 'ok', kind: 'checkbox' },
  { key: 'some', kind: 'multiselect', enum: CHOICES },
  { key: 'items', kind: 'array' },
] as unknown as FieldDefinition[];
const SCHEMA = { rejectUnknown: false, fields: FIELDS };
const SETTINGS = { format: 'csv', decimal: '.' } as unknown as Parameters<typeof createValueReader>[1];

const unit = fc.constantFrom(
  'a',
  'é',
  ',',
  ';',
  '\t',
  '\n',
  '"',
  "'",
  '=',
  '+',
  '-',
  '@',
  '＝',
  '1',
  ' ',
  '\\',
  '{',
  '[',
);
const text = fc.string({ unit, minLength: 1, maxLength: 10 });
const json = fc.oneof(text, fc.integer(), fc.boolean(), fc.array(fc.oneof(text, fc.integer()), { maxLength: 3 }));
const data = fc.record(
  {
    text,
    number: fc.integer({ min: 0 }),
    day: fc.constantFrom('2026-01-31', '2026-01-31T08:30:00Z'),
    ok: fc.boolean(),
    some: fc.subarray(CHOICES, { minLength: 1 }),
    items: fc.array(fc.record({ value: json }), { minLength: 1, maxLength: 3 }),
    more: text,
    list: fc.array(json, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const form = fc.record({ delimiter: fc.constantFrom<ExportDelimiter>(',', ';', 'tab'), bom: fc.boolean() });

async function exported(records: readonly object[], { delimiter, bom }: { delimiter: ExportDelimiter; bom: boolean }) {
  const stored = records.map((one, index) => BSON.serialize({ email: `p${index}@example.com`, data: one }));
  const columns = [{ name: 'email', header: 'email' }, ...choiceColumns(FIELDS), { name: 'other', header: 'other' }];
  const batches = async function* () {
    yield stored;
  };
  const keys = FIELDS.map(({ key }) => key);
  const pieces: Uint8Array[] = [];
  for await (const piece of recordsAsCsv(batches(), { columns, keys, bom, delimiter })) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function imported(file: Buffer) {
  const readFrom = async function* (offset: number): AsyncGenerator<Buffer> {
    yield file.subarray(offset);
  };
  const { layout, position } = await readLayout(readFrom, SETTINGS);
  const read = createValueReader(SCHEMA, SETTINGS, layout, undefined);
  const reader = createLineReader(readFrom, layout, 'csv', position);
  const found: unknown[] = [];
  for (let line = await reader.next(); line; line = await reader.next()) {
    const values = read(line.text ?? '');
    expect(values.problems).toEqual([]);
    found.push(values.data);
  }
  return found;
}

describe('an export', () => {
  it('is imported as it was, with any separator', { tags: 'long' }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(data, { minLength: 1, maxLength: 5 }), form, async (records, form) => {
        expect(await imported(await exported(records, form))).toEqual(records);
      }),
      { numRuns: 1_500 },
    );
  });

  it('begins no formula wherever a spreadsheet ends a cell', { tags: 'long' }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(data, { minLength: 1, maxLength: 5 }), form, async (records, form) => {
        const own = form.delimiter === 'tab' ? '\t' : form.delimiter;
        const parts = (await exported(records, form)).toString().split(/([,;\t\r\n])/);
        for (let at = 2; at < parts.length; at += 2) {
          // After its own separator a cell is read with its quotes.
          const quotes = parts[at - 1] === own ? /^"/ : /^"+/;
          expect(parts[at]?.replace(quotes, '')).not.toMatch(/^[=+\-@＋－＝＠]/);
        }
      }),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ['Hello;=1+1;end', "Hello;'=1+1;end"],
    ['x\n=1+1', "x\n'=1+1"],
  ])('makes the formula in %j a text, and the import restores it', async (before, shown) => {
    const file = await exported([{ text: before }], { delimiter: ',', bom: false });
    expect(file.toString()).toContain(`"${shown}"`);
    expect(await imported(file)).toEqual([{ text: before }]);
  });
});
