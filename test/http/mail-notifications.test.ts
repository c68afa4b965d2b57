import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordId } from '../../src/core/users/users.model.ts';
import { createDigestJob } from '../../src/features/notifications/digest-job.ts';
import { createMailApps } from '../../src/features/notifications/mail-apps.ts';
import { createMailRates } from '../../src/features/notifications/mail-rates.ts';
import type { EventType } from '../../src/features/outbox/outbox.ts';
import { createRecordReader } from '../../src/features/record-reads/record-reader.ts';
import { Unavailable } from '../../src/platform/core/errors.ts';
import type { RemovalGuard } from '../../src/platform/database/removal.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { createModels } from '../support/database/models.ts';
import { mailEnv, type ReceivedMail, type TestSmtp } from '../support/peers/smtp.ts';
import { eventOf, insertRecord } from '../support/server/mail-events.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';
import { NO_RENAMES } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const POLL = { timeout: 30_000, interval: 20 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TEAM = ['team@example.com'];

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
  smtp.mails.length = 0;
  app = await notified('each');
});

async function notified(when: 'each' | 'daily', settings: object = {}): Promise<string> {
  const { sourceAppId } = await a.admin.buildApp({
    fields: [
      { key: 'name', label: 'Full name', kind: 'text' },
      { key: 'plan', label: 'Plan', kind: 'select', enum: ['a', 'b'], enumLabels: { a: 'Plan A' } },
      { key: 'terms', label: 'Terms', kind: 'checkbox' },
      { key: 'visits', label: 'Visits', kind: 'array' },
    ],
  });
  const form = { title: 'Newsletter', notify: { emails: TEAM, when }, ...settings };
  await a.admin.put(`/auth/apps/${sourceAppId}/form`, form).expect(200);
  return sourceAppId;
}

const submit = async (email: string, data: object = {}): Promise<string> =>
  (await a.client.submit(app, { email, data }).expect(200)).body.id;
/** Stores a record without telling an event. */
const insert = (email: string, data: object = {}) => insertRecord(a, app, email, { data });

/** Events of records, one for each. */
const eventsOf = (ids: readonly RecordId[], type: EventType = 'user.created') =>
  Promise.all(ids.map((id) => eventOf(a, app, id, type)));

const received = async (count: number): Promise<ReceivedMail[]> => {
  await expect.poll(() => smtp.mails.length, POLL).toBe(count);
  return smtp.mails;
};
const ofApp = async (filter: object = {}) => ({ appId: (await appDocument(a, app))._id, ...filter });

/** The limits count by the hour: a test that needs one begins when enough of it is left. */
async function anHourWithRoom(): Promise<void> {
  const leftMs = HOUR_MS - (Date.now() % HOUR_MS);
  if (leftMs < 20_000) await sleep(leftMs + 1_000);
}

