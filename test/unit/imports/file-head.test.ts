import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnName } from '../../../src/features/imports/column-names.ts';
import { fileProblem } from '../../../src/features/imports/file-encoding.ts';
import { HEAD_BYTES } from '../../../src/features/imports/file-head.ts';
import { readAsService as read } from '../../support/samples/import-reading.ts';

const textOf = (file: Buffer | string): Buffer => (typeof file === 'string' ? Buffer.from(file) : file);

describe('the form of a file', () => {
  it.each([
    ['a semicolon, and commas in quotes', 'E-Mail;"Ort, PLZ, Land\n(bitte)"\na@x.org;Ulm\n', ';'],
    ['commas, and a line break in a quoted name', 'E-Mail,"Ort, PLZ, Land\n(bitte)"\na@x.org,Ulm\n', ','],
    ['a blank line before the header, with a semicolon', '\nemail;city\na@x.org;Ulm\n', ';'],
    ['a blank line before the header, with a tab', '\nemail\tcity\na@x.org\tUlm\n', '\t'],
    ['lines of separators before the header', ';;\n";";\nemail;city\na@x.org;Ulm\n', ';', 1],
    ['a comma in a name', 'Name, Vorname;E-Mail\nAda;a@x.org\n', ';'],
    ['a comma in a name and in each value', 'Name, Vorname;E-Mail\nLovelace, Ada;a@x.org\n', ';'],
    ['a header alone', 'Name, Vorname;E-Mail', ';'],
    ['a quote in a name', '5" pipe;E-Mail;"x"\n1;a@x.org;2\n', ';'],
    ['quoted commas in each line', 'a;"x, y, z"\nb;"p, q, r"\n', ';'],
    ['one column', 'email\na@x.org\n', ','],
    ['decimal commas', 'email;n;m\na@x.org;1,5;2,5\nb@x.org;1,0;2,0\n', ';'],
    ['lines without their last cells', 'email;a;b\na@x.org\nb@x.org;1\nc@x.org;1;2\n', ';'],
    ['a line that does not fit', 'email;a;b\na@x.org;1;2;3\nb@x.org;1;2\n', ';'],
    ['sep=;', 'sep=;\nemail;a,b,c\na@x.org;1,2,3\n', ';'],
    ['SEP=| and a line end of Windows', 'SEP=|\r\nemail|a;b\r\na@x.org|1;2\r\n', '|'],
    ['a quoted sep', '"sep=\t"\nemail\ta,b\na@x.org\t1,2\n', '\t'],
  ])('is recognized with %s', async (_, text, delimiter, skipped = 0) => {
    const { layout, rows } = await read(Buffer.from(text));
    expect(layout.delimiter).toBe(delimiter);
    expect(layout.columns).not.toContain('sep=');
    expect(rows.length).toBeGreaterThanOrEqual(Number(text.includes('@')) - skipped);
    for (const row of rows) expect(row[0]).not.toMatch(/^;/);
  });

  it('has its header and its lines where they are', async () => {
    const text = 'sep=;\r\n;;\r\n"E-Mail\r\n(privat)";b\r\n\r\na@x.org;1\r\n';
    const { layout, lines } = await read(Buffer.from(text));
    expect(layout.columns).toEqual(['E-Mail\r\n(privat)', 'b']);
    expect(lines).toEqual([{ number: 6, cells: ['a@x.org', '1'] }]);
    expect((await read(Buffer.from(text), {}, 3)).lines).toEqual(lines);
  });

  it('has CR as line end if each LF is in quotes', async () => {
    const { layout, lines } = await read(Buffer.from('email;note\ra@x.org;"one\ntwo"\rb@x.org;x\r'));
    expect(layout.newline).toBe(0x0d);
    expect(lines).toEqual([
      { number: 2, cells: ['a@x.org', 'one\ntwo'] },
      { number: 3, cells: ['b@x.org', 'x'] },
    ]);
    expect((await read(Buffer.from('email;a\n"a\rb";c\n'))).rows).toEqual([['a\rb', 'c']]);
  });

  it('is recognized when its header is longer than the head', async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `Question, number ${index}, ${'x'.repeat(40)}`);
    const file = Buffer.from(`email;${names.join(';')}\na@x.org;1\n`);
    expect(file.indexOf('\n')).toBeGreaterThan(HEAD_BYTES);
    const { layout, rows } = await read(file);
    expect(layout.columns).toHaveLength(1_501);
    expect(rows).toEqual([['a@x.org', '1']]);
  });

  it('takes the delimiter of the settings, also after sep=', async () => {
    expect((await read(Buffer.from('email;a,b\nx;1,2\n'), { delimiter: ',' })).layout.columns).toEqual([
      'email;a',
      'b',
    ]);
    expect((await read(Buffer.from('sep=;\nemail|a;b\nx|1;2\n'), { delimiter: '|' })).layout.columns).toEqual([
      'email',
      'a;b',
    ]);
  });
});

