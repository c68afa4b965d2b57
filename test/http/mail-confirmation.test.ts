import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_FORM_SETTINGS } from '../../src/features/form-settings/form-settings.ts';
import { parseUuid } from '../../src/platform/database/ordered-ids.ts';
import { languageOf } from '../../src/platform/languages/languages.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { mailEnv, type TestSmtp } from '../support/peers/smtp.ts';
import { sendForm } from '../support/server/forms.ts';
import { eventOf, insertRecord } from '../support/server/mail-events.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { CONTACT, staffOnly } from '../support/server/staff-fields.ts';

const POLL = { timeout: 30_000, interval: 20 };
const DAY_MS = 86_400_000;
const PAGE = { Accept: 'text/html' };

let smtp: TestSmtp;
let a: TestServer;
let b: TestServer;
let app: string;
let servers: MailServers;
beforeAll(async () => {
  servers = await startMailServers();
  ({ smtp, a, b } = servers);
});
afterAll(() => servers.close());
beforeEach(async () => {
  app = (await a.admin.buildApp()).sourceAppId;
  await a.admin.put(`/auth/apps/${app}/form`, { title: 'Newsletter', doubleOptIn: true }).expect(200);
});

const tell = async (id: string, type: 'user.created' | 'user.updated' = 'user.created') => [
  await eventOf(a, app, id, type),
];
const submit = async (email: string): Promise<string> =>
  (await a.client.submit(app, { email, data: { name: 'Ada' } }).expect(200)).body.id;
const stored = (id: string) => a.db.collection('users').findOne({ _id: parseUuid(id) as never });
const mailOf = (id: string) => a.db.collection('mails').findOne({ _id: id as never });

/** Submits, and resolves with the path of the link. */
async function link(email: string): Promise<{ id: string; path: string }> {
  const id = await submit(email);
  await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
  return { id, path: linkIn(email) };
}

function linkIn(email: string): string {
  const [, path = ''] = /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(smtp.to(email).at(-1)?.text ?? '') ?? [];
  return path;
}