describe('a notification of each change (spec 4.12)', () => {
  it('lists the values by the labels of the fields, with a link', async () => {
    const id = await submit('ada@example.com', {
      name: 'Ada',
      plan: 'a',
      terms: true,
      extra: { deep: 1 },
      visits: ['one', { page: '/two' }, 3, 4, 5, 6],
    });
    const [mail] = await received(1);
    expect(mail?.to).toEqual(TEAM);
    expect(mail?.header('subject')).toBe('New entry: Newsletter');
    expect(mail?.header('reply-to')).toBe('ada@example.com');
    const text = mail?.text ?? '';
    expect(text).toContain('Email\n    ada@example.com\n\nFull name\n    Ada\n\nPlan\n    Plan A\n\nTerms\n    Yes\n');
    expect(text).toContain('Visits\n    6\n    5\n    4\n    3\n    {"page":"/two"}\n    … and 1 more\n');
    expect(text).toContain('extra\n    {"deep":1}\n');
    expect(text).toContain(`https://forms.example.com/dashboard/apps/${app}/users/${id}`);
    expect(mail?.html).toContain(`<a href="https://forms.example.com/dashboard/apps/${app}/users/${id}"`);

    await a.admin.patch(`/auth/users/${id}?sourceAppId=${app}`, { set: { name: 'Eve' } }).expect(200);
    const changed = (await received(2))[1];
    expect(changed?.header('subject')).toBe('Changed entry: Newsletter');
    expect(changed?.text).toContain('Full name\n    Eve\n');
  });

  it('has no header, line, element or link of what was submitted', async () => {
    await a.admin
      .put(`/auth/apps/${app}/form`, {
        title: 'News\r\nBcc: victim@example.org\r\n\r\nBody ☃',
        notify: { emails: TEAM, when: 'each' },
      })
      .expect(200);
    const hostile = [
      'x\r\nBcc: victim@example.org',
      '<img src=x onerror=alert(1)>',
      'https://evil.example/?login',
      '\r\n.\r\nMAIL FROM:<x@example.org>\r\n',
      `a${'\u202E'}b${'\u0000'}c`.replace('\u0000', ''),
      `${'long '.repeat(1_000)}`,
    ];
    const id = await submit("o'brien+x=y@example.com", {
      name: hostile.join('\n'),
      other: hostile,
      [`k${1}`]: hostile[0],
    });

    const [mail] = await received(1);
    expect(mail?.to).toEqual(TEAM);
    expect(mail?.headers.map(([name]) => name).sort()).toEqual(
      [
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'reply-to',
        'subject',
        'to',
        'x-auto-response-suppress',
      ].sort(),
    );
    expect(mail?.header('reply-to')).toBe("o'brien+x=y@example.com");
    expect(mail?.header('subject')).toBe('New entry: News Bcc: victim@example.org Body ☃');
    const lines = (mail?.text ?? '').split('\n');
    for (const part of ['Bcc: victim', '<img', 'evil.example', 'MAIL FROM']) {
      const own = lines.filter((line) => line.includes(part) && !line.startsWith('News'));
      expect(own.length).toBeGreaterThan(0);
      expect(own.every((line) => line.startsWith('    '))).toBe(true);
    }
    expect(mail?.text).not.toContain('\u202E');
    expect(mail?.html).not.toContain('<img');
    expect(mail?.html.match(/href="[^"]*"/g)).toEqual([
      `href="https://forms.example.com/dashboard/apps/${app}/users/${id}"`,
    ]);
    expect(mail?.text.length).toBeLessThan(5_000);
  });

  it('is planned once for an event that is told again, in part, and by two servers', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => insert(`u${n}@example.com`)));
    const events = await eventsOf(ids);
    await Promise.all([a.services.mailConsumer.consume(events.slice(0, 15)), b.services.mailConsumer.consume(events)]);
    await a.services.mailConsumer.consume([...events].reverse());
    await received(20);
    await expect.poll(async () => a.db.collection('mails').countDocuments(await ofApp({ state: 'due' })), POLL).toBe(0);
    expect(await a.db.collection('mails').countDocuments(await ofApp())).toBe(20);
    expect(new Set(smtp.mails.map(({ headers }) => headers.find(([name]) => name === 'message-id')?.[1])).size).toBe(
      20,
    );
  });

  it('is counted by one summary beyond the limit of the hour, also when it is told again', {
    tags: 'long',
  }, async () => {
    await anHourWithRoom();
    const mailLimits = { confirmations: 1_000, each: 6, summed: 30 };
    const limited = await startServer(mailEnv(smtp), a.database, { mailLimits });
    const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => insert(`s${n}@example.com`)));
    const events = await eventsOf(ids);
    await limited.services.mailConsumer.consume(events.slice(0, 4));
    await limited.services.mailConsumer.consume(events.slice(4, 20));
    await limited.services.mailConsumer.consume(events.slice(0, 20));
    const summed = async () => a.db.collection('mails').countDocuments(await ofApp({ state: 'summed' }));
    expect(await summed()).toBe(14);
    // Events told again used up room, so some of the rest are not counted; none is counted twice.
    await limited.services.mailConsumer.consume(events.slice(20));
    expect(await summed()).toBeLessThanOrEqual(30);
    await received(6);
    const counted = await summed();

    // The hour ends.
    await a.db.collection('mails').updateMany(await ofApp({ purpose: 'summary' }), { $set: { nextAt: new Date() } });
    const mails = await received(7);
    expect(mails[6]?.header('subject')).toBe(`… and ${counted} more new or changed entries: Newsletter`);
    expect(mails[6]?.text).toContain(`https://forms.example.com/dashboard/apps/${app}/users`);
    await limited.close();
  });

  it('is not sent for a record that was erased', async () => {
    const [kept, recordId] = [await insert('kept@example.com'), await insert('gone@example.com')];
    const later = new Date(Date.now() + HOUR_MS);
    const { _id: appId } = await appDocument(a, app);
    await a.services.mailConsumer.consume(await eventsOf([kept]));
    await received(1);
    const planned = { appId, purpose: 'each', nextAt: later } as const;
    await a.services.mailQueue.add([{ _id: `each:${randomUUID()}`, ...planned, recordId }]);
    const erase = { email: 'gone@example.com' };
    const shown = await a.admin.post(`/auth/people/export?sourceAppId=${app}`, erase).expect(200);
    expect(shown.body.entries.map(({ kind }: { kind: string }) => kind)).toEqual(['mail', 'record']);
    const { body } = await a.admin.post(`/auth/people/erase?sourceAppId=${app}`, erase).expect(200);
    expect(body.erased).toMatchObject({ records: 1, held: 0, mails: 1 });
    // The relay removes what was planned between the two, unless the record was restored meanwhile.
    await a.services.mailQueue.add([{ _id: `each:${randomUUID()}`, ...planned, recordId }]);
    const forget = (guard: RemovalGuard) => b.services.mailConsumer.forget?.([appId], [recordId], guard);
    const count = () => a.db.collection('mails').countDocuments({ recordId: recordId as never });
    await expect(forget(() => Promise.reject(new Unavailable()))).rejects.toThrow(Unavailable);
    expect(await count()).toBe(1);
    expect(await forget(async () => later)).toBe(true);
    expect(await count()).toBe(0);
  });

  it('is kept without an address and a value', async () => {
    await submit('private@example.com', { name: 'Confidential' });
    await received(1);
    await expect
      .poll(async () => a.db.collection('mails').countDocuments(await ofApp({ state: 'sent' })), POLL)
      .toBe(1);
    const stored = JSON.stringify(
      await a.db
        .collection('mails')
        .find(await ofApp())
        .toArray(),
    );
    expect(stored).not.toMatch(/private@|team@|Confidential/);
    expect(a.log() + b.log()).not.toMatch(/private@|team@|Confidential/);
  });

  it('is planned by a server without SMTP_URL too, and sent by another', { tags: 'long' }, async () => {
    const off = await startServer({}, a.database);
    await off.services.mailConsumer.consume(await eventsOf([await insert('off@example.com')]));
    await received(1);
    expect(off.services.mailJobs).toEqual([]);
    await off.close();
  });

  it('stores events in records only while the settings need them', async () => {
    const settings = async (form: object) => {
      await a.admin.put(`/auth/apps/${app}/form`, form).expect(200);
      return (await appDocument(a, app)) as unknown as { consumers?: string[] };
    };
    const notify = { emails: TEAM, when: 'each' };
    expect((await settings({ notify: { ...notify, when: 'daily' } })).consumers).toEqual([]);
    await submit('quiet@example.com');
    expect(await a.db.collection('users').findOne({ email: 'quiet@example.com' })).not.toHaveProperty('eventCount');
    expect((await settings({ doubleOptIn: true })).consumers).toEqual(['email']);
    expect((await settings({ notify, doubleOptIn: true })).consumers).toEqual(['email']);
    expect((await settings({})).consumers).toEqual([]);
    expect(await a.db.collection('mails').countDocuments(await ofApp())).toBe(0);
  });
});

