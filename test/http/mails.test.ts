import { randomUUID } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordId } from '../../src/core/users/users.model.ts';
import { createMailLog } from '../../src/features/notifications/mail-log.ts';
import {
  createMailModel,
  LOG_OF_APP,
  type MailDocument,
  type NewMail,
} from '../../src/features/notifications/mail-queue.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { CUT, type RawSmtp, SILENCE, startRawSmtp } from '../support/peers/raw-smtp.ts';
import { mailEnv } from '../support/peers/smtp.ts';
import { joinApp } from '../support/server/accounts.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { insertRecord } from '../support/server/mail-events.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const METRICS_TOKEN = 'the-token-of-the-mails-test';
const TEAM = 'team@example.com';
const CONTEXT = { signal: new AbortController().signal, stillOwner: () => true };

let smtp: RawSmtp;
let a: TestServer;
let b: TestServer;
let app: TestApp;
let appId: ObjectId;
beforeAll(async () => {
  smtp = await startRawSmtp();
  const env = { ...mailEnv(smtp), METRICS_TOKEN };
  a = await startServer(env, undefined, { testMailWithinMs: 300 });
  b = await startServer(env, a.database);
  // A test decides when an email is sent.
  await Promise.all([a.services.jobs.stop(), b.services.jobs.stop()]);
});
afterAll(async () => {
  await b.close();
  await a.close();
  await smtp.close();
});
beforeEach(async () => {
  smtp.answers = {};
  smtp.commands.length = 0;
  app = await a.admin.buildApp();
  ({ _id: appId } = await appDocument(a, app.sourceAppId));
  await settings({});
});

const settings = (more: object) =>
  a.admin.put(`/auth/apps/${app.sourceAppId}/form`, { notify: { emails: [TEAM], when: 'each' }, ...more }).expect(200);
const record = (email = `${randomUUID()}@example.com`): Promise<RecordId> => insertRecord(a, app.sourceAppId, email);
const mails = () => a.db.collection<MailDocument>('mails');
const stored = (id: string) => mails().findOne({ _id: id });

/** Plans an email; resolves with its id. */
async function plan(mail: Partial<NewMail> & Pick<NewMail, 'purpose'>, recordId?: RecordId): Promise<string> {
  const _id = `${mail.purpose}:${randomUUID()}`;
  await a.services.mailQueue.add([{ _id, appId, ...(recordId && { recordId }), ...mail }]);
  return _id;
}
const planEach = async (recordId?: RecordId): Promise<string> =>
  plan({ purpose: 'each', isCreation: true }, recordId ?? (await record()));

/** Attempts all due emails. */
const attempt = async (server = a): Promise<void> => void (await server.services.mailJobs[0]?.run(CONTEXT));
const makeDue = (id: string) => mails().updateOne({ _id: id }, { $set: { nextAt: new Date() } });
const planFailed = async (): Promise<string> => {
  smtp.answers = { RCPT: '550 5.1.1 unknown' };
  const id = await planEach();
  await attempt();
  smtp.answers = {};
  smtp.commands.length = 0;
  return id;
};

const list = async (query = '') =>
  (await a.admin.get(`/auth/mails?sourceAppId=${app.sourceAppId}${query}`).expect(200)).body;
const listed = async (id: string) => (await list()).mails.find((mail: { id: string }) => mail.id === id);
const retry = (id: string, server = a) =>
  server.admin.post(`/auth/mails/${encodeURIComponent(id)}/retry?sourceAppId=${app.sourceAppId}`);
const recipients = () => smtp.commands.filter((command) => command.startsWith('RCPT'));

