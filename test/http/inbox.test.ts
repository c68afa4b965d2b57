import { UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import { createKeptSubmissions, type KeptSubmission } from '../../src/features/history/kept-submissions.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { joinApp } from '../support/server/accounts.ts';
import { Client } from '../support/server/client.ts';
import { runImport } from '../support/server/imports.ts';
import { createKey } from '../support/server/keys.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text' },
  { key: 'message', kind: 'text' },
  { key: 'age', kind: 'number' },
  { key: 'topics', kind: 'multiselect', enum: ['bugs', 'praise'] },
  { key: 'visits', kind: 'array' },
];

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, { retentionEveryMs: 100, pollEveryMs: 100 });
  b = await startServer({}, a.database, { retentionEveryMs: 100, pollEveryMs: 100 });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

interface Row {
  id: string;
  userId: string;
  email: string;
  at: string;
  revision: number;
  schemaVersion: number;
  data: Record<string, unknown>;
  created: boolean;
  page?: string;
  lang?: string;
  done?: true;
}

/** A new app that keeps submissions, with a session of its operator on the second server. */
async function keepingApp(fields = FIELDS) {
  const { sourceAppId, password } = await a.admin.buildApp({ fields });
  await a.admin.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
  const operator = await new Client(b.client.url).logIn(sourceAppId, password);
  const submit = async (email: string, data: object = {}, server = a) =>
    (await server.client.submit(sourceAppId, { email, data }).expect(200)).body.id as string;
  /** All rows of a query, page by page. */
  const rows = async (query = ''): Promise<Row[]> => {
    const found: Row[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await operator.get(`/auth/submissions?${query}${cursor}`).expect(200);
      found.push(...body.submissions);
      if (!body.next) return found;
      cursor = `&cursor=${body.next}`;
    }
  };
  const inbox = async (count: number, query = ''): Promise<Row[]> => {
    await expect.poll(async () => (await rows(query)).length, { timeout: 5_000 }).toBe(count);
    return rows(query);
  };
  return { sourceAppId, operator, submit, rows, inbox };
}

const kept = () => a.db.collection('submissions');

