import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { expectSlotsOfRecords, untilReady } from '../support/database/index-slots.ts';
import { multipart, sendForm, TYPES, urlencoded } from '../support/server/forms.ts';
import { runImport } from '../support/server/imports.ts';
import { createKey } from '../support/server/keys.ts';
import { recordsOf, rename, untilRenamed } from '../support/server/renames.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { CONTACT, staffOnly } from '../support/server/staff-fields.ts';

const JSON_ANSWER = { Accept: 'application/json' };

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  const options = { ...FULL_LEASES, pollEveryMs: 100, writesEndMs: 300, checksMs: [] };
  a = await startServer({}, undefined, options);
  b = await startServer({}, a.database, options);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

const build = async (fields = CONTACT, rejectUnknown = false): Promise<string> =>
  (await a.admin.buildApp({ rejectUnknown, fields })).sourceAppId;

const submit = (app: string, data: object, email = 'ada@example.com', { client } = a) =>
  client.submit(app, { email, data });

async function dataOf(app: string): Promise<Record<string, object>> {
  const records = await recordsOf(a, app);
  return Object.fromEntries(records.map(({ email, data }) => [email.split('@')[0], data]));
}

/** The body of a refusal. */
const refused = (key?: string) => ({
  message: 'Invalid submission',
  code: 'invalidSubmission',
  errors: [staffOnly(key)],
});

describe('A field of files of the staff (spec 2.11)', () => {
  it('is refused as any other of the staff, whatever a submission names', async () => {
    const app = await build([{ key: 'contract', kind: 'file', types: ['pdf'], writers: 'staff' }]);
    for (const contract of [[], ['a token'], 'a token', null]) {
      expect((await submit(app, { contract }).expect(400)).body).toEqual(refused('contract'));
    }
    const form = await sendForm(a.client, app, [
      ['email', 'ada@example.com'],
      ['contract', 'a token'],
    ])
      .set(JSON_ANSWER)
      .expect(400);
    expect(form.body).toEqual(refused('contract'));
  });
});

describe('The definition of a field of the staff (spec 2.11)', () => {
  it('does not go with what only a submission or a form has', async () => {
    const { sourceAppId: app } = await a.admin.buildApp();
    const staff = { kind: 'text', writers: 'staff' } as const;
    const { body } = await a.admin
      .putSchema(app, {
        fields: [
          { key: 'a', ...staff, required: true },
          { key: 'b', ...staff, prefill: true },
          { key: 'c', ...staff, source: 'page' },
          { key: 'd', kind: 'checkbox', writers: 'staff', consent: { version: '1' } },
          { key: 'e', ...staff, default: 'x', hidden: true, required: false, prefill: false },
          { key: 'f', kind: 'text', writers: 'everyone', required: true, prefill: true },
        ],
      })
      .expect(400);
    const message = 'is not possible with writers: staff';
    const code = 'notOfStaff';
    expect(body).toEqual({
      message: 'Invalid schema',
      code: 'invalidSchema',
      errors: [
        { path: 'fields.0.required', message, code },
        { path: 'fields.1.prefill', message, code },
        { path: 'fields.2.source', message, code },
        { path: 'fields.3.consent', message, code },
      ],
    });
    await a.admin
      .put(`/auth/apps/${app}/schema`, { rejectUnknown: false, fields: [{ key: 'a', kind: 'text', writers: 'me' }] })
      .expect(400);
  });

  it('has a default that the field may have', async () => {
    const { sourceAppId: app } = await a.admin.buildApp();
    const wrong: FieldDefinitionInput[] = [{ key: 'a', kind: 'number', max: 3, default: 4, writers: 'staff' }];
    const { body } = await a.admin.putSchema(app, { fields: wrong }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'fields.0.default', message: 'must be at most 3' }]);
  });

  it('is in the answers to operators; `everyone` is the default and is in none', async () => {
    const { sourceAppId: app } = await a.admin.buildApp();
    const fields: FieldDefinitionInput[] = [
      { key: 'a', kind: 'text', writers: 'staff' },
      { key: 'b', kind: 'text', writers: 'everyone' },
      { key: 'c', kind: 'text' },
    ];
    const { body } = await a.admin.putSchema(app, { fields }).expect(200);
    const shown = [
      { key: 'a', label: 'a', kind: 'text', required: false, writers: 'staff' },
      { key: 'b', label: 'b', kind: 'text', required: false },
      { key: 'c', label: 'c', kind: 'text', required: false },
    ];
    expect(body.fields).toEqual(shown);
    for (const path of [`/auth/apps/${app}/schema`, `/auth/schema?sourceAppId=${app}`]) {
      expect((await b.admin.get(path).expect(200)).body.fields).toEqual(shown);
    }
    // What was read can be stored again.
    await a.admin.putSchema(app, { fields: shown as FieldDefinitionInput[] }).expect(200);
  });
});

