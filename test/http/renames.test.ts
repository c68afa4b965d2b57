import { type ObjectId, UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinition, FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import type { UserDocument } from '../../src/core/users/users.model.ts';
import type { WithConsents } from '../../src/features/consents/consents.ts';
import type { MailApps } from '../../src/features/notifications/mail-apps.ts';
import type { MailDocument } from '../../src/features/notifications/mail-queue.ts';
import { createMailRenderer } from '../../src/features/notifications/messages.ts';
import { createRecipients } from '../../src/features/notifications/recipients.ts';
import { createRecordReader } from '../../src/features/record-reads/record-reader.ts';
import { createRenameStore } from '../../src/features/renames/rename-store.ts';
import { createDeliveryRecords } from '../../src/features/webhooks/payload.ts';
import type { DeliveryDocument } from '../../src/features/webhooks/webhooks.model.ts';
import type { Issue } from '../../src/platform/languages/reasons.ts';
import { appDocument, expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { createModels } from '../support/database/models.ts';
import { Client } from '../support/server/client.ts';
import { recordsOf, rename, untilRenamed } from '../support/server/renames.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

const TIMEOUT_MS = 120_000;
const WRITES_END = { ...FULL_LEASES, writesEndMs: 300 };

const text = (key: string, more: object = {}) => ({ key, kind: 'text', ...more }) as FieldDefinitionInput;
const list = (key: string): FieldDefinitionInput => ({ key, kind: 'array' });
const number = (key: string, more: object = {}) => ({ key, kind: 'number', ...more }) as FieldDefinitionInput;

/** `a` and `b` move no values, so that a rename stays where it is until {@link move}. */
let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, WRITES_END);
  b = await startServer({}, a.database, WRITES_END);
  for (const { services } of [a, b]) await services.jobs.stop();
});
afterAll(async () => {
  await b.close();
  await a.close();
});

/** Starts a server that moves the values, and waits until it is done. */
async function move(sourceAppId: string, indexed: string[] = []): Promise<void> {
  const mover = await startServer({}, a.database, WRITES_END);
  try {
    await untilRenamed(mover, sourceAppId);
    await untilReady(mover, sourceAppId, indexed);
  } finally {
    await mover.close();
  }
}

