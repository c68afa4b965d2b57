import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { parseUuid } from '../../src/platform/database/ordered-ids.ts';
import { entriesOfPage } from '../support/browser/form-page.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { entryPath, press } from '../support/server/entry-pages.ts';
import { BROWSER, filePart, multipartOf, TYPES } from '../support/server/forms.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { pdfOf } from '../support/server/uploads.ts';

const PAGE = { Accept: BROWSER };
const POLL = { timeout: 30_000, interval: 20 };

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', label: 'Name', kind: 'text', required: true },
  { key: 'notes', label: 'Notes', kind: 'text', ui: 'textarea' },
  {
    key: 'plan',
    label: 'Plan',
    kind: 'select',
    ui: 'radio',
    enum: ['free', 'pro'],
    enumLabels: { pro: 'Professional' },
  },
  {
    key: 'company',
    label: 'Company',
    kind: 'text',
    showIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] },
  },
  { key: 'likes', label: 'Likes', kind: 'multiselect', enum: ['draw', 'chess'] },
  { key: 'seats', label: 'Seats', kind: 'number', min: 1 },
  { key: 'born', label: 'Born', kind: 'date' },
  { key: 'terms', label: 'Terms', kind: 'checkbox', consent: { version: '3' } },
  { key: 'visits', label: 'Visits', kind: 'array' },
  { key: 'campaign', label: 'Campaign', kind: 'text', hidden: true },
  { key: 'status', label: 'Status of the team', kind: 'text', writers: 'staff' },
];
const DATA = {
  name: 'Ada <b>',
  notes: 'one\ntwo',
  plan: 'pro',
  company: 'Engines',
  likes: ['chess'],
  seats: 2,
  born: '1815-12-10',
  terms: true,
  visits: ['shop'],
  campaign: 'spring',
};

let smtp: TestSmtp;
let server: TestServer;
let app: string;
let id: string;
let path: string;
beforeAll(async () => {
  smtp = await startSmtp();
  server = await startServer(mailEnv(smtp));
});
afterAll(async () => {
  await server.close();
  await smtp.close();
});
beforeEach(async () => {
  app = (await server.admin.buildApp({ fields: FIELDS })).sourceAppId;
  await settings({ title: 'Club', own: {} });
  id = await submit('ada@example.com', DATA);
  path = await entryPath(server, app, id);
});

const settings = (form: object) => server.admin.put(`/auth/apps/${app}/form`, form).expect(200);
const submit = async (email: string, data: object): Promise<string> =>
  (await server.client.submit(app, { email, data }).expect(200)).body.id;
const stored = () => server.db.collection('users').findOne({ _id: parseUuid(id) as never });
const data = async () => (await stored())?.data;
const show = async (headers = {}): Promise<string> =>
  (await press(server, path, [['_do', 'show']], headers).expect(200)).text;
const edit = (set: object) => server.admin.patch(`/auth/users/${id}?sourceAppId=${app}`, { set }).expect(200);

/** Saves a page with other entries. */
const save = (page: string, changed: Record<string, string> = {}) => press(server, path, entriesOfPage(page, changed));

