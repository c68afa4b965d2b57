import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { ALL_APPS } from '../../src/features/people/suppressions.ts';
import { parseUuid } from '../../src/platform/database/ordered-ids.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { mailEnv, type TestSmtp } from '../support/peers/smtp.ts';
import { sendForm } from '../support/server/forms.ts';
import { eventOf, insertRecord } from '../support/server/mail-events.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const POLL = { timeout: 30_000, interval: 20 };
const HOUR_MS = 3_600_000;
const LINK = 'https://evil.example/win';

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', label: 'Name', kind: 'text', required: false },
  { key: 'notes', label: 'Notes', kind: 'array', required: false },
  { key: 'seats', label: 'Seats', kind: 'number', required: false },
  { key: 'day', label: 'Day', kind: 'date', required: false },
  { key: 'news', label: 'News', kind: 'checkbox', required: false },
  {
    key: 'topic',
    label: 'Topic',
    kind: 'select',
    required: false,
    enum: ['red', 'blue'],
    enumLabelsByLanguage: { de: { red: 'Rot' } },
  },
  { key: 'meals', label: 'Meals', kind: 'multiselect', required: false, enum: ['lunch', 'dinner'] },
  {
    key: 'state',
    label: 'State',
    kind: 'select',
    required: false,
    enum: ['new', 'done'],
    writers: 'staff',
    default: 'new',
  },
];
const INCLUDE = FIELDS.map(({ key }) => key);
const TEXT = `Hello,

we have your entry of {email}.
${INCLUDE.map((key) => `${key}: {${key}}`).join('\n')}

Bye`;
const REPLY = { when: 'each', subject: 'Thank you', text: TEXT, include: INCLUDE };

let servers: MailServers;
let smtp: TestSmtp;
let a: TestServer;
let b: TestServer;
let app: string;
beforeAll(async () => {
  servers = await startMailServers();
  ({ smtp, a, b } = servers);
});
afterAll(() => servers.close());
beforeEach(async () => {
  app = (await a.admin.buildApp()).sourceAppId;
  await a.admin.putSchema(app, { fields: FIELDS }).expect(200);
});

const put = (settings: object, server = a) => server.admin.put(`/auth/apps/${app}/form`, settings);
const submit = async (email: string, data: object = {}): Promise<string> =>
  (await b.client.submit(app, { email, data }).expect(200)).body.id;
const mailsOf = (id: string) =>
  a.db
    .collection('mails')
    .find({ recordId: parseUuid(id) as never, purpose: 'reply' })
    .toArray();
const sent = async (email: string, count = 1) => {
  await expect.poll(() => smtp.to(email).length, POLL).toBe(count);
  const mail = smtp.to(email).at(-1);
  if (!mail) throw new Error('no email');
  return mail;
};
/** Resolves when all events so far are relayed. */
const relayed = () =>
  expect.poll(() => a.db.collection('users').countDocuments({ 'outbox.0': { $exists: true } }), POLL).toBe(0);
/** Lets time pass for the replies to a record. */
async function pass(id: string, ms: number): Promise<void> {
  for (const { _id, createdAt, nextAt } of await mailsOf(id)) {
    const moved = { createdAt: new Date(createdAt.getTime() - ms), nextAt: new Date(nextAt.getTime() - ms) };
    await a.db.collection('mails').updateOne({ _id }, { $set: moved });
  }
}