describe('the limits of an hour', () => {
  /** An hour that does not end. */
  const hour = new Date('2200-01-01T00:00:00Z');
  const limits = { confirmations: 2, each: 6, summed: 3 };

  it.each([
    ['a new hour', {}, { single: 6, summed: 3 }],
    ['an hour with room', { hour, count: 4, summed: 1 }, { single: 2, summed: 2 }],
    ['a full hour', { hour, count: 6, summed: 3 }, { single: 0, summed: 0 }],
  ])('of %s give single emails, then the summary, a share', async (_, each, share) => {
    const { _id } = await appDocument(a, app);
    await a.db.collection('apps').updateOne({ _id }, { $set: { mailCounts: { each } } });
    const { shareOfHour } = createMailRates(createModels(a.connection).apps, limits);
    expect(await shareOfHour(_id, 20)).toMatchObject(share);
  });

  it('give no time to a confirmation when all hours are full', async () => {
    const { _id } = await appDocument(a, app);
    const confirmation = { hour, count: 1, at: new Date(0) };
    await a.db.collection('apps').updateOne({ _id }, { $set: { mailCounts: { confirmation } } });
    const { confirmationTime } = createMailRates(createModels(a.connection).apps, limits);
    expect(await confirmationTime(_id)).toEqual(hour);
    expect(await confirmationTime(_id)).toBeUndefined();
  });
});

