// @module-tag long
// @module-tag fault

import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { solve } from '../../web/embed/proof-of-work.ts';
import { randomName } from '../support/database/databases.ts';
import { rounds } from '../support/run/rounds.ts';
import { tokenOf } from '../support/server/accounts.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import type { Client } from '../support/server/client.ts';
import { sha256 } from '../support/server/files.ts';
import { type Entries, sendForm } from '../support/server/forms.ts';
import { prepareImport, untilImport } from '../support/server/imports.ts';
import { databaseUri, Leftovers } from '../support/server/process.ts';
import { CV, pdfOf, uploadPart } from '../support/server/uploads.ts';
import { unpackRelease } from './packed-release.ts';
import { Service } from './service.ts';

const POLL = { timeout: 60_000, interval: 50 };
const JSON_TYPE = { 'content-type': 'application/json' };
const PASSWORD = 'a password of two releases';
/** Of 140 the record keeps a part; the others are moved to a collection. */
const KEYS = rounds(140, 20);
const AT_ONCE = 20;
const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text', maxLength: 100 },
  { key: 'age', kind: 'number', indexed: true },
  { key: 'items', kind: 'array' },
  CV,
];
const LISTS = [
  'users?limit=200',
  'users?where=data.age:gte:0&sort=data.age',
  'users/export?format=csv',
  'submissions?limit=200',
  'held?limit=200',
  'changes?limit=200',
  'imports?limit=200',
  'schema?',
];

const leftovers = new Leftovers();
let earlier: Service;
let present: Service;
/** Sessions of the admin app: that of the earlier release, and that of this one. */
let admins: [Client, Client];
const adminOf = (service: Service): Client => admins[service === earlier ? 0 : 1];
beforeAll(async () => {
  const program = unpackRelease(await leftovers.folder());
  const env = { MONGODB_URI: databaseUri(randomName()), PUBLIC_URL: 'https://forms.example.com' };
  earlier = await Service.create(env, program);
  present = await Service.create(env);
  // At once, on a new database.
  await Promise.all([earlier.start(), present.start()]);
  admins = [await earlier.admin(), await present.admin()];
});
afterAll(async () => {
  await Promise.all([earlier.stop(), present.stop()]);
  await leftovers.clear();
});

/** Repeats a request while the answer is 503, as a busy machine answers. */
async function answered<Answer extends { status: number }>(send: () => PromiseLike<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    await sleep(50);
  }
}

/** A submission with a key, which may be repeated. */
async function served(send: () => Test): Promise<void> {
  expect((await answered(send)).status).toBe(200);
}

let apps = 0;

/** A new app that keeps submissions, with its sessions on both servers. */
async function build(one: Service, other: Service, form: object = {}) {
  apps += 1;
  const app = `app-${apps}`;
  const [here, there] = [adminOf(one), adminOf(other)];
  await here.post('/auth/apps', { sourceAppId: app }).expect(200);
  await there.putSchema(app, { fields: FIELDS }).expect(200);
  await there.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
  await here.put(`/auth/apps/${app}/form`, form).expect(200);
  const clients = [one.client(), other.client()] as const;
  const send = (at: 0 | 1, email: string, data: object, key = '') => {
    const request = clients[at].submit(app, { email, data });
    return key === '' ? request : request.set('Idempotency-Key', key);
  };
  const list = async (admin: Client, what: string) => {
    const { status, body } = await answered(() => admin.get(`/auth/${what}?sourceAppId=${app}`));
    expect(status).toBe(200);
    return body;
  };
  return { app, here, there, clients, send, list };
}

const BOTH = [
  ['the earlier release', 'this one', () => [earlier, present]],
  ['this release', 'the earlier one', () => [present, earlier]],
] as const satisfies readonly (readonly [string, string, () => [Service, Service]])[];

