import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { linesIn, rejectsOf, runImport } from '../support/server/imports.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, { writesEndMs: 300 });
});
afterAll(() => server.close());

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text' },
  { key: 'age', kind: 'number' },
  { key: 'day', kind: 'date' },
];
const appWith = async (fields = FIELDS) => (await server.admin.buildApp({ fields })).sourceAppId;

async function dataOf(app: string): Promise<Record<string, unknown>[]> {
  const records = await server.db.collection('users').find({ sourceAppId: app }).sort({ email: 1 }).toArray();
  return records.map(({ data }) => data);
}

/** Imports a file; resolves with the data of its records and its errors, each as `line message`. */
async function imported(content: string | Buffer, settings: Record<string, unknown> = {}) {
  const app = await appWith();
  const result = await runImport(server.admin, app, content, settings);
  const { read, created, updated, unchanged, rejected, errors } = result;
  expect(created + updated + unchanged + rejected).toBe(read);
  expect(linesIn(await rejectsOf(server.admin, app, result.id))).toHaveLength(rejected);
  return { data: await dataOf(app), errors: errors.map(({ line, message }) => `${line} ${message}`), read };
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe('the encoding of a file', () => {
  const text = 'email,data.name\r\na@example.com,Zoë 😀 "x"\r\nb@example.com,日本\r\n';
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with BOM', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 LE with BOM', utf16(`\uFEFF${text}`)],
    ['UTF-16 LE', utf16(text)],
    ['UTF-16 BE with BOM', utf16(`\uFEFF${text}`).swap16()],
    ['UTF-16 BE', utf16(text).swap16()],
  ])('may be %s', async (_, content) => {
    expect(await imported(content)).toMatchObject({ data: [{ name: 'Zoë 😀 "x"' }, { name: '日本' }], errors: [] });
  });

  it('is read right where chunks end inside of characters and records', { tags: 'long' }, async () => {
    const rows = Array.from({ length: 9_000 }, (_, n) => `p${String(n).padStart(5, '0')}@example.com,"日😀\n${n}"\n`);
    for (const content of [
      Buffer.from(`email,data.name\n${rows.join('')}`),
      utf16(`\uFEFFemail,data.name\n${rows.join('')}`),
    ]) {
      const { data, errors } = await imported(content);
      expect(errors).toEqual([]);
      expect(data).toEqual(rows.map((_row, n) => ({ name: `日😀\n${n}` })));
    }
  });

  it('rejects the lines that are not valid in it', { tags: 'long' }, async () => {
    const bytes = Buffer.concat([
      Buffer.from('email,data.name\na@example.com,'),
      Buffer.of(0xff),
      Buffer.from('\nb@example.com,ok\n'),
    ]);
    const reason = 'is not valid in the encoding of the file';
    expect(await imported(bytes)).toMatchObject({ data: [{ name: 'ok' }], errors: [`2 ${reason}`] });
    const lone = Buffer.concat([
      utf16('\uFEFFemail,data.name\na@example.com,'),
      Buffer.of(0x00, 0xd8),
      utf16('\nb@example.com,ok'),
    ]);
    expect(await imported(lone)).toMatchObject({ data: [{ name: 'ok' }], errors: [`2 ${reason}`] });
    const odd = Buffer.concat([utf16('\uFEFFemail,data.name\nb@example.com,ok\na@example.com,x'), Buffer.of(0x41)]);
    expect(await imported(odd)).toMatchObject({ data: [{ name: 'ok' }], errors: [`3 ${reason}`] });
  });
});