describe('PUT /auth/apps/:sourceAppId/schema with renames', () => {
  const before = [text('name'), number('age'), list('notes')];

  it.each<[string, FieldDefinitionInput[], { from: string; to: string }[], Issue[]]>([
    [
      'an unknown key',
      [text('full')],
      [{ from: 'nobody', to: 'full' }],
      [{ path: 'renames.0.from', message: 'is not a field of the schema that is replaced', code: 'notReplacedField' }],
    ],
    [
      'a field that stays',
      [text('name'), text('full')],
      [{ from: 'name', to: 'full' }],
      [{ path: 'renames.0.from', message: 'is still a field', code: 'stillField' }],
    ],
    [
      'no new field',
      [text('full')],
      [{ from: 'name', to: 'other' }],
      [{ path: 'renames.0.to', message: 'is not a field of the new schema', code: 'notNewField' }],
    ],
    [
      'a field of the old schema',
      [number('age')],
      [{ from: 'name', to: 'age' }],
      [
        { path: 'renames.0.to', message: 'is a field of the schema that is replaced', code: 'replacedField' },
        { path: 'renames.0.to', message: 'must be of the kind text', code: 'notKind', params: { kind: 'text' } },
      ],
    ],
    [
      'another kind',
      [number('full')],
      [{ from: 'name', to: 'full' }],
      [{ path: 'renames.0.to', message: 'must be of the kind text', code: 'notKind', params: { kind: 'text' } }],
    ],
    [
      'one field twice',
      [text('full'), text('other')],
      [
        { from: 'name', to: 'full' },
        { from: 'name', to: 'other' },
      ],
      [{ path: 'renames.1.from', message: 'is renamed twice', code: 'renamedTwice' }],
    ],
    [
      'a form of key that no field has',
      [text('full')],
      [{ from: 'data.name', to: 'full' }],
      [{ path: 'renames.0.from', message: 'must be a key of a field', code: 'notFieldKey' }],
    ],
  ])('refuses %s', async (_name, fields, renames, errors) => {
    const { sourceAppId } = await a.admin.buildApp({ fields: before });
    const { body } = await rename(a.admin, sourceAppId, { fields, renames }).expect(400);
    expect(body).toEqual({ message: 'Invalid schema', code: 'invalidSchema', errors });
    expect((await a.admin.get(`/auth/apps/${sourceAppId}/schema`).expect(200)).body.version).toBe(2);
  });

  it('refuses another rename while values are being moved, and then chains them', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ rejectUnknown: true, fields: [text('x'), text('other')] });
    await a.client.submit(sourceAppId, { email: 'one@x.org', data: { x: 'X', other: 'O' } }).expect(200);
    const path = `/auth/apps/${sourceAppId}`;
    const first = { fields: [text('y'), text('other')], renames: [{ from: 'x', to: 'y' }] };
    await rename(a.admin, sourceAppId, first).expect(200);
    expect((await b.admin.get(`${path}/indexes`).expect(200)).body).toEqual([
      { key: 'y', state: 'renaming', done: 0, total: 0 },
    ]);
    const second = { fields: [text('z'), text('other')], renames: [{ from: 'y', to: 'z' }] };
    const { body } = await rename(b.admin, sourceAppId, second).expect(409);
    expect(body.message).toContain('that version 3 renamed are still being moved');
    const reused = { rejectUnknown: true, fields: [text('x'), text('y')] };
    expect((await b.admin.put(`${path}/schema`, reused).expect(409)).body.message).toContain('the key x is in use');
    // Other changes are possible, and the rename continues.
    await b.admin.put(`${path}/schema`, { rejectUnknown: true, fields: [text('y', { label: 'Why' })] }).expect(200);
    expect((await b.admin.get('/auth/admin/users').query({ sourceAppId }).expect(200)).body.users).toMatchObject([
      { data: { y: 'X', other: 'O' } },
    ]);
    await move(sourceAppId);
    await rename(b.admin, sourceAppId, { ...second, fields: [text('z')] }).expect(200);
    await move(sourceAppId);
    // A rename back to the first key.
    await rename(a.admin, sourceAppId, { fields: [text('x')], renames: [{ from: 'z', to: 'x' }] }).expect(200);
    await a.client.submit(sourceAppId, { email: 'one@x.org' }).expect(200);
    await move(sourceAppId);
    expect((await recordsOf(a, sourceAppId)).map(({ data }) => data)).toEqual([{ x: 'X', other: 'O' }]);
    const { body: history } = await a.admin.get(`${path}/schema/versions`).expect(200);
    expect(
      history.versions.map(({ version, author, renames }: Record<string, unknown>) => [version, author, renames]),
    ).toEqual([
      [6, 'admin', [{ from: 'z', to: 'x' }]],
      [5, 'admin', [{ from: 'y', to: 'z' }]],
      [4, 'admin', undefined],
      [3, 'admin', [{ from: 'x', to: 'y' }]],
      [2, 'admin', undefined],
      [1, undefined, undefined],
    ]);
  });
});