describe('a confirmation email (spec 4.12)', () => {
  it('has a link to a page whose button confirms, once and for all', { tags: 'long' }, async () => {
    const { id, path } = await link('ada@example.com');
    const [mail] = smtp.to('ada@example.com');
    expect(mail?.header('subject')).toBe('Confirm your email address: Newsletter');
    expect(mail?.header('from')).toBe('Forms <forms@example.com>');
    expect(mail?.header('auto-submitted')).toBe('auto-generated');
    expect(mail?.html).toContain(`<a href="https://forms.example.com${path.replaceAll('=', '&#61;')}"`);

    // Programs that check links open them, also twice.
    for (const server of [a, b]) {
      const { text, headers } = await server.client.get(path).set(PAGE).expect(200);
      expect(text).toContain('<form class="form" method="post"><button>Confirm email address</button></form>');
      expect(headers['content-security-policy']).toContain("form-action 'self'; frame-ancestors 'none'");
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
    }
    expect(await stored(id)).not.toHaveProperty('confirmedAt');

    const { text } = await b.client.post(path).type('form').set(PAGE).expect(200);
    expect(text).toContain('Your email address is confirmed');
    const record = await stored(id);
    const confirmedAt = record?.confirmedAt;
    expect(confirmedAt).toBeInstanceOf(Date);
    expect(record).not.toHaveProperty('confirmation');
    await a.client.post(path).set(PAGE).expect(200);
    expect((await a.client.get(path).set(PAGE).expect(200)).text).toContain('Your email address is confirmed');
    expect((await stored(id))?.confirmedAt).toEqual(confirmedAt);
  });

  it('is no way to set a field of the staff', async () => {
    await a.admin.putSchema(app, { fields: CONTACT }).expect(200);
    const email = 'staff@example.com';
    const { body } = await a.client.submit(app, { email, data: { status: 'done' } }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'data.status', message: staffOnly().message }]);
    const { id } = (await a.client.submit(app, { email, data: { message: 'Hello' } }).expect(200)).body;
    await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
    const entries = { status: 'done', 'data[status]': 'done' };
    await b.client
      .post(`${linkIn(email)}`)
      .type('form')
      .send(entries)
      .set(PAGE);
    await b.client.post(linkIn(email)).type('form').set(PAGE).expect(200);
    const record = await stored(id);
    expect(record?.confirmedAt).toBeInstanceOf(Date);
    expect(record?.data).toEqual({ message: 'Hello', status: 'new' });
    // The email to the person has no value of it.
    expect(smtp.to(email)[0]?.text).not.toMatch(/new|Progress of the team/);
  });

  it('is sent once for an event, also when two servers are told it at the same time and again', async () => {
    const id = await submit('once@example.com');
    const event = await eventOf(a, app, id);
    // The relay tells it as well.
    await Promise.all([a, b, a, b].map(({ services }) => services.mailConsumer.consume([event])));
    await expect.poll(() => smtp.to('once@example.com').length, POLL).toBe(1);
    await b.services.mailConsumer.consume([event, event]);
    await submit('other@example.com');
    await expect.poll(() => smtp.to('other@example.com').length, POLL).toBe(1);
    expect(smtp.to('once@example.com')).toHaveLength(1);
    expect((await stored(id))?.confirmation.mails).toHaveLength(1);
  });

  it('is sent at most once in 24 hours and three times in all', async () => {
    const email = 'again@example.com';
    const id = await submit(email);
    const tellBoth = async () => {
      const events = await Promise.all([tell(id, 'user.updated'), tell(id, 'user.updated')]);
      await Promise.all([a, b].map(({ services }, at) => services.mailConsumer.consume(events[at] ?? [])));
    };
    await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
    const aDayLater = async (): Promise<void> => {
      const record = await stored(id);
      const mails = record?.confirmation.mails.map((mail: { at: Date }) => ({
        ...mail,
        at: new Date(mail.at.getTime() - DAY_MS),
      }));
      await a.db
        .collection('users')
        .updateOne({ _id: parseUuid(id) as never }, { $set: { 'confirmation.mails': mails } });
    };
    for (const count of [1, 2, 3, 3]) {
      await tellBoth();
      await submit(email);
      expect((await stored(id))?.confirmation.mails).toHaveLength(count);
      await expect.poll(() => smtp.to(email).length, POLL).toBe(count);
      await aDayLater();
    }
    // Each link confirms.
    await a.client.post(linkIn(email)).set(PAGE).expect(200);
    await tellBoth();
    expect((await stored(id))?.confirmation).toBeUndefined();
    expect(await a.db.collection('mails').countDocuments({ recordId: parseUuid(id) as never })).toBe(3);
  });

  it('is not sent without the setting, and not after it was removed, the record erased or the app deleted', {
    tags: 'long',
  }, async () => {
    const off = (await a.admin.buildApp()).sourceAppId;
    const { body } = await a.client.submit(off, { email: 'off@example.com' }).expect(200);
    await a.services.mailConsumer.consume([await eventOf(a, off, body.id)]);
    expect(await a.db.collection('mails').countDocuments({ recordId: parseUuid(body.id) as never })).toBe(0);

    // Planned for later, so that the reason ends before.
    const planned = async (email: string) => {
      const recordId = await insertRecord(a, app, email);
      const id = recordId.toString();
      const { _id: appId } = await appDocument(a, app);
      const _id = `confirmation:${id}:1`;
      const nextAt = new Date(Date.now() + 3_600_000);
      await a.services.mailQueue.add([{ _id, appId, purpose: 'confirmation', recordId, nextAt }]);
      return {
        id,
        due: () => a.db.collection('mails').updateOne({ _id: _id as never }, { $set: { nextAt: new Date() } }),
      };
    };
    const erased = await planned('erased@example.com');
    const changed = await planned('changed@example.com');
    await a.admin.delete(`/auth/users/${erased.id}?sourceAppId=${app}`).expect(200);
    // The event of the erasure removes it.
    await expect.poll(() => mailOf(`confirmation:${erased.id}:1`), POLL).toBeNull();
    await a.admin.put(`/auth/apps/${app}/form`, {}).expect(200);
    await changed.due();
    await expect.poll(async () => (await mailOf(`confirmation:${changed.id}:1`))?.state, POLL).toBe('dropped');

    const last = await planned('last@example.com');
    await a.admin.delete(`/auth/apps/${app}`).expect(200);
    expect(await mailOf(`confirmation:${last.id}:1`)).toBeNull();
    expect(smtp.mails.filter(({ to }) => /^(off|erased|changed|last)@/.test(to[0] ?? ''))).toEqual([]);
  });
});

