import { type Document, UUID } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestSmtp } from '../support/peers/smtp.ts';
import { Client } from '../support/server/client.ts';
import { sendForm } from '../support/server/forms.ts';
import { createKey } from '../support/server/keys.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';
import { rename } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { CONTACT, staffOnly } from '../support/server/staff-fields.ts';
import { CV, pdfOf, upload } from '../support/server/uploads.ts';

const POLL = { timeout: 30_000, interval: 20 };
const PAGE = { Accept: 'text/html' };
const OK = { ok: true };

let smtp: TestSmtp;
let a: TestServer;
let b: TestServer;
let servers: MailServers;
beforeAll(async () => {
  servers = await startMailServers();
  ({ smtp, a, b } = servers);
});
afterAll(() => servers.close());

let app: string;
let operator: Client;
const ADA = 'ada@example.com';

const set = (settings: object) => a.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
const send = (email: string, data: object, key?: string, server = a) => {
  const request = server.client.submit(app, { email, data });
  return key === undefined ? request : request.set('Idempotency-Key', key);
};
const recordOf = (email: string): Promise<Document | null> =>
  a.db.collection('users').findOne({ sourceAppId: app, email });
const waiting = (email: string) => a.db.collection('held_submissions').find({ email, reason: 'confirm' }).toArray();
const rows = async (): Promise<{ email: string; data: object; created: boolean; userId: string; id: string }[]> =>
  (await operator.get('/auth/submissions').expect(200)).body.submissions;

/** A new app that keeps submissions, with a record that strangers must not change. */
async function build(settings: object, { fields = [{ key: 'name', kind: 'text' }] as object[] } = {}) {
  const built = await a.admin.buildApp({ fields: fields as never });
  app = built.sourceAppId;
  operator = await new Client(b.client.url).logIn(app, built.password);
  await a.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
  await send(ADA, { name: 'Ada' }).expect(200);
  await set(settings);
}

/** What must be alike of two answers, without what names the time, the request and the email. */
function answer({ status, headers, text }: { status: number; headers: Record<string, string>; text: string }) {
  const { date: _, 'x-request-id': __, ...rest } = headers;
  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  return { status, headers: rest, text: text.replaceAll(/(ada|bob|eve)@example\.com/g, '').replaceAll(uuid, '') };
}

describe('the settings of known people (spec 4.5.5)', () => {
  beforeEach(async () => {
    app = (await a.admin.buildApp()).sourceAppId;
  });

  it('are absent until they are set, and stay as they were sent', { tags: 'long' }, async () => {
    expect((await set({})).body).not.toHaveProperty('existing');
    expect((await set({ existing: 'update' })).body).not.toHaveProperty('existing');
    expect((await set({ existing: null, receipt: null })).body).not.toHaveProperty('receipt');
    for (const settings of [{ existing: 'keep' }, { existing: 'confirm', receipt: true }, { receipt: false }]) {
      const { body } = await set(settings);
      expect(body).toMatchObject(settings);
      const read = (await b.admin.get(`/auth/apps/${app}/form`).expect(200)).body;
      expect(read).toEqual(body);
      expect((await set(read)).body).toEqual(body);
    }
  });

  it('refuse other values', async () => {
    const { body } = await a.admin.put(`/auth/apps/${app}/form`, { existing: 'ask', receipt: 'no' }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'existing' }, { path: 'receipt' }]);
  });

  it('need a server that sends emails with links, for `confirm` only', async () => {
    const mute = await startServer({}, a.database);
    try {
      const { body } = await mute.admin.put(`/auth/apps/${app}/form`, { existing: 'confirm' }).expect(400);
      expect(body.errors).toMatchObject([{ path: 'existing', code: 'needsMail' }]);
      await mute.admin.put(`/auth/apps/${app}/form`, { existing: 'keep' }).expect(200);
    } finally {
      await mute.close();
    }
  });
});