describe('A field of the staff in public', () => {
  it.each([false, true])('is in no answer (rejectUnknown: %s)', async (rejectUnknown) => {
    const app = await build(CONTACT, rejectUnknown);
    const get = (path: string) => b.client.get(path).set('x-app-id', app).expect(200);
    const { body } = await get('/v1/schema');
    expect(body).toEqual({
      version: 2,
      rejectUnknown,
      fields: [{ key: 'message', label: 'message', kind: 'text', required: false }],
    });
    expect((await get('/v1/schema?format=json-schema')).body.properties).toEqual({
      message: { title: 'message', type: 'string' },
    });
    const pages = ['/v1/schema', '/v1/schema?format=json-schema', `/v1/forms/${app}`, `/f/${app}?status=done`];
    for (const path of [...pages, `/v1/forms/${app}?lang=de`]) {
      expect((await get(path)).text).not.toMatch(/status|in progress|Progress of the team/);
    }
    // The page after a mistake is made from the entries.
    const { text } = await sendForm(b.client, app, [
      ['email', 'nobody'],
      ['message', 'Hello'],
    ]).expect(400);
    expect(text).toContain('Hello');
    expect(text).not.toMatch(/status|in progress|Progress of the team/);
  });

  it('is in the JSON Schema of operators, and what the public may not send is in the comment of the other', async () => {
    const app = await build();
    const ofOperators = await a.admin.get(`/auth/apps/${app}/schema?format=json-schema`).expect(200);
    expect(ofOperators.body.properties.status).toEqual({
      title: 'Progress of the team',
      type: 'string',
      enum: ['new', 'in progress', 'done'],
      default: 'new',
    });
    expect(ofOperators.body.$comment).not.toContain('team');
    const ofPublic = await a.client.get('/v1/schema?format=json-schema').set('x-app-id', app).expect(200);
    expect(ofPublic.body.$comment).toContain('keys that only the team of the app sets');
    // Neither answer is that of the other, in any order.
    const again = await a.admin.get(`/auth/apps/${app}/schema?format=json-schema`).expect(200);
    expect(again.body).toEqual(ofOperators.body);
  });

  it('is in neither JSON Schema of the public, with old keys of other fields and without them', {
    tags: 'long',
  }, async () => {
    const [, status] = CONTACT as [FieldDefinitionInput, FieldDefinitionInput];
    const app = await build([{ key: 'old', kind: 'text', required: true }, status]);
    const fields: FieldDefinitionInput[] = [{ key: 'next', kind: 'text', required: true }, status];
    await rename(a.admin, app, { rejectUnknown: false, fields, renames: [{ from: 'old', to: 'next' }] }).expect(200);
    const read = async () => (await a.client.get('/v1/schema?format=json-schema').set('x-app-id', app)).body;
    const moving = await read();
    expect(moving).toMatchObject({ required: [], $comment: expect.stringContaining('For now old is accepted') });
    await untilRenamed(a, app);
    await expect.poll(read, { timeout: 30_000 }).toMatchObject({ required: ['next'] });
    expect((await read()).$comment).not.toContain('For now');
    expect(JSON.stringify([moving, await read()])).not.toContain('status');
  });

  it('changes the ETags with its first version, and leaves an app without such fields as it was', async () => {
    const [message, status] = CONTACT as [FieldDefinitionInput, FieldDefinitionInput];
    const { writers: _, ...open } = status;
    const app = await build([message, open as FieldDefinitionInput]);
    const get = (path: string, tag = '') => b.client.get(path).set({ 'x-app-id': app, 'if-none-match': tag });
    const paths = ['/v1/schema', '/v1/schema?format=json-schema', `/v1/forms/${app}`];
    const before = await Promise.all(paths.map((path) => get(path).expect(200)));
    for (const { text } of before) expect(text).toContain('status');
    await a.admin.putSchema(app, { fields: CONTACT }).expect(200);
    for (const [at, path] of paths.entries()) {
      const { headers, text } = await get(path, before[at]?.headers.etag).expect(200);
      expect(text).not.toContain('status');
      await get(path, headers.etag).expect(304);
    }
  });
});

