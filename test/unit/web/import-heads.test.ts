import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileColumns, keyOf } from '../../../src/features/imports/column-names.ts';
import { HEAD_BYTES } from '../../../src/features/imports/file-head.ts';
import { readHead } from '../../../web/src/import/read-file.ts';
import { loadTexts } from '../../../web/src/texts/texts.ts';
import { FOREIGN_FILES } from '../../support/samples/foreign-files.ts';
import { readAsService as read } from '../../support/samples/import-reading.ts';

await loadTexts();

describe('the page and the service', () => {
  const piece = fc.constantFrom('a', 'Ä', '@', ' ', '"', '""', ',', ';', '\t', '|', '\n', '\r\n', '\r', "'=", 'sep=;');
  const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const clean = fc.array(fc.constantFrom('a', 'b c', '"x, y"', '"l\nm"', ''), { minLength: 1, maxLength: 5 });
  const cleanLine = fc.tuple(clean, fc.constantFrom(';', ',')).map(([cells, delimiter]) => cells.join(delimiter));
  const head = fc.record({
    before: fc.constantFrom('email', 'email', '', '\n', ';;\n', 'sep=;\n', 'SEP=,\r\n'),
    lines: fc.array(fc.oneof({ weight: 1, arbitrary: line }, { weight: 3, arbitrary: cleanLine }), { maxLength: 8 }),
    newline: fc.constantFrom('\n', '\r\n', '\r'),
    mark: fc.constantFrom('', '\uFEFF', 'wide'),
  });

  it('read the columns and first lines of 1,000 random heads alike', { tags: 'long' }, async () => {
    await fc.assert(
      fc.asyncProperty(head, async ({ before, lines, newline, mark }) => {
        const text = before + lines.join(newline);
        const file = mark === 'wide' ? Buffer.from(`\uFEFF${text}`, 'utf16le') : Buffer.from(mark + text);
        const server = await read(file).catch(() => undefined);
        const page = await readHead(new File([file], 'a.csv')).catch(() => undefined);
        expect(page === undefined).toBe(server === undefined);
        if (!page || !server) return;
        const { names, skipped } = fileColumns(server.layout.columns);
        expect(page.columns.map(({ name }) => name)).toEqual(names);
        expect(page.columns.map(({ key }) => key)).toEqual(names.map((_, index) => keyOf(index, names)));
        const fitting = server.readable.filter((row) => row.length <= server.layout.columns.length);
        const firsts = fitting.map((row) => row[skipped] ?? '').filter((one) => one !== '' && !one.includes("'"));
        for (const value of firsts) expect(page.columns[0]?.values).toContain(value);
      }),
      { numRuns: 1_000 },
    );
  });

  it('read a header that is longer than the head alike', async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `Question, number ${index}, ${'x'.repeat(40)}`);
    const file = Buffer.from(`email;${names.join(';')}\na@x.org;1\n`);
    expect(file.indexOf('\n')).toBeGreaterThan(HEAD_BYTES);
    const { columns } = await readHead(new File([file], 'a.csv'));
    expect(columns.map(({ name }) => name)).toEqual((await read(file)).layout.columns);
  });

  it.each(Object.entries(FOREIGN_FILES))('name the columns of a file of %s alike', async (_, { content, settings }) => {
    const { columns } = await readHead(new File([new Uint8Array(Buffer.from(content))], 'file.csv'));
    expect(columns.map(({ name }) => name)).toEqual((await read(Buffer.from(content))).layout.columns);
    const keys = new Set(columns.flatMap(({ key }, index) => [key, `#${index + 1}`]));
    expect(Object.keys(settings.map as object).filter((key) => !keys.has(key))).toEqual([]);
  });

  it('name two columns of one name, and one without a name, by their places', async () => {
    const text = 'E-Mail,First Name,First Name,\n"a@x.org\n","A\nB",C,D\n';
    const { columns } = await readHead(new File([text], 'a.csv'));
    expect(columns.map(({ key, label, values }) => [key, label, ...values])).toEqual([
      ['E-Mail', 'E-Mail', 'a@x.org\n'],
      ['#2', 'First Name (#2)', 'A\nB'],
      ['#3', 'First Name (#3)', 'C'],
      ['#4', '#4', 'D'],
    ]);
  });

  it('refuse a workbook and Windows-1252, and the page a file without a header', async () => {
    const zip = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), Buffer.from('[Content_Types].xml')]);
    await expect(readHead(new File([zip], 'a.xlsx'))).rejects.toThrow('spreadsheet');
    const latin = Buffer.from('E-Mail;Straße\n', 'latin1');
    await expect(readHead(new File([latin], 'a.csv'))).rejects.toThrow('Windows-1252');
    for (const text of ['', ' \n', '"email\n']) {
      await expect(readHead(new File([text], 'a.csv'))).rejects.toThrow(/empty|first line/);
    }
  });

  it('do not read the columns that the service adds to rejected lines', async () => {
    const { columns } = await readHead(new File(['import_line,import_reason,email,reason\n2,x,a@x.org,y\n'], 'a.csv'));
    expect(columns.map(({ key, values }) => [key, ...values])).toEqual([
      ['email', 'a@x.org'],
      ['reason', 'y'],
    ]);
  });
});

it('name a member of JSON without a name by its place', async () => {
  const { columns } = await readHead(new File(['{"email":"ada@example.com","":1}\n'], 'a.ndjson'));
  expect(columns.map(({ label }) => label)).toEqual(['email', '#2']);
});