describe('the CSV of an export', () => {
  it('is imported without a loss: texts like formulas, and keys of no field', { tags: 'long' }, async () => {
    const fields: FieldDefinitionInput[] = [
      { key: 'name', kind: 'text' },
      { key: 'other', kind: 'text' },
    ];
    const from = await server.admin.buildApp({ rejectUnknown: false, fields });
    const to = await server.admin.buildApp({ rejectUnknown: false, fields });
    const texts = ["'=1", "''=1", '=1', "'a'", "'", "'-", "'＝x", '-1', 'a'];
    const records = texts.map((text, n) => ({
      name: text,
      other: text,
      note: text,
      [`key${n}`]: { list: [text, 1, null], b: true },
      ...(n > 0 && { nothing: null, '\u0065': -0.5 }),
    }));
    for (const [n, data] of records.entries()) {
      await server.client.submit(from.sourceAppId, { email: `p${n}@example.com`, data }).expect(200);
    }
    const stored = await dataOf(from.sourceAppId);
    const { text } = await server.admin.get(`/auth/users/export?sourceAppId=${from.sourceAppId}`).expect(200);
    const result = await runImport(server.admin, to.sourceAppId, text);
    expect(result).toMatchObject({ created: texts.length, rejected: 0 });
    expect(await dataOf(to.sourceAppId)).toEqual(stored);
    // The map that the dashboard proposes.
    const mapped = await server.admin.buildApp({ rejectUnknown: false, fields });
    const map = { email: 'email', 'data.name': 'data.name', 'data.other': 'data.other', other: 'other' };
    await runImport(server.admin, mapped.sourceAppId, text, { map });
    expect(await dataOf(mapped.sourceAppId)).toEqual(stored);
  });

  it('has rejected lines that can be imported again', { tags: 'long' }, async () => {
    const app = await appWith();
    const { id } = await runImport(server.admin, app, `email,data.name,data.age\na@example.com,'=1,x\n`);
    const rejects = await rejectsOf(server.admin, app, id);
    await runImport(server.admin, app, rejects.replace(/,x\r\n$/, ',1\r\n'));
    expect(await dataOf(app)).toEqual([{ name: '=1', age: 1 }]);
  });

  it('has keys of no field that are checked as those of a submission', { tags: 'long' }, async () => {
    const { data, errors } = await imported(
      [
        'email,other,data.name',
        'a@example.com,"{""name"":""lost"",""x"":[1]}",Ada',
        'b@example.com,"{""name"":""kept""}",',
        'c@example.com,"{""a b"":1}",',
        'd@example.com,"{""__proto__"":1}",',
        'e@example.com,[1],',
        'f@example.com,no,',
        '',
      ].join('\n'),
    );
    expect(data).toEqual([{ name: 'Ada', x: [1] }, { name: 'kept' }]);
    expect(errors.map((error) => error.split(' ')[0])).toEqual(['4', '5', '6', '7']);
    expect(errors.slice(2)).toEqual(['6 other must be a JSON object', '7 other must be a JSON object']);
    const { sourceAppId } = await server.admin.buildApp({ rejectUnknown: true, fields: FIELDS });
    const file = 'email,other,data.name\na@example.com,"{""x"":1}",Ada\n';
    expect(await runImport(server.admin, sourceAppId, file)).toMatchObject({ created: 1 });
    expect(await dataOf(sourceAppId)).toEqual([{ name: 'Ada' }]);
    const map = { email: 'email', other: 'other' };
    await server.admin.post(`/auth/imports?sourceAppId=${sourceAppId}`, { map }).expect(400);
  });

  it('has no column of keys where a field has that name', async () => {
    const { sourceAppId } = await server.admin.buildApp({
      rejectUnknown: false,
      fields: [{ key: 'other', kind: 'text' }],
    });
    await runImport(server.admin, sourceAppId, 'email,other\na@example.com,text\n');
    expect(await dataOf(sourceAppId)).toEqual([{ other: 'text' }]);
  });
});