describe('A public submission with the key of a field of the staff', () => {
  it.each([false, true])('is refused as JSON, whatever the value (rejectUnknown: %s)', async (rejectUnknown) => {
    const app = await build(CONTACT, rejectUnknown);
    for (const status of ['new', 'done', 'other', '', null, 7, ['done']]) {
      for (const { client } of [a, b]) {
        expect((await client.submit(app, { email: 'ada@example.com', data: { status } }).expect(400)).body).toEqual(
          refused(),
        );
        const sent = client.post(`/v1/forms/${app}`, { email: 'ada@example.com', data: { message: 'x', status } });
        expect((await sent.set(JSON_ANSWER).expect(400)).body).toEqual(refused());
      }
    }
    const twice = '{"email":"ada@example.com","data":{"status":"new","status":"done"}}';
    const { status } = await a.client.submit(app, twice).set('Content-Type', 'application/json');
    expect(status).toBe(400);
    // A key is of a field as it is written.
    await submit(app, { Status: 'done' }).expect(rejectUnknown ? 400 : 200);
    expect(await dataOf(app)).toEqual(rejectUnknown ? {} : { ada: { Status: 'done', status: 'new' } });
  });

  it.each(['urlencoded', 'multipart'] as const)('is refused as a form, by any of its names (%s)', async (kind) => {
    const app = await build([...CONTACT, { key: 'score', kind: 'number', writers: 'staff' }]);
    const send = (name: string, value: string) => {
      const entries = [['email', 'ada@example.com'] as const, ['message', 'Hello'] as const, [name, value] as const];
      const body = kind === 'urlencoded' ? urlencoded(entries) : multipart(entries);
      return a.client
        .post(`/v1/forms/${app}`, body)
        .serialize((given) => given)
        .set({ 'Content-Type': TYPES[kind], ...JSON_ANSWER });
    };
    for (const name of ['status', 'status[]', 'data[status]', 'data.status', 'data[status][]', 'data.status[]']) {
      expect((await send(name, 'done').expect(400)).body).toEqual(refused());
    }
    // Also a text that has no value of the kind.
    expect((await send('score', 'many').expect(400)).body).toEqual(refused('score'));
    expect(await dataOf(app)).toEqual({});
    // A name with _ is no key, and an empty entry is absent.
    await send('_status', 'done').expect(200);
    await send('status', '').expect(200);
    expect(await dataOf(app)).toEqual({ ada: { message: 'Hello', status: 'new' } });
  });

  it('is refused in the language of the visitor, and the page leaves the entry out when it is sent again', async () => {
    const app = await build();
    await a.admin.put(`/auth/apps/${app}/form`, { languages: ['de'], locale: 'de' }).expect(200);
    const { text } = await sendForm(a.client, app, [
      ['email', 'ada@example.com'],
      ['status', 'done'],
    ]).expect(400);
    expect(text).toContain('status: Kann nur vom Team dieses Formulars gesetzt werden');
    expect(text).not.toContain('name="status"');
  });

  it('is refused under the old key too while values are moved to the field', { tags: 'long' }, async () => {
    // They move no values.
    const idle = await startServer();
    const other = await startServer({}, idle.database);
    try {
      await Promise.all([idle, other].map(({ services }) => services.jobs.stop()));
      const { sourceAppId: app } = await idle.admin.buildApp({ fields: [{ key: 'stage', kind: 'text' }] });
      const send = ({ client }: TestServer, data: object) => client.submit(app, { email: 'ada@example.com', data });
      await send(idle, { stage: 'mine' }).expect(200);
      const fields: FieldDefinitionInput[] = [{ key: 'status', kind: 'text', writers: 'staff' }];
      const renames = [{ from: 'stage', to: 'status' }];
      await rename(idle.admin, app, { rejectUnknown: false, fields, renames }).expect(200);
      for (const server of [idle, other]) {
        for (const data of [{ stage: 'done' }, { status: 'done' }, { stage: 'done', status: 'done' }]) {
          expect((await send(server, data).expect(400)).body).toEqual(refused());
        }
        const { body } = await server.client.get('/v1/schema?format=json-schema').set('x-app-id', app).expect(200);
        expect(JSON.stringify(body)).not.toMatch(/stage|status/);
        await sendForm(server.client, app, [
          ['email', 'ada@example.com'],
          ['data[stage]', 'done'],
        ]).expect(400);
      }
      await send(idle, {}).expect(200);
      expect(await recordsOf(idle, app)).toMatchObject([{ data: { status: 'mine' } }]);
    } finally {
      await other.close();
      await idle.close();
    }
  });

  it('is the repeat of an applied one if it came before the field was of the staff', async () => {
    const app = await build([{ key: 'status', kind: 'text' }]);
    const send = (key: string) => submit(app, { status: 'mine' }).set('Idempotency-Key', key);
    const { body } = await send('one').expect(200);
    await a.admin.putSchema(app, { fields: [{ key: 'status', kind: 'text', writers: 'staff' }] }).expect(200);
    expect((await send('one').expect(200)).body).toEqual(body);
    expect((await send('two').expect(400)).body).toEqual(refused());
  });
});