describe('the language of a confirmation email', () => {
  const settings = {
    title: 'Newsletter',
    doubleOptIn: true,
    languages: ['en', 'de', 'ar'],
    timeZone: 'Europe/Berlin',
    texts: { ar: { title: 'النشرة' } },
  };
  const form = (email: string, entries: [string, string][] = []) =>
    sendForm(a.client, app, [['email', email], ...entries]);
  const received = async (email: string) => {
    await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
    return smtp.to(email)[0];
  };
  beforeEach(() => a.admin.put(`/auth/apps/${app}/form`, settings).expect(200));

  it('is that of the visitor, stored with the planned email, and so are its pages', async () => {
    await form('ar@example.com', [['_lang', 'ar']]).expect(303);
    await form('de@example.com').set('Accept-Language', 'de-AT').expect(303);
    await a.client.submit(app, { email: 'en@example.com' }).set('Accept-Language', 'de').expect(200);

    const arabic = await received('ar@example.com');
    expect(arabic?.header('subject')).toBe(`${languageOf('ar').text('confirmTitle')}: النشرة`);
    expect(arabic?.html).toContain('<html lang="ar" dir="rtl">');
    expect(arabic?.text).toContain('(Europe/Berlin)');
    expect(arabic?.text).not.toMatch(/If it was|The link is/);
    const path = linkIn('ar@example.com');
    expect(path).toMatch(/\?lang=ar$/);
    const { text } = await b.client
      .get(path)
      .set({ ...PAGE, 'Accept-Language': 'de' })
      .expect(200);
    expect(text).toContain(languageOf('ar').text('confirmButton'));
    expect((await b.client.post(path).set(PAGE).expect(200)).text).toContain(languageOf('ar').text('confirmed'));

    expect((await received('de@example.com'))?.header('subject')).toBe(
      'Bestätigen Sie Ihre E-Mail-Adresse: Newsletter',
    );
    expect((await received('en@example.com'))?.header('subject')).toBe('Confirm your email address: Newsletter');
    const planned = await a.db
      .collection('mails')
      .find({ lang: { $exists: true }, appId: (await appDocument(a, app))._id })
      .toArray();
    expect(planned.map(({ lang }) => lang).sort()).toEqual(['ar', 'de']);
  });

  it('is kept while the form is held', { tags: 'long' }, async () => {
    await form('held@example.com', [
      ['_lang', 'de'],
      ['_gotcha', 'x'],
    ]).expect(303);
    const { body } = await a.admin.get(`/auth/held?sourceAppId=${app}`).expect(200);
    await b.admin.post(`/auth/held/${body.held[0].id}/release?sourceAppId=${app}`).expect(200);
    expect((await received('held@example.com'))?.html).toContain('<html lang="de" dir="ltr">');
  });

  it('is that of the app when the app no longer offers the one of the visitor', async () => {
    const recordId = await insertRecord(a, app, 'late@example.com');
    const { _id: appId } = await appDocument(a, app);
    await a.services.mailQueue.add([
      { _id: `confirmation:${recordId}:1`, appId, purpose: 'confirmation', recordId, lang: 'fr' },
    ]);
    await form('wake@example.com').expect(303);
    const mail = await received('late@example.com');
    expect(mail?.html).toContain('<html lang="en" dir="ltr">');
  });
});

