import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { createLinkTokens } from '../../src/features/notifications/link-tokens.ts';
import type { AppError } from '../../src/platform/core/errors.ts';
import { parseUuid } from '../../src/platform/database/ordered-ids.ts';
import type { Issue } from '../../src/platform/languages/reasons.ts';
import { Client } from '../support/server/client.ts';
import { entryToken, entryTokens, PLANS_MAILS } from '../support/server/entries.ts';
import { rename } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const DAY_MS = 86_400_000;
const EMAIL = 'ada@example.com';
const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text', required: true, maxLength: 20 },
  { key: 'phone', kind: 'text' },
  { key: 'comes', kind: 'checkbox' },
  { key: 'diet', kind: 'select', enum: ['vegan', 'any'], showIf: { all: [{ field: 'comes', op: 'eq', value: true }] } },
  { key: 'guest', kind: 'text', requiredIf: { all: [{ field: 'comes', op: 'eq', value: true }] } },
  { key: 'news', kind: 'checkbox', label: 'News', labels: { de: 'Rundbrief' }, consent: { version: '1' } },
  { key: 'visits', kind: 'array' },
  { key: 'status', kind: 'select', enum: ['new', 'done'], writers: 'staff', default: 'new' },
];
const PAGE_OF_ENTRY = (app: string) => `https://forms.example.com/f/${app}/entry`;

let a: TestServer;
let b: TestServer;
let app: string;
let operator: Client;
let id: string;
let token: string;
beforeAll(async () => {
  a = await startServer(PLANS_MAILS);
  b = await startServer(PLANS_MAILS, a.database);
});
afterAll(async () => {
  await b.close();
  await a.close();
});
beforeEach(async () => {
  const built = await a.admin.buildApp({ fields: FIELDS });
  app = built.sourceAppId;
  operator = await new Client(b.client.url).logIn(app, built.password);
  await set({ own: {} });
  id = await submit({ name: 'Ada', phone: '1', news: true, visits: ['one'], extra: 'x' });
  token = await tokenOf(id);
});

const set = (settings: object) => a.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
const submit = async (data: object, email = EMAIL): Promise<string> =>
  (await a.client.submit(app, { email, data }).expect(200)).body.id;
const tokenOf = (of: string, expiresAt?: Date) => entryToken(a, of, expiresAt);
const path = () => `/v1/forms/${app}/entry`;
const open = (server = a, of = token) => server.client.get(path()).set('x-entry', of);
const change = (edit: object, tag?: string, of = token) => {
  const request = b.client.patch(path(), edit).set('x-entry', of);
  return tag === undefined ? request : request.set('If-Match', tag);
};
const erase = (of = token) => b.client.delete(path()).set('x-entry', of);
const download = (of = token) => a.client.get(`${path()}/export`).set('x-entry', of);
const ask = (email: unknown = EMAIL) => a.client.post(`/v1/forms/${app}/entry-link`, { email } as object);
const recordOf = async () => (await operator.get(`/auth/users/${id}`).expect(200)).body;
const mailsOf = (of = id) =>
  a.db
    .collection('mails')
    .find({ recordId: parseUuid(of) as never, purpose: 'entry' })
    .toArray();
const events = async (action: string) => (await operator.get(`/auth/audit?action=${action}`).expect(200)).body.events;
/** Makes emails look as if they were planned before. */
const age = (ms: number, purpose = 'entry') =>
  a.db
    .collection('mails')
    .updateMany({ recordId: parseUuid(id) as never, purpose }, [
      { $set: { createdAt: { $subtract: ['$createdAt', ms] } } },
    ]);

