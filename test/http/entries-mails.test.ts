// @module-tag long

import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseUuid } from '../../src/platform/database/ordered-ids.ts';
import { Receiver } from '../support/peers/receiver.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { CV, pdf, upload } from '../support/server/uploads.ts';

const POLL = { timeout: 30_000, interval: 20 };
const TOKEN = /https:\/\/forms\.example\.com\/f\/[^/]+\/entry\/([\w-]+)/;

let smtp: TestSmtp;
let a: TestServer;
let b: TestServer;
let app: string;
let operator: Client;
let email: string;
beforeAll(async () => {
  smtp = await startSmtp();
  const env = { ...mailEnv(smtp), WEBHOOKS_ALLOW_PRIVATE: 'true' };
  a = await startServer(env);
  b = await startServer(env, a.database);
});
afterEach(() => {
  delete smtp.options.onRecipient;
});
afterAll(async () => {
  await b.close();
  await a.close();
  await smtp.close();
});
beforeEach(async () => {
  const built = await a.admin.buildApp({
    fields: [
      { key: 'name', kind: 'text' },
      { key: 'news', kind: 'checkbox', consent: { version: '1' } },
      { key: 'status', kind: 'text', writers: 'staff' },
      { ...CV, required: false },
      { key: 'report', kind: 'file', types: ['pdf'], writers: 'staff' },
    ],
  });
  app = built.sourceAppId;
  operator = await new Client(b.client.url).logIn(app, built.password);
  email = `ada-${app}@example.com`;
  await set({ own: {} });
});

const set = (settings: object) => a.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
const submit = async (data: object = { name: 'Ada' }): Promise<string> =>
  (await a.client.submit(app, { email, data }).expect(200)).body.id;
const ask = (language = 'en') =>
  b.client.post(`/v1/forms/${app}/entry-link`, { email }).set('Accept-Language', language).expect(202);
const mailsOf = (id: string) =>
  a.db
    .collection('mails')
    .find({ recordId: parseUuid(id) as never, purpose: 'entry' })
    .sort({ createdAt: 1 })
    .toArray();
const makeDue = (id: string) =>
  a.db.collection('mails').updateMany({ recordId: parseUuid(id) as never }, { $set: { nextAt: new Date() } });

async function newest(count = 1) {
  await expect.poll(() => smtp.to(email).length, POLL).toBe(count);
  return smtp.to(email).at(-1) as ReturnType<TestSmtp['to']>[number];
}
const tokenIn = (text: string): string => TOKEN.exec(text)?.[1] ?? '';
const open = (token: string, server = a) => server.client.get(`/v1/forms/${app}/entry`).set('x-entry', token);

describe('an email with a link', () => {
  it('has a link that opens the entry, the appearance of the form, and no submitted value', async () => {
    await set({ own: {}, name: 'The club', theme: { accent: '#aa0000' }, doubleOptIn: true });
    await submit({ name: 'A secret name' });
    await newest();
    await ask();
    const mail = await newest(2);
    const token = tokenIn(mail.text);
    expect((await open(token, b).expect(200)).body).toMatchObject({ email, data: { name: 'A secret name' } });
    expect(mail.header('subject')).toBe('Your entry: The club');
    expect(mail.html).toContain(`/f/${app}/entry/${token}`);
    expect(mail.html.toLowerCase()).toContain('#aa0000');
    expect(mail.raw).not.toContain('secret');
    // A mail scanner that opens it, or a second use, changes nothing.
    await open(token).expect(200);
  });

  it('is in the language of the visitor', async () => {
    await set({ own: {}, languages: ['de'] });
    await submit();
    await ask('de');
    const mail = await newest();
    expect(mail.text).toContain('Eintrag öffnen');
    expect(mail.text).toMatch(/\/entry\/[\w-]+\?lang=de/);
  });

  it('is not sent once the email has changed or `own` is unset', async () => {
    smtp.options.onRecipient = () => ({ status: 451 });
    const id = await submit();
    await ask();
    const reasons = async () => (await mailsOf(id)).map(({ reason }) => reason);
    await expect.poll(reasons, POLL).toEqual(['EENVELOPE 451']);
    await operator.put(`/auth/users/${id}/email`, { email: `next-${email}` }).expect(200);
    delete smtp.options.onRecipient;
    await makeDue(id);
    await expect.poll(async () => (await mailsOf(id)).map(({ state }) => state), POLL).toEqual(['dropped']);
    // The new address has a link of its own.
    await operator.post(`/auth/users/${id}/entry-link`).expect(202);
    await expect.poll(() => smtp.to(`next-${email}`).length, POLL).toBe(1);
    smtp.options.onRecipient = () => ({ status: 451 });
    await operator.post(`/auth/users/${id}/entry-link`).expect(202);
    await expect.poll(async () => (await mailsOf(id)).at(-1)?.reason, POLL).toBe('EENVELOPE 451');
    await set({});
    delete smtp.options.onRecipient;
    await makeDue(id);
    await expect.poll(async () => (await mailsOf(id)).at(-1)?.state, POLL).toBe('dropped');
    expect([smtp.to(email).length, smtp.to(`next-${email}`).length]).toEqual([0, 1]);
  });

  it('waits for a later hour when the app has used its confirmations', async () => {
    const limited = await startServer(mailEnv(smtp), a.database, { mailLimits: { confirmations: 1 } });
    try {
      const id = await submit();
      const one = limited.client.post(`/v1/forms/${app}/entry-link`, { email });
      await one.expect(202);
      await limited.client.post(`/v1/forms/${app}/entry-link`, { email }).expect(202);
      const [first, second] = await mailsOf(id);
      const hour = 3_600_000;
      expect(Math.floor(Number(second?.nextAt) / hour)).toBe(Math.floor(Number(first?.createdAt) / hour) + 1);
    } finally {
      await limited.close();
    }
  });
});