describe('A renamed field', () => {
  const people = [
    { email: 'a@x.org', data: { age: 3, name: 'Cleo', extra: 1 } },
    { email: 'b@x.org', data: { name: 'ada', age: 2 } },
    { email: 'c@x.org', data: { age: 1 } },
    { email: 'd@x.org', data: { name: 'Bob', notes: ['x', { deep: 'ada' }] } },
  ];

  /** Everything that operators read of the app, by request. */
  async function readAll(server: TestServer, app: { sourceAppId: string; password: string }) {
    const { sourceAppId } = app;
    const operator = await new Client(server.client.url).logIn(sourceAppId, app.password);
    const queries = [
      '',
      'limit=10',
      'order=asc&limit=3',
      'sort=data.fullName',
      'sort=data.fullName&order=desc&limit=2',
      'sort=data.years&skip=1',
      'where=data.fullName:eq:ada',
      'where=data.fullName:ne:ada',
      'q=ada',
      'q=cleo',
      'where=data.fullName:empty:true',
      'where=data.years:gte:2&sort=data.years',
      'where=data.years:lt:3',
      'where=data.fullName:prefix:c',
      'where=data.remarks:exists:true',
      'where=data.remarks:contains:x',
      'total=exact&sort=data.fullName',
      'total=exact&sort=data.fullName&order=desc',
      'total=exact&sort=data.years',
    ];
    const answers: Record<string, unknown> = {};
    for (const query of queries) {
      const { body } = await operator.get(`/auth/users?${query}`).expect(200);
      answers[query] = body;
    }
    for (const query of ['fullName', 'years', 'years&where=data.years:gte:2', 'fullName&q=ada', 'years&q=ada']) {
      const { body } = await operator.get(`/auth/users/breakdown?field=data.${query}`).expect(200);
      answers[`breakdown ${query}`] = body;
    }
    for (const query of ['', `sourceAppId=${sourceAppId}`, 'q=ada']) {
      const { body } = await server.admin.get(`/auth/admin/users?${query}`).expect(200);
      answers[`admin ${query}`] = body.users.filter(
        (user: { sourceAppId: string }) => user.sourceAppId === sourceAppId,
      );
    }
    for (const query of ['format=csv', 'format=ndjson', 'format=json&where=data.fullName:eq:ada']) {
      answers[`export ${query}`] = (await operator.get(`/auth/users/export?${query}`).expect(200)).text;
    }
    const { body: all } = await operator.get('/auth/users').expect(200);
    for (const { id, email } of all.users) {
      const one = await operator.get(`/auth/users/${id}`).expect(200);
      answers[`one ${email}`] = [one.body, one.headers.etag];
      answers[`person ${email}`] = (await operator.post('/auth/people/export', { email }).expect(200)).body.entries;
    }
    answers.stats = (await operator.get('/auth/stats?days=1').expect(200)).body.users;
    const text = JSON.stringify(answers, null, 1);
    // The move itself is in this number only; `schemaVersion` is a column of CSV.
    return text.replaceAll(/("schemaVersion":) ?\d/g, '$1').replaceAll(/(,|\\":|":)[23],(\\"|20)/g, '$1,$2');
  }

  it.each([false, true])(
    'is shown whole under its new key by every read, before and after the move (indexed: %s)',
    { tags: 'long', timeout: TIMEOUT_MS },
    async (indexed) => {
      const fields = (name: string, age: string, notes: string) => [
        text(name, { indexed }),
        number(age, { indexed }),
        list(notes),
      ];
      const app = await a.admin.buildApp({ fields: fields('name', 'age', 'notes') });
      const { sourceAppId } = app;
      for (const person of people) await b.client.submit(sourceAppId, person).expect(200);
      if (indexed) await move(sourceAppId, ['age', 'name']);
      const slots = (await appDocument(a, sourceAppId)).slots?.map(({ id, slot }) => `${id} ${slot}`);
      await rename(a.admin, sourceAppId, {
        rejectUnknown: false,
        fields: fields('fullName', 'years', 'remarks'),
        renames: [
          { from: 'name', to: 'fullName' },
          { from: 'age', to: 'years' },
          { from: 'notes', to: 'remarks' },
        ],
      }).expect(200);
      expect((await recordsOf(a, sourceAppId))[1]?.data).toEqual({ name: 'ada', age: 2 });
      const unmoved = await readAll(b, app);
      expect(unmoved).toContain('"fullName": "ada"');
      expect(unmoved).not.toContain('"name"');
      expect(await readAll(a, app)).toBe(unmoved);
      await move(sourceAppId, indexed ? ['fullName', 'years'] : []);
      expect((await recordsOf(a, sourceAppId)).map(({ data }) => JSON.stringify(data))).toEqual([
        '{"years":3,"fullName":"Cleo","extra":1}',
        '{"fullName":"ada","years":2}',
        '{"years":1}',
        expect.stringContaining('{"fullName":"Bob","remarks":[{"value":"x"'),
      ]);
      expect(await readAll(b, app)).toBe(unmoved);
      // The index was not built again.
      expect((await appDocument(a, sourceAppId)).slots?.map(({ id, slot }) => `${id} ${slot}`)).toEqual(slots);
      expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(4);
    },
  );

  it('is delivered to webhooks under its new key before the move', async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [text('name')] });
    await a.client.submit(sourceAppId, { email: 'ada@x.org', data: { name: 'Ada' } }).expect(200);
    const renames = [{ from: 'name', to: 'fullName' }];
    await rename(a.admin, sourceAppId, { fields: [text('fullName')], renames }).expect(200);
    const [stored] = await recordsOf(a, sourceAppId);
    const pending = createRenameStore(createModels(a.connection).schemas);
    const reader = createRecordReader(a.db.collection<UserDocument>('users'), pending.recent);
    const readRecords = createDeliveryRecords(reader);
    const delivery = { type: 'user.updated', appId: stored?.appId, recordId: stored?._id } as DeliveryDocument;
    expect([...(await readRecords.many([delivery])).values()]).toMatchObject([{ data: { fullName: 'Ada' } }]);
    expect(stored?.data).toEqual({ name: 'Ada' });
  });

  it('is in the email to operators under the label of its new key before the move', async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [text('name')] });
    await a.client.submit(sourceAppId, { email: 'ada@x.org', data: { name: 'Ada' } }).expect(200);
    const fields = [text('fullName', { label: 'Full name' })];
    await rename(a.admin, sourceAppId, { fields, renames: [{ from: 'name', to: 'fullName' }] }).expect(200);
    const [stored] = await recordsOf(a, sourceAppId);
    const pending = createRenameStore(createModels(a.connection).schemas);
    const form = { notify: { emails: ['team@example.com'], when: 'each' } };
    const render = createMailRenderer({
      apps: { ofId: async (id: ObjectId) => ({ id, sourceAppId, form }) } as unknown as MailApps,
      records: createRecordReader(a.db.collection<UserDocument>('users'), pending.recent),
      fieldsOf: async () => fields as FieldDefinition[],
      recipients: createRecipients({ evaluate: async () => new Map() }),
    } as unknown as Parameters<typeof createMailRenderer>[0]);
    const mail = { purpose: 'each', appId: stored?.appId, recordId: stored?._id, createdAt: new Date() };
    const rendered = await render(mail as MailDocument);
    expect(rendered?.text).toContain('Full name\n    Ada\n');
    expect(stored?.data).toEqual({ name: 'Ada' });
  });

  it('is erased by a query on its new key before the move', async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [text('name')] });
    for (const { email, data } of people) await b.client.submit(sourceAppId, { email, data }).expect(200);
    const renames = [{ from: 'name', to: 'fullName' }];
    await rename(a.admin, sourceAppId, { fields: [text('fullName')], renames }).expect(200);
    const query = { sourceAppId, where: 'data.fullName:eq:ada', confirm: 1 };
    const { body } = await b.admin.delete('/auth/users').query(query).expect(200);
    expect(body).toEqual({ ok: true, deletedUsers: 1 });
    expect((await recordsOf(a, sourceAppId)).map(({ email }) => email)).toEqual(['a@x.org', 'c@x.org', 'd@x.org']);
  });

  it('takes submissions and changes before the move, and each value is stored once', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ rejectUnknown: true, fields: [text('name'), list('notes')] });
    const submit = (server: TestServer, email: string, data: object) =>
      server.client.submit(sourceAppId, { email, data });
    const emails = ['sets@x.org', 'appends@x.org', 'both@x.org', 'none@x.org', 'edited@x.org', 'moved@x.org'];
    for (const email of emails) await submit(a, email, { name: 'Old', notes: [1] }).expect(200);
    await rename(a.admin, sourceAppId, {
      fields: [text('fullName'), list('remarks')],
      renames: [
        { from: 'name', to: 'fullName' },
        { from: 'notes', to: 'remarks' },
      ],
    }).expect(200);
    await submit(b, 'sets@x.org', { fullName: 'New' }).expect(200);
    await submit(a, 'appends@x.org', { remarks: [2] }).expect(200);
    await submit(b, 'both@x.org', { fullName: 'New', remarks: [2, 3] }).expect(200);
    await submit(a, 'none@x.org', {}).expect(200);
    await submit(a, 'created@x.org', { fullName: 'New', remarks: [1] }).expect(200);
    await submit(b, 'none@x.org', { name: 'Old' }).expect(400);
    const { body } = await b.admin.get('/auth/admin/users').query({ sourceAppId, limit: 50 }).expect(200);
    const edited = body.users.find(({ email }: { email: string }) => email === 'edited@x.org');
    const path = `/auth/users/${edited.id}?sourceAppId=${sourceAppId}`;
    const { etag = '' } = (await b.admin.get(path).expect(200)).headers;
    const change = {
      set: { fullName: 'New' },
      removeItems: [{ key: 'remarks', timestamp: edited.data.remarks[0].timestamp }],
    };
    expect((await b.admin.patch(path, change).set('If-Match', etag).expect(200)).body.data).toEqual({
      fullName: 'New',
      remarks: [],
    });
    const shown = async () =>
      Object.fromEntries(
        (await recordsOf(a, sourceAppId)).map(({ email, data, arraySizes }) => [
          email.split('@')[0],
          [data.fullName, (data.remarks as { value: number }[])?.map(({ value }) => value), arraySizes],
        ]),
      );
    const expected = {
      sets: ['New', [1], { remarks: 1 }],
      appends: ['Old', [1, 2], { remarks: 2 }],
      both: ['New', [1, 2, 3], { remarks: 3 }],
      none: ['Old', [1], { remarks: 1 }],
      edited: ['New', [], { remarks: 0 }],
      created: ['New', [1], { remarks: 1 }],
    };
    expect(await shown()).toMatchObject(expected);
    await move(sourceAppId);
    expect(await shown()).toEqual({ ...expected, moved: ['Old', [1], { remarks: 1 }] });
    for (const { data } of await recordsOf(a, sourceAppId)) {
      expect(Object.keys(data).sort()).toEqual(['fullName', 'remarks']);
    }
    // The size of the list moved with it.
    const many = Array.from({ length: 1_000 }, (_, n) => n);
    await submit(b, 'moved@x.org', { remarks: many }).expect(409);
    await submit(b, 'moved@x.org', { remarks: many.slice(1) }).expect(200);
  });

  it('answers repeats of keyed submissions that were sent before the rename', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ rejectUnknown: true, fields: [list('notes')] });
    const body = { email: 'keyed@x.org', data: { notes: [1] } };
    const send = (server: TestServer, data: object) =>
      server.client.submit(sourceAppId, { ...body, data }).set('Idempotency-Key', 'k1');
    const first = (await send(a, body.data).expect(200)).body;
    const renames = [{ from: 'notes', to: 'remarks' }];
    await rename(a.admin, sourceAppId, { fields: [list('remarks')], renames }).expect(200);
    expect((await send(b, body.data).expect(200)).body).toEqual(first);
    await send(b, { remarks: [1] }).expect(422);
    await move(sourceAppId);
    expect((await send(a, body.data).expect(200)).body).toEqual(first);
    expect((await recordsOf(a, sourceAppId))[0]?.data).toEqual({ remarks: [expect.objectContaining({ value: 1 })] });
  });

  it('wins over an extra key of the new name, whose value is kept under another key', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ rejectUnknown: false, fields: [text('name')] });
    const data = { fullName: ['an extra', 'list'], name: 'Ada' };
    await a.client.submit(sourceAppId, { email: 'moved@x.org', data }).expect(200);
    await a.client.submit(sourceAppId, { email: 'submits@x.org', data }).expect(200);
    await a.client.submit(sourceAppId, { email: 'extra@x.org', data: { fullName: 'Extra only' } }).expect(200);
    const renames = [{ from: 'name', to: 'fullName' }];
    await rename(a.admin, sourceAppId, { rejectUnknown: false, fields: [text('fullName')], renames }).expect(200);
    await b.client.submit(sourceAppId, { email: 'submits@x.org', data: { fullName: 'Eva' } }).expect(200);
    const { body } = await a.admin
      .get('/auth/users')
      .query({ sourceAppId, where: 'data.fullName:prefix:e' })
      .expect(200);
    expect(body.users.map(({ email }: { email: string }) => email)).toEqual(['extra@x.org', 'submits@x.org']);
    await move(sourceAppId);
    const kept = ['an extra', 'list'];
    expect((await recordsOf(a, sourceAppId)).map((record) => [record.data, record.arraySizes])).toEqual([
      [{ fullName_before_v3: kept, fullName: 'Ada' }, { fullName_before_v3: 2 }],
      [{ fullName_before_v3: kept, fullName: 'Eva' }, { fullName_before_v3: 2 }],
      [{ fullName: 'Extra only' }, undefined],
    ]);
  });

  it('keeps every such value, also when the name that it gets is taken or is that of another one', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const [one, two] = [`${'l'.repeat(50)}1`, `${'l'.repeat(50)}2`];
    const fields = [text('name'), text('a'), text('b'), text('spare')];
    const { sourceAppId } = await a.admin.buildApp({ rejectUnknown: false, fields });
    const extra = { city: 'extra', city_before_v3: 'taken', [one]: 'first', [two]: 'second' };
    const data = { ...extra, name: 'Ada', a: 'A', b: 'B' };
    await a.client.submit(sourceAppId, { email: 'moved@x.org', data }).expect(200);
    await a.client.submit(sourceAppId, { email: 'submits@x.org', data }).expect(200);
    const renames = [
      { from: 'name', to: 'city' },
      { from: 'a', to: one },
      { from: 'b', to: two },
    ];
    // No record has a value of this field yet.
    const later = [text('city'), text(one), text(two), text('city_before_v3_2')];
    await rename(a.admin, sourceAppId, { rejectUnknown: false, fields: later, renames }).expect(200);
    const { body: before } = await a.admin.get('/auth/users').query({ sourceAppId, total: 'none' }).expect(200);
    await b.client.submit(sourceAppId, { email: 'submits@x.org', data: { city: 'Ada' } }).expect(200);
    await move(sourceAppId);
    const expected = {
      city: 'Ada',
      city_before_v3: 'taken',
      city_before_v3_3: 'extra',
      [one]: 'A',
      [two]: 'B',
      [`${'l'.repeat(41)}_before_v3`]: 'first',
      [`${'l'.repeat(35)}_before_v3_3`]: 'second',
    };
    const stored = (await recordsOf(a, sourceAppId)).map((record) => record.data);
    expect(stored).toEqual([expected, expected]);
    expect(before.users.map((user: { data: object }) => user.data)).toEqual([expected, expected]);
  });

  it('is meant by its old key in submissions of clients that do not know the new one yet', async () => {
    const { sourceAppId } = await a.admin.buildApp({ rejectUnknown: false, fields: [number('age')] });
    await a.client.submit(sourceAppId, { email: 'old@x.org', data: { age: 1 } }).expect(200);
    const renames = [{ from: 'age', to: 'years' }];
    await rename(a.admin, sourceAppId, { rejectUnknown: false, fields: [number('years')], renames }).expect(200);
    await b.client.submit(sourceAppId, { email: 'old@x.org', data: { age: 2 } }).expect(200);
    await b.client.submit(sourceAppId, { email: 'new@x.org', data: { age: 3 } }).expect(200);
    await b.client.submit(sourceAppId, { email: 'old@x.org', data: { age: 'two' } }).expect(400);
    const both = await b.client.submit(sourceAppId, { email: 'old@x.org', data: { age: 2, years: 2 } }).expect(400);
    expect(both.body.errors).toEqual([
      { path: 'data.age', message: 'was renamed to years', code: 'renamed', params: { key: 'years' } },
    ]);
    const [record] = await recordsOf(a, sourceAppId);
    const path = `/auth/users/${record?._id}?sourceAppId=${sourceAppId}`;
    await a.admin.patch(path, { set: { age: 5 } }).expect(400);
    expect((await recordsOf(a, sourceAppId)).map(({ data }) => data)).toEqual([{ years: 2 }, { years: 3 }]);
  });

  it('keeps the state of its consent, and the history as it was', { tags: 'long', timeout: TIMEOUT_MS }, async () => {
    const consent = (key: string) => ({ key, kind: 'checkbox', consent: { version: '1' } }) as FieldDefinitionInput;
    const app = await a.admin.buildApp({ rejectUnknown: true, fields: [consent('news')] });
    const { sourceAppId } = app;
    for (const email of ['moved@x.org', 'submits@x.org']) {
      await a.client.submit(sourceAppId, { email, data: { news: true } }).expect(200);
    }
    const renames = [{ from: 'news', to: 'mail' }];
    await rename(a.admin, sourceAppId, { fields: [consent('mail')], renames }).expect(200);
    await a.client.submit(sourceAppId, { email: 'submits@x.org', data: { mail: true } }).expect(200);
    await move(sourceAppId);
    await b.client.submit(sourceAppId, { email: 'moved@x.org', data: { mail: true } }).expect(200);
    await b.client.submit(sourceAppId, { email: 'moved@x.org', data: { mail: false } }).expect(200);
    const records = (await recordsOf(a, sourceAppId)) as WithConsents[];
    expect(records.map(({ consents }) => consents?.map(({ key, given }) => `${key} ${given}`))).toEqual([
      ['news true', 'mail false'],
      ['news true'],
    ]);
    expect(records.map(({ consentState }) => consentState)).toEqual([{ mail: false }, { mail: '1' }]);
  });
});