describe('the lines of a file', () => {
  it.each([
    ['semicolons', 'email;data.name\na@example.com;x\n'],
    ['tabs', 'email\tdata.name\na@example.com\tx\n'],
    ['bars', 'email|data.name\na@example.com|x\n'],
    ['CR as line end', 'email,data.name\ra@example.com,x\r'],
    ['no line end at the end', 'email,data.name\r\na@example.com,x'],
    ['empty lines', '\n\nemail,data.name\n\n  \na@example.com,x\n\n'],
    ['quoted names and cells', '"email","data.name"\n"a@example.com","x"\n'],
  ])('may have %s', async (_, content) => {
    expect(await imported(content)).toEqual({ data: [{ name: 'x' }], errors: [], read: 1 });
  });

  it('take the delimiter of the settings', async () => {
    const { data } = await imported('email;data.name\na@example.com;1,2,3\n', { delimiter: ';' });
    expect(data).toEqual([{ name: '1,2,3' }]);
  });

  it('lose only themselves to a lone quote', async () => {
    const rows = [
      'a@example.com,ok',
      'b@example.com,"lone',
      'c@example.com,in"side',
      'd@example.com,"closed"x',
      'e@example.com,ok',
    ];
    const { data, errors, read } = await imported(`email,data.name\n${rows.join('\n')}\n`);
    expect(errors).toEqual(['3 has text after a closing quote', '5 has text after a closing quote']);
    expect({ data, read }).toEqual({ data: [{ name: 'ok' }, { name: 'in"side' }, { name: 'ok' }], read: 5 });
  });

  it('lose only themselves to a quote that is never closed', { tags: 'long' }, async () => {
    const many = Array.from(
      { length: 30_000 },
      (_, n) => `p${String(n).padStart(5, '0')}@example.com,${'x'.repeat(40)}\n`,
    );
    const { data, errors, read } = await imported(`email,data.name\na@example.com,"lone\n${many.join('')}`);
    expect(errors).toEqual(['2 has a quote that is not closed']);
    expect({ records: data.length, read }).toEqual({ records: 30_000, read: 30_001 });
  });

  it('lack empty cells at their end, and are rejected with more cells than the header', async () => {
    const lines = [
      'email,data.name',
      'a@example.com',
      'b@example.com,x,y',
      'c@example.com,ok,, ',
      'd@example.com,"x",',
    ];
    const { data, errors } = await imported(`${lines.join('\n')}\n`);
    expect(errors).toEqual(['3 has 3 cells, and the header has 2']);
    expect(data).toEqual([{}, { name: 'ok' }, { name: 'x' }]);
  });

  it('are rejected beyond 1 MB, in CSV and NDJSON, in quotes or not', { tags: 'long' }, async () => {
    const long = 'x'.repeat(3_000_000);
    const csv = `email,data.name\na@example.com,${long}\nb@example.com,"${long}"\nc@example.com,ok\n`;
    const tooLong = 'is longer than 1 MB';
    expect(await imported(csv)).toEqual({ data: [{ name: 'ok' }], errors: [`2 ${tooLong}`, `3 ${tooLong}`], read: 3 });
    const ndjson = `{"email":"a@example.com","data":{"name":"${long}"}}\n{"email":"b@example.com","data":{"name":"ok"}}`;
    expect(await imported(ndjson, { format: 'ndjson' })).toEqual({
      data: [{ name: 'ok' }],
      errors: [`1 ${tooLong}`],
      read: 2,
    });
    const last = `email,data.name\na@example.com,ok\nb@example.com,${long}`;
    expect(await imported(last)).toEqual({ data: [{ name: 'ok' }], errors: [`3 ${tooLong}`], read: 2 });
  });

  it('are applied one after the other when they name one person', async () => {
    const { data, read } = await imported(
      'email,data.name,data.age\nA@example.com,x,1\na@example.com,,2\n a@example.com ,z,\n',
    );
    expect({ data, read }).toEqual({ data: [{ name: 'z', age: 2 }], read: 3 });
  });
});