describe('the hourly limit of confirmation emails', () => {
  it('plans those beyond it for later hours, and none beyond a day', { tags: 'long' }, async () => {
    await anHourWithRoom();
    const mailLimits = { confirmations: 2, each: 60, summed: 10 };
    const limited = await startServer(mailEnv(smtp), a.database, { mailLimits });
    await a.admin.put(`/auth/apps/${app}/form`, { doubleOptIn: true }).expect(200);
    const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => insert(`c${n}@example.com`)));
    const events = await eventsOf(ids);
    await Promise.all([
      limited.services.mailConsumer.consume(events.slice(0, 30)),
      limited.services.mailConsumer.consume(events.slice(30)),
    ]);
    const planned = await a.db
      .collection('mails')
      .find(await ofApp())
      .toArray();
    const perHour = new Map<number, number>();
    for (const { nextAt, createdAt } of planned) {
      const hour = Math.floor(Math.max(nextAt.getTime(), createdAt.getTime()) / HOUR_MS);
      perHour.set(hour, (perHour.get(hour) ?? 0) + 1);
    }
    // This hour and 24 more. An email that was sent meanwhile was moved ahead by two minutes only.
    expect(planned).toHaveLength(50);
    expect([...perHour.values()].every((count) => count <= 4)).toBe(true);
    expect(Math.max(...perHour.keys()) - Math.floor(Date.now() / HOUR_MS)).toBe(24);
    await received(2);
    const unplanned = await a.db.collection('users').countDocuments(await ofApp({ confirmation: { $exists: false } }));
    expect(unplanned).toBe(10);
    await limited.close();
  });
});

describe('the daily email', () => {
  const store = (email: string, createdAt: Date, updatedAt = createdAt) =>
    insertRecord(a, app, email, { createdAt, updatedAt });

  function digestJob(server: TestServer, now: number) {
    const { users, apps } = createModels(server.connection);
    return createDigestJob({
      records: createRecordReader(users.collection, NO_RENAMES),
      apps: createMailApps(apps),
      queue: server.services.mailQueue,
      now: () => now,
      pace: { throttle: async () => undefined },
      wake: () => server.services.jobs.wake('mails'),
    });
  }

  it('has the numbers of the day in the time zone of the app, once, and no value', async () => {
    app = await notified('daily', { timeZone: 'Europe/Berlin' });
    const { _id: appId } = await appDocument(a, app);
    // Far ahead, so that the job of the servers finds nothing of these days.
    const start = Date.parse('2031-06-14T22:00:00.000Z'); // midnight in Berlin
    const at = (ms: number) => new Date(start + ms);
    await store('before@example.com', at(-1));
    await store('first@example.com', at(0));
    await store('last@example.com', at(DAY_MS - 1), at(DAY_MS + HOUR_MS));
    await store('next@example.com', at(DAY_MS));
    await store('changed@example.com', at(-DAY_MS), at(HOUR_MS));
    await store('changed-later@example.com', at(-DAY_MS), at(DAY_MS));
    const context = { signal: new AbortController().signal, stillOwner: () => true };
    const finish = async (job: ReturnType<typeof digestJob>) => {
      while (await job.run(context));
    };
    await Promise.all([finish(digestJob(a, start + DAY_MS)), finish(digestJob(b, start + DAY_MS + 60_000))]);
    await finish(digestJob(a, start + DAY_MS + 3 * HOUR_MS));
    const mine = () => smtp.mails.filter((mail) => mail.text.includes('2031'));
    await expect.poll(() => mine().length, POLL).toBe(1);
    const [mail] = mine();
    expect(mail?.header('subject')).toBe('Entries of 2031-06-15: Newsletter');
    expect(mail?.text).toContain('New: 2\nChanged: 1\n');
    expect(mail?.text).not.toMatch(/first@|changed@/);
    expect(mail?.text).toContain(`https://forms.example.com/dashboard/apps/${app}/users`);

    // The next day has one more; a day without entries has no email.
    await finish(digestJob(a, start + 2 * DAY_MS));
    await expect.poll(() => mine().length, POLL).toBe(2);
    expect(mine()[1]?.text).toContain('New: 1\nChanged: 2\n');
    await finish(digestJob(a, start + 9 * DAY_MS));
    const quiet = { _id: `digest:${appId.toHexString()}:2031-06-23` as never };
    await expect.poll(async () => (await a.db.collection('mails').findOne(quiet))?.state, POLL).toBe('dropped');
    expect(mine()).toHaveLength(2);
  });
});
