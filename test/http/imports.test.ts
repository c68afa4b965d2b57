import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { Client } from '../support/server/client.ts';
import { linesIn, prepareImport, rejectsOf, runImport, untilImport } from '../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(() => server.close());

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text', maxLength: 20 },
  { key: 'age', kind: 'number', min: 0 },
  { key: 'ok', kind: 'checkbox' },
  { key: 'day', kind: 'date' },
  { key: 'tags', kind: 'array' },
];

async function appWith(fields = FIELDS, rejectUnknown = false): Promise<string> {
  return (await server.admin.buildApp({ fields, rejectUnknown })).sourceAppId;
}

const stored = (sourceAppId: string) =>
  server.db.collection('users').find({ sourceAppId }).sort({ email: 1 }).toArray();

describe('an import of CSV', () => {
  it('creates records from the columns of its map, and counts its lines', async () => {
    const app = await appWith();
    const file = 'E-mail,Full name,Age,ignored\r\nADA@example.com,"Lovelace, Ada",36,x\r\nbob@example.com,Bob,,y\r\n';
    const map = { 'E-mail': 'email', 'Full name': 'data.name', Age: 'data.age' };
    const result = await runImport(server.admin, app, file, { map });
    expect(result).toMatchObject({ state: 'completed', read: 2, created: 2, updated: 0, unchanged: 0, rejected: 0 });
    expect(result).toMatchObject({ errors: [], received: file.length, position: file.length });
    const [ada, bob] = await stored(app);
    expect(ada).toMatchObject({ email: 'ada@example.com', data: { name: 'Lovelace, Ada', age: 36 }, schemaVersion: 2 });
    expect(bob?.data).toEqual({ name: 'Bob' });
  });

  it('updates records that exist, leaves equal ones, and rejects lines with the reason', async () => {
    const app = await appWith();
    await server.client.submit(app, { email: 'ada@example.com', data: { name: 'Ada', age: 1 } }).expect(200);
    await server.client.submit(app, { email: 'bob@example.com', data: { name: 'Bob' } }).expect(200);
    const file =
      'email,data.name,data.age\nada@example.com,Ada,2\nbob@example.com,Bob,\ncarl@example.com,Carl,-1\nnobody,N,1\nshort\n';
    const result = await runImport(server.admin, app, file);
    expect(result).toMatchObject({ state: 'completed', read: 5, created: 0, updated: 1, unchanged: 1, rejected: 3 });
    expect(result.errors).toEqual([
      { line: 4, message: 'data.age must be at least 0' },
      { line: 5, message: 'email must be an email address' },
      { line: 6, message: 'email must be an email address' },
    ]);
    expect(await rejectsOf(server.admin, app, result.id)).toBe(
      [
        'line,reason,email,data.name,data.age',
        "4,data.age must be at least 0,carl@example.com,Carl,'-1",
        '5,email must be an email address,nobody,N,1',
        '6,email must be an email address,short',
        '',
      ].join('\r\n'),
    );
    expect((await stored(app)).map(({ data }) => data)).toEqual([{ name: 'Ada', age: 2 }, { name: 'Bob' }]);
  });

  it('appends to arrays once for each line, or replaces them', async () => {
    const app = await appWith();
    await server.client.submit(app, { email: 'ada@example.com', data: { tags: ['old'] } }).expect(200);
    const file = 'email,data.tags\nada@example.com,new\nada@example.com,"[""x"",{""y"":1}]"\n';
    expect(await runImport(server.admin, app, file)).toMatchObject({ read: 2, updated: 2 });
    const [appended] = await stored(app);
    const values = (items: { value?: unknown; y?: unknown }[]) => items.map(({ value, y }) => value ?? { y });
    expect(values(appended?.data.tags)).toEqual(['old', 'new', 'x', { y: 1 }]);
    expect(appended?.arraySizes).toEqual({ tags: 4 });

    const replacing = 'email,data.tags\nada@example.com,only\n';
    expect(await runImport(server.admin, app, replacing, { arrays: 'replace' })).toMatchObject({ updated: 1 });
    expect(await runImport(server.admin, app, replacing, { arrays: 'replace' })).toMatchObject({ unchanged: 1 });
    const [replaced] = await stored(app);
    expect(values(replaced?.data.tags)).toEqual(['only']);
    expect(replaced?.arraySizes).toEqual({ tags: 1 });
  });

  it.each([
    ['upsert', { created: 1_497, updated: 2, unchanged: 1, rejected: 0 }],
    ['insert', { created: 1_497, updated: 0, unchanged: 0, rejected: 3 }],
  ])(
    'finds the few records that exist among many new persons, with the mode %s',
    { tags: 'long' },
    async (mode, counts) => {
      const app = await appWith();
      const emailOf = (index: number): string => `p${index}@example.com`;
      for (const [index, age] of [
        [700, 1],
        [1_100, 1_100],
        [1_499, 1],
      ] as const) {
        await server.client.submit(app, { email: emailOf(index), data: { age } }).expect(200);
      }
      const lines = Array.from({ length: 1_500 }, (_, index) => `${emailOf(index)},${index}\n`);
      const result = await runImport(server.admin, app, `email,data.age\n${lines.join('')}`, { mode });
      expect(result).toMatchObject({ state: 'completed', read: 1_500, ...counts });
      const ages = new Map((await stored(app)).map(({ email, data }) => [email, data.age]));
      expect(ages.size).toBe(1_500);
      expect([ages.get(emailOf(700)), ages.get(emailOf(701))]).toEqual(mode === 'upsert' ? [700, 701] : [1, 701]);
    },
  );

  it.each([
    ['insert', { created: 1, updated: 0, rejected: 1 }, 'a record of this email exists'],
    ['update', { created: 0, updated: 1, rejected: 1 }, 'no record has this email'],
  ])('keeps to the mode %s', async (mode, counts, reason) => {
    const app = await appWith([...FIELDS, { key: 'must', kind: 'text', required: true }]);
    await server.client.submit(app, { email: 'ada@example.com', data: { must: 'x' } }).expect(200);
    const file = 'email,data.name,data.must\nada@example.com,A,x\nbob@example.com,B,x\n';
    const result = await runImport(server.admin, app, file, { mode });
    expect(result).toMatchObject({ state: 'completed', read: 2, ...counts });
    expect(result.errors.map(({ message }) => message)).toEqual([reason]);
  });

  it('lets a line of the mode update lack required fields', async () => {
    const app = await appWith([...FIELDS, { key: 'must', kind: 'text', required: true }]);
    await server.client.submit(app, { email: 'ada@example.com', data: { must: 'x' } }).expect(200);
    const file = 'email,data.name\nada@example.com,A\n';
    expect(await runImport(server.admin, app, file, { mode: 'update' })).toMatchObject({ updated: 1 });
    const refused = await runImport(server.admin, app, file);
    expect(refused.errors).toEqual([{ line: 2, message: 'data.must is required' }]);
  });

  it('rejects persons who were erased with suppress, and keeps nothing of their lines', async () => {
    const app = await appWith();
    const erase = { email: 'ada@example.com', suppress: true };
    await server.admin.post(`/auth/people/erase?sourceAppId=${app}`, erase).expect(200);
    const id = await prepareImport(server.admin, app, 'email,data.name\nada@example.com,secret\nbob@example.com,x\n');
    await server.admin.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(200);
    expect(await untilImport(server.admin, app, id)).toMatchObject({ created: 1, rejected: 1 });
    expect(await rejectsOf(server.admin, app, id)).toBe(
      'line,reason,email,data.name\r\n2,the person was erased and must not be imported again,\r\n',
    );
    expect((await stored(app)).map(({ email }) => email)).toEqual(['bob@example.com']);
  });

  it('stops at the first rejected line with invalid: abort', async () => {
    const app = await appWith();
    const file = 'email,data.age\na@example.com,1\nb@example.com,x\nc@example.com,1\nnobody,1\n';
    const result = await runImport(server.admin, app, file, { invalid: 'abort' });
    expect(result).toMatchObject({ state: 'aborted', read: 2, created: 1, rejected: 1 });
    expect((await stored(app)).map(({ email }) => email)).toEqual(['a@example.com']);
    expect(linesIn(await rejectsOf(server.admin, app, result.id))).toEqual([3]);
  });

  it('checks everything and writes no record with dryRun', async () => {
    const app = await appWith();
    await server.client.submit(app, { email: 'ada@example.com', data: { name: 'Ada' } }).expect(200);
    const before = await stored(app);
    const file =
      'email,data.name\nada@example.com,Other\nbob@example.com,Bob\ncarl@example.com,123456789012345678901\n';
    const result = await runImport(server.admin, app, file, { dryRun: true });
    expect(result).toMatchObject({ state: 'completed', read: 3, created: 1, updated: 1, rejected: 1 });
    expect(await stored(app)).toEqual(before);
    expect(linesIn(await rejectsOf(server.admin, app, result.id))).toEqual([4]);
  });
});