describe('the settings of a reply (spec 4.5.1)', () => {
  it('are stored and returned, and absent while unset', async () => {
    expect((await put({}).expect(200)).body).not.toHaveProperty('reply');
    const reply = { ...REPLY, texts: { de: { subject: 'Danke', text: 'Hallo {email}' } } };
    expect((await put({ reply }).expect(200)).body.reply).toEqual(reply);
    const { body } = await b.admin.get(`/auth/apps/${app}/form`).expect(200);
    expect(body.reply).toEqual(reply);
    expect((await put(body).expect(200)).body.reply).toEqual(reply);
    const plain = { when: 'created', subject: 'Thank you', text: 'Hello' };
    expect((await put({ reply: { ...plain, texts: {}, include: [] } }).expect(200)).body.reply).toEqual(plain);
    expect((await put({ reply: null }).expect(200)).body).not.toHaveProperty('reply');
    expect((await appDocument(a, app)).consumers ?? []).toEqual([]);
  });

  it.each([
    ['an unknown placeholder', { text: 'Hello {name}' }, 'reply.text', 'notPlaceholder'],
    ['an empty placeholder', { text: 'Hello {}' }, 'reply.text', 'notPlaceholder'],
    ['a placeholder in the subject', { subject: 'For {email}' }, 'reply.subject', 'placeholderInSubject'],
    [
      'an unknown placeholder of a translation',
      { texts: { de: { subject: 'Danke', text: '{nix}' } } },
      'reply.texts.de.text',
      'notPlaceholder',
    ],
    [
      'a placeholder in a translated subject',
      { texts: { de: { subject: '{email}', text: 'Danke' } } },
      'reply.texts.de.subject',
      'placeholderInSubject',
    ],
    ['another time', { when: 'daily' }, 'reply.when', 'notThis'],
    ['a name that is no key', { include: ['a-b'] }, 'reply.include.0', 'notFieldKey'],
    ['a key that is no field', { include: ['name', 'name', 'nmae'] }, 'reply.include.2', 'unknownField'],
  ])('refuse %s', async (_, part, path, code) => {
    const reply = { when: 'created', subject: 'Thank you', text: 'Hello', ...part };
    const { body } = await put({ reply }).expect(400);
    expect(body.errors).toMatchObject([{ path, code }]);
  });

  it('keep the key of a field that was removed since', async () => {
    const reply = { ...REPLY, include: [...INCLUDE, 'name'] };
    const { body } = await put({ reply }).expect(200);
    expect(body.reply.include).toEqual(INCLUDE);
    await a.admin.putSchema(app, { fields: FIELDS.slice(1) }).expect(200);
    expect((await put(body, b).expect(200)).body.reply).toEqual(body.reply);
    await put({ reply: { when: 'created', subject: 'Thank you', text: 'Hello' } }).expect(200);
    expect((await put(body).expect(400)).body.errors).toMatchObject([
      { path: 'reply.include.0', code: 'unknownField' },
    ]);
  });

  it('are refused by a server that sends no email', async () => {
    const silent = await startServer({}, a.database);
    try {
      const { body } = await put({ reply: REPLY }, silent).expect(400);
      expect(body.errors).toMatchObject([{ path: 'reply', code: 'needsMail' }]);
    } finally {
      await silent.close();
    }
  });
});