describe('the setting `own` (spec 4.16)', () => {
  const problemsOf = async (own: unknown) =>
    (await a.admin.put(`/auth/apps/${app}/form`, { own }).expect(400)).body.errors;

  it('takes the fields that people may change', async () => {
    const { body } = await set({ own: { fields: ['phone', 'name', 'phone'] } });
    expect(body.own).toEqual({ fields: ['phone', 'name'], erase: true, export: true });
    const { body: off } = await set({ own: { fields: [], erase: false, export: false } });
    expect(off.own).toEqual({ fields: [], erase: false, export: false });
    expect((await open().expect(200)).body.fields).toEqual([]);
    expect((await set({ own: null })).body).not.toHaveProperty('own');
  });

  it('refuses unknown fields, those of the staff and lists at their paths, but not stored keys', async () => {
    expect(await problemsOf({ fields: ['name', 'nobody', 'status', 'visits'] })).toMatchObject([
      { path: 'own.fields.1', code: 'unknownField' },
      { path: 'own.fields.2', code: 'notOwnField' },
      { path: 'own.fields.3', code: 'notOwnField' },
    ]);
    expect(await problemsOf({ fields: 'name' })).toMatchObject([{ path: 'own.fields' }]);
    expect(await problemsOf({ erase: 1 })).toMatchObject([{ path: 'own.erase' }]);
    expect(await problemsOf({ other: 1 })).toMatchObject([{ path: 'own.other' }]);
    await set({ own: { fields: ['name', 'phone'] } });
    await a.admin.putSchema(app, { fields: FIELDS.filter(({ key }) => key !== 'phone') }).expect(200);
    await set({ own: { fields: ['name', 'phone'] } });
    expect((await open().expect(200)).body.fields).toEqual(['name']);
  });

  it('needs a server that sends emails with links', async () => {
    for (const env of [{}, { SMTP_URL: PLANS_MAILS.SMTP_URL, MAIL_FROM: PLANS_MAILS.MAIL_FROM }]) {
      const server = await startServer(env);
      try {
        const { sourceAppId } = await server.admin.buildApp();
        const { body } = await server.admin.put(`/auth/apps/${sourceAppId}/form`, { own: {} }).expect(400);
        expect(body.errors).toMatchObject([{ path: 'own' }]);
        const reply = { when: 'each', subject: 'Hi', text: 'See {entryLink}' };
        await server.admin.put(`/auth/apps/${sourceAppId}/form`, { reply }).expect(400);
        const plain = { reply: { ...reply, text: 'See you' } };
        const { status } = await server.admin.put(`/auth/apps/${sourceAppId}/form`, plain);
        expect(status).toBe('SMTP_URL' in env ? 200 : 400);
      } finally {
        await server.close();
      }
    }
  });
});

describe('POST /v1/forms/:app/entry-link', () => {
  it('plans one email for a known address and none for another one', async () => {
    expect((await ask(' Ada@Example.com').expect(202)).body).toEqual({ ok: true });
    expect((await ask('eve@example.com').expect(202)).body).toEqual({ ok: true });
    expect(await a.db.collection('mails').countDocuments({ purpose: 'entry', appId: await appId() })).toBe(1);
    const [mail] = await mailsOf();
    expect(JSON.stringify(mail)).not.toContain('@');
    const { body } = await operator.get('/auth/mails?purpose=entry').expect(200);
    expect(body.mails).toMatchObject([{ purpose: 'entry', to: 'person', userId: id }]);
  });

  it('refuses invalid emails and is 404 while `own` is unset', async () => {
    for (const email of ['', 'ada', 7, null]) {
      const { body } = await ask(email).expect(400);
      expect(body.errors, String(email)).toMatchObject([{ path: 'email' }]);
    }
    await a.client.post(`/v1/forms/${app}/entry-link`, { email: EMAIL, data: {} }).expect(400);
    await set({});
    expect((await ask().expect(404)).body.code).toBe('noOwnEntries');
    await a.client.post('/v1/forms/nobody/entry-link', { email: EMAIL }).expect(404);
  });

  it('plans at most 3 emails in an hour and 6 in a day, and answers alike', async () => {
    for (let at = 0; at < 5; at += 1) await ask().expect(202);
    expect(await mailsOf()).toHaveLength(3);
    await age(3_600_000);
    for (let at = 0; at < 5; at += 1) await ask().expect(202);
    expect(await mailsOf()).toHaveLength(6);
    await age(3_600_000);
    await ask().expect(202);
    expect(await mailsOf()).toHaveLength(6);
    await age(DAY_MS);
    await ask().expect(202);
    expect(await mailsOf()).toHaveLength(7);
    // A stranger adds no more events than emails.
    expect(await events('entry.asked')).toHaveLength(7);
  });

  it('needs the proof of work that a submission needs, and holds nothing', async () => {
    await set({ own: {}, botProtection: 'proof-of-work' });
    expect((await ask().expect(403)).body.code).toBe('proofRequired');
    const form = await a.client
      .post(`/v1/forms/${app}/entry-link`, `email=${encodeURIComponent(EMAIL)}`)
      .type('form')
      .set('Accept', 'application/json')
      .expect(403);
    expect(form.body.code).toBe('proofRequired');
    expect(await mailsOf()).toEqual([]);
    expect(await a.db.collection('held_submissions').countDocuments({})).toBe(0);
  });

  it('answers a form whose honeypot is filled as an unknown email', async () => {
    const send = (entries: Record<string, string>, accept = 'application/json') =>
      a.client
        .post(`/v1/forms/${app}/entry-link`, new URLSearchParams(entries).toString())
        .type('form')
        .set('Accept', accept);
    const trapped = await send({ email: EMAIL, _gotcha: 'x' }).expect(202);
    expect(trapped.body).toEqual({ ok: true });
    expect(await mailsOf()).toEqual([]);
    await send({ email: EMAIL, _gotcha: '' }).expect(202);
    expect(await mailsOf()).toHaveLength(1);
    const page = await send({ email: EMAIL }, 'text/html').expect(202);
    expect(page.type).toBe('text/html');
  });

  it('has the origins and the rate limit of submissions, and ends not with the form', async () => {
    const from = (origin: string) => ask().set('Origin', origin);
    await from('https://www.example.com').expect(403);
    await set({ own: {}, origins: ['https://www.example.com'], closesAt: new Date(0).toISOString(), maxRecords: 1 });
    const { headers } = await from('https://www.example.com').expect(202);
    expect(headers['access-control-allow-origin']).toBe('https://www.example.com');
    expect(await mailsOf()).toHaveLength(1);
    await set({ own: {}, submitPerMinute: 1 });
    const answers = await Promise.all([ask('x@example.com'), ask('y@example.com'), ask('z@example.com')]);
    // Each process counts by itself.
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 429]));
  });
});