describe('The default of a field of the staff', () => {
  const FIELDS: FieldDefinitionInput[] = [
    ...CONTACT,
    { key: 'tags', kind: 'multiselect', enum: ['b', 'a'], default: ['a', 'b'], writers: 'staff' },
    { key: 'score', kind: 'number', default: 0, writers: 'staff', indexed: true },
    { key: 'spam', kind: 'checkbox', default: false, writers: 'staff' },
    { key: 'due', kind: 'date', writers: 'staff' },
    { key: 'notes', kind: 'array', writers: 'staff' },
    { key: 'source', kind: 'text', default: 'of the form' },
  ];
  const DEFAULTS = { status: 'new', tags: ['b', 'a'], score: 0, spam: false };

  it('is stored with a new record, and never in one that exists', async () => {
    const app = await build(FIELDS);
    const { admin } = a;
    const { body } = await submit(app, {}).expect(200);
    const path = `/auth/users/${body.id}?sourceAppId=${app}`;
    expect(await dataOf(app)).toEqual({ ada: DEFAULTS });
    await submit(app, { message: 'again' }, undefined, b).expect(200);
    await admin.patch(path, { set: { status: 'done', score: 3 }, unset: ['tags', 'spam'] }).expect(200);
    for (const server of [a, b]) await submit(app, { message: 'third' }, undefined, server).expect(200);
    expect(await dataOf(app)).toEqual({ ada: { message: 'third', status: 'done', score: 3 } });
    // A record after an erasure is a new one, also for a server that remembers the former one.
    await admin.delete(path).expect(200);
    for (const server of [b, a]) await submit(app, { message: 'x' }, undefined, server).expect(200);
    expect(await dataOf(app)).toEqual({ ada: { message: 'x', ...DEFAULTS } });
    const [record] = await recordsOf(a, app);
    expect(record?.arraySizes).toEqual({ tags: 2 });
  });

  it('is stored once by concurrent first submissions', async () => {
    const app = await build(FIELDS);
    const servers = Array.from({ length: 12 }, (_, n) => (n % 2 ? a : b));
    const answers = await Promise.all(servers.map((server, n) => submit(app, { message: `${n}` }, undefined, server)));
    // A busy machine answers 503 at times.
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    await submit(app, { message: 'last' }).expect(200);
    expect(await dataOf(app)).toEqual({ ada: { message: expect.any(String), ...DEFAULTS } });
  });

  it('is found by filters, by its index and by a search, and is in exports and charts', { tags: 'long' }, async () => {
    const app = await build(FIELDS);
    const { admin } = a;
    await untilReady(a, app, ['status', 'score']);
    await admin.put(`/auth/apps/${app}/search`, { enabled: true }).expect(200);
    for (const email of ['one@x.org', 'two@x.org']) await submit(app, {}, email).expect(200);
    // The second write of a record.
    await submit(app, { message: 'x' }, 'one@x.org').expect(200);
    expect(await expectSlotsOfRecords(a, app)).toBe(2);
    for (const where of ['data.status:eq:new', 'data.score:lte:0', 'data.spam:eq:false', 'data.tags:contains:a']) {
      const { body } = await admin.get(`/auth/users?sourceAppId=${app}&where=${where}&total=exact`).expect(200);
      expect(body.total).toBe(2);
    }
    for (const record of await recordsOf(a, app)) expect(record.words).toContain('new');
    const { body } = await admin.get(`/auth/users?sourceAppId=${app}&q=new`).expect(200);
    expect(body.users).toHaveLength(2);
    const chart = await admin.get(`/auth/users/breakdown?sourceAppId=${app}&field=data.status`).expect(200);
    expect(chart.body).toMatchObject({ records: 2, values: [{ value: 'new', count: 2 }] });
    const { text } = await admin.get(`/auth/users/export?sourceAppId=${app}&format=csv`).expect(200);
    expect(text.split('\r\n')[0]).toContain('data.status');
    expect(text.split('new')).toHaveLength(3);
  });

  it('counts for the size of a record that is created', { tags: 'long' }, async () => {
    const server = await startServer({ RECORD_LIMIT: '256kb', BODY_LIMIT: '300kb' });
    try {
      const fields: FieldDefinitionInput[] = [
        { key: 'message', kind: 'text' },
        { key: 'note', kind: 'text', default: 'x'.repeat(100_000), writers: 'staff' },
      ];
      const { sourceAppId: app } = await server.admin.buildApp({ fields });
      const send = (length: number) =>
        server.client.submit(app, { email: 'ada@example.com', data: { message: 'y'.repeat(length) } });
      await send(150_000).expect(413);
      // So often that the bound of the size exceeds the limit: its record has the default once.
      for (const length of [100_000, 110_000, 100_000]) await send(length).expect(200);
      const [record] = await recordsOf(server, app);
      expect(Object.keys(record?.data ?? {})).toEqual(['message', 'note']);

      // The size of a new record is that of both values.
      const data = { further: 'z'.repeat(90_000) };
      const other = { email: 'grace@example.com', data: { message: 'y'.repeat(100_000) } };
      await server.client.submit(app, other).expect(200);
      await server.client.submit(app, { ...other, data }).expect(413);
    } finally {
      await server.close();
    }
  });

  it('is not stored where the app has its first version', async () => {
    const app = await build([{ key: 'message', kind: 'text' }]);
    await submit(app, {}).expect(200);
    await a.admin.putSchema(app, { fields: CONTACT }).expect(200);
    await submit(app, { message: 'x' }).expect(200);
    expect(await dataOf(app)).toEqual({ ada: { message: 'x' } });
  });
});