describe('the page behind a link (spec 4.16)', () => {
  it('shows a button and no value, changes nothing, and is a secret', async () => {
    const before = await stored();
    const { text, headers } = await server.client.get(path).set(PAGE).expect(200);
    expect(text).toContain('<button name="_do" value="show">Show your entry</button>');
    for (const value of ['ada@example.com', 'Ada', 'Engines', '1815']) expect(text).not.toContain(value);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(await stored()).toEqual(before);
  });

  it('shows the entry after a press: controls with values, others as texts, and no field of the team', async () => {
    await server.admin.patch(`/auth/users/${id}?sourceAppId=${app}`, { set: { status: 'secret' } }).expect(200);
    const { text, headers } = await press(server, path).expect(200);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(headers).not.toHaveProperty('set-cookie');
    const entries = Object.fromEntries(entriesOfPage(text));
    expect(entries).toMatchObject({
      'data[name]': 'Ada <b>',
      'data[notes]': 'one\r\ntwo',
      'data[plan]': 'pro',
      'data[company]': 'Engines',
      'data[likes][]': 'chess',
      'data[seats]': '2',
      'data[born]': '1815-12-10',
      'data[terms]': 'true',
    });
    expect(text).toContain('<dd class="text" dir="auto">ada@example.com</dd>');
    expect(text).toMatch(/<dt>Visits<\/dt>\s*<dd class="text" dir="auto">shop<\/dd>/);
    expect(text).toMatch(/<dt>Campaign<\/dt>\s*<dd class="text" dir="auto">spring<\/dd>/);
    expect(text).toMatch(/<dt>Terms<\/dt>\s*<dd class="text">Given on \d+ \w+ \d{4} at [\d:]+ \(UTC\)<\/dd>/);
    expect(text).not.toMatch(/secret|Status of the team/);
    expect(text).not.toContain('<b>');
    for (const button of ['Save', 'Download', 'Erase']) expect(text).toContain(`>${button}</button>`);
    expect(await stored()).toMatchObject({ data: { ...DATA, visits: [{ value: 'shop' }] } });
  });

  it('shows as controls the chosen fields only, and the buttons that are allowed', async () => {
    await settings({ own: { fields: ['company'], erase: false, export: false } });
    const page = await show();
    const names = entriesOfPage(page).map(([name]) => name);
    // A condition names the plan: the script of the page needs it.
    expect(names.filter((name) => name.startsWith('data'))).toEqual(['data[plan]', 'data[company]']);
    expect(page).toMatch(/<dt>Plan<\/dt>\s*<dd class="text" dir="auto">Professional<\/dd>/);
    expect(page).not.toMatch(/>(?:Download|Erase)<\/button>/);
    for (const action of ['export', 'erase-confirmed']) await press(server, path, [['_do', action]]).expect(403);
    await save(page, { 'data[plan]': 'free', 'data[company]': 'Looms' }).expect(200);
    expect(await data()).toMatchObject({ plan: 'pro', company: 'Looms' });
    await settings({ own: { fields: [] } });
    expect(entriesOfPage(await show()).map(([name]) => name)).toEqual([]);
  });

  it('is refused to other sites', async () => {
    const refused = async (headers: Record<string, string>) => {
      const { text } = await press(server, path, [['_do', 'show']], headers).expect(403);
      expect(text).not.toContain('ada@example.com');
    };
    await refused({ Origin: 'https://other.example', 'Sec-Fetch-Site': 'cross-site' });
    for (const site of ['cross-site', 'same-site', 'none', '']) await refused({ 'Sec-Fetch-Site': site });
    const { client } = server;
    for (const site of ['cross-site', 'same-site']) {
      await client
        .post(path)
        .set({ ...PAGE, 'Sec-Fetch-Site': site })
        .expect(403);
    }
    await client
      .post(path)
      .set({ ...PAGE, Origin: server.listener.url })
      .expect(200);
    await client.post(path).set(PAGE).expect(200);
    await press(server, path).expect(200);
    // The other endpoints take no `Origin: null` of another site either.
    await client.post(`/v1/forms/${app}`).set({ Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }).expect(403);
  });

  it('is 403 also for a site that may call the API', async () => {
    const listed = await startServer({ ...mailEnv(smtp), CORS_ORIGINS: 'https://admin.example' }, server.database);
    try {
      const headers = { Origin: 'https://admin.example', 'Sec-Fetch-Site': 'cross-site' };
      await press(listed, path, [['_do', 'show']], headers).expect(403);
    } finally {
      await listed.close();
    }
  });

  it.each([
    ['wrong', (good: string) => `${good.slice(0, -3)}AAA`, 404],
    ['of another kind', () => `/f/${app}/entry/short`, 404],
  ] as const)('is %s: 404, with the way to another one', async (_, wrong, status) => {
    for (const answer of [
      await server.client.get(wrong(path)).set(PAGE).expect(status),
      await press(server, wrong(path)).expect(status),
    ]) {
      expect(answer.text).toContain(`<a href="/f/${app}/entry">Ask for another link</a>`);
      expect(answer.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    }
  });

  it('is 410 when it expired, and 404 while `own` is unset or the record is gone', async () => {
    const expired = await entryPath(server, app, id, -1);
    const { text } = await server.client.get(expired).set(PAGE).expect(410);
    expect(text).toContain('This link has expired');
    expect(text).toContain(`<a href="/f/${app}/entry">Ask for another link</a>`);
    await press(server, expired).expect(410);
    await settings({});
    await server.client.get(path).set(PAGE).expect(404);
    await press(server, path).expect(404);
    await server.client.get(`/f/${app}/entry`).set(PAGE).expect(404);
    await settings({ own: {} });
    await server.admin.delete(`/auth/users/${id}?sourceAppId=${app}`).expect(200);
    await server.client.get(path).set(PAGE).expect(404);
    await press(server, path).expect(404);
  });

  it('names its address to no other page', async () => {
    const token = path.split('/').at(-1) ?? '';
    for (const page of [(await server.client.get(path).set(PAGE)).text, await show()]) {
      const places = [...page.matchAll(/(\w+)="([^"]*)"/g)].filter(([, , value]) => value?.includes(token));
      for (const [, attribute, value] of places) expect([attribute, value]).toEqual(['action', path]);
    }
  });
});

describe('a save of the page (spec 4.16)', () => {
  it('of what nobody touched changes nothing', async () => {
    await edit({ notes: 'tab\tand "quotes" & ü\r\nline' });
    const before = await stored();
    const { text } = await save(await show()).expect(200);
    expect(text).toContain('Your changes are saved');
    expect(await stored()).toEqual(before);
  });

  it('keeps values that no control has as they are stored', async () => {
    const keys = ['text', 'lines', 'number', 'date', 'choice', 'choices', 'box', 'mail', 'file'];
    const as = (fields: FieldDefinitionInput[]) =>
      server.admin.putSchema(app, { rejectUnknown: false, fields }).expect(200);
    await as([]);
    const values = {
      text: 'a\0b ',
      lines: '\r\na\rb\n',
      number: 'many',
      date: '2026-01-31T08:30:00+02:00',
      choice: 'gone',
      choices: ['gone', 'a'],
      box: 'perhaps',
      mail: ' Ada <ada@example.com>',
      file: 'a.pdf',
      other: { nested: [1] },
    };
    id = await submit('odd@example.com', values);
    path = await entryPath(server, app, id);
    await as([
      { key: 'text', kind: 'text' },
      { key: 'lines', kind: 'text' },
      { key: 'number', kind: 'number' },
      { key: 'date', kind: 'date' },
      { key: 'choice', kind: 'select', enum: ['a'] },
      { key: 'choices', kind: 'multiselect', enum: ['a', 'b'] },
      { key: 'box', kind: 'checkbox' },
      { key: 'mail', kind: 'text', ui: 'email' },
      { key: 'file', kind: 'file', types: ['pdf'] },
      { key: 'added', kind: 'text', default: 'x' },
    ]);
    const before = await stored();
    const page = await show();
    for (const key of keys.filter((one) => one !== 'file')) expect(page).toContain(`id="data-${key}"`);
    await save(page).expect(200);
    expect(await stored()).toEqual(before);
    await save(page, { 'data[added]': 'y' }).expect(200);
    expect(await data()).toEqual({ ...before?.data, added: 'y' });
  });

  it('stores what the person changed, and removes what it empties or hides', async () => {
    const page = await show();
    const entries = entriesOfPage(page, { 'data[name]': 'Grace', 'data[notes]': '', 'data[seats]': '3' });
    const { text } = await press(server, path, [
      ...entries.filter(([name]) => name !== 'data[plan]'),
      ['data[plan]', 'free'],
    ]).expect(200);
    expect(text).toContain('Your changes are saved');
    expect(Object.fromEntries(entriesOfPage(text))).toMatchObject({ 'data[name]': 'Grace', 'data[seats]': '3' });
    const { notes: _, company: __, visits: ___, ...others } = DATA;
    const after = await data();
    expect(after).toMatchObject({ ...others, name: 'Grace', seats: 3, plan: 'free' });
    expect(after).not.toHaveProperty('notes');
    expect(after).not.toHaveProperty('company');
    const { body } = await server.admin.get(`/auth/users/${id}/history?sourceAppId=${app}`).expect(200);
    expect(body.entries[0].by).toEqual({ kind: 'person' });
  });

  it('shows very many choices, and as text a value that is none of them', async () => {
    const choices = Array.from({ length: 6_000 }, (_, at) => `choice ${at}`);
    const fields: FieldDefinitionInput[] = [
      { key: 'name', kind: 'text' },
      { key: 'place', label: 'Place', kind: 'select', enum: choices },
    ];
    await server.admin.putSchema(app, { fields }).expect(200);
    id = await submit('many@example.com', { name: 'Ada', place: 'choice 5999' });
    path = await entryPath(server, app, id);
    const page = await show();
    expect(Object.fromEntries(entriesOfPage(page))).toMatchObject({ 'data[place]': 'choice 5999' });
    await save(page, { 'data[place]': 'choice 7' }).expect(200);
    expect(await data()).toEqual({ name: 'Ada', place: 'choice 7' });
    const without = choices.filter((choice) => choice !== 'choice 7');
    await server.admin
      .putSchema(app, { fields: [fields[0] as never, { ...fields[1], enum: without } as never] })
      .expect(200);
    const text = await show();
    expect(text).toMatch(/<dt>Place<\/dt>\s*<dd class="text" dir="auto">choice 7<\/dd>/);
    await save(text, { 'data[name]': 'Grace' }).expect(200);
    expect(await data()).toEqual({ name: 'Grace', place: 'choice 7' });
  });

  it('shows what is wrong at the controls, and keeps what was typed', async () => {
    const page = await show();
    const { text } = await save(page, { 'data[name]': '', 'data[seats]': '0', 'data[notes]': 'kept' }).expect(400);
    expect(text).toContain('There is a problem with your entries');
    expect(text).toContain('<a href="#data-seats">Seats: must be at least 1</a>');
    expect(text).toContain('<a href="#data-name">Name: is required</a>');
    expect(Object.fromEntries(entriesOfPage(text))).toMatchObject({ 'data[seats]': '0', 'data[notes]': 'kept' });
    expect(await data()).toMatchObject({ name: 'Ada <b>', notes: 'one\ntwo', seats: 2 });
    await save(text, { 'data[name]': 'Ada', 'data[seats]': '4' }).expect(200);
    expect(await data()).toMatchObject({ name: 'Ada', notes: 'kept', seats: 4, company: 'Engines' });
  });

  it('is 412 when the record changed, with what is stored now and what was typed', async () => {
    const page = await show();
    await edit({ name: 'Countess', seats: 9, born: '1815-12-11' });
    const { text } = await save(page, { 'data[name]': 'Grace' }).expect(412);
    expect(text).toContain('Your entry was changed in the meantime');
    expect(text).toContain('Stored now: Countess');
    const entries = Object.fromEntries(entriesOfPage(text));
    expect(entries).toMatchObject({ 'data[name]': 'Grace', 'data[seats]': '9', 'data[born]': '1815-12-11' });
    expect(await data()).toMatchObject({ name: 'Countess', seats: 9 });
    // What the person did not touch keeps the newer value.
    await save(text).expect(200);
    expect(await data()).toMatchObject({ name: 'Grace', seats: 9, born: '1815-12-11' });
  });

  it('that was stored already is no conflict, as after a second press', async () => {
    const page = await show();
    await save(page, { 'data[name]': 'Grace' }).expect(200);
    const before = await stored();
    expect((await save(page, { 'data[name]': 'Grace' }).expect(200)).text).toContain('Your changes are saved');
    expect(await stored()).toEqual(before);
    await save(page, { 'data[name]': 'Mary' }).expect(412);
    await save(page).expect(412);
  });

  it('does not empty what the script hid, and lets it go as a submission does', async () => {
    await settings({ own: { fields: ['company', 'name'] } });
    const page = await show();
    // A browser sends no disabled control.
    const entries = entriesOfPage(page, { 'data[name]': 'Grace' }).filter(([name]) => name !== 'data[company]');
    const { text } = await press(server, path, entries).expect(200);
    expect(await data()).not.toHaveProperty('company');
    await edit({ plan: 'free' });
    const hidden = entriesOfPage(await show(), { 'data[name]': 'Ada' }).filter(([name]) => name !== 'data[company]');
    await press(server, path, hidden).expect(200);
    expect(text).toContain('Your changes are saved');
    expect(await data()).toMatchObject({ name: 'Ada', plan: 'free' });
  });

  it('of a consent that is taken back is a withdrawal, with the page and without the token', async () => {
    const entries = entriesOfPage(await show()).filter(([name, value]) => name !== 'data[terms]' || value === 'false');
    await press(server, path, entries).expect(200);
    expect((await stored())?.consents.at(-1)).toMatchObject({
      key: 'terms',
      given: false,
      page: `https://forms.example.com/f/${app}/entry`,
    });
  });

  it('works in the form of an app that is closed and full', async () => {
    await settings({ own: {}, closesAt: '2020-01-01T00:00:00Z', maxRecords: 1 });
    await save(await show(), { 'data[name]': 'Grace' }).expect(200);
    expect(await data()).toMatchObject({ name: 'Grace' });
    expect((await server.client.get(`/f/${app}`).set(PAGE).expect(200)).text).toContain(`href="/f/${app}/entry"`);
  });

  it('speaks the language of the link, with the theme of the form', async () => {
    await settings({ own: {}, languages: ['de'], theme: { accent: '#aa0000' } });
    const { text } = await press(server, `${path}?lang=de`).expect(200);
    expect(text).toContain('<html lang="de"');
    expect(text).toContain('>Speichern</button>');
    expect(text).toContain(`action="${path}?lang&#61;de"`);
    expect(text).toContain('<link rel="stylesheet" href="/embed/theme.css?accent&#61;aa0000">');
  });
});

describe('erasure and download on the page (spec 4.16)', () => {
  it('asks once more before it erases all of the person', async () => {
    const page = await show();
    const { text } = await press(server, path, [['_do', 'erase']]).expect(200);
    expect(text).toContain('<button name="_do" value="erase-confirmed">Erase everything</button>');
    expect(await stored()).not.toBeNull();
    const done = await press(server, path, [['_do', 'erase-confirmed']]).expect(200);
    expect(done.text).toContain('Your entry is erased');
    expect(await stored()).toBeNull();
    await save(page).expect(404);
  });

  it('downloads what is stored, without fields of the team', async () => {
    await server.admin.patch(`/auth/users/${id}?sourceAppId=${app}`, { set: { status: 'secret' } }).expect(200);
    const { headers, text } = await press(server, path, [['_do', 'export']]).expect(200);
    expect(headers).toMatchObject({
      'content-disposition': 'attachment; filename="entry.json"',
      'cache-control': 'no-store',
    });
    expect(JSON.parse(text)).toMatchObject({ email: 'ada@example.com', entries: [{ kind: 'record' }] });
    expect(text).not.toContain('secret');
  });
});

describe('the page that asks for a link (spec 4.16)', () => {
  it('is linked by the form and its thank-you page, only with `own`', async () => {
    for (const page of [`/f/${app}`, `/f/${app}/thanks`]) {
      const { text } = await server.client.get(page).set(PAGE).expect(200);
      expect(text).toContain(`<a href="/f/${app}/entry">See or change your entry</a>`);
    }
    await settings({ title: 'Club' });
    for (const page of [`/f/${app}`, `/f/${app}/thanks`]) {
      expect((await server.client.get(page).set(PAGE).expect(200)).text).not.toContain('/entry');
    }
  });

  it('answers alike for a known and an unknown email, and sends the link to the known one', async () => {
    const { text } = await server.client.get(`/f/${app}/entry`).set(PAGE).expect(200);
    expect(text).toContain(`action="/v1/forms/${app}/entry-link"`);
    const ask = async (email: string) => {
      const entries = entriesOfPage(text, { email });
      const answer = await server.client
        .post(`/v1/forms/${app}/entry-link`, new URLSearchParams(entries.map(([...one]) => one)).toString())
        .set({ ...PAGE, 'Content-Type': TYPES.urlencoded })
        .expect(202);
      return answer.text;
    };
    const known = await ask('ada@example.com');
    expect(known).toContain('an email with a link to it is sent');
    expect(await ask('nobody@example.com')).toBe(known);
    await expect
      .poll(() => smtp.to('ada@example.com').some((mail) => mail.text.includes(`/f/${app}/entry/`)), POLL)
      .toBe(true);
    expect(smtp.to('nobody@example.com')).toEqual([]);
  });

  it('is shown again with a wrong email, or without the proof that the form needs', async () => {
    const send = (entries: [string, string][]) =>
      server.client
        .post(`/v1/forms/${app}/entry-link`, new URLSearchParams(entries).toString())
        .set({ ...PAGE, 'Content-Type': TYPES.urlencoded });
    const wrong = await send([['email', 'ada@']]).expect(400);
    expect(Object.fromEntries(entriesOfPage(wrong.text))).toMatchObject({ email: 'ada@' });
    expect(wrong.text).toContain('Must be an email address');
    expect(wrong.text).toContain(`action="/v1/forms/${app}/entry-link"`);
    const long = await send([['email', `${'a'.repeat(2_000)}@x.org`]]).expect(400);
    expect(long.text).not.toContain('aaaa');
    const other = { Origin: 'https://other.example' };
    const foreign = await send([['email', 'ada@example.com']])
      .set(other)
      .expect(403);
    expect(foreign.text).toContain('The form was not accepted');
    await settings({ own: {}, origins: [other.Origin] });
    await send([['email', 'nobody@example.com']])
      .set(other)
      .expect(202);
    await settings({ own: {}, botProtection: 'proof-of-work' });
    const page = await server.client.get(`/f/${app}/entry`).set(PAGE).expect(200);
    expect(page.text).toContain('<noscript><p class="note">This page needs JavaScript.</p></noscript>');
    await send([['email', 'ada@example.com']]).expect(403);
    await settings({});
    const off = await send([['email', 'ada@example.com']]).expect(404);
    expect(off.text).toContain('This form does not let people see their entries');
  });
});

describe('files on the page of an entry (spec 4.16)', () => {
  beforeEach(async () => {
    const fields = [
      { key: 'name', label: 'Name', kind: 'text' },
      { key: 'cv', label: 'CV', kind: 'file', types: ['pdf'], maxFiles: 3 },
    ] satisfies FieldDefinitionInput[];
    await server.admin.putSchema(app, { fields }).expect(200);
    const form = multipartOf([
      filePart('cv', 'one.pdf', pdfOf(900, 1)),
      filePart('cv', 'two.pdf', pdfOf(900, 2)),
      ['email', 'files@example.com'],
    ]);
    await server.client
      .post(`/v1/forms/${app}`, form)
      .serialize((given) => given)
      .set({ 'Content-Type': TYPES.multipart, Accept: 'application/json' })
      .expect(200);
    id = String((await server.db.collection('users').findOne({ sourceAppId: app, email: 'files@example.com' }))?._id);
    path = await entryPath(server, app, id);
  });

  const sendFiles = (page: string, without: string, more: Buffer[]) =>
    server.client
      .post(
        path,
        multipartOf([
          ...entriesOfPage(page).filter(([name, value]) => name !== 'data[cv]' || value !== without),
          ...more,
        ]),
      )
      .serialize((given) => given)
      .set({ 'Content-Type': TYPES.multipart, Accept: BROWSER, Origin: 'null', 'Sec-Fetch-Site': 'same-origin' });
  const names = async () => ((await data())?.cv ?? []).map(({ name }: { name: string }) => name);

  it('stay, are removed and added, also in a closed form', async () => {
    await settings({ own: {}, closesAt: '2020-01-01T00:00:00Z' });
    const page = await show();
    expect(page).toContain('data-name="one.pdf"');
    expect(page).not.toContain('data-files');
    const [first] = (await data())?.cv ?? [];
    const { text } = await sendFiles(page, first.id, [filePart('data[cv]', 'three.pdf', pdfOf(900, 3))]).expect(200);
    expect(text).toContain('Your changes are saved');
    expect(await names()).toEqual(['two.pdf', 'three.pdf']);
    // Files of strangers need a link that opens an entry.
    const wrong = multipartOf([filePart('data[cv]', 'four.pdf', pdfOf(900, 4))]);
    const headers = { 'Content-Type': TYPES.multipart, Accept: BROWSER };
    const count = () => server.db.collection('files.files').countDocuments({ filename: 'four.pdf' });
    await server.client
      .post(`${path.slice(0, -3)}AAA`, wrong)
      .serialize((given) => given)
      .set(headers)
      .expect(404);
    expect(await count()).toBe(0);
  });

  it('that were added meanwhile stay after a conflict', async () => {
    const page = await show();
    const [first, second] = (await data())?.cv ?? [];
    await sendFiles(page, '', [filePart('data[cv]', 'three.pdf', pdfOf(900, 3))]).expect(200);
    const conflict = await sendFiles(page, first.id, []).expect(412);
    const kept = entriesOfPage(conflict.text).filter(([name]) => name === 'data[cv]');
    expect(kept.map(([, value]) => value)).not.toContain(first.id);
    expect(kept.map(([, value]) => value)).toContain(second.id);
    await sendFiles(conflict.text, '', []).expect(200);
    expect(await names()).toEqual(['two.pdf', 'three.pdf']);
  });
});