const appId = async () => (await a.db.collection('apps').findOne({ sourceAppId: app }))?._id;

describe('the link', () => {
  it('opens the entry without the fields of the staff, for any number of uses', async () => {
    for (const server of [a, b]) {
      const { body, headers } = await open(server).expect(200);
      expect(body).toEqual({
        email: EMAIL,
        data: { name: 'Ada', phone: '1', news: true, visits: [{ value: 'one', timestamp: expect.any(String) }] },
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        consents: [expect.objectContaining({ key: 'news', given: true })],
        fields: ['name', 'phone', 'comes', 'diet', 'guest', 'news'],
      });
      expect(headers).toMatchObject({ etag: expect.any(String), 'cache-control': 'no-store' });
    }
  });

  it('has an ETag that tells nothing of what the staff sets', async () => {
    const before = await open().expect(200);
    await a.db.collection('users').updateOne({ _id: parseUuid(id) as never }, { $set: { 'data.status': 'done' } });
    const after = await open().expect(200);
    expect(after.headers.etag).toBe(before.headers.etag);
  });

  it('is 401 without a token or with a wrong one, and 410 when it has expired', async () => {
    const { body } = await a.client.get(path()).expect(401);
    expect(body.code).toBe('entryLinkInvalid');
    const other = await a.admin.buildApp();
    const stored = await a.db.collection('apps').findOne({ sourceAppId: other.sourceAppId });
    const target = { recordId: parseUuid(id) as never, expiresAt: new Date(Date.now() + DAY_MS) };
    const confirmation = createLinkTokens('a secret of the tests', 'email confirmation');
    for (const wrong of [
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      entryTokens.issue(stored?._id as never, target),
      confirmation.issue((await appId()) as never, target),
      'x',
    ]) {
      for (const request of [
        open(a, wrong),
        change({ set: { name: 'Eve' } }, undefined, wrong),
        erase(wrong),
        download(wrong),
      ]) {
        expect((await request.expect(401)).body.code).toBe('entryLinkInvalid');
      }
    }
    const expired = await tokenOf(id, new Date(Date.now() - 1));
    for (const request of [
      open(a, expired),
      change({ set: { name: 'Eve' } }, undefined, expired),
      erase(expired),
      download(expired),
    ]) {
      expect((await request.expect(410)).body.code).toBe('entryLinkExpired');
    }
    expect((await recordOf()).data.name).toBe('Ada');
  });

  it('ends with the record, with its email and with the app, and while `own` is unset', async () => {
    await set({});
    await open().expect(401);
    await set({ own: {} });
    await open().expect(200);
    await operator.put(`/auth/users/${id}/email`, { email: 'next@example.com' }).expect(200);
    await open().expect(401);
    await erase().expect(401);
    const next = await tokenOf(id);
    expect((await open(b, next).expect(200)).body.email).toBe('next@example.com');
    // Also back to the first address: the link was sent to whoever had it then.
    await operator.put(`/auth/users/${id}/email`, { email: EMAIL }).expect(200);
    for (const ended of [token, next]) await open(a, ended).expect(401);
    const last = await tokenOf(id);
    await open(a, last).expect(200);
    await operator.delete(`/auth/users/${id}`).expect(200);
    await open(a, last).expect(401);
    await submit({ name: 'Ada' });
    await open(a, last).expect(401);
  });

  it('is in no log line', async () => {
    await open().expect(200);
    await change({ set: { name: 'Grace' } }).expect(200);
    await a.client.get(`/f/${app}/entry/${token}`);
    expect(a.log() + b.log()).toContain(`/v1/forms/${app}/entry`);
    expect(a.log() + b.log()).not.toContain(token);
    expect(a.log() + b.log()).not.toContain(EMAIL);
  });

  it('is for pages of the origins of the app, with the methods of the entry', async () => {
    const preflight = (origin: string) =>
      a.client
        .get(path())
        .set({ Origin: origin, 'x-entry': token })
        .then(({ status }) => status);
    expect(await preflight('https://www.example.com')).toBe(403);
    await set({ own: {}, origins: ['https://www.example.com'] });
    expect(await preflight('https://www.example.com')).toBe(200);
    const { headers, status } = await fetch(`${a.listener.url}${path()}`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://www.example.com',
        'Access-Control-Request-Method': 'PATCH',
        'Access-Control-Request-Headers': 'x-entry,if-match',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-methods')?.split(',')).toEqual(
      expect.arrayContaining(['PATCH', 'DELETE']),
    );
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-entry');
    const { headers: shown } = await open().set('Origin', 'https://www.example.com').expect(200);
    expect(shown['access-control-expose-headers']).toContain('ETag');
  });
});