describe.each(BOTH.slice(0, rounds(2, 1)))('what %s does, %s goes on with', (_one, _other, servers) => {
  const both = (form?: object) => build(...servers(), form);

  it('repeats of an Idempotency-Key count once, also of keys that were moved out of their record', async () => {
    const { send, list, there } = await both();
    const keys = Array.from({ length: KEYS }, (_, n) => `key-${n}`);
    for (const turn of [0, 1]) {
      const repeat = (key: string, n: number) =>
        served(() => send((n + turn) % 2 ? 1 : 0, 'ada@x.org', { items: [n] }, key));
      for (let n = 0; n < KEYS; n += AT_ONCE) {
        await Promise.all(keys.slice(n, n + AT_ONCE).map((key, at) => repeat(key, n + at)));
      }
    }
    const { users } = await list(there, 'users');
    expect(users).toHaveLength(1);
    const items = users[0].data.items.map(({ value }: { value: number }) => value);
    expect(items.sort((one: number, another: number) => one - another)).toEqual([...keys.keys()]);
    // Another body is refused alike.
    const refused = await Promise.all([send(0, 'ada@x.org', {}, 'key-0'), send(1, 'ada@x.org', {}, 'key-0')]);
    expect(refused.map(({ status }) => status)).toEqual([422, 422]);
  });

  it('repeats at once on both count once, of a new record, a change, and a kept submission', async () => {
    const { app, send, list, there } = await both();
    const repeat = async (email: string, key: string) => {
      await Promise.all(([0, 1, 0, 1] as const).map((at) => served(() => send(at, email, { items: [key] }, key))));
    };
    for (let n = 0; n < 5; n += 1) {
      await repeat(`p${n}@x.org`, 'new');
      await repeat(`p${n}@x.org`, 'change');
    }
    await there.put(`/auth/apps/${app}/form`, { existing: 'keep' }).expect(200);
    for (let n = 0; n < 5; n += 1) await repeat(`p${n}@x.org`, 'kept');
    const { users } = await list(there, 'users');
    const items = users.map(({ data }: { data: { items: { value: string }[] } }) =>
      data.items.map(({ value }) => value),
    );
    expect(items).toEqual(Array(5).fill(['new', 'change']));
    await expect.poll(async () => (await list(there, 'submissions')).submissions.length, POLL).toBe(15);
  });

  it('a schema that one replaces holds at once on the other, and its renames reach every record', async () => {
    const { app, here, there, send, list } = await both();
    await send(0, 'ada@x.org', { name: 'Ada' }).expect(200);
    await send(1, 'bob@x.org', { name: 'Bob' }).expect(200);
    const strict = [{ key: 'title', kind: 'text', maxLength: 3 }, ...FIELDS.slice(1)] as FieldDefinitionInput[];
    const replaced = { rejectUnknown: true, fields: strict, renames: [{ from: 'name', to: 'title' }] };
    await here.put(`/auth/apps/${app}/schema`, replaced).expect(200);
    await send(1, 'eve@x.org', { title: 'Evelyn' }).expect(400);
    await send(1, 'eve@x.org', { title: 'Eve' }).expect(200);
    const titles = async (admin: Client) =>
      (await list(admin, 'users')).users.map(({ data }: { data: { title?: string } }) => data.title).sort();
    for (const admin of [here, there]) await expect.poll(() => titles(admin), POLL).toEqual(['Ada', 'Bob', 'Eve']);
    await there.putSchema(app, { rejectUnknown: true, fields: FIELDS.slice(1) }).expect(200);
    await send(0, 'eve@x.org', { title: 'Eva' }).expect(400);
  });

  it('a file in arrival continues on the other, and both read it', async () => {
    const [one, other] = servers();
    const { app, send, here, there, list } = await both();
    const file = pdfOf(700_000, 3);
    const first = await uploadPart(one.url, app, file, { first: 0, end: 300_000 });
    expect([first.status, first.body.received]).toEqual([202, 300_000]);
    const { token } = first.body;
    const rest = { first: 300_000, end: file.length, token };
    const continued = await uploadPart(other.url, app, file, rest);
    // To the earlier release, what a file counts is the most that it may have. It leaves the part.
    expect(continued.status).toBe(other === present ? 201 : 413);
    const last = other === present ? continued : await uploadPart(one.url, app, file, rest);
    expect([last.status, last.body.sha256]).toEqual([201, sha256(file)]);
    const data = { cv: [last.body.token] };
    await send(0, 'ada@x.org', data, 'with-a-file').expect(200);
    await send(1, 'ada@x.org', data, 'with-a-file').expect(200);
    const [user] = (await list(there, 'users')).users;
    expect(user.data.cv).toMatchObject([{ size: file.length, sha256: sha256(file) }]);
    for (const admin of [here, there]) {
      const { body } = await admin
        .get(`/auth/files/${user.data.cv[0].id}?sourceAppId=${app}`)
        .buffer(true)
        .parse((response, done) => {
          void buffer(response as never).then((content) => done(null, content as never), done as never);
        })
        .expect(200);
      expect(sha256(body)).toBe(sha256(file));
    }
  });

  it('a challenge, a form and a held submission are those of both', async () => {
    const { app, clients, list, there } = await both({ botProtection: 'proof-of-work' });
    const challenge = (await clients[0].get(`/v1/forms/${app}/challenge`).expect(200)).body;
    const altcha = await solve(challenge);
    const entries = (email: string, ...more: Entries): Entries => [['email', email], ['name', 'Ada'], ...more];
    await sendForm(clients[1], app, entries('ada@x.org', ['altcha', altcha], ['_key', 'k'])).expect(303);
    await sendForm(clients[0], app, entries('ada@x.org', ['altcha', altcha], ['_key', 'k'])).expect(303);
    await sendForm(clients[0], app, entries('eve@x.org', ['altcha', altcha])).expect(403);
    await sendForm(clients[0], app, entries('bot@x.org', ['_gotcha', 'x'], ['_key', 'held'])).expect(303);
    const { held } = await list(there, 'held');
    expect(held).toMatchObject([{ email: 'bot@x.org' }]);
    await there.post(`/auth/held/${held[0].id}/release?sourceAppId=${app}`).expect(200);
    await sendForm(clients[1], app, entries('bot@x.org', ['_gotcha', 'x'], ['_key', 'held'])).expect(303);
    expect((await list(there, 'held')).held).toEqual([]);
    expect((await list(there, 'users')).users.map(({ email }: { email: string }) => email).sort()).toEqual([
      'ada@x.org',
      'bot@x.org',
    ]);
  });

  it('sessions, invitations, accounts and keys', async () => {
    const [one, other] = servers();
    const { app, here, there } = await both();
    const email = `${app}@x.org`;
    const { body } = await here.post(`/auth/apps/${app}/invitations`, { email, role: 'manager' }).expect(200);
    const invited = { token: tokenOf(body.link), name: 'Ada', password: PASSWORD };
    const accept = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(invited) };
    const accepted = await answered(() => fetch(`${other.url}/auth/invitations/accept`, accept));
    expect(accepted.status).toBe(200);
    const headers = { cookie: accepted.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
    const ask = (at: Service, path = `users?sourceAppId=${app}`) =>
      answered(() => fetch(`${at.url}/auth/${path}`, { headers })).then(({ status }) => status);
    expect([await ask(one), await ask(other)]).toEqual([200, 200]);

    const key = (await here.post(`/auth/keys?sourceAppId=${app}`, { name: 'k', scopes: ['users:read'] }).expect(200))
      .body;
    const byKey = (at: Service) =>
      answered(() => fetch(`${at.url}/auth/users`, { headers: { authorization: `Bearer ${key.key}` } })).then(
        ({ status }) => status,
      );
    expect([await byKey(one), await byKey(other)]).toEqual([200, 200]);
    await there.delete(`/auth/keys/${key.id}?sourceAppId=${app}`).expect(200);
    expect([await byKey(one), await byKey(other)]).toEqual([401, 401]);

    const { members } = (await there.get(`/auth/apps/${app}/members`).expect(200)).body;
    const { id } = members.find((found: { email: string }) => found.email === email);
    await there.delete(`/auth/apps/${app}/members/${id}`).expect(200);
    expect([await ask(one), await ask(other)]).toEqual([403, 403]);
    expect([await ask(one, 'account'), await ask(other, 'account')]).toEqual([200, 200]);
    await fetch(`${one.url}/auth/logout`, { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: '{}' });
    expect([await ask(one, 'account'), await ask(other, 'account')]).toEqual([401, 401]);
  });

  it('an import, a change of many and its undo, an edit and its reversal', async () => {
    const { app, here, there, list } = await both();
    const lines = Array.from({ length: 30 }, (_, n) => `p${n}@x.org,Person ${n}\n`).join('');
    const id = await prepareImport(here, app, `email,data.name\n${lines}`);
    await there.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(200);
    expect(await untilImport(here, app, id)).toMatchObject({ state: 'completed', created: 30 });
    const change = await beginChange(here, app, 30, { set: { age: 7 } });
    expect(await untilChange(there, app, change)).toMatchObject({ state: 'completed', changed: 30 });
    await there.post(`/auth/changes/${change}/undo?sourceAppId=${app}`).expect(200);
    const undone = await untilChange(here, app, change, ({ state }) => state === 'undone');
    expect(undone.undo).toMatchObject({ changed: 30, refused: 0 });
    const [user] = (await list(there, 'users')).users;
    const path = `/auth/users/${user.id}`;
    await here.patch(`${path}?sourceAppId=${app}`, { set: { name: 'Edited' } }).expect(200);
    const entries = async (admin: Client) =>
      (await admin.get(`${path}/history?sourceAppId=${app}`).expect(200)).body.entries;
    const history = await entries(there);
    expect(await entries(here)).toEqual(history);
    expect(history.length).toBeGreaterThan(2);
  });
});

it('the earlier release, started again alone, reads all that both have written as this one does', async () => {
  const readAll = async (service: Service) => {
    const read: unknown[] = [];
    for (let n = 1; n <= apps; n += 1) {
      for (const what of [...LISTS, `apps/app-${n}/form?`]) {
        const { status, text } = await answered(() => adminOf(service).get(`/auth/${what}&sourceAppId=app-${n}`));
        read.push({ app: n, what, status, text: text.replace(/"requestId":"[^"]*"/, '') });
      }
    }
    return read;
  };
  const read = await readAll(present);
  await Promise.all([earlier.stop(), present.kill()]);
  await earlier.start();
  expect(await readAll(earlier)).toEqual(read);
  await earlier.stop();
  await present.start();
  expect(await readAll(present)).toEqual(read);
}, 300_000);