describe('GET /auth/mails (spec 4.12)', () => {
  it('tells purpose, recipient, state and attempts, without an address and a value', async () => {
    const email = 'ada.lovelace@example.com';
    const of = await record(email);
    await settings({ doubleOptIn: true, reply: { when: 'each', subject: 'Thank you', text: 'Hello {email}' } });
    const ids = [
      await plan({ purpose: 'confirmation' }, of),
      await plan({ purpose: 'reply', event: randomUUID() }, of),
      await planEach(of),
      await plan({ purpose: 'digest', day: '2026-01-31', created: 3, changed: 1 }),
    ];
    const waiting = await listed(ids[0] ?? '');
    expect(waiting).toEqual({
      id: ids[0],
      purpose: 'confirmation',
      to: 'person',
      userId: of.toString(),
      at: expect.any(String),
      state: 'waiting',
      nextAt: expect.any(String),
      attempts: [],
    });
    await attempt();
    const body = await list();
    expect(body.mails.map((mail: Record<string, unknown>) => [mail.purpose, mail.to, mail.userId])).toEqual(
      expect.arrayContaining([
        ['confirmation', 'person', of.toString()],
        ['reply', 'person', of.toString()],
        ['notification', 'operators', of.toString()],
        ['digest', 'operators', undefined],
      ]),
    );
    for (const mail of body.mails) {
      expect(mail.state).toBe('sent');
      expect(mail).not.toHaveProperty('nextAt');
      expect(mail.attempts).toEqual([{ at: expect.any(String), status: 250 }]);
    }
    expect(body).not.toHaveProperty('next');
    expect(JSON.stringify(body)).not.toMatch(/@|lovelace/);
    expect(recipients()).toHaveLength(4);
  });

  it('tells why an attempt failed, of which it stores no address', async () => {
    const of = await record('ada.lovelace@example.com');
    await settings({ doubleOptIn: true });
    const id = await plan({ purpose: 'confirmation' }, of);
    smtp.answers = { RCPT: '450 4.2.1 <ada.lovelace@example.com>: ADA.LOVELACE of 10.0.0.1 is busy' };
    await attempt();
    expect(await listed(id)).toMatchObject({
      state: 'waiting',
      nextAt: expect.any(String),
      attempts: [{ status: 450, error: 'the mail server asks to try again later: 4.2.1 […]: […] of 10.0.0.1 is busy' }],
    });
    expect(JSON.stringify(await stored(id)).toLowerCase()).not.toMatch(/lovelace|@/);
    expect(a.log().toLowerCase()).not.toContain('lovelace');
  });

  it.each<[string, RawSmtp['answers'], object]>([
    ['cuts the connection', { MAIL: CUT }, { error: 'the mail server closed the connection' }],
    ['refuses permanently', { RCPT: '550 5.1.1 no' }, { status: 550, error: 'the mailbox is unknown: 5.1.1 no' }],
    ['refuses for now', { '.': '452 4.3.1 full' }, { status: 452 }],
  ])('tells of an SMTP server that %s', async (_, answers, shown) => {
    const id = await planEach();
    smtp.answers = answers;
    await attempt();
    expect((await listed(id)).attempts).toEqual([{ at: expect.any(String), ...shown, error: expect.any(String) }]);
    expect((await listed(id)).attempts).toEqual([expect.objectContaining(shown)]);
  });

  it('has the last five attempts, and one for all addresses, with the failure of one of them', async () => {
    await settings({ notify: { emails: [TEAM, 'boss@example.com'], when: 'each' } });
    const id = await planEach();
    for (let number = 1; number <= 6; number += 1) {
      smtp.answers = { RCPT: `451 4.3.0 number ${number}` };
      await attempt();
      await makeDue(id);
    }
    const { attempts } = await listed(id);
    const later = 'the mail server asks to try again later: 4.3.0 number';
    expect(attempts.map(({ error }: { error: string }) => error)).toEqual([2, 3, 4, 5, 6].map((n) => `${later} ${n}`));
    smtp.answers = {};
    await attempt();
    expect((await listed(id)).attempts.at(-1)).toEqual({ at: expect.any(String), status: 250 });
  });

  it('tells of an email that one of several addresses refused', async () => {
    await settings({ notify: { emails: [TEAM, 'boss@example.com'], when: 'each' } });
    const id = await planEach();
    smtp.answers = { RCPT: (command) => (command.includes('boss') ? '250 OK' : '550 5.1.1 unknown') };
    await attempt();
    const { state, attempts } = await listed(id);
    expect(recipients()).toHaveLength(2);
    expect([state, attempts]).toEqual(['sent', [expect.objectContaining({ status: 550 })]]);
  });

  it('is filtered, and read page by page, newest first', async () => {
    const times = [5, 4, 4, 4, 3, 2, 1].map((minutes) => new Date(Date.now() - minutes * MINUTE_MS));
    const all = times.map((createdAt, index) => {
      const state = (['sent', 'failed', 'due'] as const)[index % 3] ?? 'due';
      const purpose = (['each', 'reply', 'summary', 'digest'] as const)[index % 4] ?? 'each';
      const of = { appId, purpose, state, createdAt, nextAt: createdAt, attempts: 0 };
      return { _id: `${index}:${randomUUID()}`, ...of, expiresAt: new Date(Date.now() + DAY_MS) };
    });
    const hidden = all.slice(0, 2).map((mail, index) => ({
      ...mail,
      _id: `hidden:${randomUUID()}`,
      state: index === 0 ? ('summed' as const) : ('dropped' as const),
    }));
    const other = { ...all[0], _id: randomUUID(), appId: (await appDocument(a, 'admin'))._id };
    await mails().insertMany([...all, ...hidden, other] as MailDocument[]);
    const order = [...all].sort((x, y) => Number(y.createdAt) - Number(x.createdAt) || (x._id < y._id ? 1 : -1));
    const idsOf = async (query: string): Promise<string[]> => {
      const ids: string[] = [];
      let next: string | undefined = '';
      while (next !== undefined) {
        const page: { mails: { id: string }[]; next?: string } = await list(
          `&limit=2${query}${next && `&cursor=${next}`}`,
        );
        expect(page.mails.length).toBeLessThanOrEqual(2);
        ids.push(...page.mails.map(({ id }) => id));
        next = page.next;
      }
      return ids;
    };
    const wanted = (isWanted: (mail: (typeof all)[number]) => boolean) => order.filter(isWanted).map(({ _id }) => _id);
    expect(await idsOf('')).toEqual(wanted(() => true));
    expect(await idsOf('&state=waiting')).toEqual(wanted(({ state }) => state === 'due'));
    expect(await idsOf('&state=failed')).toEqual(wanted(({ state }) => state === 'failed'));
    expect(await idsOf('&purpose=notification')).toEqual(wanted(({ purpose }) => /each|summary/.test(purpose)));
    expect(await idsOf('&purpose=reply&state=sent')).toEqual(
      wanted(({ purpose, state }) => purpose === 'reply' && state === 'sent'),
    );
    expect(await idsOf('&purpose=entry')).toEqual([]);
    const { next } = await list('&limit=2');
    for (const wrong of [`&cursor=${next}&state=sent`, '&cursor=x', '&state=summed', '&purpose=each', '&limit=0']) {
      await a.admin.get(`/auth/mails?sourceAppId=${app.sourceAppId}${wrong}`).expect(400);
    }
  });

  it('reads a page by an index, without a sort', async () => {
    await planEach();
    const filter = { appId, purpose: { $in: ['each', 'summary'] }, state: { $in: ['due', 'failed'] } } as never;
    const options = { sort: { createdAt: -1, _id: -1 }, limit: 3, hint: LOG_OF_APP } as const;
    const { queryPlanner } = await mails().find(filter, options).explain();
    expect(JSON.stringify(queryPlanner.winningPlan)).toMatch(/SORT_MERGE/);
    expect(JSON.stringify(queryPlanner.winningPlan)).not.toMatch(/"SORT"/);
  });

  it('shows what an earlier version stored of the last attempt', async () => {
    const of = { appId, purpose: 'each' as const, createdAt: new Date(Date.now() - DAY_MS), attempts: 2 };
    const ended = new Date(Date.now() - 60 * MINUTE_MS);
    const expiresAt = new Date(ended.getTime() + 30 * DAY_MS);
    const next = new Date(Date.now() + MINUTE_MS);
    await mails().insertMany([
      { _id: 'old:failed', ...of, state: 'failed', reason: 'EENVELOPE 550', nextAt: ended, expiresAt },
      { _id: 'old:sent', ...of, state: 'sent', nextAt: ended, expiresAt },
      { _id: 'old:due', ...of, state: 'due', reason: 'EAUTH 535', nextAt: next, expiresAt },
      { _id: 'old:new', ...of, attempts: 0, state: 'due', nextAt: next, expiresAt },
    ]);
    const at = ended.toISOString();
    expect((await listed('old:failed')).attempts).toEqual([
      { at, status: 550, error: 'the mail server refused the recipient' },
    ]);
    expect((await listed('old:sent')).attempts).toEqual([{ at }]);
    expect((await listed('old:due')).attempts).toEqual([
      {
        at: new Date(next.getTime() - 5 * MINUTE_MS).toISOString(),
        status: 535,
        error: 'the mail server refused the password',
      },
    ]);
    expect((await listed('old:new')).attempts).toEqual([]);
    // Without a reason that the record is there, it is not sent again.
    await retry('old:failed').expect(409);
    await mails().deleteMany({ _id: { $in: ['old:failed', 'old:sent', 'old:due', 'old:new'] } });
  });

  it('is for those who may read people, also with a key, and of their app', async () => {
    await planEach();
    const viewer = await joinApp(a, app.sourceAppId, 'viewer');
    const path = `/auth/mails?sourceAppId=${app.sourceAppId}`;
    expect((await viewer.client.get(path).expect(200)).body.mails).toHaveLength(1);
    const operator = await new Client(a.listener.url).logIn(app.sourceAppId, app.password);
    const { key } = await createKey(a, operator, ['users:read']);
    const response = await fetch(`${a.listener.url}/auth/mails`, { headers: { Authorization: `Bearer ${key}` } });
    expect(((await response.json()) as { mails: unknown[] }).mails).toHaveLength(1);
    const other = await a.admin.buildApp();
    await operator.get(`/auth/mails?sourceAppId=${other.sourceAppId}`).expect(403);
    await a.client.get(path).expect(401);
  });
});