describe('PATCH of the entry', () => {
  it('changes the fields by one edit of the person', async () => {
    const before = await open().expect(200);
    const { body, headers } = await change({ set: { name: 'Grace' }, unset: ['phone'] }, before.headers.etag).expect(
      200,
    );
    expect(body.data).toEqual({ name: 'Grace', news: true, visits: before.body.data.visits });
    expect(body.updatedAt > before.body.updatedAt).toBe(true);
    const after = await open().expect(200);
    expect([after.body, after.headers.etag]).toEqual([body, headers.etag]);
    expect((await recordOf()).data).toMatchObject({ name: 'Grace', status: 'new', extra: 'x' });
    const { body: history } = await operator.get(`/auth/users/${id}/history`).expect(200);
    expect(history.entries[0]).toMatchObject({
      by: { kind: 'person' },
      changes: [
        { path: 'data.name', before: 'Ada', after: 'Grace' },
        { path: 'data.phone', before: '1' },
      ],
    });
    expect(history.entries[0].by).toEqual({ kind: 'person' });
    const [event] = await events('entry.changed');
    expect(event).toMatchObject({ target: id, actor: { kind: 'person', id: null }, detail: {} });
    expect(JSON.stringify(await events('entry.changed'))).not.toContain('@');
    await operator.post(`/auth/users/${id}/revert`, { revision: history.entries[0].revision }).expect(200);
    expect((await open().expect(200)).body.data).toMatchObject({ name: 'Ada', phone: '1' });
  });

  it('is 412 for another state, and changes nothing then', async () => {
    const { headers, body } = await open().expect(200);
    await operator.patch(`/auth/users/${id}`, { set: { phone: '2' } }).expect(200);
    const { body: refused } = await change({ set: { name: 'Grace' } }, headers.etag).expect(412);
    expect(refused.code).toBe('recordChanged');
    await change({ set: { name: 'Grace' } }, `"${body.updatedAt}"`).expect(412);
    expect((await recordOf()).data).toMatchObject({ name: 'Ada', phone: '2' });
    const now = await open().expect(200);
    await change({ set: { name: 'Grace' } }, `"${now.body.updatedAt}"`).expect(200);
  });

  it('refuses any other key with `notOwn`, also beside allowed ones', async () => {
    await set({ own: { fields: ['phone'] } });
    for (const edit of [
      { set: { name: 'Grace' } },
      { set: { status: 'done' } },
      { set: { visits: [] } },
      { set: { extra: 'y' } },
      { set: { nobody: 'y' } },
      { set: { phone: '2', name: 'Grace' } },
      { unset: ['extra'] },
      { unset: ['status'] },
    ]) {
      const { body } = await change(edit).expect(403);
      expect(body.code, JSON.stringify(edit)).toBe('notOwn');
    }
    expect((await recordOf()).data).toMatchObject({ name: 'Ada', phone: '1', status: 'new', extra: 'x' });
    await change({ set: { phone: '2' } }).expect(200);
  });

  it('refuses bodies that name no change, or a key twice', async () => {
    for (const edit of [{}, { set: {} }, { set: { name: 'x' }, unset: ['name'] }, { set: [] }, { removeItems: [] }]) {
      await change(edit).expect(400);
    }
  });

  it('checks values as a submission, and empties no required field', async () => {
    const problems = async (edit: object) => (await change(edit).expect(400)).body.errors;
    expect(await problems({ set: { name: 'x'.repeat(21) } })).toMatchObject([{ path: 'data.name', code: 'tooLong' }]);
    expect(await problems({ set: { name: '' } })).toMatchObject([{ path: 'data.name' }]);
    expect(await problems({ set: { name: 7, comes: 'x' } })).toMatchObject([
      { path: 'data.name' },
      { path: 'data.comes' },
    ]);
    expect(await problems({ unset: ['name'] })).toMatchObject([{ path: 'data.name', code: 'required' }]);
    expect((await recordOf()).data).toMatchObject({ name: 'Ada' });
  });

  it('evaluates conditions with the stored values of what it does not change', async () => {
    const problems = async (edit: object) => (await change(edit).expect(400)).body.errors;
    expect(await problems({ set: { diet: 'any' } })).toMatchObject([{ path: 'data.diet', code: 'notShown' }]);
    expect(await problems({ unset: ['diet'] })).toMatchObject([{ path: 'data.diet', code: 'notShown' }]);
    // `guest` becomes required.
    expect(await problems({ set: { comes: true } })).toMatchObject([{ path: 'data.guest', code: 'required' }]);
    await change({ set: { comes: true, guest: 'Eve', diet: 'any' } }).expect(200);
    await change({ set: { diet: 'vegan' } }).expect(200);
    expect(await problems({ unset: ['guest'] })).toMatchObject([{ path: 'data.guest', code: 'required' }]);
    // JSON removes nothing by itself; what the change hides can be removed with it.
    await change({ set: { comes: false }, unset: ['diet'] }).expect(200);
    await change({ unset: ['guest'] }).expect(200);
    expect((await open().expect(200)).body.data).toEqual(expect.not.objectContaining({ diet: expect.anything() }));
  });

  it('asks for no required value that was missing before', async () => {
    await a.admin.putSchema(app, { fields: [...FIELDS, { key: 'city', kind: 'text', required: true }] }).expect(200);
    await change({ set: { phone: '2' } }).expect(200);
    expect((await change({ unset: ['city'] }).expect(400)).body.errors).toMatchObject([{ path: 'data.city' }]);
  });

  it('stores nothing when it changes no value', async () => {
    const before = await open().expect(200);
    const { body, headers } = await change({ set: { name: 'Ada' }, unset: ['comes'] }).expect(200);
    expect([body, headers.etag]).toEqual([before.body, before.headers.etag]);
    expect(await events('entry.changed')).toEqual([]);
  });

  it('records a consent that is taken back as a withdrawal, in the language of the person', async () => {
    await set({ own: {}, languages: ['de'] });
    const { body } = await change({ set: { news: false } })
      .set('Accept-Language', 'de')
      .expect(200);
    expect(body.consents).toHaveLength(2);
    expect(body.consents[1]).toEqual({
      key: 'news',
      given: false,
      at: body.updatedAt,
      version: '1',
      schemaVersion: 2,
      label: 'Rundbrief',
      page: PAGE_OF_ENTRY(app),
    });
    expect((await recordOf()).consents).toEqual(body.consents);
    // Twice is once.
    await change({ set: { news: false } }).expect(200);
    await change({ unset: ['news'] }).expect(200);
    expect((await recordOf()).consents).toHaveLength(2);
    await change({ set: { news: true } }).expect(200);
    await change({ unset: ['news'] }).expect(200);
    expect((await recordOf()).consents.map(({ given }: { given: boolean }) => given)).toEqual([
      true,
      false,
      true,
      false,
    ]);
    // A submission goes on from there.
    await submit({ name: 'Ada', news: false });
    expect((await recordOf()).consents).toHaveLength(4);
  });

  it('records a withdrawal also after an operator changed the value', async () => {
    await operator.patch(`/auth/users/${id}`, { set: { news: false } }).expect(200);
    expect((await recordOf()).consents).toHaveLength(1);
    await change({ set: { news: false } }).expect(200);
    expect((await recordOf()).consents).toHaveLength(2);
  });

  it('withdraws consents of a full record, and gives none', async () => {
    const entry = (await recordOf()).consents[0];
    const full = Array.from({ length: 950 }, () => ({ ...entry, at: new Date(entry.at) }));
    await a.db.collection('users').updateOne({ _id: parseUuid(id) as never }, { $set: { consents: full } });
    await change({ set: { news: false } }).expect(200);
    expect((await change({ set: { news: true } }).expect(409)).body.code).toBe('recordFull');
    expect((await recordOf()).data.news).toBe(false);
  });

  it('goes on when the form is closed or full', async () => {
    await set({ own: {}, closesAt: new Date(0).toISOString(), maxRecords: 1 });
    await change({ set: { name: 'Grace' } }).expect(200);
    await erase().expect(200);
  });

  it('moves values of renamed fields first, and knows only the new key', async () => {
    const fields = FIELDS.map((field) => (field.key === 'phone' ? { ...field, key: 'mobile' } : field));
    await rename(a.admin, app, { rejectUnknown: false, fields, renames: [{ from: 'phone', to: 'mobile' }] }).expect(
      200,
    );
    await change({ set: { phone: '2' } }).expect(403);
    await change({ set: { name: 'Grace' } }).expect(200);
    const { body } = await open().expect(200);
    expect(body.data).toMatchObject({ name: 'Grace', mobile: '1' });
    expect(body.fields).toContain('mobile');
  });
});

