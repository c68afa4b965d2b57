import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { Client } from '../support/server/client.ts';
import { sendForm } from '../support/server/forms.ts';
import { runImport } from '../support/server/imports.ts';
import { createKey } from '../support/server/keys.ts';
import { recordsOf } from '../support/server/renames.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { CONTACT } from '../support/server/staff-fields.ts';

const [MESSAGE, STATUS] = CONTACT as [FieldDefinitionInput, FieldDefinitionInput];
const RESET = { ...STATUS, resetOnSubmit: true } as FieldDefinitionInput;
const ADA = 'ada@example.com';
const POLL = { timeout: 30_000, interval: 20 };

let smtp: TestSmtp;
let a: TestServer;
let b: TestServer;
let app: string;
let operator: Client;
beforeAll(async () => {
  smtp = await startSmtp();
  const options = { ...FULL_LEASES, pollEveryMs: 100, writesEndMs: 300, checksMs: [] };
  a = await startServer(mailEnv(smtp), undefined, options);
  b = await startServer(mailEnv(smtp), a.database, options);
});
afterAll(async () => {
  await b.close();
  await a.close();
  await smtp.close();
});
beforeEach(async () => {
  const built = await a.admin.buildApp({ fields: [MESSAGE, RESET] });
  app = built.sourceAppId;
  operator = await new Client(b.client.url).logIn(app, built.password);
});

const keep = () => a.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
const submit = (message: string, { client } = a) => client.submit(app, { email: ADA, data: { message } }).expect(200);
const path = async () => `/auth/users/${(await recordsOf(a, app))[0]?._id}`;
const edit = async (status: string) => operator.patch(await path(), { set: { status } }).expect(200);
const dataOf = async (): Promise<unknown> => (await recordsOf(a, app))[0]?.data;

interface Entry {
  by: { kind: string };
  changes: { path: string; before?: unknown; after?: unknown }[];
}
const historyOf = async (): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await operator.get(`${await path()}/history${cursor}`).expect(200);
    entries.push(...body.entries);
    if (!body.next) return entries;
    cursor = `?cursor=${body.next}`;
  }
};
const kept = async () =>
  (await operator.get('/auth/submissions').expect(200)).body.submissions.map(({ data }: { data: object }) => data);