describe('POST /auth/mails/:id/retry (spec 4.12)', () => {
  it('makes a failed email wait for an attempt now', async () => {
    const id = await planFailed();
    const { body } = await retry(id).expect(200);
    expect(body).toMatchObject({ id, state: 'waiting', attempts: [{ status: 550 }] });
    expect(Date.parse(body.nextAt)).toBeLessThanOrEqual(Date.now() + 1_000);
    await attempt();
    expect(recipients()).toEqual([`RCPT TO:<${TEAM}>`]);
    expect(await listed(id)).toMatchObject({ state: 'sent', attempts: [{ status: 550 }, { status: 250 }] });
    const { events } = (await a.admin.get(`/auth/audit?sourceAppId=${app.sourceAppId}&action=mail.retried`)).body;
    expect(events).toEqual([expect.objectContaining({ target: id })]);
  });

  it('is followed by as many attempts as the email had', async () => {
    const id = await planFailed();
    await mails().updateOne({ _id: id }, { $set: { attempts: 7 } });
    await retry(id).expect(200);
    smtp.answers = { RCPT: '451 4.3.0 later' };
    await attempt();
    const mail = await stored(id);
    expect(mail).toMatchObject({ state: 'due', attempts: 8 });
    expect(Math.round((Number(mail?.nextAt) - Date.now()) / MINUTE_MS)).toBe(1);
    await mails().updateOne({ _id: id }, { $set: { attempts: 13, nextAt: new Date() } });
    await attempt();
    expect(await stored(id)).toMatchObject({ state: 'failed', attempts: 14 });
  });

  it('makes one attempt, however many press it on two servers', async () => {
    const id = await planFailed();
    const answers = await Promise.all([a, b, a, b, a, b].map((server) => retry(id, server)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    await Promise.all([attempt(a), attempt(b)]);
    expect(recipients()).toHaveLength(1);
  });

  it('does nothing when the email was attempted again since it was read', async () => {
    const id = await planFailed();
    const log = createMailLog(createMailModel(b.connection).collection, Date.now);
    const early = await log.find(appId, id);
    if (!early) throw new Error('the email is not listed');
    smtp.answers = { RCPT: '550 5.1.1 unknown' };
    await retry(id).expect(200);
    await attempt();
    expect(await stored(id)).toMatchObject({ state: 'failed', attempts: 2 });
    expect(await log.repeat(early, new Date(Date.now() + MINUTE_MS))).toBeUndefined();
    const newest = await log.find(appId, id);
    // A statement that begins too late.
    expect(newest && (await log.repeat(newest, new Date(0)))).toBeUndefined();
    expect(newest && (await log.repeat(newest, new Date(Date.now() + MINUTE_MS)))).toMatchObject({ state: 'due' });
  });

  it('stores no result of a server that stalled in an earlier attempt', async () => {
    const id = await planEach();
    const early = await a.services.mailQueue.claim(id);
    if (!early) throw new Error('the email was not due');
    await mails().updateOne({ _id: id }, { $set: { state: 'failed' } });
    await retry(id).expect(200);
    const late = await b.services.mailQueue.claim(id);
    if (!late) throw new Error('the email was not due');
    expect(await a.services.mailQueue.settle(early, { state: 'failed', reason: 'LATE' })).toBeUndefined();
    expect(await stored(id)).toMatchObject({ state: 'due' });
    expect(await b.services.mailQueue.settle(late, { state: 'sent' })).toBe('sent');
  });

  it('is 409 for one that waits or was sent, and 404 for one that is not listed', async () => {
    const id = await planEach();
    await retry(id).expect(409, { code: 'mailNotFailed', message: 'Only an email that has failed is sent again' });
    await attempt();
    await retry(id).expect(409);
    await mails().updateOne({ _id: id }, { $set: { state: 'dropped' } });
    await retry(id).expect(404);
    await retry('nothing').expect(404);
    const failed = await planFailed();
    const other = await a.admin.buildApp();
    await a.admin.post(`/auth/mails/${failed}/retry?sourceAppId=${other.sourceAppId}`).expect(404);
  });

  it('is 409 when the record or the setting is gone', async () => {
    const of = await record();
    smtp.answers = { RCPT: '550 5.1.1 unknown' };
    const [ofRecord, ofSetting] = [await planEach(of), await planEach()];
    await attempt();
    await a.db.collection('users').deleteOne({ _id: of as never });
    expect((await retry(ofRecord).expect(409)).body.code).toBe('mailWithoutReason');
    await settings({ notify: null });
    expect((await retry(ofSetting).expect(409)).body.code).toBe('mailWithoutReason');
    expect(await stored(ofSetting)).toMatchObject({ state: 'failed' });
  });

  it('sends a reply again that was refused, unless another email to the person was', async () => {
    await settings({ reply: { when: 'each', subject: 'Thank you', text: 'Hello' } });
    const of = await record();
    smtp.answers = { RCPT: '550 5.1.1 unknown' };
    const id = await plan({ purpose: 'reply', event: randomUUID() }, of);
    await attempt();
    expect(await stored(id)).toMatchObject({ state: 'failed', bounced: true });
    smtp.answers = {};
    await retry(id).expect(200);
    await attempt();
    expect(await stored(id)).toMatchObject({ state: 'sent' });
    expect(await stored(id)).not.toHaveProperty('bounced');
    await mails().updateOne({ _id: id }, { $set: { state: 'failed', bounced: true } });
    await mails().updateOne(
      { _id: await plan({ purpose: 'reply', event: randomUUID() }, of) },
      { $set: { state: 'failed', bounced: true } },
    );
    expect((await retry(id).expect(409)).body.code).toBe('mailWithoutReason');
  });

  it('tries each of several addresses again', async () => {
    await settings({ notify: { emails: [TEAM, 'boss@example.com'], when: 'each' } });
    const id = await planFailed();
    expect((await stored(id))?.refused).toHaveLength(2);
    await retry(id).expect(200);
    await attempt();
    expect(recipients()).toHaveLength(2);
  });

  it('is for those who may change people', async () => {
    const id = await planFailed();
    const path = `/auth/mails/${id}/retry?sourceAppId=${app.sourceAppId}`;
    const [viewer, editor] = [await joinApp(a, app.sourceAppId, 'viewer'), await joinApp(a, app.sourceAppId, 'editor')];
    await viewer.client.post(path).expect(403);
    await editor.client.post(path).expect(200);
  });
});

describe('POST /auth/mail/test (spec 4.12)', () => {
  const path = () => `/auth/mail/test?sourceAppId=${app.sourceAppId}`;

  /** Joins the app by an invitation that is sent too. */
  async function join(role: string) {
    const joined = await joinApp(a, app.sourceAppId, role);
    await expect.poll(recipients).toEqual([`RCPT TO:<${joined.email}>`]);
    smtp.commands.length = 0;
    return joined;
  }

  it('sends a test email to the account that calls, and otherwise to the first address of notify', async () => {
    const manager = await join('manager');
    expect((await manager.client.post(path()).expect(200)).body).toEqual({ ok: true, ms: expect.any(Number) });
    expect(recipients()).toEqual([`RCPT TO:<${manager.email}>`]);
    smtp.commands.length = 0;
    const operator = await new Client(a.listener.url).logIn(app.sourceAppId, app.password);
    expect((await operator.post('/auth/mail/test').expect(200)).body.ok).toBe(true);
    expect(recipients()).toEqual([`RCPT TO:<${TEAM}>`]);
    const { events } = (await a.admin.get(`/auth/audit?sourceAppId=${app.sourceAppId}&action=mail.tested`)).body;
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events[0].detail)).not.toContain('@');
  });

  it.each<[string, RawSmtp['answers'], string]>([
    ['refuses', { RCPT: `550 5.1.1 <${TEAM}> unknown` }, 'the mailbox is unknown: 5.1.1 […] unknown'],
    ['stalls', { MAIL: SILENCE }, 'the mail server did not answer in time'],
    ['cuts', { MAIL: CUT }, 'the mail server closed the connection'],
    ['postpones', { RCPT: '450 4.7.1 greylisted' }, 'the mail server asks to try again later: 4.7.1 greylisted'],
    ['is none', { CONNECT: `${'x'.repeat(5_000)} secret` }, 'the server does not speak SMTP'],
    ['talks', { RCPT: `554 ${'word '.repeat(1_000)}` }, expect.stringMatching(/^the mail server refused .{276}$/)],
  ])('tells why, of an SMTP server that %s', async (_, answers, error) => {
    smtp.answers = answers;
    expect((await a.admin.post(path()).expect(200)).body).toEqual({ ok: false, ms: expect.any(Number), error });
  });

  it('is 409 without an address, and where the service sends no email', async () => {
    await settings({ notify: null });
    expect((await a.admin.post(path()).expect(409)).body.code).toBe('noTestAddress');
    const without = await startServer({}, a.database);
    expect((await without.admin.post(path()).expect(409)).body.code).toBe('sendsNoMail');
    await without.close();
  });

  it('is limited for each caller and app, over all servers', async () => {
    const manager = await join('manager');
    for (const server of [a, b, a, b, a]) await server.admin.post(path()).expect(200);
    const refused = await b.admin.post(path()).expect(429);
    expect(refused.body.code).toBe('tooManyTestMails');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(recipients()).toHaveLength(5);
    await manager.client.post(path()).expect(200);
    const other = await a.admin.buildApp();
    await a.admin.post(`/auth/mail/test?sourceAppId=${other.sourceAppId}`).expect(409);
  });

  it('is for managers and admins, and takes no key', async () => {
    const editor = await join('editor');
    await editor.client.post(path()).expect(403);
    const operator = await new Client(a.listener.url).logIn(app.sourceAppId, app.password);
    const { send } = await createKey(a, operator, ['users:read', 'users:write', 'webhooks']);
    await send('post', '/auth/mail/test').expect(403);
    expect(recipients()).toEqual([]);
  });
});