describe('the save of a page', () => {
  const save = async (edit: { set: Record<string, unknown>; unset: string[]; problems?: Issue[] }) => {
    const { entries } = b.services;
    return entries.change(await entries.open(app, token), edit, { isForm: true, leftMs: () => 10_000 });
  };
  const PROBLEM = { message: 'x', code: 'notText' } as const;

  it('removes the stored values of what it hides, as a submission of a form does', async () => {
    await save({ set: { comes: true, guest: 'Eve', diet: 'any' }, unset: [] });
    expect((await recordOf()).data).toMatchObject({ comes: true, guest: 'Eve', diet: 'any' });
    // What it hides does not count, whatever the page sends of it.
    const edit = { set: { comes: false, diet: 'nothing' }, unset: [], problems: [{ path: 'data.diet', ...PROBLEM }] };
    const { data } = await save(edit);
    expect(data).toEqual(expect.not.objectContaining({ diet: expect.anything() }));
    expect(data).toMatchObject({ comes: false, guest: 'Eve' });
    const { body } = await operator.get(`/auth/users/${id}/history`).expect(200);
    expect(body.entries[0]).toMatchObject({
      by: { kind: 'person' },
      changes: [
        { path: 'data.comes', before: true, after: false },
        { path: 'data.diet', before: 'any' },
      ],
    });
  });

  it('needs a value of each required field that it shows', async () => {
    await a.admin.putSchema(app, { fields: [...FIELDS, { key: 'city', kind: 'text', required: true }] }).expect(200);
    const refusal = (edit: Parameters<typeof save>[0]) => save(edit).catch((error: AppError) => error.issues);
    expect(await refusal({ set: { phone: '2' }, unset: [] })).toMatchObject([{ path: 'data.city', code: 'required' }]);
    const problems = [{ path: 'data.name', ...PROBLEM }];
    expect(await refusal({ set: { city: 'X' }, unset: [], problems })).toMatchObject([{ path: 'data.name' }]);
    await save({ set: { city: 'X' }, unset: [] });
    await set({ own: { fields: ['phone'] } });
    await a.admin.putSchema(app, { fields: [...FIELDS, { key: 'town', kind: 'text', required: true }] }).expect(200);
    // The person cannot fill it in.
    await save({ set: { phone: '3' }, unset: [] });
  });
});

