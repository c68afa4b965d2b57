import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Entries, type FormKind, sendForm } from '../support/server/forms.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let a: TestServer;
let b: TestServer;
let app: string;
beforeAll(async () => {
  a = await startServer();
  b = await startServer({}, a.database);
  app = (await a.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] })).sourceAppId;
});
afterAll(async () => {
  await b.close();
  await a.close();
});

let personCount = 0;
const newEmail = (): string => {
  personCount += 1;
  return `person${personCount}@x.org`;
};
const itemsOf = async (email: string) =>
  (await a.db.collection('users').findOne({ email }))?.data.list.map(({ value }: { value: unknown }) => value);

describe('spec 4.5, _key', () => {
  it('a repeat on another server, of another type or with another order of controls counts once', async () => {
    const email = newEmail();
    const form = (kind: FormKind, ...entries: Entries) =>
      [kind, [['email', email], ['list', 'x'], ...entries]] as const;
    const repeats = [
      form('urlencoded', ['_key', 'k-1']),
      form('multipart', ['_key', 'k-1']),
      form('urlencoded', ['_key', '"k-1"']),
      form('urlencoded', ['_key', 'k-1'], ['_next', ''], ['_subject', 'again'], ['altcha', 'x']),
    ];
    for (const [index, [kind, entries]] of repeats.entries()) {
      await sendForm([a, b][index % 2]?.client ?? a.client, app, entries, kind).expect(303);
    }
    expect(await itemsOf(email)).toEqual(['x']);
  });

  it('concurrent repeats on two servers count once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const email = newEmail();
      const entries: Entries = [
        ['email', email],
        ['list', 'x'],
        ['_key', `race-${round}`],
      ];
      const answers = await Promise.all([a, b, a, b].map(({ client }) => sendForm(client, app, entries)));
      expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
      expect(await itemsOf(email)).toEqual(['x']);
    }
  });

  it('is the same key as the header, also with JSON and at POST /v1/users', async () => {
    const email = newEmail();
    const data = { list: ['x'] };
    await sendForm(a.client, app, [
      ['email', email],
      ['list', 'x'],
      ['_key', '"k-2"'],
    ]).expect(303);
    await sendForm(b.client, app, [
      ['email', email],
      ['list', 'x'],
    ])
      .set('Idempotency-Key', 'k-2')
      .expect(303);
    await sendForm(b.client, app, [
      ['email', email],
      ['list', 'x'],
    ])
      .set('Idempotency-Key', '"k-2"')
      .expect(303);
    for (const key of ['k-2', '"k-2"']) {
      await b.client.post(`/v1/forms/${app}`, { email, data }).set('Idempotency-Key', key).expect(200);
      await b.client.submit(app, { email, data }).set('Idempotency-Key', key).expect(200);
    }
    expect(await itemsOf(email)).toEqual(['x']);
  });

  it('the key with other entries is 422', async () => {
    const email = newEmail();
    const send = (item: string) =>
      sendForm(a.client, app, [
        ['email', email],
        ['list', item],
        ['_key', 'k-3'],
      ]);
    await send('x').expect(303);
    await send('y').expect(422);
    expect(await itemsOf(email)).toEqual(['x']);
  });

  it('without a key, or with an empty one, a repeat counts again', async () => {
    const email = newEmail();
    await sendForm(a.client, app, [
      ['email', email],
      ['list', 'x'],
    ]).expect(303);
    await sendForm(a.client, app, [
      ['email', email],
      ['list', 'x'],
      ['_key', ''],
    ]).expect(303);
    expect(await itemsOf(email)).toEqual(['x', 'x']);
  });

  it('two different keys, and a key that is no key, are refused', async () => {
    const email = newEmail();
    const entries: Entries = [
      ['email', email],
      ['list', 'x'],
    ];
    for (const request of [
      sendForm(a.client, app, [...entries, ['_key', 'one']]).set('Idempotency-Key', 'other'),
      sendForm(a.client, app, [...entries, ['_key', 'with space']]),
      sendForm(a.client, app, [...entries, ['_key', 'é']]),
      sendForm(a.client, app, [...entries, ['_key', '""']]),
      sendForm(a.client, app, [...entries, ['_key', 'x'.repeat(256)]]),
    ]) {
      const { body } = await request.set('Accept', 'application/json').expect(400);
      expect(body.errors).toMatchObject([{ path: '_key' }]);
    }
    await a.client.submit(app, { email }).set('Idempotency-Key', '""').expect(400);
    expect(await a.db.collection('users').countDocuments({ email })).toBe(0);
  });

  it('invariant 3: a repeat counts once, also when the schema changed how its texts are read', async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    for (const [kind, text] of [
      ['number', '5'],
      ['number', 'five'],
      ['checkbox', 'five'],
    ] as const) {
      await a.admin.putSchema(sourceAppId, { fields: [{ key: 'list', kind: 'array' }] }).expect(200);
      const email = newEmail();
      const entries: Entries = [
        ['email', email],
        ['list', 'x'],
        ['age', text],
        ['_key', `key-${kind}-${text}`],
      ];
      await sendForm(a.client, sourceAppId, entries).expect(303);
      const fields = [
        { key: 'list', kind: 'array' as const },
        { key: 'age', kind },
      ];
      await a.admin.putSchema(sourceAppId, { fields }).expect(200);
      for (const { client } of [a, b]) await sendForm(client, sourceAppId, entries).expect(303);
      expect(await itemsOf(email)).toEqual(['x']);
    }
  });
});

it('invariant 4: a form is read and checked by the newest schema on every server', async () => {
  const { sourceAppId } = await a.admin.buildApp();
  for (let round = 0; round < 6; round += 1) {
    const [changing, other] = round % 2 === 0 ? [a, b] : [b, a];
    const kind = round % 3 === 0 ? 'number' : 'text';
    await other.client.get('/v1/schema').set('x-app-id', sourceAppId).expect(200);
    await changing.admin.putSchema(sourceAppId, { fields: [{ key: 'age', kind }] }).expect(200);
    const email = newEmail();
    await sendForm(other.client, sourceAppId, [
      ['email', email],
      ['age', '36'],
    ]).expect(303);
    const record = await a.db.collection('users').findOne({ email });
    expect(record?.data.age).toBe(kind === 'number' ? 36 : '36');
  }
});
