import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { prepareImport, rejectsOf, runImport } from '../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

// Columns by name and place, their settings, values that are left out, and what a dry run counts.

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(() => server.close());

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text', label: '+1 guests', maxLength: 20 },
  { key: 'mail', kind: 'text', label: 'email' },
  { key: 'score', kind: 'number', max: 10 },
  { key: 'born', kind: 'date' },
  { key: 'at', kind: 'date' },
  { key: 'ok', kind: 'checkbox' },
  { key: 'topics', kind: 'multiselect', enum: ['News', 'Events', 'a;b'] },
  { key: 'tags', kind: 'array' },
  { key: 'must', kind: 'number' },
];
const appWith = async (fields = FIELDS) => (await server.admin.buildApp({ fields })).sourceAppId;

const dataOf = async (sourceAppId: string): Promise<Record<string, unknown>[]> =>
  (await server.db.collection('users').find({ sourceAppId }).sort({ email: 1 }).toArray()).map(({ data }) => data);

async function imported(content: string, settings: Record<string, unknown> = {}, fields = FIELDS) {
  const app = await appWith(fields);
  const result = await runImport(server.admin, app, content, settings);
  return { app, result, data: await dataOf(app), errors: result.errors.map(({ message }) => message) };
}

async function refused(content: string, settings: Record<string, unknown>) {
  const app = await appWith();
  const id = await prepareImport(server.admin, app, content, settings);
  return (await server.admin.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(400)).body.errors;
}

describe('a column', () => {
  it('is named by its place, whatever its name', async () => {
    const file = 'First Name,First Name,,#1,E-Mail\nAda,Lovelace,5,7,a@example.com\n';
    const map = { '#1': 'data.name', '#2': 'data.mail', '#3': 'data.score', '#4': 'data.must', 'E-Mail': 'email' };
    expect((await imported(file, { map })).data).toEqual([{ name: 'Ada', mail: 'Lovelace', score: 5, must: 7 }]);
    expect(await refused(file, { map: { ...map, 'First Name': 'data.tags', '#6': 'data.ok' } })).toEqual([
      { path: 'map."First Name"', message: 'is in the header more than once', code: 'columnOfHeaderTwice' },
      { path: 'map."#6"', message: 'is not a column of the file', code: 'notColumnOfFile' },
    ]);
    expect(await refused(file, { map: { 'E-Mail': 'email' }, columns: { Age: {}, 'First Name': {} } })).toMatchObject([
      { path: 'columns.Age', code: 'notColumnOfFile' },
      { path: 'columns."First Name"', code: 'columnOfHeaderTwice' },
    ]);
  });

  it('may have the name of another one that is not read, and without a map the first counts', {
    tags: 'long',
  }, async () => {
    const file = 'x,x,email,email,score,score\n1,2,a@example.com,b@example.com,3,4\n';
    expect(await refused(file, { map: { email: 'email' } })).toMatchObject([
      { path: 'map.email', code: 'columnOfHeaderTwice' },
    ]);
    expect((await imported(file, { map: { '#3': 'email', '#6': 'data.score' } })).data).toEqual([{ score: 4 }]);
    expect((await imported(file)).data).toEqual([{ score: 3 }]);
  });

  it('is named without white space and the apostrophe of an export, up to 2,000 characters', {
    tags: 'long',
  }, async () => {
    const question = `Which of these? ${'Please think. '.repeat(60)}`;
    const file = `email," '+1 guests ","${question}"\na@example.com,two,3\n`;
    const map = { ' email': 'email', '+1 guests': 'data.name', [question]: 'data.score' };
    expect((await imported(file, { map })).data).toEqual([{ name: 'two', score: 3 }]);
    const app = await appWith();
    const long = { ['x'.repeat(2_001)]: 'email' };
    await server.admin.post(`/auth/imports?sourceAppId=${app}`, { map: long }).expect(400);
    const broken = 'email,"Ort\n(bitte)"\na@example.com,Ulm\n';
    expect((await imported(broken, { map: { email: 'email', 'Ort\n(bitte)': 'data.name' } })).data).toEqual([
      { name: 'Ulm' },
    ]);
  });

  it('of an export by labels is named by its label', { tags: 'long' }, async () => {
    const { app } = await imported('email,data.name,data.mail\na@example.com,-2,private@example.com\n');
    const { text } = await server.admin.get(`/auth/users/export?headers=labels&sourceAppId=${app}`).expect(200);
    const header = (text.split('\r\n')[0] ?? '').split(',');
    expect(header.filter((name: string) => name === 'email')).toHaveLength(2);
    const map = { '#2': 'email', '+1 guests': 'data.name', [`#${header.lastIndexOf('email') + 1}`]: 'data.mail' };
    expect((await imported(text, { map })).data).toEqual([{ name: '-2', mail: 'private@example.com' }]);
    expect((await imported(text)).result).toMatchObject({ created: 1 });
  });
});