describe('DELETE of the entry', () => {
  it('erases the person in this app, and is final', async () => {
    const other = await a.admin.buildApp({ fields: [] });
    await a.client.submit(other.sourceAppId, { email: EMAIL, data: {} }).expect(200);
    await ask().expect(202);
    expect((await erase().expect(200)).body).toEqual({ ok: true });
    await operator.get(`/auth/users/${id}`).expect(404);
    expect(await mailsOf()).toEqual([]);
    for (const collection of ['users', 'history', 'submissions', 'mails']) {
      const left = await a.db
        .collection(collection)
        .find({ appId: await appId() })
        .toArray();
      expect(JSON.stringify(left), collection).not.toContain(id);
    }
    expect(await a.db.collection('users').countDocuments({ email: EMAIL, sourceAppId: other.sourceAppId })).toBe(1);
    await erase().expect(401);
    const [event] = await events('entry.erased');
    expect(event).toMatchObject({ target: id, actor: { kind: 'person' } });
    expect(JSON.stringify(await events('entry.erased'))).not.toContain('@');
    // Nobody is suppressed: the person may come back.
    expect(await a.db.collection('suppressions').countDocuments({})).toBe(0);
    await submit({ name: 'Ada' });
  });

  it('is refused when it is switched off', async () => {
    await set({ own: { erase: false } });
    expect((await erase().expect(403)).body.code).toBe('notOwn');
    await recordOf();
  });
});

