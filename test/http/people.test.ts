import { Binary, BSON, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appDocument } from '../support/database/index-slots.ts';
import { rounds } from '../support/run/rounds.ts';
import { untilChange } from '../support/server/changes.ts';
import { Client } from '../support/server/client.ts';
import { sendForm } from '../support/server/forms.ts';
import { prepareImport, runImport } from '../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

const EMAIL = 'Ada.Lovelace@x.org';
const STORED = EMAIL.toLowerCase();

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, QUICK_JOBS);
  b = await startServer({}, a.database, QUICK_JOBS);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

/** The submissions of a person: more keys than a record holds, so that some are moved out of it. */
const MANY = 130;

/** A new app that holds a record and two held submissions of the person, and data of another. */
async function appWithPerson(submissions = 1, email = EMAIL) {
  const app = await a.admin.buildApp({
    fields: [
      { key: 'name', kind: 'text', indexed: true },
      { key: 'terms', kind: 'checkbox', consent: { version: '1' } },
    ],
  });
  const { sourceAppId } = app;
  const data = { name: 'Ada', terms: true };
  for (let n = 0; n < submissions; n += 1) {
    await a.client.submit(sourceAppId, { email, data }).set('Idempotency-Key', `key-${n}`).expect(200);
  }
  for (const server of [a, b]) {
    await sendForm(server.client, sourceAppId, [...entries(email), ['_gotcha', 'filled']]).expect(303);
  }
  await a.client.submit(sourceAppId, { email: 'eve@x.org', data: { name: 'Eve' } }).expect(200);
  await sendForm(a.client, sourceAppId, [...entries('eve@x.org'), ['_gotcha', 'filled']]).expect(303);
  const operator = await new Client(b.client.url).logIn(sourceAppId, app.password);
  return { ...app, operator };
}

const entries = (email: string) =>
  [
    ['email', email],
    ['name', 'Name'],
  ] as const;