describe('a reply (spec 4.12)', () => {
  it('has the headers of an answer, plain text and HTML', { tags: 'long' }, async () => {
    const notify = { emails: ['team@example.com', 'other@example.com'], when: 'daily' };
    await put({ title: 'Fair <b>', notify, reply: REPLY }).expect(200);
    const values = { seats: 2, day: '2026-05-01', news: true, topic: 'blue', meals: ['lunch', 'dinner'] };
    await submit('ada@example.com', values);
    const mail = await sent('ada@example.com');
    expect(mail.header('auto-submitted')).toBe('auto-replied');
    expect(mail.header('x-auto-response-suppress')).toBe('All');
    expect(mail.header('reply-to')).toBe('team@example.com');
    expect(mail.header('subject')).toBe('Thank you');
    expect(mail.text).toBe(`Thank you

Hello,

we have your entry of ada@example.com.
seats: 2
day: 2026-05-01
news: ✓
topic: blue
meals: lunch, dinner

Bye

Someone entered this email address in a form: Fair <b>
`);
    expect(mail.html).toContain('Fair &#60;b&#62;');
    expect(mail.html).not.toContain('<b>');
    expect(mail.html).toContain('pre-line');
  });

  it('has no Reply-To without addresses of operators', async () => {
    await put({ reply: REPLY }).expect(200);
    await submit('plain@example.com');
    expect((await sent('plain@example.com')).header('reply-to')).toBeUndefined();
  });

  it('is in the language of the person', async () => {
    const texts = { de: { subject: 'Danke', text: 'Thema: {topic}' } };
    await put({ languages: ['de', 'fr'], reply: { ...REPLY, texts } }).expect(200);
    const entries = { email: 'de@example.com', topic: 'red', _lang: 'de' };
    await sendForm(a.client, app, Object.entries(entries)).expect(303);
    const mail = await sent('de@example.com');
    expect(mail.header('subject')).toBe('Danke');
    expect(mail.text).toContain('Thema: Rot\n');
    expect(mail.text).toContain('in ein Formular');
    expect(mail.html).toContain('<html lang="de"');
  });

  it('sends no words of a stranger, and leaves their lines out', async () => {
    await put({ reply: REPLY }).expect(200);
    const email = 'victim@example.com';
    await submit(email, { name: `Win: ${LINK}`, notes: [LINK, { text: LINK }], seats: 3 });
    const { raw, text, html } = await sent(email);
    expect(text).toContain('seats: 3');
    for (const content of [raw, text, html]) expect(content).not.toMatch(/evil|name:|notes:|state:/);
    // A part of an address that its mailbox ignores.
    const worded = 'victim+evil.example/win@example.com';
    await submit(worded);
    const other = await sent(worded);
    expect(other.text).not.toContain('evil');
    expect(other.html).not.toContain('evil');
  });

  it('sends no text of a field that had another kind', async () => {
    const kinds = ['number', 'date', 'checkbox', 'select', 'multiselect'] as const;
    const before = kinds.map((key) => ({ key, label: key, kind: 'text' as const, required: false }));
    await a.admin.putSchema(app, { fields: before }).expect(200);
    const id = await submit('kinds@example.com', Object.fromEntries(kinds.map((kind) => [kind, LINK])));
    const after = kinds.map((key): FieldDefinitionInput => {
      const field = { key, label: key, required: false };
      return key === 'select' || key === 'multiselect'
        ? { ...field, kind: key, enum: ['red'] }
        : { ...field, kind: key };
    });
    await a.admin.putSchema(app, { fields: after }).expect(200);
    await put({ reply: { ...REPLY, text: `Hi\n${kinds.map((kind) => `{${kind}}`).join('\n')}`, include: kinds } });
    expect(await submit('kinds@example.com')).toBe(id);
    expect((await sent('kinds@example.com')).raw).not.toContain('evil');
  });

  it('sends texts to an address that confirmed itself, as text and cut at 500 characters', {
    tags: 'long',
  }, async () => {
    await put({ doubleOptIn: true, reply: REPLY }).expect(200);
    const email = 'sure+1@example.com';
    const id = await submit(email, { name: 'Ada' });
    await sent(email, 2);
    const mails = smtp.to(email);
    expect(mails.map(({ text }) => text).join()).not.toContain('Ada');
    const link = mails.map(({ text }) => /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(text)?.[1]).find(Boolean);
    await a.client
      .post(link ?? '')
      .set('Accept', 'text/html')
      .expect(200);
    await pass(id, 2 * HOUR_MS);
    await submit(email, { name: `<i>{email}</i>\r\n${'x'.repeat(600)}`, notes: ['one', { two: 2 }] });
    const { text, html } = await sent(email, 3);
    expect(text).toContain(`we have your entry of ${email}.\n`);
    expect(text).toContain(`name: <i>{email}</i> ${'x'.repeat(500 - 15 - 1)}…\n`);
    expect(text).toContain('notes: one, 2\n');
    expect(html).toContain('&#60;i&#62;{email}&#60;/i&#62;');
  });
});