describe('GET of the export', () => {
  it('has the record and its kept submissions, and nothing of operators', async () => {
    await a.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
    await submit({ name: 'Ada', phone: '3' });
    await submit({ name: 'Eve' }, 'eve@example.com');
    await operator.patch(`/auth/users/${id}`, { set: { status: 'done' } }).expect(200);
    const kept = () => a.db.collection('submissions').countDocuments({ userId: parseUuid(id) as never });
    await expect.poll(kept, { timeout: 20_000 }).toBe(1);
    const { body, headers, text } = await download().expect(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      email: EMAIL,
      at: expect.any(String),
      entries: [
        {
          kind: 'record',
          id,
          email: EMAIL,
          data: { name: 'Ada', phone: '3', extra: 'x' },
          consents: [{ key: 'news' }],
        },
        { kind: 'submission', data: { name: 'Ada', phone: '3' }, at: expect.any(String) },
      ],
    });
    expect(body.entries).toHaveLength(2);
    for (const hidden of ['status', 'done', 'eve@']) expect(text).not.toContain(hidden);
    const [event] = await events('entry.exported');
    expect(event).toMatchObject({ target: id, actor: { kind: 'person' } });
  });

  it('leaves out what was a field of the staff in any version', async () => {
    const without = FIELDS.filter(({ key }) => key !== 'status');
    await a.admin.putSchema(app, { fields: without }).expect(200);
    expect((await recordOf()).data.status).toBe('new');
    const { body } = await download().expect(200);
    expect(body.entries[0].data).toMatchObject({ extra: 'x' });
    expect(body.entries[0].data).not.toHaveProperty('status');
    expect((await open().expect(200)).body.data).not.toHaveProperty('status');
  });

  it('is refused when it is switched off', async () => {
    await set({ own: { export: false } });
    expect((await download().expect(403)).body.code).toBe('notOwn');
  });
});

describe('POST /auth/users/:id/entry-link', () => {
  const send = (of = id) => operator.post(`/auth/users/${of}/entry-link`);

  it('sends a link within the limits', async () => {
    for (let at = 0; at < 3; at += 1) expect((await send().expect(202)).body).toEqual({ ok: true });
    const { body, headers } = await send().expect(429);
    expect(body.code).toBe('tooManyEntryLinks');
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    await ask().expect(202);
    expect(await mailsOf()).toHaveLength(3);
    const [event] = await events('entry.asked');
    expect(event).toMatchObject({ target: id, actor: { kind: 'operator' } });
  });

  it('is 409 while `own` is unset, and 404 for no record', async () => {
    await send(id.replace(/^./, 'f')).expect(404);
    await send('nobody').expect(404);
    await set({});
    expect((await send().expect(409)).body.code).toBe('noOwnEntries');
    expect(await mailsOf()).toEqual([]);
  });
});