describe('Submissions during renames, on two servers', () => {
  it('store each value exactly once, and no record has an old key afterwards', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({
      rejectUnknown: true,
      fields: [list('notes0'), text('name0', { indexed: true })],
    });
    const movers = [await startServer({}, a.database, WRITES_END), await startServer({}, a.database, WRITES_END)];
    try {
      let round = 0;
      let isRunning = true;
      let sent = 0;
      const accepted: number[] = [];
      const run = async ({ client }: TestServer) => {
        while (isRunning) {
          sent += 1;
          const value = sent;
          // Every second one still uses the old keys for a while.
          const version = value % 2 ? round : Math.max(0, round - 1);
          const data = { [`notes${version}`]: [value], ...(value % 3 && { [`name${version}`]: `N${value}` }) };
          const { status } = await client.submit(sourceAppId, { email: `u${value % 60}@x.org`, data });
          if (status === 200) accepted.push(value);
          else expect(status).toBe(400);
        }
      };
      const load = Promise.all([...movers, ...movers, a, b].map(run));
      const untilAccepted = (more: number) => {
        const wanted = accepted.length + more;
        return expect.poll(() => accepted.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(wanted);
      };
      for (let next = 1; next <= 4; next += 1) {
        await untilAccepted(60);
        await rename(next % 2 ? a.admin : b.admin, sourceAppId, {
          fields: [list(`notes${next}`), text(`name${next}`, { indexed: next !== 3 })],
          renames: [
            { from: `notes${round}`, to: `notes${next}` },
            { from: `name${round}`, to: `name${next}` },
          ],
        }).expect(200);
        round = next;
        await untilRenamed(movers[next % 2] as TestServer, sourceAppId);
      }
      await untilAccepted(60);
      isRunning = false;
      await load;
      await untilReady(movers[0] as TestServer, sourceAppId, ['name4']);
      const records = await recordsOf(a, sourceAppId);
      expect(records.map(({ email }) => email).sort()).toEqual(
        [...new Set(accepted.map((value) => `u${value % 60}@x.org`))].sort(),
      );
      for (const { data } of records) {
        expect(Object.keys(data).filter((key) => !['notes4', 'name4'].includes(key))).toEqual([]);
      }
      const stored = records.flatMap(({ data }) => (data.notes4 as { value: number }[]).map(({ value }) => value));
      expect(stored.sort((one, other) => one - other)).toEqual(accepted.sort((one, other) => one - other));
      for (const { data, arraySizes } of records) expect(arraySizes).toEqual({ notes4: (data.notes4 as []).length });
      expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(records.length);
    } finally {
      for (const mover of movers) await mover.close();
    }
  });
});