describe('the time of a reply (spec 4.12)', () => {
  it('is after the creation only, or after each submission', async () => {
    await put({ reply: { ...REPLY, when: 'created' } }).expect(200);
    const id = await submit('first@example.com');
    await sent('first@example.com');
    await pass(id, 2 * HOUR_MS);
    await submit('first@example.com', { seats: 1 });
    await relayed();
    expect(await mailsOf(id)).toHaveLength(1);
    await put({ reply: REPLY }).expect(200);
    await submit('first@example.com', { seats: 2 });
    expect((await sent('first@example.com', 2)).text).toContain('seats: 2');
  });

  it('has a message id of its own after the earlier reply was removed', async () => {
    await put({ reply: REPLY }).expect(200);
    const id = await submit('regular@example.com');
    await sent('regular@example.com');
    await expect.poll(async () => (await mailsOf(id))[0]?.state, POLL).toBe('sent');
    await a.db.collection('mails').deleteMany({ recordId: parseUuid(id) as never });
    await submit('regular@example.com', { seats: 1 });
    await sent('regular@example.com', 2);
    expect(new Set(smtp.to('regular@example.com').map((mail) => mail.header('message-id'))).size).toBe(2);
  });

  it('is not after a change by an operator', async () => {
    const id = await submit('edit@example.com');
    await put({ reply: REPLY }).expect(200);
    await a.admin.patch(`/auth/users/${id}?sourceAppId=${app}`, { set: { seats: 9 } }).expect(200);
    await relayed();
    expect(await mailsOf(id)).toEqual([]);
  });

  it('of a held submission is after its release', async () => {
    await put({ reply: REPLY }).expect(200);
    const email = 'held@example.com';
    const entries = { email, _gotcha: 'x' };
    await sendForm(a.client, app, Object.entries(entries)).expect(303);
    const { body } = await a.admin.get(`/auth/held?sourceAppId=${app}`).expect(200);
    expect(body.held).toHaveLength(1);
    await relayed();
    expect(await a.db.collection('mails').countDocuments({ appId: (await appDocument(a, app))._id })).toBe(0);
    await a.admin.post(`/auth/held/${body.held[0].id}/release?sourceAppId=${app}`, {}).expect(200);
    await sent(email);
  });

  it('is at most once an hour and 5 times a day for an address', { tags: 'long' }, async () => {
    await put({ reply: REPLY }).expect(200);
    const email = 'often@example.com';
    const id = await submit(email);
    await sent(email);
    for (const count of [2, 3, 4, 5, 5]) {
      await submit(email, { seats: count });
      await relayed();
      expect(await mailsOf(id)).toHaveLength(count === 5 && smtp.to(email).length === 5 ? 5 : count - 1);
      await pass(id, HOUR_MS + 3 * 60_000);
      await submit(email, { seats: count });
      await sent(email, count);
    }
    await pass(id, 24 * HOUR_MS);
    await submit(email, { seats: 6 });
    await sent(email, 6);
  });

  it('is once for an event, also when two servers are told it at the same time and again', async () => {
    await put({ reply: REPLY }).expect(200);
    const id = await insertRecord(a, app, 'once@example.com');
    const event = { ...(await eventOf(a, app, id)), reply: true as const };
    const other = { ...(await eventOf(a, app, id, 'user.updated')), reply: true as const };
    await Promise.all([a, b, a, b].map(({ services }, at) => services.mailConsumer.consume([at < 2 ? event : other])));
    await sent('once@example.com');
    await pass(id.toString(), 2 * HOUR_MS);
    const [planned] = await mailsOf(id.toString());
    await b.services.mailConsumer.consume([planned?.event === event.id ? event : other]);
    expect(await mailsOf(id.toString())).toHaveLength(1);
  });

  it('is within the limits of an app and of all apps', { tags: 'long' }, async () => {
    const first = app;
    const second = (await a.admin.buildApp()).sourceAppId;
    const mailLimits = { replies: 2, allReplies: 3 };
    const limited = await startServer(mailEnv(smtp), undefined, { mailLimits });
    try {
      const apps = [];
      for (let number = 0; number < 2; number += 1) {
        const { sourceAppId } = await limited.admin.buildApp({ fields: FIELDS });
        await limited.admin
          .put(`/auth/apps/${sourceAppId}/form`, { reply: { ...REPLY, include: INCLUDE } })
          .expect(200);
        for (let person = 0; person < 3; person += 1) {
          const id = await insertRecord(limited, sourceAppId, `limit${person}@${sourceAppId.toLowerCase()}.example`);
          const event = { ...(await eventOf(limited, sourceAppId, id)), reply: true as const };
          await limited.services.mailConsumer.consume([event]);
        }
        apps.push((await appDocument(limited, sourceAppId))._id);
      }
      const counts = apps.map((appId) => limited.db.collection('mails').countDocuments({ appId, purpose: 'reply' }));
      expect(await Promise.all(counts)).toEqual([2, 1]);
    } finally {
      await limited.close();
    }
    expect(first).not.toBe(second);
  });
});