describe('GET /auth/submissions', () => {
  it('has each submission as it came, newest first, and loses nothing of an earlier one', async () => {
    const { submit, inbox } = await keepingApp();
    const id = await submit('ada@x.org', { name: 'Ada', message: 'First', topics: ['bugs'] });
    expect(await submit('ada@x.org', { message: 'Second', visits: ['one'] })).toBe(id);
    const [second, first] = await inbox(2);
    expect(first).toEqual({
      id,
      userId: id,
      email: 'ada@x.org',
      at: expect.any(String),
      revision: 1,
      schemaVersion: 2,
      data: { name: 'Ada', message: 'First', topics: ['bugs'] },
      created: true,
    });
    expect(second).toMatchObject({ userId: id, revision: 2, created: false });
    expect(second?.data).toEqual({ message: 'Second', visits: [{ value: 'one', timestamp: second?.at }] });
    expect(new Date(second?.at ?? 0) >= new Date(first?.at ?? 0)).toBe(true);
  });

  it('names the page and the language of a form', async () => {
    const { sourceAppId, inbox } = await keepingApp();
    await a.admin
      .put(`/auth/apps/${sourceAppId}/form`, { languages: ['de'], origins: ['https://site.example'] })
      .expect(200);
    const answer = await fetch(`${a.client.url}/v1/forms/${sourceAppId}`, {
      method: 'POST',
      headers: {
        origin: 'https://site.example',
        referer: 'https://site.example/contact?token=secret#end',
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'accept-language': 'de',
      },
      body: 'email=ada@x.org&message=Hallo',
    });
    expect(answer.status).toBe(200);
    const [row] = await inbox(1);
    expect(row).toMatchObject({ page: 'https://site.example/contact', lang: 'de', data: { message: 'Hallo' } });
  });

  it('filters by conditions, text and time, in pages that have each row once', { tags: 'long' }, async () => {
    const { submit, inbox, rows } = await keepingApp();
    const long = `${'l'.repeat(60)}@${'example'.repeat(3)}.org`;
    const other = `${'l'.repeat(60)}@${'another'.repeat(3)}.org`;
    for (let n = 0; n < 60; n += 1)
      await submit(`p${n % 7}@x.org`, { age: n, message: n % 3 ? 'hello' : 'Große Frage' });
    for (const email of [long, other, long]) await submit(email, { message: 'long' });
    const all = await inbox(63);
    const ages = all.slice(3).map(({ data }) => data.age);
    expect(ages).toEqual(Array.from({ length: 60 }, (_, n) => 59 - n));
    const paged = await rows('limit=7');
    expect(paged.map(({ id }) => id)).toEqual(all.map(({ id }) => id));

    expect((await rows('where=email:eq:P3@x.org&limit=2')).map(({ data }) => data.age)).toEqual([
      59, 52, 45, 38, 31, 24, 17, 10, 3,
    ]);
    expect(await rows(`where=email:eq:${long}`)).toHaveLength(2);
    expect(await rows(`where=email:eq:${other}`)).toHaveLength(1);
    expect(await rows('where=email:prefix:p1&where=data.age:lt:20')).toHaveLength(3);
    expect(await rows('where=email:contains:1@x&limit=3')).toHaveLength(9);
    expect(await rows('where=data.age:gte:50')).toHaveLength(10);
    expect(await rows('q=grosse%20frage&limit=6')).toHaveLength(20);
    expect(await rows('q=frage&limit=6')).toHaveLength(20);
    expect((await rows('q=p1@x.org')).every(({ email }) => email === 'p1@x.org')).toBe(true);
    expect(await rows('q=...')).toEqual([]);

    const [from, to] = [all[40]?.at ?? '', all[10]?.at ?? ''];
    const inTime = all.filter(({ at }) => at >= from && at < to).map(({ id }) => id);
    expect((await rows(`from=${from}&to=${to}&limit=9`)).map(({ id }) => id)).toEqual(inTime);
    expect(await rows('from=2000-01-01&to=2000-01-02')).toEqual([]);
  });

  it('refuses unknown parameters, foreign cursors, times that are none, and callers without the scope', {
    tags: 'long',
  }, async () => {
    const one = await keepingApp();
    const two = await keepingApp();
    for (let n = 0; n < 3; n += 1) await one.submit(`a${n}@x.org`);
    await one.inbox(3);
    const { body } = await one.operator.get('/auth/submissions?limit=1').expect(200);
    for (const query of [
      'skip=1',
      'sort=email',
      'from=yesterday',
      'to=1',
      'where=data.age:gt:x',
      'limit=0',
      'total=none',
    ])
      await one.operator.get(`/auth/submissions?${query}`).expect(400);
    await one.operator.get(`/auth/submissions?from=2026-01-02&to=2026-01-01`).expect(400);
    await two.operator.get(`/auth/submissions?limit=1&cursor=${body.next}`).expect(400);
    await one.operator.get(`/auth/submissions?limit=1&q=a&cursor=${body.next}`).expect(400);
    await one.operator.get(`/auth/submissions?sourceAppId=${two.sourceAppId}`).expect(403);
    expect((await two.operator.get('/auth/submissions').expect(200)).body).toEqual({ submissions: [] });
    await a.client.get('/auth/submissions').expect(401);
    const reader = await createKey(a, one.operator, ['users:read']);
    await reader.send('get', '/auth/submissions').expect(200);
    await reader.send('get', '/auth/submissions/export').expect(403);
  });

  it('is 409 for an app that keeps none, also after it has', { tags: 'long' }, async () => {
    const { sourceAppId, password } = await a.admin.buildApp();
    const operator = await new Client(a.client.url).logIn(sourceAppId, password);
    for (const path of ['/auth/submissions', '/auth/submissions/export']) await operator.get(path).expect(409);
    await a.client.submit(sourceAppId, { email: 'before@x.org' }).expect(200);
    await operator.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
    await b.client.submit(sourceAppId, { email: 'kept@x.org' }).expect(200);
    const emails = async () =>
      (await operator.get('/auth/submissions').expect(200)).body.submissions.map(({ email }: Row) => email);
    await expect.poll(emails).toEqual(['kept@x.org']);
    await operator.put(`/auth/apps/${sourceAppId}/history`, { submissions: false }).expect(200);
    await b.client.submit(sourceAppId, { email: 'after@x.org' }).expect(200);
    await operator.get('/auth/submissions').expect(409);
    await operator.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
    await b.client.submit(sourceAppId, { email: 'again@x.org' }).expect(200);
    await expect.poll(emails).toEqual(['again@x.org', 'kept@x.org']);
  });

  it('is set when an app is made', async () => {
    const { body } = await a.admin
      .post('/auth/apps', { sourceAppId: 'made-keeping', history: { submissions: true, days: 7 } })
      .expect(200);
    expect((await a.admin.get('/auth/apps/made-keeping/history').expect(200)).body).toEqual({
      submissions: true,
      days: 7,
    });
    await b.client.submit('made-keeping', { email: 'first@x.org' }).expect(200);
    const operator = await new Client(a.client.url).logIn('made-keeping', body.password);
    await expect
      .poll(async () => (await operator.get('/auth/submissions').expect(200)).body.submissions.length)
      .toBe(1);
    await a.admin.post('/auth/apps', { sourceAppId: 'made-wrong', history: { days: 0 } }).expect(400);
    await a.admin.post('/auth/apps', { sourceAppId: 'made-usual' }).expect(200);
    expect((await a.admin.get('/auth/apps/made-usual/history').expect(200)).body.submissions).toBe(false);
  });

  it('has submissions only: no edit, no import, no repeat; a released one from its release on', {
    tags: 'long',
  }, async () => {
    const { sourceAppId, operator, submit, inbox } = await keepingApp();
    const id = await submit('ada@x.org', { name: 'Ada' });
    await operator.patch(`/auth/users/${id}`, { set: { name: 'Eve' } }).expect(200);
    const repeat = () =>
      a.client
        .submit(sourceAppId, { email: 'eve@x.org', data: { name: 'Eve' } })
        .set('Idempotency-Key', 'once')
        .expect(200);
    await repeat();
    await repeat();
    await runImport(operator, undefined, 'email,data.name\nimported@x.org,Kim\nada@x.org,Kim\n', { mode: 'upsert' });
    await a.admin.put(`/auth/apps/${sourceAppId}/form`, {}).expect(200);
    await a.services.submissions.submit(sourceAppId, { email: 'held@x.org' }, { via: 'form', isTrapped: true });
    await inbox(2);
    const { body } = await operator.get('/auth/held').expect(200);
    await operator.post(`/auth/held/${body.held[0].id}/release`).expect(200);
    const rows = await inbox(3);
    expect(rows.map(({ email }) => email)).toEqual(['held@x.org', 'eve@x.org', 'ada@x.org']);
    expect(rows[0]).toMatchObject({ created: true });
  });
});