describe('the definition of a field that submissions set back (spec 2.11)', () => {
  it('is a select of the staff with a default, and is stored as it was sent', async () => {
    const staff = { writers: 'staff', resetOnSubmit: true } as const;
    const choices = { kind: 'select' as const, enum: ['new', 'done'] };
    const fields: FieldDefinitionInput[] = [
      { key: 'a', ...choices, ...staff },
      { key: 'b', ...choices, resetOnSubmit: true, default: 'new' },
      { key: 'c', ...choices, ...staff, default: 'new' },
      { key: 'd', ...choices, resetOnSubmit: false },
    ];
    const { body } = await a.admin.putSchema(app, { fields }).expect(400);
    expect(body.errors).toEqual([
      { path: 'fields.0.resetOnSubmit', message: 'needs a default', code: 'needsDefault' },
      { path: 'fields.1.resetOnSubmit', message: 'is only possible with writers: staff', code: 'onlyOfStaff' },
    ]);
    for (const kind of ['text', 'number', 'checkbox', 'date', 'array'])
      await a.admin.put(`/auth/apps/${app}/schema`, { fields: [{ key: 'a', kind, ...staff }] }).expect(400);
    await a.admin.putSchema(app, { fields: fields.slice(2) }).expect(200);
    const stored = await b.admin.get(`/auth/apps/${app}/schema`).expect(200);
    expect(stored.body.fields).toMatchObject([{ key: 'c', resetOnSubmit: true }, { key: 'd' }]);
    const shown = await b.client.get('/v1/schema').set('x-app-id', app).expect(200);
    expect(shown.text).not.toMatch(/"c"|new":/);
  });
});

describe('an accepted public submission of a known person (spec 2.11)', () => {
  it('sets the field back with the submission, on every server; nobody else does', async () => {
    await submit('first');
    expect(await dataOf()).toEqual({ message: 'first', status: 'new' });
    for (const server of [a, b]) {
      await edit('done');
      expect(await dataOf()).toMatchObject({ status: 'done' });
      await submit('again', server);
      expect(await dataOf()).toEqual({ message: 'again', status: 'new' });
    }
    await edit('done');
    const staff = await createKey(a, operator, ['submit', 'users:write']);
    await staff.send('post', '/v1/users', { email: ADA, data: { message: 'key' } }).expect(200);
    await runImport(operator, undefined, 'email,message\nada@example.com,import\n', {
      map: { email: 'email', message: 'data.message' },
    });
    expect(await dataOf()).toEqual({ message: 'import', status: 'done' });
    const program = await createKey(a, operator, ['submit']);
    await program.send('post', '/v1/users', { email: ADA, data: { message: 'program' } }).expect(200);
    expect(await dataOf()).toEqual({ message: 'program', status: 'new' });
  });

  it('sets a record that never had the field, and one whose value was removed', async () => {
    await a.admin.putSchema(app, { fields: [MESSAGE] }).expect(200);
    await submit('first');
    await a.admin.putSchema(app, { fields: [MESSAGE, RESET] }).expect(200);
    await keep();
    await submit('again');
    expect(await dataOf()).toEqual({ message: 'again', status: 'new' });
    expect((await historyOf())[0]?.changes).toContainEqual({ path: 'data.status', before: null, after: 'new' });
    await operator.patch(await path(), { set: {}, unset: ['status'] }).expect(200);
    await submit('third', b);
    expect(await dataOf()).toEqual({ message: 'third', status: 'new' });
    await expect.poll(kept, POLL).toEqual([{ message: 'third' }, { message: 'again' }]);
  });

  it('is not applied again by a repeat', async () => {
    const send = ({ client }: TestServer) =>
      client
        .submit(app, { email: ADA, data: { message: 'once' } })
        .set('Idempotency-Key', 'one')
        .expect(200);
    await submit('first');
    await send(a);
    await edit('done');
    for (const server of [a, b]) await send(server);
    expect(await dataOf()).toEqual({ message: 'once', status: 'done' });
  });

  it('has both values in its entry of the history, and only what was sent in the inbox', async () => {
    await keep();
    await submit('first');
    await edit('done');
    await submit('again', b);
    await submit('third');
    expect((await historyOf()).map(({ by, changes }) => [by.kind, ...changes])).toEqual([
      ['submission', { path: 'data.message', after: 'third' }],
      ['submission', { path: 'data.message', after: 'again' }, { path: 'data.status', before: 'done', after: 'new' }],
      ['edit', { path: 'data.status', before: 'new', after: 'done' }],
      ['submission', { path: 'data.message', after: 'first' }],
    ]);
    await expect.poll(kept, POLL).toEqual([{ message: 'third' }, { message: 'again' }, { message: 'first' }]);
  });

  it('is in the index and in the search', { tags: 'long' }, async () => {
    await untilReady(a, app, ['status']);
    await a.admin.put(`/auth/apps/${app}/search`, { enabled: true }).expect(200);
    await submit('first');
    await edit('done');
    await submit('again', b);
    expect(await expectSlotsOfRecords(a, app)).toBe(1);
    const found = async (query: string) => (await operator.get(`/auth/users?${query}&total=exact`)).body.total;
    expect([await found('where=data.status:eq:new'), await found('where=data.status:eq:done')]).toEqual([1, 0]);
    expect([await found('q=new'), await found('q=done')]).toEqual([1, 0]);
  });

  it('sets the field back when it is released, not while it is held', async () => {
    await submit('first');
    await edit('done');
    const trapped = Object.entries({ email: ADA, message: 'held', _gotcha: 'x' });
    await sendForm(a.client, app, trapped).set('Accept', 'application/json').expect(200);
    expect(await dataOf()).toEqual({ message: 'first', status: 'done' });
    const { held } = (await operator.get('/auth/held').expect(200)).body;
    await operator.post(`/auth/held/${held[0].id}/release`).expect(200);
    expect(await dataOf()).toEqual({ message: 'held', status: 'new' });
  });

  it('sets nothing back where it changes only the inbox, and does where the person confirmed it', async () => {
    await keep();
    await submit('first');
    await edit('done');
    await a.admin.put(`/auth/apps/${app}/form`, { existing: 'keep' }).expect(200);
    await submit('kept', b);
    expect(await dataOf()).toEqual({ message: 'first', status: 'done' });
    await expect.poll(kept, POLL).toEqual([{ message: 'kept' }, { message: 'first' }]);

    await a.admin.put(`/auth/apps/${app}/form`, { existing: 'confirm' }).expect(200);
    const count = smtp.to(ADA).length;
    await submit('asked');
    await expect.poll(() => smtp.to(ADA).length, POLL).toBe(count + 1);
    expect(await dataOf()).toEqual({ message: 'first', status: 'done' });
    const [, link = ''] = /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(smtp.to(ADA).at(-1)?.text ?? '') ?? [];
    await b.client.post(link).type('form').set('Accept', 'text/html').expect(200);
    expect(await dataOf()).toEqual({ message: 'asked', status: 'new' });
    expect((await historyOf())[0]?.changes).toContainEqual({ path: 'data.status', before: 'done', after: 'new' });
  });

  it('has the value that it replaced in its entry, beside edits by another server', { tags: 'long' }, async () => {
    await keep();
    await submit('first');
    const id = await path();
    const tasks = Array.from({ length: 24 }, (_, n) =>
      n % 3
        ? (n % 2 ? a : b).client.submit(app, { email: ADA, data: { message: `${n}` } })
        : operator.patch(id, { set: { status: n % 2 ? 'done' : 'in progress' } }),
    );
    const statuses = (await Promise.all(tasks)).map(({ status }) => status);
    // A busy machine answers 503 at times.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    let status: unknown = 'new';
    for (const { changes } of (await historyOf()).reverse()) {
      for (const { path: at, before, after } of changes) {
        if (at !== 'data.status') continue;
        expect(before).toBe(status);
        status = after;
      }
    }
    expect(await dataOf()).toMatchObject({ status });
  });
});