describe('After a rename has ended', () => {
  /** Starts a server that searches for late writes soon, and waits for that. */
  async function moveAndSearch(sourceAppId: string, late: () => Promise<unknown>, indexed: string[] = []) {
    const mover = await startServer({}, a.database, { ...WRITES_END, checksMs: [500] });
    try {
      await untilRenamed(mover, sourceAppId);
      await late();
      await untilReady(mover, sourceAppId, indexed);
      const open = async () => {
        const { _id } = await appDocument(a, sourceAppId);
        const searches = await a.db
          .collection('schema_versions')
          .countDocuments({ appId: _id, check: { $exists: true } });
        const { slots = [] } = await appDocument(a, sourceAppId);
        return searches + slots.filter(({ checkAt }) => checkAt).length;
      };
      await expect.poll(open, { timeout: 30_000 }).toBe(0);
    } finally {
      await mover.close();
    }
  }

  it('what a server wrote late under an old key, which was killed then, is moved by all renames since', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ rejectUnknown: true, fields: [text('a')] });
    await a.client.submit(sourceAppId, { email: 'old@x.org', data: { a: 'A' } }).expect(200);
    await rename(a.admin, sourceAppId, { fields: [text('b')], renames: [{ from: 'a', to: 'b' }] }).expect(200);
    await move(sourceAppId);
    await rename(a.admin, sourceAppId, { fields: [text('c')], renames: [{ from: 'b', to: 'c' }] }).expect(200);
    const { _id: appId } = await appDocument(a, sourceAppId);
    await moveAndSearch(sourceAppId, async () => {
      // The search after the first rename has not come yet.
      await a.db.collection('schema_versions').updateOne({ appId, version: 3 }, { $set: { 'check.at': new Date() } });
      const [record] = await recordsOf(a, sourceAppId);
      const late = (email: string, data: UserDocument['data'], schemaVersion: number) => ({
        ...(record as UserDocument),
        _id: new UUID(),
        appId,
        email,
        data,
        schemaVersion,
      });
      await a.db
        .collection<UserDocument>('users')
        .insertMany([late('one@x.org', { a: 'late' }, 2), late('two@x.org', { b: 'late' }, 3)]);
    });
    const data = (await recordsOf(a, sourceAppId)).map((one) => [one.email, one.data]);
    expect(Object.fromEntries(data)).toEqual({
      'old@x.org': { c: 'A' },
      'one@x.org': { c: 'late' },
      'two@x.org': { c: 'late' },
    });
  });

  it('its index has the values that records had under the new key, as an unknown key', {
    tags: 'long',
    timeout: TIMEOUT_MS,
  }, async () => {
    const fields = [text('a', { indexed: true })];
    const { sourceAppId } = await a.admin.buildApp({ rejectUnknown: false, fields });
    await a.client.submit(sourceAppId, { email: 'field@x.org', data: { a: 'A' } }).expect(200);
    await a.client.submit(sourceAppId, { email: 'unknown@x.org', data: { b: 'B' } }).expect(200);
    await move(sourceAppId, ['a']);
    const renamed = { rejectUnknown: false, fields: [text('b', { indexed: true })] };
    await rename(a.admin, sourceAppId, { ...renamed, renames: [{ from: 'a', to: 'b' }] }).expect(200);
    await moveAndSearch(sourceAppId, async () => undefined, ['b']);
    expect(await expectSlotsOfRecords(a, sourceAppId)).toBe(2);
  });
});