describe('each submission is kept once', () => {
  it('of one person, from two servers at once, through moves of the history', { tags: 'long' }, async () => {
    const { submit, inbox } = await keepingApp();
    for (let first = 0; first < 120; first += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          submit('ada@x.org', { age: first + at, message: 'm'.repeat(3_000) }, at % 2 ? a : b),
        ),
      );
    }
    const rows = await inbox(120);
    expect(rows.map(({ data }) => Number(data.age)).sort((x, y) => x - y)).toEqual(
      Array.from({ length: 120 }, (_, n) => n),
    );
    expect(rows.map(({ revision }) => revision).sort((x, y) => x - y)).toEqual(
      Array.from({ length: 120 }, (_, n) => n + 1),
    );
    expect(rows.filter(({ created }) => created)).toHaveLength(1);
    const times = rows.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('by statements that run at once', { tags: 'long' }, async () => {
    const { sourceAppId, submit, inbox } = await keepingApp();
    for (let n = 1; n <= 15; n += 1) await submit('ada@x.org', { age: n });
    await inbox(15);
    const users = a.db.collection<UserDocument>('users');
    const record = (await users.findOne({ sourceAppId })) as UserDocument;
    const mayRemove = () => async () => new Date();
    const { keep } = createKeptSubmissions(users, a.db.collection<KeptSubmission>('submissions'), mayRemove);
    const newId = createOrderedIds();
    for (let round = 0; round < 20; round += 1) {
      const history = (record.history ?? []).map((entry) => ({ ...entry, id: newId(new Date()) }));
      const outbox = history.map(({ id, at }) => ({ id, at, changed: [], kept: true as const }));
      await users.updateOne({ _id: record._id }, { $set: { history, outbox } });
      await Promise.all(Array.from({ length: 8 }, () => keep(record)));
    }
    await inbox(15 + 20 * (record.history ?? []).length);
  });

  it('before its values leave the record, although no relay has seen it', { tags: 'long' }, async () => {
    const { sourceAppId, submit, inbox } = await keepingApp();
    const id = await submit('ada@x.org', { age: 0 });
    await inbox(1);
    const record = await a.db.collection('users').findOne({ sourceAppId });
    const outbox = [{ id: record?._id, at: record?.createdAt, changed: [], kept: true }];
    await kept().deleteMany({ sourceAppId });
    // As of a server that stopped before it relayed the event: no server may find it by the index.
    await a.db.collection('users').updateOne({ sourceAppId }, { $set: { outbox } });
    for (let n = 1; n <= 40; n += 1) await submit('ada@x.org', { age: n });
    const rows = await inbox(41);
    expect(rows.at(-1)).toMatchObject({ id, created: true, data: { age: 0 } });
  });
});

