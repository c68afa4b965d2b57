import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { mailEnv, type TestSmtp } from '../support/peers/smtp.ts';
import { eventOf, insertRecord } from '../support/server/mail-events.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';
import { rename } from '../support/server/renames.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const POLL = { timeout: 30_000, interval: 20 };
const HOUR_MS = 3_600_000;

const TEAM = 'team@example.com';
const SALES = 'sales@example.com';
const URGENT = 'urgent@example.com';

const DEPARTMENT: FieldDefinitionInput = { key: 'department', kind: 'select', enum: ['sales', 'support'] };
const STATUS: FieldDefinitionInput = { key: 'status', kind: 'select', enum: ['new', 'urgent'], writers: 'staff' };
const FIELDS: FieldDefinitionInput[] = [{ key: 'name', kind: 'text' }, DEPARTMENT, STATUS];

const eq = (field: string, value: string) => ({ all: [{ field, op: 'eq', value }] });
const OF_SALES = { if: eq('department', 'sales'), emails: [SALES] };
const OF_URGENT = { if: eq('status', 'urgent'), emails: [URGENT, SALES] };

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
  app = (await a.admin.buildApp({ fields: FIELDS })).sourceAppId;
});

const path = () => `/auth/apps/${app}/form`;
const put = (notify: object | null) => a.admin.put(path(), { title: 'Contact', notify });
const routed = async (routes: object[], emails: string[] | null = [TEAM]) =>
  (await put({ ...(emails && { emails }), when: 'each', routes }).expect(200)).body.notify;
const settings = async () => (await a.admin.get(path()).expect(200)).body;

const submit = async (data: object, email = 'ada@example.com'): Promise<string> =>
  (await a.client.submit(app, { email, data }).expect(200)).body.id;
const edit = (id: string, set: object) => a.admin.patch(`/auth/users/${id}?sourceAppId=${app}`, { set }).expect(200);

const mailsOf = async () => {
  const { _id: appId } = await appDocument(a, app);
  return a.db.collection('mails').find({ appId }).toArray();
};
/** Waits until so many emails of the app were planned, and none waits. */
async function settled(count: number): Promise<string[]> {
  const states = async () => {
    for (const { services } of [a, b]) services.jobs.wake('mails');
    return (await mailsOf()).map(({ state }) => state);
  };
  await expect.poll(async () => (await states()).filter((state) => state !== 'due').length, POLL).toBe(count);
  return (await states()).toSorted();
}
const recipients = (): string[] => smtp.mails.flatMap(({ to }) => to).toSorted();