describe('a link', () => {
  it('that is wrong is 404, one that has expired is 410, and both pages say what to do', async () => {
    const { id, path } = await link('links@example.com');
    const other = (await a.admin.buildApp()).sourceAppId;
    const token = path.split('/').at(-1) ?? '';
    const flipped = `${token.slice(0, -5)}${token.at(-5) === 'A' ? 'B' : 'A'}${token.slice(-4)}`;
    const wrong = [`/f/${app}/confirm/x`, `/f/${app}/confirm/${flipped}`, `/f/${other}/confirm/${token}`];
    for (const one of [...wrong, `/f/${app}/confirm/${token}A`, `/f/${app}/confirm/%3Cscript%3E`]) {
      const { text } = await a.client.get(one).set(PAGE).expect(404);
      expect(text).toContain('This link is not valid');
      expect(text).toMatch(/<a href="\/f\/app-\d+">Open the form<\/a>/);
      expect(text).not.toContain('script>');
      await a.client.post(one).set(PAGE).expect(404);
      await a.client
        .get(one)
        .set('Accept', 'application/json')
        .expect(404, { message: 'This link is not valid', code: 'confirmationInvalid' });
    }
    expect((await a.client.get('/f/nobody/confirm/x').set(PAGE).expect(404)).text).toContain(
      'This form does not exist',
    );

    const { _id: appId } = await appDocument(a, app);
    const recordId = parseUuid(id) as NonNullable<ReturnType<typeof parseUuid>>;
    const expired = a.services.confirmations.linkPath(app, appId, { recordId, expiresAt: new Date(Date.now() - 1) });
    const { text } = await a.client.post(expired).set(PAGE).expect(410);
    expect(text).toContain('This link has expired');
    await a.client.get(expired).set(PAGE).expect(410);
    expect(await stored(id)).not.toHaveProperty('confirmedAt');

    await a.admin.delete(`/auth/users/${id}?sourceAppId=${app}`).expect(200);
    expect((await a.client.get(path).set(PAGE).expect(404)).text).toContain('This link is not valid');
    expect((await a.client.post(path).set(PAGE).expect(404)).text).toContain('This link is not valid');
  });

  it('is not valid for an app that was created again, nor with another secret', async () => {
    const { path } = await link('incarnation@example.com');
    const other = await startServer({ ...mailEnv(smtp), SESSION_SECRET: 'another secret of the tests' }, a.database);
    await other.client.get(path).set(PAGE).expect(404);
    await other.close();
    await a.admin.delete(`/auth/apps/${app}`).expect(200);
    await a.admin.post('/auth/apps', { sourceAppId: app }).expect(200);
    await a.client.get(path).set(PAGE).expect(404);
  });

  it('is in no line of the log', async () => {
    const { path } = await link('secret@example.com');
    await a.client.get(path).set(PAGE).expect(200);
    await a.client.post(`${path}?utm_source=mail`).set(PAGE).expect(200);
    const token = path.split('/').at(-1) ?? '';
    expect(token.length).toBeGreaterThan(50);
    await expect.poll(() => a.log(), POLL).toContain(`/f/${app}/confirm/:token`);
    expect(a.log()).not.toContain(token);
    expect(a.log()).not.toContain('secret@example.com');
  });

  it('is not confirmed by another site', async () => {
    const { id, path } = await link('csrf@example.com');
    await a.client
      .post(path)
      .set({ ...PAGE, Origin: 'https://evil.example' })
      .expect(403);
    expect(await stored(id)).not.toHaveProperty('confirmedAt');
    await a.client
      .post(path)
      .set({ ...PAGE, Origin: a.listener.url })
      .expect(200);
  });
});

describe('confirmedAt', () => {
  it('is shown by every endpoint that shows records, only where it exists', async () => {
    const { id, path } = await link('shown@example.com');
    const plain = await submit('plain@example.com');
    await a.client.post(path).set(PAGE).expect(200);
    const confirmedAt = new Date((await stored(id))?.confirmedAt).toISOString();
    const scope = `sourceAppId=${app}`;
    const one = await a.admin.get(`/auth/users/${id}?${scope}`).expect(200);
    expect(one.body.confirmedAt).toBe(confirmedAt);
    expect((await a.admin.get(`/auth/users/${plain}?${scope}`)).body).not.toHaveProperty('confirmedAt');
    for (const list of [
      `/auth/users?${scope}`,
      `/auth/admin/users?${scope}`,
      `/auth/users/export?format=json&${scope}`,
    ]) {
      const { body } = await a.admin.get(list).expect(200);
      const users = body.users ?? body;
      expect(users.map((user: object) => Object.entries(user).at(-1)?.[0])).toEqual(['updatedAt', 'confirmedAt']);
      expect(users[1].confirmedAt).toBe(confirmedAt);
    }
    const csv = await a.admin.get(`/auth/users/export?${scope}`).expect(200);
    const [header, first, second] = csv.text.split('\r\n');
    expect(header).toBe('id,email,schemaVersion,createdAt,updatedAt,confirmedAt,data.name,other');
    expect(first?.split(',')[5]).toBe('');
    expect(second?.split(',')[5]).toBe(confirmedAt);
    const { body } = await a.admin.get(`/auth/users?where=confirmedAt:exists:true&${scope}`).expect(200);
    expect(body.users.map((user: { id: string }) => user.id)).toEqual([id]);
    const edited = await a.admin.patch(`/auth/users/${id}?${scope}`, { set: { name: 'Eve' } }).expect(200);
    expect(edited.body.confirmedAt).toBe(confirmedAt);
    // A later submission keeps it.
    await submit('shown@example.com');
    expect((await stored(id))?.confirmedAt.toISOString()).toBe(confirmedAt);

    await a.admin.put(`/auth/apps/${app}/form`, {}).expect(200);
    const off = await a.admin.get(`/auth/users/export?${scope}`).expect(200);
    expect(off.text.split('\r\n')[0]).toBe('id,email,schemaVersion,createdAt,updatedAt,data.name,other');
  });
});