describe('A submission that is held', () => {
  const hold = (app: string, data: Record<string, unknown>, { services } = a) =>
    services.submissions.submit(app, { email: 'ada@example.com', data }, { via: 'form', isTrapped: true });

  it('is refused with the key of a field of the staff, and gets the default when it is released', async () => {
    const app = await build();
    await expect(hold(app, { status: 'done' })).rejects.toMatchObject({ status: 400, issues: [staffOnly()] });
    const held = await hold(app, { message: 'Hello' });
    expect(held.held).toBe(true);
    await b.admin.post(`/auth/held/${held.id}/release?sourceAppId=${app}`).expect(200);
    expect(await dataOf(app)).toEqual({ ada: { message: 'Hello', status: 'new' } });
  });

  it('stays held if a field that it has is of the staff since', async () => {
    const app = await build([{ key: 'status', kind: 'text' }]);
    const { id } = await hold(app, { status: 'mine' });
    await a.admin.putSchema(app, { fields: [{ key: 'status', kind: 'text', writers: 'staff' }] }).expect(200);
    for (const { admin } of [a, b]) {
      const { body } = await admin.post(`/auth/held/${id}/release?sourceAppId=${app}`).expect(400);
      expect(body).toEqual(refused());
    }
    const { body } = await a.admin.get(`/auth/held?sourceAppId=${app}`).expect(200);
    expect(body.held).toMatchObject([{ data: { status: 'mine' } }]);
    expect(await dataOf(app)).toEqual({});
  });

  it('stays held if the field was renamed to one of the staff', async () => {
    const app = await build([{ key: 'stage', kind: 'text' }]);
    const { id } = await hold(app, { stage: 'mine' });
    const fields: FieldDefinitionInput[] = [{ key: 'status', kind: 'text', writers: 'staff' }];
    await rename(a.admin, app, { rejectUnknown: false, fields, renames: [{ from: 'stage', to: 'status' }] }).expect(
      200,
    );
    const { body } = await b.admin.post(`/auth/held/${id}/release?sourceAppId=${app}`).expect(400);
    expect(body).toEqual(refused());
    expect(await dataOf(app)).toEqual({});
  });
});