describe('the settings of a column', () => {
  it('beat those of the file', async () => {
    const file = [
      'email;born;at;score;must;ok;topics;mail',
      'a@example.com;31.12.24;12/31/24 3:04 PM;1.234,50;1,234.5;Ja;News;-',
      'b@example.com;1.2.70;1/2/69 12:00 am;-7;2;x;News|Events;N/A',
      'c@example.com;1.2.69;1/2/69 12:00 PM;0,5;2;FALSCH; Events ;n/a',
      '',
    ].join('\n');
    const fields = FIELDS.map((field) => (field.key === 'score' ? { ...field, max: 2_000 } : field));
    const { data, errors } = await imported(
      file,
      {
        dateFormat: 'M/D/YY h:mm A',
        timeZone: 'Europe/Berlin',
        decimal: ',',
        columns: {
          born: { dateFormat: 'D.M.YY' },
          '#3': { timeZone: 'UTC' },
          must: { decimal: '.' },
          ok: { true: ['ja', 'X'], false: ['falsch'] },
          topics: { separator: '|' },
          mail: { empty: ['-', 'n/a'] },
        },
      },
      fields,
    );
    expect(errors).toEqual([]);
    expect(data).toEqual([
      { born: '2024-12-31', at: '2024-12-31T15:04:00+00:00', score: 1234.5, must: 1234.5, ok: true, topics: ['News'] },
      { born: '1970-02-01', at: '2069-01-02T00:00:00+00:00', score: -7, must: 2, ok: true, topics: ['News', 'Events'] },
      { born: '2069-02-01', at: '2069-01-02T12:00:00+00:00', score: 0.5, must: 2, ok: false, topics: ['Events'] },
    ]);
  });

  it('replace the words of a checkbox on their side', { tags: 'long' }, async () => {
    const words = ['True', 'YES', 'on', '1', 'False', 'no', 'OFF', '0'];
    const file = `email,ok\n${words.map((word, n) => `p${n}@example.com,${word}\n`).join('')}`;
    expect((await imported(file)).data.map(({ ok }) => ok)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    const { result, data } = await imported(file, { columns: { ok: { true: ['1'], false: ['yes'] } } });
    expect(result).toMatchObject({ created: 2, rejected: 6 });
    expect(data).toEqual([{ ok: false }, { ok: true }]);
    expect((await imported(file, { columns: { ok: { true: ['x', 'no'] } } })).data).toEqual([
      { ok: false },
      { ok: true },
      { ok: false },
      { ok: false },
    ]);
  });

  it('are not needed for choices with a semicolon, which may be in a choice', async () => {
    const cells = ['News;Events', 'News; Events', '"a;b; News"', 'a;b', ' News ;Events;'];
    const file = `email,topics\n${cells.map((one, n) => `p${n}@example.com,${one}\n`).join('')}`;
    const both = ['News', 'Events'];
    expect((await imported(file, { delimiter: ',' })).data.map(({ topics }) => topics)).toEqual([
      both,
      both,
      ['News', 'a;b'],
      ['a;b'],
      both,
    ]);
  });

  it('are refused at their place, and shown as they were sent', async () => {
    const app = await appWith();
    const send = (columns: unknown) => server.admin.post(`/auth/imports?sourceAppId=${app}`, { columns });
    const paths = async (columns: unknown) =>
      (await send(columns).expect(400)).body.errors.map(({ path }: { path: string }) => path);
    expect(await paths({ a: { dateFormat: 'YYYY' }, b: { decimals: ',' }, c: { true: 'x' } })).toEqual([
      'columns.a.dateFormat',
      'columns.b.decimals',
      'columns.c.true',
    ]);
    expect(await paths({ a: { separator: '' }, b: { timeZone: 'Nowhere' }, c: 1 })).toEqual([
      'columns.a.separator',
      'columns.b.timeZone',
      'columns.c',
    ]);
    expect(await paths([])).toEqual(['columns']);
    expect(await paths(Object.fromEntries(Array.from({ length: 301 }, (_, n) => [`c${n}`, {}])))).toEqual(['columns']);
    const columns = { 'E-Mail.x': { empty: ['-'] }, '#2': { decimal: ',', true: ['ja'] } };
    const { id } = (await send(columns).expect(200)).body;
    const { settings } = (await server.admin.get(`/auth/imports/${id}?sourceAppId=${app}`).expect(200)).body;
    expect(settings.columns).toEqual(columns);
  });

  it('has formats of dates for the members of NDJSON', async () => {
    const line = { person: 'a@example.com', born: '31.12.24', at: '12/31/24' };
    const map = { person: 'email', born: 'data.born', at: 'data.at' };
    const columns = { born: { dateFormat: 'DD.MM.YY' }, 'data.at': { dateFormat: 'MM/DD/YY' } };
    const { data } = await imported(JSON.stringify(line), { format: 'ndjson', map, columns });
    expect(data).toEqual([{ born: '2024-12-31', at: '2024-12-31' }]);
  });
});

describe('values that do not fit', () => {
  const REQUIRED = FIELDS.map((field) => (field.key === 'must' ? { ...field, required: true } : field));
  const file = [
    'E-Mail,Score,Born,Must',
    'a@example.com,n/a,soon,1',
    'b@example.com,11,1990-01-31,2',
    'nobody,n/a,,3',
    'd@example.com,n/a,,x',
    'e@example.com,5,,5',
    '',
  ].join('\n');
  const map = { 'E-Mail': 'email', Score: 'data.score', Born: 'data.born', Must: 'data.must' };

  it('are left out of the line, counted and listed, with invalidValues: omit', async () => {
    const { app, result, data } = await imported(file, { map, invalidValues: 'omit' }, REQUIRED);
    const omissions = [
      { line: 2, path: 'data.score', message: 'must be a number' },
      { line: 2, path: 'data.born', message: expect.stringMatching(/^must be a date/) },
      { line: 3, path: 'data.score', message: 'must be at most 10' },
    ];
    expect(result).toMatchObject({ created: 3, rejected: 2, omitted: 3, omissions });
    expect(result.errors).toEqual([
      { line: 4, message: 'E-Mail must be an email address; Score must be a number' },
      { line: 5, message: 'Score must be a number; Must must be a number' },
    ]);
    expect(data).toEqual([{ must: 1 }, { born: '1990-01-31', must: 2 }, { score: 5, must: 5 }]);
    const path = `/auth/imports/${result.id}/omissions.csv?sourceAppId=${app}`;
    const { text, headers } = await server.admin.get(path).expect(200);
    expect(headers['content-disposition']).toContain(`${app}-omissions.csv`);
    expect(text.split('\r\n')).toEqual([
      'line,path,message',
      '2,data.score,must be a number',
      expect.stringMatching(/^2,data\.born,must be a date/),
      '3,data.score,must be at most 10',
      '',
    ]);
    expect((await rejectsOf(server.admin, app, result.id)).split('\r\n')).toHaveLength(4);
    await server.admin.delete(`/auth/imports/${result.id}?sourceAppId=${app}`).expect(200);
    const appId = (await server.db.collection('apps').findOne({ sourceAppId: app }))?._id;
    await expect.poll(() => server.db.collection('import_rejects').countDocuments({ appId })).toBe(0);
  });

  it('reject the line otherwise, and nothing is counted', async () => {
    const { result } = await imported(file, { map }, REQUIRED);
    expect(result).toMatchObject({ created: 1, rejected: 4 });
    expect(result).not.toHaveProperty('omitted');
    expect(result).not.toHaveProperty('omissions');
    const app = await appWith();
    await server.admin.post(`/auth/imports?sourceAppId=${app}`, { invalidValues: 'drop' }).expect(400);
  });

  it('are listed up to 20, in a dry run too, and all of them in the file', async () => {
    const lines = Array.from({ length: 700 }, (_, n) => `p${n}@example.com,n/a,x`);
    const many = `email,score,ok\n${lines.join('\n')}\n`;
    const { app, result } = await imported(many, { invalidValues: 'omit', dryRun: true });
    expect(result).toMatchObject({ created: 700, omitted: 1_400 });
    expect((result as unknown as { omissions: unknown[] }).omissions).toHaveLength(20);
    const path = `/auth/imports/${result.id}/omissions.csv?sourceAppId=${app}`;
    const numbers = (await server.admin.get(path).expect(200)).text.split('\r\n').slice(1, -1);
    expect(numbers.map((row: string) => Number(row.split(',')[0]))).toEqual(
      lines.flatMap((_, index) => [index + 2, index + 2]),
    );
  });

  it('of lists and further keys reject the line only where no field has them', async () => {
    const fields: FieldDefinitionInput[] = [{ key: 'tags', kind: 'array' }];
    const bad = '[{""$x"":1}]';
    const many = `email,tags,other\na@example.com,"${bad}",\nb@example.com,ok,"{""a b"":1}"\n`;
    const { result, data } = await imported(many, { invalidValues: 'omit' }, fields);
    expect(result).toMatchObject({ created: 1, rejected: 1, omitted: 1 });
    expect(data).toEqual([{}]);
  });
});

describe('the file of rejected lines', () => {
  it('keeps columns named line and reason, and is imported as it is when corrected', async () => {
    const fields: FieldDefinitionInput[] = [
      { key: 'reason', kind: 'text' },
      { key: 'score', kind: 'number' },
    ];
    const file = 'email,reason,score\na@example.com,because,x\nb@example.com,=1,1\n';
    const { app, result } = await imported(file, {}, fields);
    const rejects = await rejectsOf(server.admin, app, result.id);
    expect(rejects).toBe(
      'import_line,import_reason,email,reason,score\r\n2,score must be a number,a@example.com,because,x\r\n',
    );
    const corrected = rejects.replace(',x\r\n', ',7\r\n');
    expect(await runImport(server.admin, app, corrected)).toMatchObject({ created: 1, rejected: 0 });
    const map = { '#1': 'email', reason: 'data.reason', '#3': 'data.score' };
    const again = await runImport(server.admin, app, corrected.replace(',7\r\n', ',y\r\n'), { map });
    expect(again.errors).toEqual([{ line: 2, message: 'score must be a number' }]);
    // The columns of the first file of rejected lines are not kept beside the new ones.
    expect(await rejectsOf(server.admin, app, again.id)).toBe(rejects.replace(',x\r\n', ',y\r\n'));
    expect(await dataOf(app)).toEqual([
      { reason: 'because', score: 7 },
      { reason: '=1', score: 1 },
    ]);
  });

  it('has line and reason otherwise, which are read if the map names them', async () => {
    const { app, result } = await imported('email,score\na@example.com,x\n');
    const rejects = await rejectsOf(server.admin, app, result.id);
    expect(rejects).toBe('line,reason,email,score\r\n2,score must be a number,a@example.com,x\r\n');
    expect(await runImport(server.admin, app, rejects.replace(',x', ',3'))).toMatchObject({ created: 1 });
    const own = 'line,reason,email\n7,own,b@example.com\n';
    const map = { line: 'data.score', reason: 'data.name', email: 'email' };
    expect(await runImport(server.admin, app, own, { map })).toMatchObject({ created: 1 });
    expect(await dataOf(app)).toEqual([{ score: 3 }, { score: 7, name: 'own' }]);
  });
});

describe('lines without values', () => {
  it('do not count, and do not end an import with invalid: abort', async () => {
    const file = 'email;name;score\n;;\na@example.com;A\n" ";"";\nb@example.com\n;;\n';
    const { result, data } = await imported(file, { invalid: 'abort' });
    expect(result).toMatchObject({ state: 'completed', read: 2, created: 2 });
    expect(data).toEqual([{ name: 'A' }, {}]);
  });
});

describe('a dry run', () => {
  const file = 'email,score\na@example.com,1\nb@example.com,2\nA@example.com,3\nc@example.com,x\nc@example.com,4\n';

  it('counts a person who is twice in the file as created once, and then updated', async () => {
    const { app, result } = await imported(file, { dryRun: true });
    expect(result).toMatchObject({ read: 5, created: 3, updated: 1, unchanged: 0, rejected: 1 });
    expect(await dataOf(app)).toEqual([]);
    expect(await runImport(server.admin, app, file)).toMatchObject({ created: 3, updated: 1, rejected: 1 });
    const appId = (await server.db.collection('apps').findOne({ sourceAppId: app }))?._id;
    // Nothing of the persons is left.
    const persons = { appId, reason: { $exists: false } };
    await expect.poll(() => server.db.collection('import_rejects').countDocuments(persons)).toBe(0);
  });

  it('rejects the second line of a person with the mode insert', async () => {
    const { app, result } = await imported(file, { dryRun: true, mode: 'insert' });
    expect(result).toMatchObject({ created: 3, updated: 0, rejected: 2 });
    expect(result.errors[0]).toEqual({ line: 4, message: 'a record of this email exists' });
    expect(await runImport(server.admin, app, file, { mode: 'insert' })).toMatchObject({ created: 3, rejected: 2 });
  });

  it('that rejects every line is completed', async () => {
    const { result } = await imported('email\nnobody\n', { dryRun: true });
    expect(result).toMatchObject({ state: 'completed', read: 1, rejected: 1 });
  });
});
