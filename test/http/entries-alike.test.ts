import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PLANS_MAILS } from '../support/server/entries.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { CV, pdf, upload } from '../support/server/uploads.ts';

// Nobody learns from a request for a link which email is known (spec 4.16, rule 8).

const KNOWN = 'ada@example.com';
const NEW = 'bob@example.com';
const FIELDS = [
  { key: 'name', kind: 'text', required: false },
  { ...CV, required: false },
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer(PLANS_MAILS);
});
afterAll(() => server.close());

let app: string;
const set = (settings: object) => server.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
const submit = (email: string, data: object) => server.client.submit(app, { email, data });
const plannedFor = () => server.db.collection('mails').countDocuments({ purpose: 'entry' });

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** An answer without what names the time, the request or the email. */
function alike({ status, headers, text }: Answer, email: string) {
  const { date: _, 'x-request-id': __, etag: ___, ...rest } = headers;
  // A page has a new key.
  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  return { status, headers: rest, text: text.replaceAll(email, '').replaceAll(uuid, '') };
}

async function both(ask: (email: string) => PromiseLike<Answer>): Promise<number> {
  const known = alike(await ask(KNOWN), KNOWN);
  expect(alike(await ask(NEW), NEW)).toEqual(known);
  return known.status;
}

const link = () => `/v1/forms/${app}/entry-link`;
const ASKS: Record<string, (email: string) => PromiseLike<Answer>> = {
  json: (email) => server.client.post(link(), { email }),
  page: (email) =>
    server.client.post(link(), new URLSearchParams({ email }).toString()).type('form').set('Accept', 'text/html'),
  'form of a program': (email) =>
    server.client
      .post(link(), new URLSearchParams({ email }).toString())
      .type('form')
      .set('Accept', 'application/json'),
};

const SETTINGS = [
  ['own', {}],
  ['existing: keep', { existing: 'keep' }],
  ['existing: confirm', { existing: 'confirm' }],
  ['receipt: false', { receipt: false }],
  ['doubleOptIn, closed and full', { doubleOptIn: true, closesAt: new Date(0).toISOString(), maxRecords: 1 }],
] as const;

describe.each(SETTINGS)('%s', (_name, settings) => {
  beforeEach(async () => {
    await server.db.collection('mails').deleteMany({});
    ({ sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS as never }));
    const { token } = (await upload(server.client.url, app, pdf())).body;
    await submit(KNOWN, { name: 'Ada', cv: [token] }).expect(200);
    await set({ own: {}, ...settings });
  });

  it.each(Object.keys(ASKS))('%s: answers are alike, also at the limits of emails', async (name) => {
    const ask = ASKS[name] as (typeof ASKS)[string];
    const before = await plannedFor();
    for (let at = 0; at < 5; at += 1) expect(await both(ask)).toBe(202);
    expect((await plannedFor()) - before).toBe(3);
  });

  it('refusals are alike', async () => {
    await set({ own: {}, ...settings, botProtection: 'proof-of-work' });
    for (const ask of Object.values(ASKS)) expect(await both(ask)).toBe(403);
    await set({ ...settings });
    for (const ask of Object.values(ASKS)) expect(await both(ask)).toBe(404);
    expect(await plannedFor()).toBe(0);
  });
});

it('an address of which only a submission waits is unknown', async () => {
  await server.db.collection('mails').deleteMany({});
  ({ sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS as never }));
  await set({ own: {} });
  const form = new URLSearchParams({ email: KNOWN, name: 'Ada', _gotcha: 'x' }).toString();
  await server.client.post(`/v1/forms/${app}`, form).type('form');
  expect(await server.db.collection('held_submissions').countDocuments({ email: KNOWN })).toBe(1);
  expect(await both((email) => server.client.post(link(), { email }))).toBe(202);
  expect(await plannedFor()).toBe(0);
});

it('an erased address is unknown, and its emails are gone', async () => {
  ({ sourceAppId: app } = await server.admin.buildApp({ fields: FIELDS as never }));
  await server.db.collection('mails').deleteMany({});
  await submit(KNOWN, {}).expect(200);
  await set({ own: {} });
  await server.client.post(link(), { email: KNOWN }).expect(202);
  expect(await plannedFor()).toBe(1);
  await server.admin.post(`/auth/people/erase?sourceAppId=${app}`, { email: KNOWN }).expect(200);
  expect(await both((email) => server.client.post(link(), { email }))).toBe(202);
  expect(await plannedFor()).toBe(0);
});