describe('emails that wait', () => {
  const warnings = async () => (await a.client.get('/ready').expect(200)).body.warnings;
  const PATIENT = { timeout: 5_000, interval: 50 };
  async function metrics(): Promise<Map<string, number>> {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`${a.listener.url}/metrics`, { headers })).text();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  }

  it('are warned of when one is due for 15 minutes, and measured', { tags: 'long' }, async () => {
    await mails().deleteMany({});
    const id = await planEach();
    const since = (minutes: number) =>
      mails().updateOne({ _id: id }, { $set: { nextAt: new Date(Date.now() - minutes * MINUTE_MS) } });
    await since(14);
    await expect.poll(async () => (await metrics()).get('mails_waiting'), PATIENT).toBe(1);
    await expect
      .poll(async () => Math.round(((await metrics()).get('mails_oldest_seconds') ?? 0) / 60), PATIENT)
      .toBe(14);
    expect(await warnings()).toBeUndefined();
    await since(17);
    await expect.poll(warnings, PATIENT).toEqual([expect.stringContaining('due for 17 minutes')]);
    // One that waits for a later attempt is not due.
    await since(-60);
    await expect.poll(warnings, PATIENT).toBeUndefined();
    expect((await metrics()).get('mails_oldest_seconds')).toBe(0);
    await makeDue(id);
    const before = await metrics();
    const count = async (result: string) => {
      const name = `mails_total{purpose="notification",result="${result}"}`;
      return ((await metrics()).get(name) ?? 0) - (before.get(name) ?? 0);
    };
    smtp.answers = { RCPT: '451 4.3.0 later' };
    await attempt();
    expect(await count('waiting')).toBe(1);
    await makeDue(id);
    smtp.answers = { RCPT: '550 5.1.1 unknown' };
    await attempt();
    expect(await count('failed')).toBe(1);
    smtp.answers = {};
    await retry(id).expect(200);
    await attempt();
    expect(await count('sent')).toBe(1);
    await expect.poll(async () => (await metrics()).get('mails_waiting'), PATIENT).toBe(0);
  });

  it('and those that failed are counted by the overview', async () => {
    await planFailed();
    await planEach();
    const { apps } = (await a.admin.get(`/auth/overview?sourceAppId=${app.sourceAppId}&days=1`).expect(200)).body;
    expect(apps[0]).toMatchObject({ mailsFailing: 1 });
  });
});
