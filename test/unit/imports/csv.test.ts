import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cell as cellOf, plainText } from '../../../src/features/exports/cell-text.ts';
import { CsvCells } from '../../../src/features/exports/csv-cells.ts';
import { splitCells } from '../../../src/features/imports/csv-cells.ts';
import { compileDateFormat } from '../../../src/features/imports/date-format.ts';
import { detectEncoding } from '../../../src/features/imports/file-encoding.ts';
import { createBlockDecoder, createLineReader } from '../../../src/features/imports/line-reader.ts';

/** Yields a file in blocks of these sizes, from an offset on. */
function blocksOf(file: Buffer, sizes: readonly number[]) {
  return async function* (offset: number): AsyncGenerator<Buffer> {
    let at = offset;
    for (let index = 0; at < file.length; index += 1) {
      const size = sizes[index % sizes.length] ?? 1;
      yield file.subarray(at, at + size);
      at += size;
    }
  };
}

/** Reads all records; after each one from a new reader at its position if `restarts`. */
async function read(file: Buffer, sizes: readonly number[], restarts: boolean): Promise<string[][]> {
  const { encoding, bom } = detectEncoding(file);
  const layout = { encoding, newline: 0x0a, delimiter: ',' };
  const open = (start: { offset: number; line: number }) =>
    createLineReader(blocksOf(file, sizes), layout, 'csv', start);
  let reader = open({ offset: bom, line: 1 });
  const records: string[][] = [];
  for (;;) {
    const line = await reader.next();
    if (!line) return records;
    expect(line.problem).toBeUndefined();
    records.push(splitCells(line.text ?? '', ','));
    if (restarts) reader = open(line.next());
  }
}

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ',', '"', '\n', '\r\n', ' ', '日'), maxLength: 6 });
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