describe('the values of a file', () => {
  it('need a dateFormat unless dates are ISO 8601', { tags: 'long' }, async () => {
    const file = 'email,data.day\na@example.com,03/04/2025\nb@example.com,2025-04-03\n';
    expect(await imported(file)).toEqual({
      data: [{ day: '2025-04-03' }],
      errors: ['2 data.day must be a date like 2026-01-31 or a date-time with its zone like 2026-01-31T08:30:00Z'],
      read: 2,
    });
    const named = await imported(file, { dateFormat: 'DD/MM/YYYY' });
    expect(named).toMatchObject({
      data: [{ day: '2025-04-03' }],
      errors: ['3 data.day must be a date like DD/MM/YYYY'],
    });
    const invalid = await imported('email,data.day\na@example.com,31.02.2025\nb@example.com,1.2.2025\n', {
      dateFormat: 'D.M.YYYY',
    });
    expect(invalid).toMatchObject({
      data: [{ day: '2025-02-01' }],
      errors: [expect.stringMatching(/^2 data.day must be/)],
    });
  });

  it('take the time zone for local times, also where clocks change', { tags: 'long' }, async () => {
    const file = [
      'email,data.day',
      'a@example.com,30.03.2025 01:30',
      'b@example.com,30.03.2025 02:30',
      'c@example.com,26.10.2025 02:30',
      '',
    ].join('\n');
    const settings = { dateFormat: 'DD.MM.YYYY HH:mm', timeZone: 'Europe/Berlin' };
    // As forms do: a time that is skipped moves forward, one that occurs twice is the earlier.
    expect(await imported(file, settings)).toMatchObject({
      errors: [],
      data: [
        { day: '2025-03-30T01:30:00+01:00' },
        { day: '2025-03-30T03:30:00+02:00' },
        { day: '2025-10-26T02:30:00+02:00' },
      ],
    });
    const unknown = await imported(file, { dateFormat: settings.dateFormat });
    expect(unknown.errors).toEqual([2, 3, 4].map((line) => `${line} data.day has no time zone: set timeZone`));
  });

  it('take the decimal mark of the settings', { tags: 'long' }, async () => {
    const file = 'email;data.age\na@example.com;1,5\nb@example.com;1.5\nc@example.com;1.000,5\n';
    const { data, errors } = await imported(file, { decimal: ',' });
    expect(data).toEqual([{ age: 1.5 }, { age: 1000.5 }]);
    expect(errors).toEqual(['3 data.age must be a number with a decimal comma']);
    expect(await imported('email;data.age\na@example.com;1,5\n')).toMatchObject({
      data: [],
      errors: ['2 data.age must be a number'],
    });
  });
});

describe('the reason of a rejected line', () => {
  const reasons = async (file: string, settings: Record<string, unknown>) => (await imported(file, settings)).errors;

  it('names the column of the file, and a path of which the file has no column', { tags: 'long' }, async () => {
    const map = { 'E-Mail': 'email', 'Day of birth': 'data.day', [`Years ${'x'.repeat(80)}`]: 'data.age' };
    const header = Object.keys(map).join(',');
    expect(await reasons(`${header}\nnobody,soon,old\na@example.com,,x\n`, { map })).toEqual([
      expect.stringMatching(/^2 E-Mail must be an email address; Day of birth must be a date .*; Years x{54}… must be/),
      `3 Years ${'x'.repeat(54)}… must be a number`,
    ]);
    const lines = '{"who":"nobody","years":"x"}\n{"who":"a@example.com","years":"x"}\n';
    expect(await reasons(lines, { format: 'ndjson', map: { who: 'email', years: 'data.age' } })).toEqual([
      '1 who must be an email address; years must be a number',
      '2 years must be a number',
    ]);
    expect(await reasons('email,age\nnobody,x\n', {})).toEqual([
      '2 email must be an email address; age must be a number',
    ]);
    const { sourceAppId: app } = await server.admin.buildApp({
      fields: [{ key: 'name', kind: 'text', required: true }],
    });
    const { errors } = await runImport(server.admin, app, 'E-Mail\na@example.com\n', { map: { 'E-Mail': 'email' } });
    expect(errors).toEqual([{ line: 2, message: 'data.name is required' }]);
  });

  it('names no person whose email a file without a header has in its first line', async () => {
    const map = { 'ada@example.com': 'email', '36': 'data.age' };
    expect(await reasons('ada@example.com,36\nnobody,x\n', { map })).toEqual([
      '2 email must be an email address; 36 must be a number',
    ]);
  });
});