/** Everything that the database holds, as one text: also what bytes contain, and escapes. */
async function dump(): Promise<string> {
  const names = (await a.db.listCollections().toArray()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['users', 'held_submissions', 'applied_keys', 'apps', 'sessions']));
  const documents = await Promise.all(names.map((name) => a.db.collection(name).find().toArray()));
  const texts = [BSON.EJSON.stringify(documents, { relaxed: true })];
  const addBytes = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (value instanceof Binary) {
      const bytes = Buffer.from(value.value());
      texts.push(bytes.toString('latin1'), bytes.toString('utf16le'), bytes.subarray(1).toString('utf16le'));
    } else Object.values(value).forEach(addBytes);
  };
  addBytes(documents);
  const text = texts.join('\n');
  return text + text.replace(/%(?:25)*([2-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

const expectNothingOf = (text: string): void => expect(text.toLowerCase()).not.toContain('lovelace');

describe('POST /auth/people/export', () => {
  it('gives an operator what the app holds, and an admin what all apps hold', { tags: 'long' }, async () => {
    const one = await appWithPerson();
    const two = await appWithPerson();
    const { body } = await one.operator.post('/auth/people/export', { email: ` ${EMAIL} ` }).expect(200);
    const { sourceAppId } = one;
    expect(body).toEqual({
      email: STORED,
      at: expect.any(String),
      entries: [
        ...['x', 'y'].map(() => expect.objectContaining({ kind: 'held', sourceAppId, email: STORED })),
        expect.objectContaining({
          kind: 'record',
          sourceAppId,
          email: STORED,
          data: { name: 'Ada', terms: true },
          consents: [expect.objectContaining({ key: 'terms', given: true })],
        }),
      ],
    });
    expect(body.entries[0].data).toEqual({ name: 'Name' });
    const all = await a.admin.post('/auth/people/export', { email: EMAIL }).expect(200);
    const own = [one.sourceAppId, two.sourceAppId];
    const found = all.body.entries.filter((entry: { sourceAppId: string }) => own.includes(entry.sourceAppId));
    expect(found).toHaveLength(6);
    const path = `/auth/people/export?sourceAppId=${two.sourceAppId}`;
    expect((await b.admin.post(path, { email: EMAIL }).expect(200)).body.entries).toHaveLength(3);
    await one.operator.post(path, { email: EMAIL }).expect(403);
    await a.admin.post('/auth/people/export?sourceAppId=no-such-app', { email: EMAIL }).expect(404);
    const nobody = await one.operator.post('/auth/people/export', { email: 'nobody@x.org' }).expect(200);
    expect(nobody.body.entries).toEqual([]);
  });

  it('refuses what is no email, and callers without a session', async () => {
    const { operator } = await appWithPerson();
    for (const path of ['/auth/people/export', '/auth/people/erase']) {
      await a.client.post(path, { email: EMAIL }).expect(401);
      await operator.post(path, { email: 'no email' }).expect(400);
      await operator.post(path, { email: { $gt: '' } }).expect(400);
      await operator.post(path, {}).expect(400);
    }
  });
});

describe('POST /auth/people/erase', () => {
  it('erases what one app holds and leaves other apps and other persons', { tags: 'long' }, async () => {
    const one = await appWithPerson();
    const two = await appWithPerson();
    const { body } = await one.operator.post('/auth/people/erase', { email: EMAIL }).expect(200);
    expect(body).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      erased: expect.objectContaining({ records: 1, held: 2 }),
    });
    const left = await one.operator.post('/auth/people/export', { email: EMAIL }).expect(200);
    expect(left.body.entries).toEqual([]);
    expect((await one.operator.get('/auth/users').expect(200)).body.users).toHaveLength(1);
    expect((await one.operator.get('/auth/held').expect(200)).body.held).toHaveLength(1);
    expect((await two.operator.post('/auth/people/export', { email: EMAIL }).expect(200)).body.entries).toHaveLength(3);
    const again = await one.operator.post('/auth/people/erase', { email: EMAIL }).expect(200);
    expect(again.body.erased).toMatchObject({ records: 0, held: 0, mails: 0 });
    expect(again.body.id).not.toBe(body.id);
    // The person may come back.
    await a.client.submit(one.sourceAppId, { email: EMAIL }).expect(200);
  });

  it('leaves the email in no collection and in no line of the logs', { tags: 'long' }, async () => {
    const one = await appWithPerson(MANY);
    await appWithPerson(MANY);
    await one.operator.get(`/auth/users?q=${encodeURIComponent(STORED)}`).expect(200);
    const { body: found } = await one.operator
      .get(`/auth/users?where=${encodeURIComponent(`email:eq:${STORED}`)}`)
      .expect(200);
    await one.operator.patch(`/auth/users/${found.users[0].id}`, { set: { name: 'Lovelace' } }).expect(200);
    const view = {
      name: `Of ${EMAIL}, Twice ${STORED}`,
      query: `q=${encodeURIComponent(EMAIL)}&where=data.name%3Aeq%3AAda&where=email:eq:${STORED}`,
      columns: ['email', `data.${STORED}`],
      sort: `data.${STORED}:asc`,
    };
    const { body: saved } = await one.operator.post('/auth/views', view).expect(200);
    const before = await dump();
    expect(before.toLowerCase()).toContain('lovelace');
    const ids = (await a.db.collection('users').find({ email: STORED }).toArray()).map(({ _id }) => _id);
    const movedKeys = () => a.db.collection('applied_keys').countDocuments();
    expect(await movedKeys()).toBeGreaterThan(100);
    const { body } = await b.admin.post('/auth/people/erase', { email: EMAIL, suppress: true }).expect(200);
    const { views } = (await one.operator.get('/auth/views').expect(200)).body;
    const rest = {
      id: saved.id,
      name: 'Of …, Twice …',
      query: 'where=data.name%3Aeq%3AAda',
      columns: ['email'],
      sort: '',
    };
    expect(views).toEqual([expect.objectContaining(rest)]);
    expect(body.erased.records).toBe(ids.length);
    expect(body.erased.records).toBeGreaterThan(1);
    const after = await dump();
    expectNothingOf(after);
    expect(await movedKeys()).toBe(0);
    for (const server of [a, b]) expectNothingOf(server.log());
    expect(b.log()).toContain(body.id);
  });

  it('leaves no value of the person in changes, views, files of imports and rejected lines', {
    tags: 'long',
  }, async () => {
    const secret = 'm4rker';
    const email = 'no.others@x.org';
    const { sourceAppId, operator } = await appWithPerson(1, 'No.Others@x.org');
    await operator.put(`/auth/apps/${sourceAppId}/search`, { enabled: true }).expect(200);
    const { body: list } = await operator.get('/auth/users?limit=10').expect(200);
    const [eve, ada] = list.users;
    expect([eve.email, ada.email]).toEqual(['eve@x.org', email]);
    const change = async (ids: string[], set: object) => {
      const { body } = await operator.patch(`/auth/users?confirm=${ids.length}`, { ids, set }).expect(200);
      await untilChange(operator, sourceAppId, body.id);
      return body.id;
    };
    const ofAda = await change([ada.id], { name: `Ada ${secret}` });
    const ofEve = await change([eve.id], { name: 'Eve' });
    const ofBoth = await change([eve.id, ada.id], { name: 'Both' });
    const nested = encodeURIComponent(encodeURIComponent(encodeURIComponent(email)));
    await operator.post('/auth/views', { name: `Of ${nested}`, query: `q=${nested}&size=50` }).expect(200);
    const line = `${email},${secret}`;
    await prepareImport(operator, undefined, `email,name\n${line}\n`);
    await prepareImport(operator, undefined, Buffer.from(`\ufeffemail,name\n${line}\n`, 'utf16le'));
    await runImport(operator, undefined, `email,name\n${line}\n`, { mode: 'insert' });
    const { body: exported } = await operator.post('/auth/people/export', { email }).expect(200);
    const kinds = exported.entries.map(({ kind }: { kind: string }) => kind);
    expect(kinds.filter((kind: string) => kind.startsWith('import'))).toEqual([
      'import-line',
      'import-line',
      'import-reject',
    ]);
    const changes = exported.entries.filter(({ kind }: { kind: string }) => kind === 'change');
    expect(changes.map(({ id }: { id: string }) => id)).toEqual([ofBoth, ofAda]);
    expect(changes[1]).toMatchObject({ sourceAppId, set: { name: `Ada ${secret}` }, unset: [] });
    for (const text of [email, secret]) expect((await dump()).toLowerCase()).toContain(text);

    const { body } = await operator.post('/auth/people/erase', { email }).expect(200);
    expect(body.erased).toMatchObject({ changes: 1, views: 1, records: 1, importLines: 3 });
    const left = await dump();
    for (const text of [email, secret]) expect(left.toLowerCase()).not.toContain(text);
    for (const server of [a, b]) expect(server.log()).not.toContain(secret);
    await operator.get(`/auth/changes/${ofAda}`).expect(404);
    expect((await operator.get(`/auth/changes/${ofBoth}`).expect(200)).body.set).toEqual({ name: 'Both' });
    // The last one of its persons.
    const { body: last } = await operator.post('/auth/people/erase', { email: 'eve@x.org' }).expect(200);
    expect(last.erased).toMatchObject({ changes: 2 });
    for (const id of [ofEve, ofBoth]) await operator.get(`/auth/changes/${id}`).expect(404);
    const { _id: appId } = await appDocument(a, sourceAppId);
    expect(await a.db.collection('change_records').countDocuments({ appId })).toBe(0);
  });

  it('exports a person while the file of an ended import is removed', { tags: 'long' }, async () => {
    const { operator } = await appWithPerson();
    const id = await prepareImport(operator, undefined, `email,name\n${STORED},Ada\n`);
    const read = async () => (await operator.post('/auth/people/export', { email: STORED }).expect(200)).body.entries;
    const kinds = async () => (await read()).map(({ kind }: { kind: string }) => kind);
    expect(await kinds()).toContain('import-line');
    await a.db.collection('import_chunks').deleteMany({ importId: new ObjectId(id) });
    expect(await kinds()).not.toContain('import-line');
  });

  it('keeps what another server changes of a view meanwhile', { tags: 'long' }, async () => {
    const { sourceAppId, operator } = await appWithPerson();
    for (let round = 0; round < rounds(50, 5); round += 1) {
      const view = { name: 'Before', query: `q=${STORED}&where=data.name%3Aeq%3AAda` };
      const { id } = (await operator.post('/auth/views', view).expect(200)).body;
      const [{ body }] = await Promise.all([
        b.admin.post(`/auth/people/erase?sourceAppId=${sourceAppId}`, { email: STORED }).expect(200),
        operator.patch(`/auth/views/${id}`, { name: 'After' }).expect(200),
      ]);
      expect(body.erased.views).toBe(1);
      const { views } = (await operator.get('/auth/views').expect(200)).body;
      expect(views).toEqual([expect.objectContaining({ name: 'After', query: 'where=data.name%3Aeq%3AAda' })]);
      await operator.delete(`/auth/views/${id}`).expect(200);
    }
  });

  it('keeps a keyed hash that imports can look up, for the app or for all apps', { tags: 'long' }, async () => {
    const one = await appWithPerson();
    const two = await appWithPerson();
    const idOf = async (sourceAppId: string) => (await appDocument(a, sourceAppId))._id;
    const [first, second] = [await idOf(one.sourceAppId), await idOf(two.sourceAppId)];
    const emails = ['grace@x.org', 'eve@x.org'];
    const among = async (server: TestServer, id: typeof first) => [
      ...(await server.services.suppressions.among(id, emails)),
    ];
    await one.operator.post('/auth/people/erase', { email: 'Grace@x.org', suppress: true }).expect(200);
    await one.operator.post('/auth/people/erase', { email: 'eve@x.org', suppress: false }).expect(200);
    expect(await among(b, first)).toEqual(['grace@x.org']);
    expect(await among(b, second)).toEqual([]);
    const { body } = await one.operator.post('/auth/people/export', { email: 'grace@x.org' }).expect(200);
    expect(body.entries).toEqual([{ kind: 'suppression', sourceAppId: one.sourceAppId, at: expect.any(String) }]);
    await a.admin.post('/auth/people/erase', { email: 'grace@x.org', suppress: true }).expect(200);
    expect(await among(b, second)).toEqual(['grace@x.org']);
    // Another secret finds nobody; the hashes of two apps differ.
    const other = await startServer({ SESSION_SECRET: 'another secret of the tests' }, a.database);
    expect(await among(other, first)).toEqual([]);
    await other.close();
    const hashes = await a.db.collection('suppressed_people').find().toArray();
    const tails = hashes.map(({ _id }) => (_id as unknown as Binary).toString('hex').slice(24));
    expect(new Set(tails).size).toBe(tails.length);
    await a.client.submit(one.sourceAppId, { email: 'grace@x.org' }).expect(200);
    await a.admin.delete(`/auth/apps/${one.sourceAppId}`).expect(200);
    expect(await a.services.suppressions.has(first, 'since', new Date(0))).toBe(false);
  });
});