describe('`keep` (spec 4.5.5)', () => {
  it('asks an address again to confirm itself, until it did, as often as other submissions do', {
    tags: 'long',
  }, async () => {
    await build({ existing: 'keep', doubleOptIn: true });
    const email = `again-${app}@example.com`;
    const count = () => smtp.to(email).length;
    const planned = async () => (await recordOf(email))?.confirmation?.mails;
    const dayLater = async () => {
      const mails = (await planned()).map((mail: { at: Date }) => ({
        ...mail,
        at: new Date(mail.at.getTime() - 24 * 3_600_000),
      }));
      await a.db.collection('users').updateOne({ email }, { $set: { 'confirmation.mails': mails } });
    };
    await send(email, { name: 'Eve' }, 'first').expect(200);
    await expect.poll(count, POLL).toBe(1);
    await send(email, { name: 'Eve' }).expect(200);
    expect(await planned()).toHaveLength(1);
    await dayLater();
    // A repeat of the first one is none.
    await send(email, { name: 'Eve' }, 'first', b).expect(200);
    expect(await planned()).toHaveLength(1);
    await send(email, { name: 'Mallory' }, 'second').expect(200);
    await expect.poll(count, POLL).toBe(2);
    await dayLater();
    await send(email, { name: 'Mallory' }, 'second', b).expect(200);
    expect(await planned()).toHaveLength(2);
    expect((await recordOf(email))?.data).toEqual({ name: 'Eve' });
    await a.client.post(linkIn(email)).set(PAGE).expect(200);
    await send(email, { name: 'Mallory' }, 'third').expect(200);
    const recordId = (await recordOf(email))?._id;
    expect(await a.db.collection('mails').countDocuments({ recordId, purpose: 'confirmation' })).toBe(2);
  });

  it('changes nothing but the inbox, and is answered as a success', { tags: 'long' }, async () => {
    await build({ existing: 'keep' });
    const before = await recordOf(ADA);
    expect((await send(ADA, { name: 'Mallory' }).expect(200)).body).toEqual(OK);
    expect((await send(ADA, { name: 'Eve' }, undefined, b).expect(200)).body).toEqual(OK);
    // The outbox only empties.
    const { outbox: _, ...was } = before ?? {};
    const { outbox: __, ...is } = (await recordOf(ADA)) ?? {};
    expect(is).toEqual(was);
    await expect
      .poll(async () => (await rows()).map(({ data }) => data), POLL)
      .toEqual([{ name: 'Eve' }, { name: 'Mallory' }, { name: 'Ada' }]);
    expect(await rows()).toMatchObject([{ created: false }, { created: false }, { created: true }]);
    expect(new Set((await rows()).map(({ userId }) => userId)).size).toBe(1);
  });

  it('stores the record of a new person, once under any concurrency', async () => {
    await build({ existing: 'keep' });
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, at) => send('new@example.com', { name: `${at}` }, undefined, at % 2 ? a : b)),
    );
    expect(all.map(({ status, body }) => [status, body])).toEqual(all.map(() => [200, OK]));
    expect(await a.db.collection('users').countDocuments({ sourceAppId: app })).toBe(2);
    const kept = async () => (await rows()).filter(({ email }) => email === 'new@example.com');
    await expect.poll(async () => (await kept()).length, POLL).toBe(8);
    expect((await kept()).filter(({ created }) => created)).toHaveLength(1);
  });

  it('keeps a repeat with the same key once, on any server, and refuses the key with other data', {
    tags: 'long',
  }, async () => {
    await build({ existing: 'keep' });
    for (const email of [ADA, 'new@example.com']) {
      const repeats = [a, b, a, b].map((server) => send(email, { name: 'Once' }, 'the-key', server));
      expect((await Promise.all(repeats)).map(({ body }) => body)).toEqual([OK, OK, OK, OK]);
      await send(email, { name: 'Once' }, 'the-key', b).expect(200);
      await send(email, { name: 'Twice' }, 'the-key', b).expect(422);
      const kept = async () => (await rows()).filter((row) => row.email === email && 'name' in row.data);
      await expect.poll(async () => (await kept()).length, POLL).toBe(email === ADA ? 2 : 1);
    }
    expect(await recordOf(ADA)).toMatchObject({ data: { name: 'Ada' } });
  });

  it('keeps repeats that arrive at once once', { tags: 'long' }, async () => {
    await build({ existing: 'keep' });
    for (let round = 0; round < 15; round += 1) {
      const repeats = Array.from({ length: 8 }, (_, at) => send(ADA, { name: 'Once' }, `${round}`, at % 2 ? a : b));
      expect((await Promise.all(repeats)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    }
    await expect.poll(async () => (await rows()).filter(({ created }) => !created).length, POLL).toBe(15);
  });

  it('completes by a repeat what a stopped server left between the key and the inbox', async () => {
    await build({ existing: 'keep' });
    await send(ADA, { name: 'Late' }, 'stopped').expect(200);
    await expect.poll(async () => (await rows()).length, POLL).toBe(2);
    const [entry] = await rows();
    await a.db.collection('submissions').deleteOne({ _id: new UUID(entry?.id) as never });
    await send(ADA, { name: 'Late' }, 'stopped', b).expect(200);
    await send(ADA, { name: 'Late' }, 'stopped', a).expect(200);
    expect((await rows()).map(({ id }) => id)).toContain(entry?.id);
    expect(await rows()).toHaveLength(2);
  });

  it('repeats the key of a record whose keys were moved out', { tags: 'long' }, async () => {
    await build({ existing: 'keep' });
    for (let at = 0; at < 130; at += 26) {
      const some = Array.from({ length: 26 }, (_, next) => send(ADA, { name: `${at + next}` }, `key-${at + next}`));
      for (const { status } of await Promise.all(some)) expect(status).toBe(200);
    }
    expect((await recordOf(ADA))?.keyEpoch).toBeGreaterThan(0);
    await send(ADA, { name: '0' }, 'key-0', b).expect(200);
    await send(ADA, { name: 'other' }, 'key-0', b).expect(422);
    const kept = { sourceAppId: app, email: ADA };
    await expect.poll(() => a.db.collection('submissions').countDocuments(kept), POLL).toBe(131);
  });

  it('is in the inbox of a record that has no event yet', async () => {
    const { sourceAppId, password } = await a.admin.buildApp();
    app = sourceAppId;
    operator = await new Client(b.client.url).logIn(app, password);
    await send(ADA, {}).expect(200);
    await a.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
    await set({ existing: 'keep' });
    await send(ADA, { note: 'again' }).expect(200);
    expect(await rows()).toMatchObject([{ email: ADA, revision: 0, created: false, data: { note: 'again' } }]);
  });

  it('stores nothing beside the record for an app that keeps no submissions', async () => {
    await build({ existing: 'keep' });
    await a.admin.put(`/auth/apps/${app}/history`, { submissions: false }).expect(200);
    const before = await recordOf(ADA);
    await send(ADA, { name: 'Mallory' }).expect(200);
    expect(await recordOf(ADA)).toMatchObject({ data: { name: 'Ada' }, updatedAt: before?.updatedAt });
    expect(await a.db.collection('submissions').countDocuments({ sourceAppId: app, 'data.name': 'Mallory' })).toBe(0);
  });

  it('does not ask staff: keys with `users:write`, and operators who release a held submission', async () => {
    await build({ existing: 'keep' });
    const writer = await createKey(a, operator, ['submit', 'users:write']);
    const { body } = await writer.send('post', '/v1/users', { email: ADA, data: { name: 'By key' } }).expect(200);
    expect(body).toHaveProperty('id');
    expect((await recordOf(ADA))?.data).toEqual({ name: 'By key' });
    const sender = await createKey(a, operator, ['submit']);
    const asked = await sender.send('post', '/v1/users', { email: ADA, data: { name: 'No' } }).expect(200);
    expect(asked.body).toEqual(OK);
    expect((await recordOf(ADA))?.data).toEqual({ name: 'By key' });

    const trapped = await sendForm(a.client, app, Object.entries({ email: ADA, name: 'Held', _gotcha: 'x' }))
      .set('Accept', 'application/json')
      .expect(200);
    expect(trapped.body).toEqual(OK);
    const { held } = (await operator.get('/auth/held').expect(200)).body;
    expect(held).toMatchObject([{ email: ADA, reason: 'honeypot' }]);
    await operator.post(`/auth/held/${held[0].id}/release`).expect(200);
    expect((await recordOf(ADA))?.data).toEqual({ name: 'Held' });
  });
});