describe('the limits of a record', () => {
  it('reject the line, and leave the record as it is', { tags: 'long' }, async () => {
    const small = await startServer({ MAX_ARRAY_ITEMS: '3', RECORD_LIMIT: '256kb' });
    try {
      const fields: FieldDefinitionInput[] = [
        { key: 'tags', kind: 'array' },
        { key: 'text', kind: 'text' },
      ];
      const { sourceAppId: app } = await small.admin.buildApp({ fields });
      await small.client.submit(app, { email: 'a@example.com', data: { tags: [1, 2] } }).expect(200);
      const full = 'email,data.tags\na@example.com,"[3,4]"\na@example.com,3\nb@example.com,"[1,2,3,4]"\n';
      expect(await runImport(small.admin, app, full)).toMatchObject({
        updated: 1,
        errors: [
          { line: 2, message: 'data.tags is full: it holds at most 3 items' },
          { line: 4, message: 'data.tags is full: it holds at most 3 items' },
        ],
      });
      const replaced = await runImport(small.admin, app, full, { arrays: 'replace' });
      expect(replaced).toMatchObject({ updated: 2, rejected: 1 });
      const long = 'y'.repeat(150_000);
      const keys = `email,data.text,data.more\na@example.com,${long},\na@example.com,,${long}\na@example.com,${long},\n`;
      expect(await runImport(small.admin, app, keys)).toMatchObject({
        updated: 1,
        unchanged: 1,
        errors: [{ line: 3, message: 'the record would be too large' }],
      });
      const record = await small.db.collection('users').findOne({ email: 'a@example.com' });
      expect(Object.keys(record?.data)).toEqual(['tags', 'text']);
    } finally {
      await small.close();
    }
  });

  it('make a stored value the first item of a list, as a submission does', async () => {
    const app = await appWith([{ key: 'note', kind: 'text' }]);
    await server.client.submit(app, { email: 'a@example.com', data: { note: 'old' } }).expect(200);
    await server.admin.putSchema(app, { fields: [{ key: 'note', kind: 'array' }] }).expect(200);
    expect(await runImport(server.admin, app, 'email,data.note\na@example.com,new\n')).toMatchObject({ updated: 1 });
    const [data] = await dataOf(app);
    expect(data?.note).toMatchObject([{ value: 'old' }, { value: 'new' }]);
  });

  it('leave the history of consents alone', async () => {
    const fields: FieldDefinitionInput[] = [{ key: 'news', kind: 'checkbox', consent: { version: '1' } }];
    const app = await appWith(fields);
    await server.client.submit(app, { email: 'a@example.com', data: { news: true } }).expect(200);
    await runImport(server.admin, app, 'email,data.news\na@example.com,no\nb@example.com,yes\n');
    const [a, b] = await server.db.collection('users').find({ sourceAppId: app }).sort({ email: 1 }).toArray();
    expect(a).toMatchObject({ data: { news: false }, consents: [{ given: true }], consentState: { news: '1' } });
    expect(b?.consents).toBeUndefined();
  });
});

describe('indexed fields', () => {
  it('have their slots in imported records', { tags: 'long' }, async () => {
    const app = await appWith([{ key: 'age', kind: 'number', indexed: true }]);
    await expect
      .poll(async () => (await server.admin.get(`/auth/apps/${app}/indexes`)).body[0]?.state, {
        timeout: 25_000,
        interval: 200,
      })
      .toBe('ready');
    await runImport(server.admin, app, 'email,data.age\na@example.com,1\nb@example.com,\n');
    await runImport(server.admin, app, 'email,data.age\na@example.com,2\n');
    const { body } = await server.admin.get(`/auth/users?sourceAppId=${app}&where=data.age:eq:2`).expect(200);
    expect(body.users.map(({ email }: { email: string }) => email)).toEqual(['a@example.com']);
    const records = await server.db.collection('users').find({ sourceAppId: app }).sort({ email: 1 }).toArray();
    expect(records.map(({ s0 }) => s0)).toEqual([2, null]);
  });
});