describe('the settings', () => {
  const put = (server: TestServer, settings: object) => server.admin.put(`/auth/apps/${app}/form`, settings);
  const notify = { emails: ['Team@Example.com ', 'team@example.com', 'two@example.com'], when: 'each' };

  it('are normalized, and absent when they are unset', async () => {
    const { body } = await put(a, { notify, doubleOptIn: true }).expect(200);
    expect(body.notify).toEqual({ emails: ['team@example.com', 'two@example.com'], when: 'each' });
    expect(body.doubleOptIn).toBe(true);
    expect((await put(b, body).expect(200)).body).toEqual(body);
    for (const unset of [
      {},
      { notify: null, doubleOptIn: null },
      { notify: { ...notify, emails: [] }, doubleOptIn: false },
    ]) {
      const { body: without } = await put(a, unset).expect(200);
      expect(without).not.toHaveProperty('notify');
      expect(without).not.toHaveProperty('doubleOptIn');
    }
    expect(DEFAULT_FORM_SETTINGS).not.toHaveProperty('notify');
  });

  it.each([
    [{ notify: { emails: ['no address'], when: 'each' } }, 'notify.emails.0'],
    [{ notify: { emails: ['a@x.org\r\nBcc: b@x.org'], when: 'each' } }, 'notify.emails.0'],
    [{ notify: { emails: Array.from({ length: 11 }, (_, n) => `u${n}@x.org`), when: 'each' } }, 'notify.emails'],
    [{ notify: { emails: ['a@x.org'], when: 'weekly' } }, 'notify.when'],
    [{ notify: { emails: ['a@x.org'] } }, 'notify.when'],
    [{ notify: { emails: ['a@x.org'], when: 'each', cc: [] } }, 'notify.cc'],
    [{ doubleOptIn: 'yes' }, 'doubleOptIn'],
  ])('refuse %j', async (settings, place) => {
    const { body } = await put(a, settings).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toContain(place);
  });

  it('are refused by a server that cannot send what they need, and the reason is shown before', {
    tags: 'long',
  }, async () => {
    const without = await startServer({}, a.database);
    const noLinks = await startServer(mailEnv(smtp, ''), a.database);
    expect((await a.admin.get('/auth/mail').expect(200)).body).toEqual({ mail: true, links: true });
    expect((await without.admin.get('/auth/mail').expect(200)).body).toEqual({ mail: false, links: false });
    expect((await noLinks.admin.get('/auth/mail').expect(200)).body).toEqual({ mail: true, links: false });
    await a.client.get('/auth/mail').expect(401);

    const refused = await put(without, { notify, doubleOptIn: true }).expect(400);
    const message = 'needs a server that sends email: SMTP_URL is not set';
    expect(refused.body.errors).toEqual([
      { path: 'notify', message, code: 'needsMail' },
      { path: 'doubleOptIn', message, code: 'needsMail' },
    ]);
    const { body } = await put(noLinks, { notify, doubleOptIn: true }).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['doubleOptIn']);
    expect(body.errors[0].message).toContain('PUBLIC_URL');
    await put(noLinks, { notify }).expect(200);
    await put(without, { title: 'Still changes' }).expect(200);
    await noLinks.close();
    await without.close();
  });
});