describe('GET /auth/submissions/export', () => {
  it('has one line for each submission, with the filters of the list', async () => {
    const { operator, submit, inbox } = await keepingApp();
    await submit('ada@x.org', { name: '=1+1', topics: ['bugs', 'praise'], extra: { deep: 1 } });
    await submit('eve@x.org', { message: 'two\nlines, "quoted"' });
    const [second, first] = await inbox(2);
    const csv = (await operator.get('/auth/submissions/export').expect(200)).text;
    expect(csv).toBe(
      [
        'id,userId,email,at,revision,schemaVersion,created,page,lang,done,data.name,data.message,data.age,data.topics,data.visits,other',
        `${second?.id},${second?.userId},eve@x.org,${second?.at},1,2,true,,,,,"two\nlines, ""quoted""",,,,`,
        `${first?.id},${first?.userId},ada@x.org,${first?.at},1,2,true,,,,'=1+1,,,"bugs; praise",,"{""extra"":{""deep"":1}}"`,
        '',
      ].join('\r\n'),
    );
    const lines = (
      await operator.get('/auth/submissions/export?format=ndjson&where=email:eq:ada@x.org').buffer().expect(200)
    ).text;
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([first]);
    const { headers } = await operator.get('/auth/submissions/export').expect(200);
    expect(headers['content-disposition']).toMatch(/attachment; filename="app-\d+-submissions-\d{4}-\d\d-\d\d\.csv"/);
    await operator.get('/auth/submissions/export?format=json').expect(400);
    await operator.get('/auth/submissions/export?limit=1').expect(400);
  });
});