describe('routes of notifications (spec 4.12)', () => {
  it('send the email to their addresses too if their conditions hold, to each once', { tags: 'long' }, async () => {
    await routed([OF_SALES, OF_URGENT]);
    const id = await submit({ department: 'sales' });
    await settled(1);
    expect(recipients()).toEqual([SALES, TEAM]);
    expect(smtp.mails.map(({ headers }) => headers.filter(([name]) => name === 'to').length)).toEqual([1, 1]);
    expect(
      smtp.mails.every(({ raw, to }) => [SALES, TEAM].every((one) => to.includes(one) === raw.includes(one))),
    ).toBe(true);

    smtp.mails.length = 0;
    await edit(id, { status: 'urgent' });
    await settled(2);
    expect(recipients()).toEqual([SALES, TEAM, URGENT]);

    smtp.mails.length = 0;
    await submit({ department: 'support' }, 'grace@example.com');
    await settled(3);
    expect(recipients()).toEqual([TEAM]);
  });

  it('alone are the recipients where no address hears of every record', async () => {
    expect(await routed([OF_SALES], null)).toEqual({ emails: [], when: 'each', routes: [OF_SALES] });
    await submit({ department: 'support' });
    await submit({ department: 'sales' }, 'grace@example.com');
    expect(await settled(1)).toEqual(['sent']);
    expect(recipients()).toEqual([SALES]);
    expect(smtp.mails[0]?.text).toContain('grace@example.com');
  });

  it('compare the email of the record', async () => {
    await routed([{ if: { all: [{ field: 'email', op: 'contains', value: '@Example.org' }] }, emails: [SALES] }]);
    await submit({}, 'ada@example.org');
    await submit({}, 'ada@example.com');
    await settled(2);
    expect(recipients()).toEqual([SALES, TEAM, TEAM]);
  });

  it('decide when the email is sent', async () => {
    await routed([OF_SALES, { if: eq('department', 'support'), emails: [URGENT] }], null);
    const recordId = await insertRecord(a, app, 'ada@example.com', { data: { department: 'sales' } });
    const { _id: appId } = await appDocument(a, app);
    const mail = {
      _id: `each:${recordId}`,
      appId,
      purpose: 'each',
      recordId,
      isCreation: true,
      at: new Date(),
    } as const;
    await a.services.mailQueue.add([{ ...mail, nextAt: new Date(Date.now() + HOUR_MS) }]);
    await a.db.collection('users').updateOne({ _id: recordId as never }, { $set: { 'data.department': 'support' } });
    await a.db.collection('mails').updateOne({ _id: mail._id as never }, { $set: { nextAt: new Date() } });
    expect(await settled(1)).toEqual(['sent']);
    expect(recipients()).toEqual([URGENT]);
  });

  it('whose conditions hold no more have no email', async () => {
    await routed([OF_SALES], null);
    const recordId = await insertRecord(a, app, 'ada@example.com', { data: { department: 'support' } });
    const { _id: appId } = await appDocument(a, app);
    await a.services.mailQueue.add([{ _id: `each:${recordId}`, appId, purpose: 'each', recordId, isCreation: true }]);
    expect(await settled(1)).toEqual(['dropped']);
    expect(recipients()).toEqual([]);
  });

  it('are all told by the email that counts further changes, which counts what a route matches', {
    tags: 'long',
  }, async () => {
    const mailLimits = { confirmations: 1_000, each: 2, summed: 30 };
    const limited = await startServer(mailEnv(smtp), a.database, { mailLimits });
    await routed([OF_SALES], null);
    const departments = [...Array(4).fill('support'), 'sales', 'sales', 'sales'];
    const ids = await Promise.all(
      departments.map((department, n) => insertRecord(a, app, `s${n}@example.com`, { data: { department } })),
    );
    const events = await Promise.all(ids.map((id) => eventOf(a, app, id)));
    await limited.services.mailConsumer.consume(events);
    const purposes = async () => (await mailsOf()).map(({ purpose, state }) => `${purpose} ${state}`);
    await expect
      .poll(async () => (await purposes()).toSorted(), POLL)
      .toEqual(['each sent', 'each sent', 'each summed', 'summary due']);
    await a.db.collection('mails').updateOne({ purpose: 'summary' }, { $set: { nextAt: new Date() } });
    await expect.poll(() => smtp.mails.length, POLL).toBe(3);
    expect(smtp.mails[2]?.header('subject')).toBe('… and 1 more new or changed entries: Contact');
    expect(smtp.mails[2]?.to).toEqual([SALES]);
    await limited.close();
  });
});