describe('answers without a receipt (spec 4.5.5)', () => {
  it.each([{ existing: 'keep' }, { existing: 'confirm' }, { receipt: false }])(
    'tell nothing of whether an email is known: %j',
    { tags: 'long' },
    async (settings) => {
      await build({ ...settings, origins: ['https://www.example.com'], next: 'https://www.example.com/thanks' });
      const asks: Record<string, (email: string) => PromiseLike<Answer>> = {
        users: (email) => send(email, { name: 'X' }),
        'users with a key': (email) => send(email, { name: 'X' }, 'key'),
        'users with the key again': (email) => send(email, { name: 'X' }, 'key'),
        'users with the key and other data': (email) => send(email, { name: 'Y' }, 'key'),
        'users with wrong data': (email) => send(email, { name: 1 }),
        'JSON form': (email) => a.client.post(`/v1/forms/${app}`, { email, data: { name: 'X' } }),
        'page of a form': (email) => sendForm(a.client, app, Object.entries({ email, name: 'X' })).set(PAGE),
        'JSON of a form': (email) =>
          sendForm(a.client, app, Object.entries({ email, name: 'X' })).set('Accept', 'application/json'),
        honeypot: (email) => sendForm(a.client, app, Object.entries({ email, name: 'X', _gotcha: 'x' })).set(PAGE),
      };
      for (const [name, ask] of Object.entries(asks)) {
        const known = answer(await ask(ADA));
        expect([name, answer(await ask('bob@example.com'))]).toEqual([name, known]);
        if (known.status === 200) expect(JSON.parse(known.text)).toEqual(OK);
      }
      // Full: known people are refused as new ones are.
      const now = await a.db.collection('users').countDocuments({ sourceAppId: app });
      await set({ ...settings, maxRecords: now });
      for (const name of ['users', 'JSON form', 'page of a form']) {
        const known = answer((await asks[name]?.(ADA)) as Answer);
        expect(known.status).toBe(403);
        expect(answer((await asks[name]?.('eve@example.com')) as Answer)).toEqual(known);
      }
      // A repeat of what was stored before is answered as before, for both.
      for (const email of [ADA, 'bob@example.com']) {
        expect((await send(email, { name: 'X' }, 'key').expect(200)).body).toEqual(OK);
      }
    },
  );

  it('have one if the app asks for it', async () => {
    await build({ existing: 'keep', receipt: true });
    const { _id, createdAt, updatedAt } = (await recordOf(ADA)) ?? {};
    expect((await send(ADA, { name: 'Mallory' }).expect(200)).body).toEqual({
      id: String(_id),
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    });
  });

  it('of a submission that updates a known person still update it', async () => {
    await build({ receipt: false });
    expect((await send(ADA, { name: 'Changed' }).expect(200)).body).toEqual(OK);
    expect((await recordOf(ADA))?.data).toEqual({ name: 'Changed' });
  });
});