describe('PATCH /auth/submissions/:id', () => {
  const marked = (client: Client, id: string | undefined, done: unknown, query = '') =>
    client.patch(`/auth/submissions/${id}${query}`, { done });

  it('marks a submission as done and as open, and changes nothing else', async () => {
    const { sourceAppId, operator, submit, inbox, rows } = await keepingApp();
    await submit('ada@x.org', { message: 'First' });
    await submit('ada@x.org', { message: 'Second' });
    const before = await inbox(2);
    const [second, first] = before;
    const records = () => a.db.collection('users').find({ sourceAppId }).toArray();
    await expect.poll(async () => (await records())[0]?.outbox).toEqual([]);
    const stored = await records();
    const done = { ...first, done: true };
    // Also a repeat.
    for (let n = 0; n < 2; n += 1) expect((await marked(operator, first?.id, true).expect(200)).body).toEqual(done);
    expect(await rows()).toEqual([second, done]);
    for (let n = 0; n < 2; n += 1) expect((await marked(operator, first?.id, false).expect(200)).body).toEqual(first);
    expect(await rows()).toEqual(before);
    expect(await kept().countDocuments({ sourceAppId, done: { $exists: true } })).toBe(0);
    expect(await records()).toEqual(stored);
    const { body } = await operator.get('/auth/audit?action=submission.changed').expect(200);
    expect(body.events[0]).toMatchObject({ target: first?.id, detail: { done: false, record: first?.userId } });
  });

  it('is what the list and the export are filtered by', { tags: 'long' }, async () => {
    const { operator, submit, inbox, rows } = await keepingApp();
    for (let n = 0; n < 12; n += 1) await submit(`p${n % 2}@x.org`, { age: n, message: n % 3 ? 'hello' : 'question' });
    const ages = (found: readonly Row[]) => found.map(({ data }) => data.age);
    const all = await inbox(12);
    for (const { id, data } of all) if (Number(data.age) < 7) await marked(operator, id, true).expect(200);
    expect(ages(await rows())).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    for (const limit of [2, 50]) {
      expect(ages(await rows(`done=false&limit=${limit}`))).toEqual([11, 10, 9, 8, 7]);
      expect(ages(await rows(`done=true&limit=${limit}`))).toEqual([6, 5, 4, 3, 2, 1, 0]);
    }
    expect(ages(await rows('done=true&where=email:eq:p1@x.org'))).toEqual([5, 3, 1]);
    expect(ages(await rows('done=false&where=email:eq:p1@x.org'))).toEqual([11, 9, 7]);
    expect(ages(await rows('done=false&where=email:prefix:p1'))).toEqual([11, 9, 7]);
    expect(ages(await rows('done=true&q=question'))).toEqual([6, 3, 0]);
    expect(ages(await rows('done=false&where=data.age:lt:10'))).toEqual([9, 8, 7]);
    const [from, to] = [all[9]?.at ?? '', all[3]?.at ?? ''];
    const inTime = all.filter(({ at }) => at >= from && at < to).map(({ data }) => Number(data.age));
    expect(ages(await rows(`done=true&from=${from}&to=${to}`))).toEqual(inTime.filter((age) => age < 7));
    expect(ages(await rows(`done=false&from=${from}&to=${to}`))).toEqual(inTime.filter((age) => age >= 7));
    const file = async (query: string) => {
      const { text } = await operator.get(`/auth/submissions/export?format=ndjson&${query}`).buffer().expect(200);
      return ages(text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])));
    };
    expect(await file('done=false')).toEqual([11, 10, 9, 8, 7]);
    expect(await file('done=true')).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect((await operator.get('/auth/submissions/export?done=true').expect(200)).text).toContain(',true,,,true,');
    const { body } = await operator.get('/auth/submissions?done=false&limit=2').expect(200);
    for (const other of ['', 'done=true&']) {
      await operator.get(`/auth/submissions?${other}limit=2&cursor=${body.next}`).expect(400);
    }
    for (const query of ['done=yes', 'done=', 'done=true&done=false']) {
      await operator.get(`/auth/submissions?${query}`).expect(400);
    }
  });

  it('takes nothing from a field of the same name, as the email takes nothing from one', async () => {
    const { operator, submit, inbox, rows } = await keepingApp([
      { key: 'done', kind: 'checkbox' },
      { key: 'email', kind: 'text' },
    ]);
    await submit('ada@x.org', { done: true, email: 'other@x.org' });
    await submit('other@x.org', { done: false, email: 'ada@x.org' });
    const [second, first] = await inbox(2);
    await marked(operator, second?.id, true).expect(200);
    const done = { ...second, done: true };
    expect(await rows('where=data.done:eq:true')).toEqual([first]);
    expect(await rows('where=data.done:eq:true&done=true')).toEqual([]);
    expect(await rows('where=data.done:eq:false&done=true')).toEqual([done]);
    expect(await rows('where=data.email:eq:other@x.org')).toEqual([first]);
    expect(await rows('where=email:eq:ada@x.org&where=data.email:eq:ada@x.org')).toEqual([]);
  });

  it('reads no more than its page, however many are done, or open', { tags: 'long' }, async () => {
    const { sourceAppId, submit, inbox, rows } = await keepingApp();
    await submit('ada@x.org');
    await inbox(1);
    const stored = await kept().findOne({ sourceAppId });
    const newId = createOrderedIds();
    const copies = (count: number, done?: true) =>
      Array.from({ length: count }, () => ({ ...stored, _id: newId(new Date()), ...(done && { done }) }));
    /** The keys and documents that the database reads for a query with ten matches. */
    const examined = async (query: string): Promise<number> => {
      await a.db.command({ profile: 2 });
      const found = await rows(query);
      await a.db.command({ profile: 0 });
      const profiled = a.db.collection('system.profile');
      const reads = await profiled.find({ ns: `${a.db.databaseName}.submissions`, op: 'query' }).toArray();
      await profiled.drop();
      expect(found).toHaveLength(10);
      expect(reads.length).toBeGreaterThan(0);
      return reads.reduce((sum, { docsExamined, keysExamined }) => sum + docsExamined + keysExamined, 0);
    };
    await kept().insertMany([...copies(9), ...copies(2_000, true)] as never[]);
    expect(await examined('done=false')).toBeLessThan(100);
    await kept().updateMany({ sourceAppId }, [{ $set: { done: { $cond: ['$done', '$$REMOVE', true] } } }]);
    expect(await examined('done=true')).toBeLessThan(100);
  });

  it('is for those who may change records, of the app that keeps the submission', { tags: 'long' }, async () => {
    const one = await keepingApp();
    const two = await keepingApp();
    await one.submit('ada@x.org');
    const id = (await one.inbox(1))[0]?.id;
    const ofOne = `?sourceAppId=${one.sourceAppId}`;
    await marked(a.client, id, true).expect(401);
    await marked(two.operator, id, true).expect(404);
    await marked(two.operator, id, true, ofOne).expect(403);
    const viewer = await joinApp(a, one.sourceAppId, 'viewer');
    await viewer.client.get(`/auth/submissions${ofOne}`).expect(200);
    await marked(viewer.client, id, true, ofOne).expect(403);
    const reader = await createKey(a, one.operator, ['users:read', 'export']);
    await reader.send('patch', `/auth/submissions/${id}`, { done: true }).expect(403);
    const foreign = await createKey(a, two.operator, ['users:write']);
    await foreign.send('patch', `/auth/submissions/${id}`, { done: true }).expect(404);
    expect(await one.rows('done=true')).toEqual([]);

    const editor = await joinApp(a, one.sourceAppId, 'editor');
    await marked(editor.client, id, true, ofOne).expect(200);
    const writer = await createKey(a, one.operator, ['users:write']);
    await writer.send('patch', `/auth/submissions/${id}`, { done: false }).expect(200);
    await marked(a.admin, id, true, ofOne).expect(200);
    expect(await one.rows('done=true')).toHaveLength(1);

    for (const body of [{}, { done: 'true' }, { done: null }, { done: 1 }, { done: true, more: 1 }, []]) {
      await one.operator.patch(`/auth/submissions/${id}`, body).expect(400);
    }
    for (const unknown of ['none', 'export', new UUID().toString(), '%00']) {
      const { body } = await marked(one.operator, unknown, true).expect(404);
      expect(body.code).toBe('submissionNotFound');
    }
    await one.operator.put(`/auth/apps/${one.sourceAppId}/history`, { submissions: false }).expect(200);
    await marked(one.operator, id, false).expect(409);
  });

  it('is 404 for an erased one, and in the export of its person', { tags: 'long' }, async () => {
    const { sourceAppId, operator, submit, inbox } = await keepingApp();
    const record = await submit('ada@x.org', { message: 'Secret' });
    const id = (await inbox(1))[0]?.id;
    await marked(operator, id, true).expect(200);
    const { body } = await operator.post('/auth/people/export', { email: 'ada@x.org' }).expect(200);
    const entries = body.entries.filter(({ kind }: { kind: string }) => kind === 'submission');
    expect(entries).toMatchObject([{ id, done: true }]);
    await operator.delete(`/auth/users/${record}`).expect(200);
    for (const done of [true, false]) await marked(operator, id, done).expect(404);
    expect(await kept().countDocuments({ sourceAppId })).toBe(0);
  });

  it('stays when the submission is kept again', { tags: 'long' }, async () => {
    const { sourceAppId, operator, submit, inbox } = await keepingApp();
    await submit('ada@x.org', { age: 0 });
    const id = (await inbox(1))[0]?.id;
    await marked(operator, id, true).expect(200);
    // As of a server that stopped before it removed the event.
    const record = await a.db.collection('users').findOne({ sourceAppId });
    const outbox = [{ id: record?._id, at: record?.createdAt, changed: [], kept: true }];
    await a.db.collection('users').updateOne({ sourceAppId }, { $set: { outbox } });
    for (let n = 1; n <= 20; n += 1) await submit('ada@x.org', { age: n });
    expect((await inbox(21)).at(-1)).toMatchObject({ id, done: true });
  });
});