describe('no reply (spec 4.12)', () => {
  async function makeDue(id: string): Promise<void> {
    const ofRecord = { recordId: parseUuid(id) as never };
    await a.db.collection('mails').updateOne(ofRecord, { $set: { nextAt: new Date() } });
    for (const { services } of [a, b]) services.jobs.wake('mails');
  }
  const stateOf = async (id: string) => (await mailsOf(id)).map(({ state }) => state);

  it.each(['mailer-daemon@example.com', 'no-reply@example.com', 'list-request@example.com', 'owner-list@example.com'])(
    'goes to %s',
    async (email) => {
      await put({ reply: REPLY }).expect(200);
      const id = await submit(email);
      await expect.poll(() => stateOf(id), POLL).toEqual(['dropped']);
      expect(smtp.to(email)).toEqual([]);
    },
  );

  it('goes to a suppressed person', async () => {
    await put({ reply: REPLY }).expect(200);
    const { suppressions } = a.services;
    await suppressions.add((await appDocument(a, app))._id, 'one@suppressed.example');
    await suppressions.add(ALL_APPS, 'two@suppressed.example');
    for (const email of ['one@suppressed.example', 'two@suppressed.example']) {
      const id = await submit(email);
      await expect.poll(() => stateOf(id), POLL).toEqual(['dropped']);
      expect(smtp.to(email)).toEqual([]);
    }
  });

  it('goes to an address that refused an email at once, and another failure does not count', async () => {
    await put({ reply: REPLY }).expect(200);
    const email = 'refuses@example.com';
    let isAsked = 0;
    smtp.options.onRecipient = (address) => {
      if (address !== email) return undefined;
      isAsked += 1;
      return { status: isAsked === 1 ? 451 : 550 };
    };
    const id = await submit(email);
    await expect.poll(() => isAsked, POLL).toBe(1);
    await expect.poll(async () => (await mailsOf(id))[0]?.reason, POLL).toBe('EENVELOPE 451');
    await makeDue(id);
    await expect.poll(() => stateOf(id), POLL).toEqual(['failed']);
    delete smtp.options.onRecipient;
    await pass(id, 2 * HOUR_MS);
    await submit(email, { seats: 1 });
    await expect.poll(() => stateOf(id), POLL).toEqual(['failed', 'dropped']);
    expect(smtp.to(email)).toEqual([]);
  });

  it('is sent after the setting was unset, or the person erased', async () => {
    await put({ reply: REPLY }).expect(200);
    smtp.options.onRecipient = () => ({ status: 451 });
    const [kept, erased] = [await submit('late@example.com'), await submit('erased@example.com')];
    for (const id of [kept, erased]) {
      await expect.poll(async () => (await mailsOf(id))[0]?.reason, POLL).toBe('EENVELOPE 451');
    }
    delete smtp.options.onRecipient;
    await a.admin.delete(`/auth/users/${erased}?sourceAppId=${app}`).expect(200);
    await expect.poll(() => stateOf(erased), POLL).toEqual([]);
    await put({}).expect(200);
    await makeDue(kept);
    await expect.poll(() => stateOf(kept), POLL).toEqual(['dropped']);
    expect([...smtp.to('late@example.com'), ...smtp.to('erased@example.com')]).toEqual([]);
  });
});