describe('a cell of CSV', () => {
  const text = fc.string({
    unit: fc.constantFrom("'", '=', '-', '＝', '\t', '\n', '"', ',', ';', 'a', 'ｘ'),
    maxLength: 6,
  });

  it('is read as it was before it was written, at any delimiter, and begins no formula', { tags: 'long' }, () => {
    fc.assert(
      fc.property(text, fc.constantFrom(',', ';', '\t'), (before, delimiter) => {
        const written = cellOf(before);
        const [read = '', ...others] = splitCells(written, delimiter);
        expect(others).toEqual([]);
        expect(read).not.toMatch(/^[=+\-@\t\r\n＋－＝＠]/);
        expect(plainText(read)).toBe(before);
        const bytes = Buffer.from(`x${before}x`);
        const cells = new CsvCells();
        cells.cell(bytes, 1, bytes.length - 1);
        expect(Buffer.from(cells.take()).toString()).toBe(written);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the reader of CSV', () => {
  it.each(['utf8', 'utf16le'] as const)(
    'reads what csv-parse reads, in any blocks of %s, and after any record',
    async (encoding) => {
      const rows = fc.array(fc.tuple(cell, cell, fc.constantFrom('x', 'y')), { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(
          rows,
          fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
          fc.boolean(),
          async (table, sizes, restarts) => {
            const text = table.map((row) => row.map(quoted).join(',')).join('\n');
            const file = Buffer.from(`\uFEFF${text}`, encoding);
            const expected = parse(text, { record_delimiter: '\n', relax_column_count: true }) as string[][];
            expect(await read(file, sizes, restarts)).toEqual(expected);
          },
        ),
        { numRuns: 300 },
      );
    },
  );

  it('loses only the line of a malformed record, and never a following line', async () => {
    const piece = fc.constantFrom('a', '"', ',', 'b', '""');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(piece, { maxLength: 6 }), { maxLength: 5 }), async (lines) => {
        const bad = lines.map((line) => line.join('')).join('\n');
        const file = Buffer.from(`${bad}\nlast,line\n`);
        const layout = { encoding: 'utf-8' as const, newline: 0x0a, delimiter: ',' };
        const reader = createLineReader(blocksOf(file, [7]), layout, 'csv', { offset: 0, line: 1 });
        const covered = new Set<number>();
        for (let line = await reader.next(); line; line = await reader.next()) {
          for (let number = line.number; number < line.next().line; number += 1) {
            expect(covered.has(number)).toBe(false);
            covered.add(number);
          }
        }
        // Records of blank cells do not count.
        const isEmpty = (text: string): boolean => !/[ab]/.test(text);
        const numbers = bad.split('\n').flatMap((text, index) => (isEmpty(text) ? [] : [index + 1]));
        for (const number of numbers) expect(covered.has(number)).toBe(true);
        expect(covered.has(bad.split('\n').length + 1)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the decoder of a file', () => {
  it('keeps the length of each block in the file', () => {
    const text = 'aé😀日\n'.repeat(5);
    for (const size of [1, 2, 3, 5, 7]) {
      for (const encoding of ['utf-16le', 'utf-16be'] as const) {
        const file = encoding === 'utf-16le' ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'utf16le').swap16();
        const decoder = createBlockDecoder(encoding);
        const blocks: Buffer[] = [];
        for (let at = 0; at < file.length; at += size) blocks.push(decoder.decode(file.subarray(at, at + size)));
        blocks.push(decoder.end());
        expect(Buffer.concat(blocks).toString()).toBe(text);
        expect(blocks.reduce((sum, block) => sum + decoder.lengthInFile(block), 0)).toBe(file.length);
      }
    }
  });
});

describe('a date format', () => {
  it.each([
    ['DD/MM/YYYY', '03/04/2025', '2025-04-03'],
    ['D.M.YYYY', '3.4.2025', '2025-04-03'],
    ['YYYY-MM-DD HH:mm:ss', '2025-04-03 07:08:09', '2025-04-03T07:08:09'],
    ['MM-DD-YYYY H:mm', '04-03-2025 7:08', '2025-04-03T07:08:00'],
    ['M/D/YY h:mm A', '12/31/24 3:04 PM', '2024-12-31T15:04:00'],
    ['M/D/YY h:mm A', '1/2/69 12:00 am', '2069-01-02T00:00:00'],
    ['M/D/YY h:mm A', '1/2/70 12:59 Pm', '1970-01-02T12:59:00'],
    ['MM/DD/YYYY hh:mm:ss A', '04/03/2025 07:08:09 AM', '2025-04-03T07:08:09'],
    ['M/D/YYYY, h:mmA', '4/3/2025, 11:08pm', '2025-04-03T23:08:00'],
    ['M/D/YY h:mm A', '12/31/24 3:04\u202fPM', '2024-12-31T15:04:00'],
    ['DD.MM.YY', '31.12.99', '1999-12-31'],
    ['YY-MM-DD', '00-01-31', '2000-01-31'],
  ])('%s reads %s', (format, text, iso) => {
    expect(compileDateFormat(format)?.parse(text)).toBe(iso);
    expect(compileDateFormat(format)?.parse(`${text}x`)).toBeUndefined();
  });

  it.each([
    ['M/D/YY h:mm A', '12/31/24 13:04 PM'],
    ['M/D/YY h:mm A', '12/31/24 0:04 AM'],
    ['M/D/YY h:mm A', '12/31/24 3:04'],
    ['M/D/YY hh:mm A', '12/31/24 3:04 PM'],
    ['DD.MM.YY', '31.12.2024'],
    ['DD.MM.YYYY', '31.12.24'],
    ['D.M.YYYY', `1.1.2024${' '.repeat(100)}`],
  ])('%s does not read %s', (format, text) => {
    expect(compileDateFormat(format)?.parse(text)).toBeUndefined();
  });

  it.each([
    '',
    'DD/MM',
    'DD/MM/YYYY HH',
    'DD/MM/YYYY mm',
    'DD/DD/YYYY/MM',
    'DD(MM)YYYY',
    'DD/MM/YYYY HH:mm:ss A',
    'DD/MM/YYYY h:mm',
    'DD/MM/YYYY HH:hh:mm A',
    'DD/MM/YYYY A',
    'DD/MM/YY YYYY',
  ])('may not be %j', (format) => {
    expect(compileDateFormat(format)).toBeUndefined();
  });
});