describe('what ends submissions', () => {
  it('the erasure of a record, also one with a late copy', { tags: 'long' }, async () => {
    const { operator, submit, inbox, rows } = await keepingApp();
    const id = await submit('ada@x.org', { name: 'Ada' });
    await submit('ada@x.org', { name: 'Ada again' });
    await submit('eve@x.org');
    await inbox(3);
    await operator.delete(`/auth/users/${id}`).expect(200);
    expect((await rows()).map(({ email }) => email)).toEqual(['eve@x.org']);
    // Of an earlier relay, which the record no longer has.
    expect(await submit('ada@x.org', { name: 'New' })).not.toBe(id);
    expect((await inbox(2)).map(({ data }) => data)).toEqual([{ name: 'New' }, {}]);
  });

  it('the erasure of a person, whose export has them', async () => {
    const { sourceAppId, operator, submit, inbox } = await keepingApp();
    const long = `${'l'.repeat(60)}@${'example'.repeat(3)}.org`;
    await submit(long, { message: 'Secret one' });
    await submit(long, { message: 'Secret two' });
    await inbox(2);
    const { body } = await operator.post('/auth/people/export', { email: long }).expect(200);
    const submissions = body.entries.filter(({ kind }: { kind: string }) => kind === 'submission');
    expect(submissions.map(({ data }: Row) => data.message)).toEqual(['Secret one', 'Secret two']);
    const erased = await operator.post('/auth/people/erase', { email: long }).expect(200);
    expect(erased.body.erased).toMatchObject({ records: 1, submissions: 2 });
    expect(await kept().countDocuments({ sourceAppId })).toBe(0);
  });

  it('the deletion of the app', { tags: 'long' }, async () => {
    const { sourceAppId, submit, inbox } = await keepingApp();
    await submit('ada@x.org', { message: 'Gone' });
    await inbox(1);
    await a.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    expect(await kept().countDocuments({ sourceAppId })).toBe(0);
  });

  it('their age', { tags: 'long' }, async () => {
    const { sourceAppId, operator, submit, inbox, rows } = await keepingApp();
    await submit('ada@x.org', { message: 'New' });
    const [row] = await inbox(1);
    const stored = await kept().findOne({ sourceAppId });
    const old = new Date(Date.now() - 40 * 86_400_000);
    const hex = old.getTime().toString(16).padStart(12, '0');
    const oldId = new UUID(`${hex.slice(0, 8)}-${hex.slice(8)}${row?.id.slice(13)}`);
    await kept().insertOne({ ...stored, _id: oldId, createdAt: old, updatedAt: old } as never);
    expect(await rows()).toHaveLength(2);
    await operator.put(`/auth/apps/${sourceAppId}/history`, { submissions: true, days: 30 }).expect(200);
    expect(await inbox(1)).toEqual([row]);
  });
});

it('shows and finds values under the present keys, while they are moved and afterwards', { tags: 'long' }, async () => {
  const { sourceAppId, submit, inbox, rows } = await keepingApp([{ key: 'nick', kind: 'text' }]);
  for (let n = 0; n < 30; n += 1) await submit(`p${n}@x.org`, { nick: `Nick ${n}` });
  await inbox(30);
  const fields = [{ key: 'name', kind: 'text' as const }];
  await a.admin
    .put(`/auth/apps/${sourceAppId}/schema`, { rejectUnknown: false, fields, renames: [{ from: 'nick', to: 'name' }] })
    .expect(200);
  expect((await rows()).map(({ data }) => Object.keys(data).join())).toEqual(Array(30).fill('name'));
  expect(await rows('where=data.name:eq:Nick%207')).toHaveLength(1);
  await submit('late@x.org', { name: 'Late' });
  await inbox(31);
  await expect
    .poll(async () => kept().countDocuments({ sourceAppId, 'data.nick': { $exists: true } }), { timeout: 30_000 })
    .toBe(0);
  expect(await rows('where=data.name:prefix:Nick')).toHaveLength(30);
});