describe('`{entryLink}` in a reply', () => {
  const reply = { when: 'each', subject: 'Thank you', text: 'Hello\n\nSee {entryLink}\n\nBye' };

  it('is a new link to the entry, in the language of the visitor', async () => {
    await set({ own: {}, languages: ['de'], reply });
    await a.client
      .post(`/v1/forms/${app}`, { email, data: { name: 'Ada' } })
      .set('Accept-Language', 'de')
      .expect(200);
    const { text } = await newest();
    expect(text).toMatch(/See https:\/\/forms\.example\.com\/f\/[^/]+\/entry\/[\w-]+\?lang=de\n/);
    expect((await open(tokenIn(text)).expect(200)).body.email).toBe(email);
  });

  it('leaves its line out while `own` is unset', async () => {
    await set({ reply });
    await submit();
    const { text } = await newest();
    expect(text).toContain('Hello');
    expect(text).toContain('Bye');
    expect(text).not.toMatch(/See|entryLink|\/entry\//);
  });

  it('is the value of a field of that key, if `include` names one', async () => {
    await a.admin.putSchema(app, { fields: [{ key: 'entryLink', kind: 'select', enum: ['x', 'y'] }] }).expect(200);
    await set({ own: {}, reply: { ...reply, include: ['entryLink'] } });
    await submit({ entryLink: 'y' });
    expect((await newest()).text).toContain('See y');
  });
});

it('from the form to the erasure: the operator sees each step in the history, the audit log and the webhook', async () => {
  const receiver = await Receiver.start();
  try {
    await set({
      own: {},
      notify: { emails: ['team@example.com'], when: 'each' },
      reply: { when: 'created', subject: 'Thank you', text: 'See {entryLink}' },
    });
    await operator
      .post('/auth/webhooks', { url: receiver.url, events: ['user.created', 'user.updated', 'user.erased'] })
      .expect(200);
    const id = await submit({ name: 'Ada', news: true });
    const token = tokenIn((await newest()).text);
    await b.client
      .patch(`/v1/forms/${app}/entry`, { set: { name: 'Grace', news: false } })
      .set('x-entry', token)
      .expect(200);
    const { body: history } = await operator.get(`/auth/users/${id}/history`).expect(200);
    expect(history.entries.map(({ by }: { by: { kind: string } }) => by.kind)).toEqual(['person']);
    await a.client.delete(`/v1/forms/${app}/entry`).set('x-entry', token).expect(200);
    const types = () => receiver.received.map(({ body }) => body.type);
    await expect.poll(types, POLL).toEqual(['user.created', 'user.updated', 'user.erased']);
    expect(receiver.received[1]?.body.data.changed).toEqual(['data.name', 'data.news']);
    const { body: audit } = await operator.get('/auth/audit').expect(200);
    const actions = audit.events.map(({ action, target }: { action: string; target: string }) => [action, target]);
    expect(actions).toEqual(
      expect.arrayContaining([
        ['entry.changed', id],
        ['entry.erased', id],
      ]),
    );
    // Neither a token nor the address outlives the person.
    for (const { name } of await a.db.listCollections().toArray()) {
      const documents = JSON.stringify(await a.db.collection(name).find().toArray());
      expect(documents, name).not.toContain(token);
      expect(documents, name).not.toContain(email);
    }
    expect(a.log() + b.log()).not.toContain(token);
    expect(receiver.received.map(({ text }) => text).join()).not.toContain(token);
  } finally {
    await receiver.close();
  }
});

describe('files of an entry', () => {
  const newToken = async (content: string): Promise<string> =>
    (await upload(a.client.url, app, pdf(content))).body.token;
  const change = (token: string, edit: object, server = b) =>
    server.client.patch(`/v1/forms/${app}/entry`, edit).set('x-entry', token);
  interface File {
    id: string;
    name: string;
  }

  it('stay by id, are added by token and are removed, with the checks of a submission', async () => {
    await submit({ name: 'Ada', cv: [await newToken('one'), await newToken('two')] });
    await ask();
    const token = tokenIn((await newest()).text);
    const [one, two] = (await open(token).expect(200)).body.data.cv as [File, File];
    const three = await newToken('three');
    const { body } = await change(token, { set: { cv: [{ id: two.id }, three, one.id] } }).expect(200);
    expect(body.data.cv.map(({ id }: File) => id)).toEqual([two.id, expect.any(String), one.id]);
    const added = body.data.cv[1] as File;
    expect([one.id, two.id]).not.toContain(added.id);
    // A token counts once, a file once, and those of others never.
    for (const cv of [[three], [one.id, one.id], ['unknown'], [crypto.randomUUID()], [7], [null]]) {
      const { body: refused } = await change(token, { set: { cv } }).expect(400);
      expect(refused.errors[0], JSON.stringify(cv)).toMatchObject({ code: 'fileToken' });
    }
    const four = await newToken('four');
    const tooMany = await change(token, { set: { cv: [one.id, two.id, added.id, four] } }).expect(400);
    expect(tooMany.body.errors).toMatchObject([{ path: 'data.cv', code: 'tooManyFiles' }]);
    await change(token, { set: { cv: [one.id, four] } }).expect(200);
    const { body: left } = await open(token).expect(200);
    expect(left.data.cv).toHaveLength(2);
    // A removed file is not of the record any more.
    await change(token, { set: { cv: [two.id] } }).expect(400);
    await change(token, { unset: ['cv'] }).expect(200);
  });

  it('that a refused change named can be sent again', async () => {
    await submit();
    await ask();
    const token = tokenIn((await newest()).text);
    const cv = [await newToken('one')];
    await change(token, { set: { cv, name: 7 } }).expect(400);
    await change(token, { set: { cv } }).set('If-Match', '"2026-01-01T00:00:00.000Z"').expect(412);
    await change(token, { set: { cv } }).expect(200);
  });

  it('are in the export, without those of the staff', async () => {
    const id = await submit({ name: 'Ada', cv: [await newToken('the CV')] });
    await operator
      .post(`/auth/users/${id}/files?field=report&name=report.pdf`, pdf('the report') as never)
      .type('application/pdf')
      .expect(201);
    await ask();
    const token = tokenIn((await newest()).text);
    const download = (accept: string) =>
      b.client.get(`/v1/forms/${app}/entry/export`).set('x-entry', token).set('Accept', accept);
    const archive = await download('application/zip, application/json')
      .buffer(true)
      .parse((response, done) => void buffer(response as never).then((bytes) => done(null, bytes), done as never))
      .expect(200);
    expect(archive.headers['content-disposition']).toBe('attachment; filename="entry.zip"');
    const text = String(archive.body);
    const { body: record } = await operator.get(`/auth/users/${id}`).expect(200);
    expect(text).toContain(`files/${record.data.cv[0].id}/`);
    expect(text).toContain('entry.json');
    expect(text).not.toContain('report');
    const { body: json } = await download('application/json').expect(200);
    expect(json.entries[0].data.cv).toHaveLength(1);
  });
});