describe('an import of NDJSON', () => {
  it('takes what an export writes, and lines with a map', async () => {
    const app = await appWith();
    const lines = [
      {
        id: 'x',
        email: 'ada@example.com',
        data: { name: 'Ada', tags: [{ value: 1, timestamp: 'old' }], other: { a: 1 } },
      },
      { email: 'bob@example.com', data: { age: null, ok: true } },
    ];
    const file = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"email":"x@example.com","data":{"age":"1"}}\n[]\n{\n`;
    const result = await runImport(server.admin, app, file, { format: 'ndjson' });
    expect(result).toMatchObject({ read: 5, created: 2, rejected: 3 });
    expect(result.errors).toEqual([
      { line: 3, message: 'data.age must be a number' },
      { line: 4, message: 'is not a JSON object' },
      { line: 5, message: 'is not valid JSON' },
    ]);
    const [ada, bob] = await stored(app);
    expect(ada?.data).toMatchObject({ name: 'Ada', tags: [{ value: 1 }], other: { a: 1 } });
    expect(bob?.data).toEqual({ ok: true });

    const map = { 'person.mail': 'email', 'a.b': 'data.age' };
    const nested = '{"person":{"mail":"carl@example.com"},"a.b":3}\n';
    expect(await runImport(server.admin, app, nested, { format: 'ndjson', map })).toMatchObject({ created: 1 });
    expect((await stored(app)).at(-1)?.data).toEqual({ age: 3 });
  });
});

describe('lines with many keys beyond the schema', () => {
  it('change their records, and are found unchanged when they are repeated', { tags: 'long' }, async () => {
    const app = await appWith();
    const lines = Array.from({ length: 20 }, (_, line) => {
      const data = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`key${line}_${key}`, key]));
      return JSON.stringify({ email: `p${line}@example.com`, data });
    });
    const file = lines.join('\n');
    expect(await runImport(server.admin, app, file, { format: 'ndjson' })).toMatchObject({ created: 20 });
    expect(await runImport(server.admin, app, file, { format: 'ndjson' })).toMatchObject({ unchanged: 20 });
    const changed = file.replaceAll(':7,', ':8,');
    expect(await runImport(server.admin, app, changed, { format: 'ndjson' })).toMatchObject({ updated: 20 });
    expect(
      (await stored(app)).every(({ data }) => Object.values(data).filter((value) => value === 8).length === 2),
    ).toBe(true);
  });
});

describe('an export and its import', () => {
  it('give the same data', async () => {
    const app = await appWith();
    const data = { name: '=1+1', age: 2.5, ok: false, day: '2026-01-31', tags: ['a,"b"\n', { c: [1] }] };
    await server.client.submit(app, { email: 'ada@example.com', data }).expect(200);
    const { text } = await server.admin.get(`/auth/users/export?format=csv&sourceAppId=${app}`).expect(200);
    const other = await appWith();
    expect(await runImport(server.admin, other, text)).toMatchObject({ read: 1, created: 1 });
    const [record] = await stored(other);
    expect(record?.data).toMatchObject({ ...data, tags: [{ value: 'a,"b"\n' }, { c: [1] }] });
  });
});

describe('the file of an import', () => {
  it('comes in parts, each of which continues the file', async () => {
    const app = await appWith();
    const { body } = await server.admin.post(`/auth/imports?sourceAppId=${app}`, {}).expect(200);
    const path = `/auth/imports/${body.id}/content?sourceAppId=${app}`;
    const put = (content: string, range?: string) => {
      const request = server.admin.put(path).set('Content-Type', 'text/csv');
      return (range === undefined ? request : request.set('Content-Range', range)).send(content);
    };
    expect((await put('email\n', 'bytes 0-5/*').expect(200)).body).toEqual({ received: 6 });
    expect((await put('x', 'bytes 7-7/*').expect(416)).body.message).toBe('The content continues at byte 6');
    await put('x', 'bytes 0-0/*').expect(416);
    await put('x', 'bytes 9-7/*').expect(400);
    await put('x', 'lines 1-2').expect(400);
    expect((await put('a@example.com\n', 'bytes 6-19/20').expect(200)).body).toEqual({ received: 20 });
    await server.admin.post(`/auth/imports/${body.id}/start?sourceAppId=${app}`).expect(200);
    await put('x', 'bytes 20-20/*').expect(409);
    await server.admin.post(`/auth/imports/${body.id}/start?sourceAppId=${app}`).expect(409);
    expect(await untilImport(server.admin, app, body.id)).toMatchObject({ created: 1 });
  });

  it('is whole without Content-Range, and replaces what was there', async () => {
    const app = await appWith();
    const id = await prepareImport(server.admin, app, 'a'.repeat(3_000_000));
    const path = `/auth/imports/${id}/content?sourceAppId=${app}`;
    const sent = await server.admin
      .put(path)
      .set('Content-Type', 'text/csv')
      .send('email\nada@example.com\n')
      .expect(200);
    expect(sent.body).toEqual({ received: 22 });
    expect(await server.db.collection('import_chunks').countDocuments({ importId: { $exists: true } })).toBeGreaterThan(
      0,
    );
    await server.admin.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(200);
    expect(await untilImport(server.admin, app, id)).toMatchObject({ state: 'completed', created: 1 });
  });

  it('is refused beyond its limits with 413, and its chunks are removed when the import ends', {
    tags: 'long',
  }, async () => {
    const small = await startServer({ IMPORT_LIMIT: '1mb', IMPORT_APP_LIMIT: '1mb' });
    try {
      const { sourceAppId: app } = await small.admin.buildApp({ fields: FIELDS });
      const send = async (content: string) => {
        const { body } = await small.admin.post(`/auth/imports?sourceAppId=${app}`, {}).expect(200);
        const path = `/auth/imports/${body.id}/content?sourceAppId=${app}`;
        const request = small.admin.put(path).set('Content-Type', 'text/csv').send(content);
        return { id: body.id as string, answer: await request };
      };
      expect((await send('x'.repeat(1_048_577))).answer.status).toBe(413);
      const first = await send(`email\na@example.com\n${'\n'.repeat(600_000)}`);
      expect(first.answer.status).toBe(200);
      const second = await send('x'.repeat(600_000));
      expect(second.answer.status).toBe(413);
      expect(second.answer.body.message).toMatch(/^The files of this app are larger than 1 MB/);
      await small.admin.post(`/auth/imports/${first.id}/start?sourceAppId=${app}`).expect(200);
      await untilImport(small.admin, app, first.id);
      await expect
        .poll(() => small.db.collection('imports').findOne({ state: 'completed', 'chunks.0': { $exists: true } }))
        .toBeNull();
      expect((await send('x'.repeat(600_000))).answer.status).toBe(200);
      for (const { id } of (await small.admin.get(`/auth/imports?sourceAppId=${app}`).expect(200)).body.imports) {
        await small.admin.delete(`/auth/imports/${id}?sourceAppId=${app}`).expect(200);
      }
      await expect.poll(() => small.db.collection('import_chunks').countDocuments()).toBe(0);
      await expect.poll(() => small.db.collection('imports').countDocuments()).toBe(0);
    } finally {
      await small.close();
    }
  });
});

describe('what imports refuse', () => {
  it('is an invalid setting, with each place', async () => {
    const app = await appWith(FIELDS, true);
    const create = (settings: object) => server.admin.post(`/auth/imports?sourceAppId=${app}`, settings).expect(400);
    const map = { a: 'data.nothing', b: 'data.name', c: 'data.name', d: 'createdAt' };
    expect((await create({ map })).body.errors).toEqual([
      { path: 'map.a', message: 'is neither email nor data.<key> of a field', code: 'notImportPath' },
      { path: 'map.c', message: 'has the path of another column', code: 'pathTwice' },
      { path: 'map.d', message: 'is neither email nor data.<key> of a field', code: 'notImportPath' },
      { path: 'map', message: 'must map a column to email', code: 'emailNotMapped' },
    ]);
    for (const [settings, path] of [
      [{ format: 'xml' }, 'format'],
      [{ mode: 'merge' }, 'mode'],
      [{ arrays: 'x' }, 'arrays'],
      [{ invalid: 'x' }, 'invalid'],
      [{ delimiter: 'ab' }, 'delimiter'],
      [{ decimal: '.,' }, 'decimal'],
      [{ dateFormat: 'DD/MM' }, 'dateFormat'],
      [{ dateFormat: 'DD/MM/YYYY HH' }, 'dateFormat'],
      [{ timeZone: 'Moon/Base' }, 'timeZone'],
      [{ map: ['x'] }, 'map'],
      [{ more: 1 }, 'more'],
    ] as const) {
      expect((await create(settings)).body.errors.map((one: { path: string }) => one.path)).toEqual([path]);
    }
  });

  it('is a file without the columns of its map, or without a header', async () => {
    const app = await appWith();
    const start = async (content: string, settings: object = {}) => {
      const id = await prepareImport(server.admin, app, content, settings as Record<string, unknown>);
      const answer = await server.admin.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(400);
      await server.admin.delete(`/auth/imports/${id}?sourceAppId=${app}`).expect(200);
      return answer.body;
    };
    const map = { mail: 'email', Name: 'data.name' };
    expect((await start('mail,name,mail\n', { map })).errors).toEqual([
      { path: 'map.mail', message: 'is in the header more than once', code: 'columnOfHeaderTwice' },
      { path: 'map.Name', message: 'is not a column of the file', code: 'notColumnOfFile' },
    ]);
    expect((await start('name\n')).errors).toEqual([
      { path: 'map', message: 'must map a column to email', code: 'emailNotMapped' },
    ]);
    expect((await start('')).message).toBe('The file is empty');
    expect((await start('\n\n')).message).toMatch(/^The first line of the file is missing/);
    expect((await start('"email\n')).message).toMatch(/has a quote that is not closed$/);
  });

  it('is an unknown import, one of another app, and a call by another operator', async () => {
    const app = await appWith();
    const other = await server.admin.buildApp({ fields: FIELDS });
    const operator = await new Client(server.listener.url).logIn(other.sourceAppId, other.password);
    const id = await prepareImport(server.admin, app, 'email\n');
    for (const unknown of [id, 'nonsense', '0'.repeat(24)]) {
      await operator.get(`/auth/imports/${unknown}`).expect(404);
      await operator.put(`/auth/imports/${unknown}/content`).send('x').expect(404);
      await operator.post(`/auth/imports/${unknown}/start`).expect(404);
      await operator.get(`/auth/imports/${unknown}/rejects.csv`).expect(404);
      await operator.delete(`/auth/imports/${unknown}`).expect(404);
    }
    await operator.get(`/auth/imports/${id}?sourceAppId=${app}`).expect(403);
    await server.admin.post('/auth/imports?sourceAppId=nothing', {}).expect(404);
    await server.client.post('/auth/imports', {}).expect(401);
    expect((await operator.get('/auth/imports').expect(200)).body).toEqual({ imports: [] });
  });

  it('is more than ten unfinished imports of an app', async () => {
    const app = await appWith();
    const create = () => server.admin.post(`/auth/imports?sourceAppId=${app}`, {});
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) ids.push((await create().expect(200)).body.id);
    await create().expect(409);
    await server.admin.delete(`/auth/imports/${ids[0]}?sourceAppId=${app}`).expect(200);
    await server.admin.get(`/auth/imports/${ids[0]}?sourceAppId=${app}`).expect(404);
    await create().expect(200);
  });
});
