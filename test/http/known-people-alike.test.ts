// @module-tag long

import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Document, UUID } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashOf } from '../../src/features/files/incoming.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { Client } from '../support/server/client.ts';
import { sendForm } from '../support/server/forms.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';
import { age } from '../support/server/uploaded.ts';
import { CV, pdfOf, upload, uploadPart } from '../support/server/uploads.ts';

// Every answer to a known email is that to a new one (spec 4.5.5): status, headers and body, and
// what counts for limits.

const POLL = { timeout: 30_000, interval: 20 };
const KNOWN = 'ada@example.com';
const NEW = 'bob@example.com';
const FIELDS = [
  { key: 'name', kind: 'text', required: false },
  { key: 'notes', kind: 'array', required: false },
  { key: 'terms', label: 'Terms', kind: 'checkbox', required: false, consent: { version: '1' } },
  { ...CV, required: false },
];
const BYTES = 5_000;

let smtp: TestSmtp;
let server: TestServer;
beforeAll(async () => {
  smtp = await startSmtp();
  server = await startServer({ ...mailEnv(smtp), MAX_ARRAY_ITEMS: '3' }, undefined, QUICK_JOBS);
});
afterAll(async () => {
  await server.close();
  await smtp.close();
});

let app: string;
let password: string;
const set = (settings: object) => server.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
const send = (email: string, data: object, key?: string) => {
  const request = server.client.submit(app, { email, data });
  return key === undefined ? request : request.set('Idempotency-Key', key);
};
const recordOf = (email: string): Promise<Document | null> =>
  server.db.collection('users').findOne({ sourceAppId: app, email });
const extra = (from: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`extra${from + at}`, 'x']));
const file = (token: string): Promise<Document | null> =>
  server.db.collection('files.files').findOne({ 'metadata.token': hashOf(token) });
const newToken = async (): Promise<string> =>
  (await upload(server.client.url, app, Buffer.concat([pdfOf(BYTES), randomBytes(8)]))).body.token;