describe('the setting of routes', () => {
  it.each<[string, object, { path: string; code?: string }]>([
    ['an unknown field', { if: eq('gone', 'x'), emails: [SALES] }, { path: 'if.all.0.field', code: 'unknownField' }],
    ['an unknown value', { if: eq('department', 'gold'), emails: [SALES] }, { path: 'if.all.0.value' }],
    ['an unknown operator', { if: { all: [{ field: 'name', op: 'like' }] }, emails: [SALES] }, { path: 'if.all.0.op' }],
    ['no conditions', { if: {}, emails: [SALES] }, { path: 'if', code: 'notAllOrAny' }],
    ['an invalid address', { if: eq('department', 'sales'), emails: ['x'] }, { path: 'emails.0', code: 'notEmail' }],
    ['no address', { if: eq('department', 'sales'), emails: [] }, { path: 'emails', code: 'required' }],
    ['an unknown member', { ...OF_SALES, to: [SALES] }, { path: 'to', code: 'unknownProperty' }],
  ])('refuses %s', async (_, route, { path: at, ...expected }) => {
    const { body } = await put({ emails: [TEAM], when: 'each', routes: [OF_SALES, route] }).expect(400);
    expect(body.errors).toMatchObject([{ path: `notify.routes.1.${at}`, ...expected }]);
    expect((await settings()).notify).toBeUndefined();
  });

  it('is for each only, has at most 20 routes, and is unset without addresses', async () => {
    const { body: daily } = await put({ emails: [TEAM], when: 'daily', routes: [OF_SALES] }).expect(400);
    expect(daily.errors).toMatchObject([{ path: 'notify.routes', code: 'onlyWithEach' }]);
    const { body: many } = await put({ when: 'each', routes: Array(21).fill(OF_SALES) }).expect(400);
    expect(many.errors).toMatchObject([{ path: 'notify.routes', code: 'tooManyItems' }]);
    expect(await routed(Array(20).fill(OF_SALES))).toMatchObject({ routes: { length: 20 } });
    expect(await routed([])).toEqual({ emails: [TEAM], when: 'each' });
    expect(await routed([], [])).toBeUndefined();
    const { body: none } = await put({ when: 'each' }).expect(400);
    expect(none.errors).toMatchObject([{ path: 'notify.emails', code: 'unfit' }]);
  });

  it('follows the rename of a field, also for an email before the values are moved', async () => {
    await routed([OF_SALES]);
    const id = await submit({ department: 'sales' });
    await settled(1);
    smtp.mails.length = 0;
    const before = await settings();
    const fields = [{ key: 'name', kind: 'text' } as const, { ...DEPARTMENT, key: 'unit' }, STATUS];
    const renames = [{ from: 'department', to: 'unit' }];
    await rename(a.admin, app, { fields, renames }).expect(200);
    expect((await settings()).notify.routes).toEqual([{ ...OF_SALES, if: eq('unit', 'sales') }]);
    await edit(id, { name: 'Ada' });
    await settled(2);
    expect(recipients()).toEqual([SALES, TEAM]);
    // A client that read the settings before the rename.
    const { refusedOrigins: _, ...stale } = before;
    const { body } = await b.admin.put(path(), stale).expect(200);
    expect(body.notify.routes).toEqual([{ ...OF_SALES, if: eq('unit', 'sales') }]);
    expect(await appDocument(a, app)).toMatchObject({
      form: { notify: { routes: [{ if: { all: [{ field: 'unit' }], version: 3 } }] } },
    });
  });

  it('marks a route whose field was removed, whose condition is false then', async () => {
    const other = { field: 'department', op: 'ne', value: 'sales' };
    await routed([{ if: { all: [other] }, emails: [URGENT] }, OF_URGENT]);
    await a.admin.putSchema(app, { fields: [{ key: 'name', kind: 'text' }, STATUS] }).expect(200);
    const shown = await settings();
    expect(shown.notify.routes).toEqual([
      {
        if: { all: [other] },
        emails: [URGENT],
        problem: { path: 'if.all.0.field', message: 'is not a field of this app', code: 'unknownField' },
      },
      OF_URGENT,
    ]);
    await submit({ name: 'Ada' });
    await settled(1);
    expect(recipients()).toEqual([TEAM]);
    // What a response has can be sent back, and nothing else of the removed field.
    const { body } = await a.admin.put(path(), shown).expect(200);
    expect(body.notify).toEqual(shown.notify);
    await put({ emails: [TEAM], when: 'each', routes: [{ if: eq('department', 'support'), emails: [SALES] }] }).expect(
      400,
    );
  });

  it('is in the audit log without addresses', async () => {
    await routed([{ if: eq('email', 'ada@example.com'), emails: [SALES] }]);
    const event = await a.db.collection('audit_events').findOne({ action: 'form.replaced', sourceAppId: app });
    expect(JSON.stringify(event)).toContain('notify.routes');
    expect(JSON.stringify(event)).not.toMatch(/ada@|sales@/);
  });

  it('leaves what is stored without routes as it was', async () => {
    await put({ emails: [TEAM], when: 'each' }).expect(200);
    const { form } = await appDocument(a, app);
    expect(form?.notify).toEqual({ emails: [TEAM], when: 'each' });
  });
});