describe('a table', () => {
  const unit = fc.constantFrom('a', 'b', 'é', '日', '😀', ',', ';', '\t', '|', '"', ' ', '\n', '\r\n', '\r', "'", '=');
  const cell = fc.string({ unit, maxLength: 8 });
  const name = fc.string({
    unit: fc.constantFrom('N', 'a', ' ', '"', ',', ';', '\n', 'ö'),
    minLength: 1,
    maxLength: 8,
  });
  const table = fc.integer({ min: 2, max: 5 }).chain((width) =>
    fc.record({
      header: fc.array(name, { minLength: width, maxLength: width }).map(([, ...names]) => ['E-Mail', ...names]),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 6 }),
    }),
  );
  const form = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    newline: fc.constantFrom('\n', '\r\n', '\r'),
    isQuoted: fc.boolean(),
    mark: fc.constantFrom('none', 'UTF-8', 'UTF-16 LE', 'UTF-16 BE', 'sep'),
    isEnded: fc.boolean(),
  });

  it('is read as it was written, with any separator, quotes, line ends and mark', async () => {
    await fc.assert(
      fc.asyncProperty(table, form, fc.integer({ min: 1, max: 50 }), async ({ header, rows }, form, block) => {
        const quoted = (text: string): string =>
          form.isQuoted || /[",;\t|\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const sep = form.mark === 'sep' ? `sep=${form.delimiter}${form.newline}` : '';
        const lines = [header, ...rows].map((row) => row.map(quoted).join(form.delimiter)).join(form.newline);
        const text = sep + lines + (form.isEnded ? form.newline : '');
        const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
        const files: Record<string, Buffer> = {
          'UTF-8': Buffer.from(`\uFEFF${text}`),
          'UTF-16 LE': utf16,
          'UTF-16 BE': Buffer.from(utf16).swap16(),
        };
        const file = files[form.mark] ?? Buffer.from(text);
        const found = await read(file, {}, block);
        expect(found.layout.columns).toEqual(header.map(columnName));
        const isBlank = (row: readonly string[]): boolean => row.every((one) => one.trim() === '');
        expect(found.rows).toEqual(rows.filter((row) => !isBlank(row)));
      }),
      { numRuns: 400 },
    );
  });
});

describe('a file that is refused as a whole', () => {
  const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
  const zip = Buffer.from('PK\x03\x04', 'latin1');
  it.each([
    ['Windows-1252', latin('E-Mail;Straße\na@x.org;Hauptstraße 1\n'), 'fileIsWindows1252'],
    ['Windows-1252 with typographic quotes', latin('name,note\na,\x93hi\x94\n'), 'fileIsWindows1252'],
    ['a workbook of Excel', Buffer.concat([zip, latin('....[Content_Types].xml')]), 'fileIsSpreadsheet'],
    [
      'one of LibreOffice',
      Buffer.concat([zip, latin('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')]),
      'fileIsSpreadsheet',
    ],
    ['an old one', Buffer.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1), 'fileIsSpreadsheet'],
    ['UTF-8', textOf('E-Mail;Straße\n'), undefined],
    ['UTF-8 that is cut', textOf('E-Mail;Straße').subarray(0, -2), undefined],
    ['UTF-8 with one broken line', Buffer.concat([textOf('Straße\n'), latin('Hauptstra\xdfe')]), undefined],
    ['UTF-16', Buffer.from('\uFEFFStraße', 'utf16le'), undefined],
    ['an archive', Buffer.concat([zip, latin('users.csv')]), undefined],
  ])('is %s', async (_, file, problem) => {
    expect(fileProblem(file)).toBe(problem);
    if (problem !== undefined) await expect(read(file)).rejects.toMatchObject({ code: problem });
  });
});