describe('The change of a field to one of the staff', () => {
  it('is in force on every server when the PUT is answered', { tags: 'long' }, async () => {
    const open: FieldDefinitionInput[] = [{ key: 'status', kind: 'text' }];
    const staff: FieldDefinitionInput[] = [{ key: 'status', kind: 'text', writers: 'staff' }];
    const app = await build(open);
    for (let round = 0; round < 6; round += 1) {
      const [changing, other] = round % 2 === 0 ? [a, b] : [b, a];
      let isStopped = false;
      // Keeps the leases of both servers in use.
      const busy = [a, b].map(async (server) => {
        while (!isStopped) await submit(app, { status: 'x' }, 'busy@example.com', server);
      });
      await sleep(20);
      await changing.admin.putSchema(app, { fields: staff }).expect(200);
      const after = [other, changing].map((server) => submit(app, { status: 'x' }, `r${round}@example.com`, server));
      const answers = await Promise.all(after);
      const { body } = await other.client.get('/v1/schema').set('x-app-id', app);
      const form = await other.client.get(`/v1/forms/${app}`);
      isStopped = true;
      await Promise.all(busy);
      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
      expect(body.fields).toEqual([]);
      expect(form.body.fields).toEqual([]);
      await changing.admin.putSchema(app, { fields: open }).expect(200);
      await submit(app, { status: 'y' }, 'open@example.com', other).expect(200);
    }
  });
});

describe('The staff', () => {
  it('imports the field as any other, and lines without it get the default when they create a record', async () => {
    const app = await build();
    await submit(app, {}, 'known@x.org').expect(200);
    await a.admin.patch(`/auth/users/${(await recordsOf(a, app))[0]?._id}?sourceAppId=${app}`, {
      set: { status: 'done' },
    });
    const csv = 'email,status,message\nfirst@x.org,done,a\nsecond@x.org,,b\nknown@x.org,,c\nwrong@x.org,other,d\n';
    expect(await runImport(a.admin, app, csv)).toMatchObject({ created: 2, updated: 1, rejected: 1 });
    const ndjson = '{"email":"third@x.org","data":{"status":"in progress"}}\n{"email":"fourth@x.org","data":{}}\n';
    const settings = { format: 'ndjson', mode: 'insert' };
    expect(await runImport(a.admin, app, ndjson, settings)).toMatchObject({ created: 2 });
    expect(await dataOf(app)).toEqual({
      known: { status: 'done', message: 'c' },
      first: { status: 'done', message: 'a' },
      second: { status: 'new', message: 'b' },
      third: { status: 'in progress' },
      fourth: { status: 'new' },
    });
  });

  it('submits the field with a key that may submit and write records, also as a form', async () => {
    const app = await build();
    const key = await createKey(a, a.admin, ['submit', 'users:write'], { sourceAppId: app });
    const email = 'ada@example.com';
    await key.send('post', '/v1/users', { email, data: { status: 'done' } }).expect(200);
    expect(await dataOf(app)).toEqual({ ada: { status: 'done' } });
    await key
      .send('post', `/v1/forms/${app}`, 'email=ada@example.com&data[status]=in+progress')
      .set({ 'Content-Type': TYPES.urlencoded, ...JSON_ANSWER })
      .expect(200);
    expect(await dataOf(app)).toEqual({ ada: { status: 'in progress' } });
    // The values are checked as those of any field.
    const { body } = await key.send('post', '/v1/users', { email, data: { status: 'other' } }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'data.status', message: 'must be one of the allowed values' }]);
  });

  it('sees each change of the field in the history, and can revert it', async () => {
    const app = await build();
    const { body } = await submit(app, {}).expect(200);
    const path = `/auth/users/${body.id}`;
    await a.admin.patch(`${path}?sourceAppId=${app}`, { set: { status: 'done' } }).expect(200);
    const { body: history } = await a.admin.get(`${path}/history?sourceAppId=${app}`).expect(200);
    expect(history.entries[0].changes).toEqual([{ path: 'data.status', before: 'new', after: 'done' }]);
    await b.admin.post(`${path}/revert?sourceAppId=${app}`, { revision: 1 }).expect(200);
    expect(await dataOf(app)).toEqual({ ada: { status: 'new' } });
  });
});