/** An app with a record of the known person that is near its limits. */
async function build(settings: object, keepsSubmissions: boolean) {
  ({ sourceAppId: app, password } = await server.admin.buildApp({ fields: FIELDS as never, rejectUnknown: false }));
  if (keepsSubmissions) await server.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
  await send(KNOWN, { name: 'Ada', terms: true, ...extra(0, 150) }).expect(200);
  await set(settings);
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** An answer without what names the time, the request, the email or a token. */
function alike({ status, headers, text }: Answer, email: string, token = '-') {
  const { date: _, 'x-request-id': __, etag: ___, ...rest } = headers;
  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  return { status, headers: rest, text: text.replaceAll(email, '').replaceAll(token, '').replaceAll(uuid, '') };
}

async function both(ask: (email: string) => PromiseLike<Answer>): Promise<number> {
  const known = alike(await ask(KNOWN), KNOWN);
  expect(alike(await ask(NEW), NEW)).toEqual(known);
  return known.status;
}

const SETTINGS = [
  ['keep, with an inbox', { existing: 'keep' }, true],
  ['keep, without one', { existing: 'keep' }, false],
  ['keep, with confirmations', { existing: 'keep', doubleOptIn: true }, true],
  ['confirm', { existing: 'confirm' }, true],
  ['receipt: false', { receipt: false }, false],
] as const;

describe.each(SETTINGS)('%s', (_name, settings, keepsSubmissions) => {
  beforeEach(() => build(settings, keepsSubmissions));

  it('answers of a known and of a new email are alike, also at the limits of the record', async () => {
    const asks: [number, (email: string) => PromiseLike<Answer>][] = [
      [200, (email) => send(email, extra(100, 200))],
      [400, (email) => send(email, extra(0, 201))],
      [200, (email) => send(email, { name: 'X', ...extra(300, 100) }, 'a-key')],
      [200, (email) => send(email, { name: 'X', ...extra(300, 100) }, 'a-key')],
      [422, (email) => send(email, { name: 'Y' }, 'a-key')],
      [200, (email) => send(email, { terms: true })],
      [200, (email) => send(email, { terms: false })],
      [200, (email) => send(email, { notes: ['1', '2', '3'] })],
      [400, (email) => send(email, { name: 1 })],
      [400, (email) => send(email, { cv: ['unknown'] })],
    ];
    const seen: number[] = [];
    for (const [, ask] of asks) seen.push(await both(ask));
    expect(seen).toEqual(asks.map(([status]) => status));
    await set({ ...settings, maxRecords: 1 });
    expect(await both((email) => send(email, { name: 'X' }))).toBe(403);
    expect(await both((email) => send(email, { name: 'X', ...extra(300, 100) }, 'a-key'))).toBe(200);
    await set({ ...settings, closesAt: new Date(0).toISOString() });
    expect(await both((email) => send(email, { name: 'X' }, 'another'))).toBe(403);
    expect(await both((email) => send(email, { name: 'X', ...extra(300, 100) }, 'a-key'))).toBe(200);
  });

  it('the file of a known email is used, counted and unknown as that of a new one', async () => {
    const page = (email: string, token: string) =>
      sendForm(server.client, app, Object.entries({ email, cv: token })).set('Accept', 'text/html');
    const results: unknown[] = [];
    for (const email of [KNOWN, NEW]) {
      const token = await newToken();
      const of = (answer: Answer) => alike(answer, email, token);
      const result: unknown[] = [of(await send(email, { cv: [token] }, 'file'))];
      // The network has sent as much as it may, if this file counts.
      await server.db
        .collection('files.files')
        .updateOne({ 'metadata.token': hashOf(token) }, { $set: { 'metadata.charged': 200_000_000 } });
      const other = await upload(server.client.url, app, pdfOf(BYTES));
      await server.db
        .collection('files.files')
        .updateOne({ 'metadata.token': hashOf(token) }, { $set: { 'metadata.charged': BYTES } });
      result.push(other.status);
      const uses = async () => {
        const part = await uploadPart(server.client.url, app, pdfOf(BYTES), { first: 0, end: BYTES, token });
        return [
          [part.status, part.body],
          of(await send(`other-${email}`, { cv: [token] })),
          of(await page(`other-${email}`, token)),
          of(await send(email, { cv: [token] }, 'file')),
        ];
      };
      result.push(await uses());
      await set({ ...settings, closesAt: new Date(0).toISOString() });
      result.push(of(await page(`other-${email}`, token)));
      await set(settings);
      // The claim is over: what nothing names is removed.
      const id = String((await file(token))?._id);
      await age(server.db, { id }, 45_000);
      await expect
        .poll(async () => Number((await file(token))?.metadata.checkAt ?? Date.now() + 1e9) > Date.now(), POLL)
        .toBe(true);
      result.push(await uses());
      await set({ ...settings, closesAt: new Date(0).toISOString() });
      result.push(of(await page(`other-${email}`, token)));
      await set(settings);
      results.push(result);
    }
    const [known, fresh] = results as [unknown[], unknown[]];
    expect(known).toEqual(fresh);
    const [stored, other, uses] = known as [Answer, number, [[number], ...Answer[]]];
    const [[part], ...answers] = uses;
    expect([stored.status, other, part, ...answers.map(({ status }) => status)]).toEqual([
      200, 201, 400, 400, 400, 200,
    ]);
  });
});

it('`receipt: false`: unknown keys for which a record has no room are left out, and the fields are stored', async () => {
  await build({ receipt: false }, false);
  await send(KNOWN, { name: 'X', ...extra(150, 50) }).expect(200);
  expect(Object.keys((await recordOf(KNOWN))?.data)).toHaveLength(202);
  await send(KNOWN, { name: 'Y', more: 'x' }, 'full').expect(200);
  await send(KNOWN, { name: 'Y', more: 'x' }, 'full').expect(200);
  await send(KNOWN, { name: 'Y' }, 'full').expect(422);
  const { data } = (await recordOf(KNOWN)) ?? {};
  expect(data).toMatchObject({ name: 'Y' });
  expect(data).not.toHaveProperty('more');
  await set({});
  const { body } = await send(KNOWN, { name: 'Z', more: 'x' }).expect(400);
  expect(body.errors).toMatchObject([{ code: 'tooManyKeys' }]);
});

it('the file of a waiting change is in the export of its person once, and goes with its record', async () => {
  await build({ existing: 'confirm' }, false);
  const operator = await new Client(server.client.url).logIn(app, password);
  const token = await newToken();
  await send(KNOWN, { cv: [token] }).expect(200);
  const record = await recordOf(KNOWN);
  const { _id: id, metadata } = (await file(token)) ?? {};
  expect(metadata).toMatchObject({ record: record?._id, held: expect.any(UUID) });
  const { body: archive } = await operator
    .post('/auth/people/export', { email: KNOWN })
    .buffer(true)
    .parse((response, done) => void buffer(response as never).then((bytes) => done(null, bytes), done as never))
    .expect(200);
  // An entry of an archive has its name twice: before its content, and in the directory.
  expect(String(archive).split(`files/${id}/`)).toHaveLength(3);
  await operator.delete(`/auth/users/${record?._id}`).expect(200);
  expect((await file(token))?.metadata.state ?? 'removed').not.toBe('whole');
  expect(await server.db.collection('held_submissions').countDocuments({ recordId: record?._id })).toBe(0);
});