type Answer = Parameters<typeof answer>[0];

/** The path of the link in the newest email to an address. */
function linkIn(email: string): string {
  const [, path = ''] = /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(smtp.to(email).at(-1)?.text ?? '') ?? [];
  return path;
}

/** Sends a change, and resolves with the path of its link. */
async function linkOf(email: string, data: object, count = 1): Promise<string> {
  await send(email, data).expect(200);
  await expect.poll(() => smtp.to(email).length, POLL).toBe(count);
  return linkIn(email);
}

let next = 0;

describe('`confirm` (spec 4.5.5)', () => {
  let email: string;
  beforeEach(async () => {
    next += 1;
    email = `person-${next}@example.com`;
    await build(
      { title: 'Newsletter', existing: 'confirm' },
      { fields: [{ key: 'name', label: 'Your name', kind: 'text' }] },
    );
    await send(email, { name: 'Ada' }).expect(200);
  });

  it('changes the record when the person presses the button of the link, once', { tags: 'long' }, async () => {
    const before = await recordOf(email);
    const path = await linkOf(email, { name: 'Grace' });
    const [mail] = smtp.to(email);
    expect(mail?.header('subject')).toBe('Confirm your entries: Newsletter');
    expect(mail?.text).toContain('Your name\n\n');
    expect(mail?.text).toContain('Nothing will change.');
    expect(mail?.text).not.toContain('Grace');
    expect(mail?.html).not.toContain('Grace');
    expect(await recordOf(email)).toMatchObject({ data: { name: 'Ada' }, updatedAt: before?.updatedAt });
    // Programs that check links open them.
    for (const server of [a, b]) {
      const { text } = await server.client.get(path).set(PAGE).expect(200);
      expect(text).toContain('Store these entries</button>');
      expect(text).not.toContain('Grace');
    }
    expect((await recordOf(email))?.data).toEqual({ name: 'Ada' });
    const pressed = await Promise.all([a, b].map((server) => server.client.post(path).type('form').set(PAGE)));
    expect(pressed.map(({ status }) => status)).toEqual([200, 200]);
    const shown = pressed.map(({ text }) => text).find((text) => text.includes('Grace'));
    expect(shown).toMatch(/<dt dir="auto">Your name<\/dt>\n<dd class="text" dir="auto">Grace<\/dd>/);
    expect((await recordOf(email))?.data).toEqual({ name: 'Grace' });
    expect(await waiting(email)).toEqual([]);
    await send(email, { name: 'Later' }).expect(200);
    // The link says that it is done, and does nothing.
    const again = [b.client.post(path).type('form'), b.client.get(path)];
    for (const { status, text } of await Promise.all(again.map((request) => request.set(PAGE)))) {
      expect(status).toBe(200);
      expect(text).toContain('Thank you. Your entries are stored.');
      expect(text).not.toContain('<button');
      expect(text).not.toContain('Grace');
    }
    expect((await recordOf(email))?.data).toEqual({ name: 'Grace' });
    expect(await waiting(email)).toHaveLength(1);
    const applied = { email, reason: 'applied' };
    expect(await a.db.collection('held_submissions').findOne(applied)).toMatchObject({ data: {} });
    await operator.delete(`/auth/users/${(await recordOf(email))?._id}`).expect(200);
    await b.client.get(path).set(PAGE).expect(404);
    expect(await a.db.collection('held_submissions').findOne({ email })).toBeNull();
  });

  it('sends no word of a stranger to an address that never confirmed itself', { tags: 'long' }, async () => {
    const fields = [
      { key: 'name', label: 'Your name', labels: { de: 'Ihr Name' }, kind: 'text' },
      { key: 'visits', label: 'Visits', kind: 'array' },
      { key: 'cv', label: 'CV', kind: 'file', types: ['pdf'] },
    ];
    await a.admin.putSchema(app, { fields: fields as never }).expect(200);
    await set({ existing: 'confirm', languages: ['en', 'de'] });
    const victim = `victim-${app}@example.com`;
    const { token } = (await upload(a.client.url, app, pdfOf(1_000), { name: 'SPAM file.pdf' })).body;
    await send(victim, { name: 'SPAM' }).expect(200);
    const data = { name: 'SPAM https://evil.example', visits: [{ note: 'SPAM' }], cv: [token], SPAM: 'SPAM' };
    const path = await linkOf(victim, data);
    await sendForm(a.client, app, Object.entries({ email: victim, name: 'SPAM 2', _lang: 'de' })).expect(303);
    await expect.poll(() => smtp.to(victim).length, POLL).toBe(2);
    const [english, german] = smtp.to(victim);
    for (const mail of [english, german])
      expect(`${mail?.text} ${mail?.html} ${mail?.header('subject')}`).not.toMatch(/SPAM|evil/);
    expect(english?.text).toContain('\n\nYour name\n\nVisits\n\nCV\n\n');
    expect(german?.text).toContain('\n\nIhr Name\n\n');
    expect((await b.client.get(path).set(PAGE).expect(200)).text).not.toMatch(/SPAM|evil/);
    const { text, headers } = await b.client.post(path).type('form').set(PAGE).expect(200);
    for (const shown of ['SPAM https://evil.example', 'SPAM file.pdf', '<dt dir="auto">SPAM</dt>'])
      expect(text).toContain(shown);
    expect(text).not.toContain('<script');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('shows the values of what was stored only', async () => {
    const plan = { key: 'plan', label: 'Plan', kind: 'select' as const, enum: ['free', 'pro'] };
    const company = { key: 'company', label: 'Company', kind: 'text' as const };
    await a.admin.putSchema(app, { fields: [plan, company] as never }).expect(200);
    const path = await linkOf(email, { plan: 'free', company: 'Hidden' });
    const showIf = { all: [{ field: 'plan', op: 'eq', value: 'pro' }] };
    await a.admin.putSchema(app, { fields: [plan, { ...company, showIf }] as never }).expect(200);
    const { text } = await b.client.post(path).type('form').set(PAGE).expect(200);
    expect((await recordOf(email))?.data).toMatchObject({ plan: 'free' });
    expect(text).toContain('free');
    expect(text).not.toContain('Hidden');
  });

  it('reaches the inbox when it is applied, once', async () => {
    const path = await linkOf(email, { name: 'Grace' });
    await Promise.all([a, b, a].map((server) => server.client.post(path).type('form').set(PAGE)));
    const mine = async () => (await rows()).filter((row) => row.email === email).map(({ data }) => data);
    await expect.poll(mine, POLL).toEqual([{ name: 'Grace' }, { name: 'Ada' }]);
  });

  it('sends no email to a new person, and three an hour to a known one from all servers', {
    tags: 'long',
  }, async () => {
    for (let at = 0; at < 5; at += 1) await send(email, { name: `${at}` }, undefined, at % 2 ? a : b).expect(200);
    await expect.poll(() => smtp.to(email).length, POLL).toBe(3);
    expect(await waiting(email)).toHaveLength(3);
    await send('other@example.com', { name: 'Ada' }).expect(200);
    await linkOf(ADA, { name: 'Last' }, smtp.to(ADA).length + 1);
    expect(smtp.to(email)).toHaveLength(3);
    expect(smtp.to('other@example.com')).toHaveLength(0);
  });

  it('waits once for a repeat with the same key', { tags: 'long' }, async () => {
    await Promise.all([a, b, a].map((server) => send(email, { name: 'Grace' }, 'one', server).expect(200)));
    await send(email, { name: 'Grace' }, 'one', b).expect(200);
    await send(email, { name: 'Eve' }, 'one', b).expect(422);
    await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
    await b.client.post(linkIn(email)).type('form').set(PAGE).expect(200);
    await send(email, { name: 'Grace' }, 'one', b).expect(200);
    expect(await waiting(email)).toEqual([]);
    expect((await recordOf(email))?.data).toEqual({ name: 'Grace' });
  });

  it('completes by a repeat what a stopped server left before the email', async () => {
    await send(email, { name: 'Grace' }, 'stopped').expect(200);
    await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
    // As if the server had stopped after it stored the change.
    const [entry] = await waiting(email);
    await a.db.collection('mails').deleteOne({ _id: `change:${entry?._id}` as never });
    await a.db.collection('users').updateOne({ sourceAppId: app, email }, { $unset: { appliedKeys: 1 } });
    await send(email, { name: 'Grace' }, 'stopped', b).expect(200);
    await expect.poll(() => smtp.to(email).length, POLL).toBe(2);
    expect(await waiting(email)).toHaveLength(1);
  });

  it('is answered as a new person where a held submission has its key, or its network is at a limit', {
    tags: 'long',
  }, async () => {
    const form = (entries: object) =>
      sendForm(a.client, app, Object.entries(entries)).set('Accept', 'application/json');
    const keyOf = (address: string) => address.replace('@', '-at-');
    for (const address of [email, `new-${email}`]) {
      await form({ email: address, name: 'one', _gotcha: 'x', _key: keyOf(address) }).expect(200);
      expect((await send(address, { name: 'two' }, keyOf(address)).expect(200)).body).toEqual(OK);
      expect((await send(address, { name: 'three' }, keyOf(address)).expect(422)).body.code).toBe('keyReused');
    }
    for (let held = 2; held < 99; held += 1) {
      await form({ email: `bot-${held}@example.com`, _gotcha: 'x' }).expect(200);
    }
    await form({ email, name: 'four' }).expect(200);
    await form({ email: 'bot-99@example.com', _gotcha: 'x' }).expect(200);
    await form({ email: 'bot-100@example.com', _gotcha: 'x' }).expect(429);
  });

  it('uses the tokens of its files also when it is dropped, as the record of a new person does', {
    tags: 'long',
  }, async () => {
    await a.admin.putSchema(app, { fields: [CV] }).expect(200);
    for (let at = 0; at < 3; at += 1) await send(email, {}).expect(200);
    for (const address of [email, `new-${email}`]) {
      const { token } = (await upload(a.client.url, app, pdfOf(1_000))).body;
      expect((await send(address, { cv: [token] }).expect(200)).body).toEqual(OK);
      const { body } = await send(`other-${address}`, { cv: [token] }).expect(400);
      expect(body.errors).toMatchObject([{ code: 'fileToken' }]);
    }
    expect(await waiting(email)).toHaveLength(3);
  });

  it('waits in the share of its network, also sent as JSON', { tags: 'long' }, async () => {
    const { _id: appId } = (await a.db.collection('apps').findOne({ sourceAppId: app })) ?? {};
    const data = { name: 'x'.repeat(80_000) };
    // Each counts 5 of 100 units.
    for (let person = 0; person < 21; person += 1) {
      const address = `${person}-${email}`;
      await send(address, { name: 'Ada' }).expect(200);
      expect((await send(address, data).expect(200)).body).toEqual(OK);
    }
    expect(await a.db.collection('held_submissions').countDocuments({ appId, reason: 'confirm' })).toBe(20);
  });

  it('and a held submission have no values of fields that the form did not show', async () => {
    const fields = [
      { key: 'plan', kind: 'select' as const, enum: ['free', 'pro'] },
      { key: 'company', kind: 'text' as const, showIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] } },
    ];
    await a.admin.putSchema(app, { fields: fields as never }).expect(200);
    const form = (entries: object) =>
      sendForm(a.client, app, Object.entries({ plan: 'free', company: 'Hidden', ...entries })).expect(303);
    await form({ email });
    await form({ email: 'bot@example.com', _gotcha: 'x' });
    expect((await waiting(email)).map(({ data }) => data)).toEqual([{ plan: 'free' }]);
    const { body } = await operator.get('/auth/held').expect(200);
    expect(body.held).toMatchObject([{ email: 'bot@example.com', data: { plan: 'free' } }]);
    expect(body.held[0].data).not.toHaveProperty('company');
  });

  it('is removed with its record', async () => {
    await linkOf(email, { name: 'Grace' });
    await operator.delete(`/auth/users/${(await recordOf(email))?._id}`).expect(200);
    expect(await waiting(email)).toEqual([]);
  });

  it('waits seven days', async () => {
    const path = await linkOf(email, { name: 'Grace' });
    const [entry] = await waiting(email);
    const days = (entry?.expiresAt.getTime() - entry?.at.getTime()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThan(7.1);
    await a.db
      .collection('held_submissions')
      .updateOne({ _id: entry?._id as never }, { $set: { expiresAt: new Date(0) } });
    await b.client.get(path).set(PAGE).expect(404);
    await b.client.post(path).type('form').set(PAGE).expect(404);
    expect((await recordOf(email))?.data).toEqual({ name: 'Ada' });
  });

  it('is applied by the newest schema, under renamed keys, and refused by it', { tags: 'long' }, async () => {
    const path = await linkOf(email, { name: 'Grace' });
    await a.admin.putSchema(app, { fields: [{ key: 'name', kind: 'number' }] }).expect(200);
    const { text } = await b.client.post(path).type('form').set(PAGE).expect(400);
    expect(text).toContain('There is a problem with your entries');
    expect((await recordOf(email))?.data).toEqual({ name: 'Ada' });
    await a.admin.putSchema(app, { fields: [{ key: 'name', kind: 'text' }] }).expect(200);
    const fields = [{ key: 'called', kind: 'text' as const }];
    await rename(a.admin, app, { fields, renames: [{ from: 'name', to: 'called' }] }).expect(200);
    await b.client.post(path).type('form').set(PAGE).expect(200);
    await expect.poll(async () => (await recordOf(email))?.data, POLL).toEqual({ called: 'Grace' });
  });

  it('sets no field that became one of the staff meanwhile', { tags: 'long' }, async () => {
    await a.admin.putSchema(app, { fields: [{ key: 'status', kind: 'text' }] }).expect(200);
    const path = await linkOf(email, { status: 'done' });
    await a.admin.putSchema(app, { fields: CONTACT }).expect(200);
    await b.client.post(path).type('form').set(PAGE).expect(400);
    const refused = await send(email, { status: 'done' }).expect(400);
    expect(refused.body.errors).toMatchObject([staffOnly()]);
    expect((await recordOf(email))?.data).toEqual({ name: 'Ada' });
  });

  it('is not for operators, who neither see, release nor delete it', async () => {
    await linkOf(email, { name: 'Grace' });
    const [entry] = await waiting(email);
    expect((await operator.get('/auth/held').expect(200)).body.held).toEqual([]);
    expect((await operator.get('/auth/held/counts').expect(200)).body.counts).toEqual({ honeypot: 0, 'no-proof': 0 });
    await operator.post(`/auth/held/${entry?._id}/release`).expect(404);
    await operator.delete(`/auth/held/${entry?._id}`).expect(404);
  });

  it('is not applied to an erased record, nor to the next one of the address', async () => {
    const path = await linkOf(email, { name: 'Grace' });
    await operator.delete(`/auth/users/${(await recordOf(email))?._id}`).expect(200);
    await b.client.post(path).type('form').set(PAGE).expect(404);
    expect(await recordOf(email)).toBeNull();
    await send(email, { name: 'New' }).expect(200);
    await b.client.post(path).type('form').set(PAGE).expect(404);
    expect((await recordOf(email))?.data).toEqual({ name: 'New' });
  });

  it('confirms the address too, where the app asks for it', async () => {
    // Otherwise the event of the new record asks for the address too.
    await expect.poll(async () => (await recordOf(email))?.outbox ?? [], POLL).toEqual([]);
    await set({ existing: 'confirm', doubleOptIn: true });
    const count = smtp.to(email).length;
    const path = await linkOf(email, { name: 'Grace' }, count + 1);
    await b.client.post(path).type('form').set(PAGE).expect(200);
    expect((await recordOf(email))?.confirmedAt).toBeInstanceOf(Date);
    expect((await recordOf(email))?.data).toEqual({ name: 'Grace' });
    // From then on the email shows the values.
    const later = await linkOf(email, { name: 'Hopper' }, count + 2);
    expect(smtp.to(email).at(-1)?.text).toContain('Your name\n    Hopper\n');
    expect((await b.client.get(later).set(PAGE).expect(200)).text).not.toContain('Hopper');
  });

  it('is stored although the form is full or closed meanwhile', { tags: 'long' }, async () => {
    const path = await linkOf(email, { name: 'Grace' });
    await set({ existing: 'confirm', maxRecords: 1, closesAt: new Date(0).toISOString() });
    await b.client.post(path).type('form').set(PAGE).expect(200);
    expect((await recordOf(email))?.data).toEqual({ name: 'Grace' });
  });

  it('is in the export and the erasure of a person', { tags: 'long' }, async () => {
    await linkOf(email, { name: 'Grace' });
    const { body } = await operator.post('/auth/people/export', { email }).expect(200);
    expect(body.entries).toContainEqual(expect.objectContaining({ kind: 'held', data: { name: 'Grace' } }));
    await operator.post('/auth/people/erase', { email }).expect(200);
    expect(await waiting(email)).toEqual([]);
  });

  it('is announced on the pages of the form, to everybody', { tags: 'long' }, async () => {
    const text = 'If your address is already known, an email asks you to confirm your entries.';
    expect((await a.client.get(`/f/${app}/thanks`).set(PAGE).expect(200)).text).toContain(text);
    expect((await a.client.get(`/v1/forms/${app}`).expect(200)).body.texts.thanksConfirm).toBe(text);
    await set({ existing: 'keep' });
    expect((await a.client.get(`/f/${app}/thanks`).set(PAGE).expect(200)).text).not.toContain(text);
  });

  it('is written in the language of the person', async () => {
    await set({ existing: 'confirm', languages: ['en', 'de'] });
    await sendForm(a.client, app, Object.entries({ email, name: 'Grete', _lang: 'de' }))
      .set(PAGE)
      .expect(303);
    await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
    expect(smtp.to(email)[0]?.text).toContain('Angaben speichern');
    expect((await b.client.get(linkIn(email)).set(PAGE).expect(200)).text).toContain('Angaben bestätigen');
  });
});
