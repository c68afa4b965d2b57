import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { Receiver } from '../support/peers/receiver.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { CV, pdf, upload } from '../support/server/uploads.ts';

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text' },
  { key: 'news', kind: 'checkbox', consent: { version: '1' } },
  { key: 'visits', kind: 'array' },
];
const TYPO = 'ada@exmaple.com';
const RIGHT = 'ada@example.com';

let a: TestServer;
let b: TestServer;
let app: string;
let operator: Client;
let id: string;
beforeAll(async () => {
  const timings = { writesEndMs: 100, pollEveryMs: 50 };
  a = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' }, undefined, timings);
  b = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' }, a.database, timings);
});
afterAll(async () => {
  await b.close();
  await a.close();
});
beforeEach(async () => {
  const built = await a.admin.buildApp({ fields: FIELDS });
  app = built.sourceAppId;
  operator = await new Client(b.client.url).logIn(app, built.password);
  id = (await submit(TYPO, { name: 'Ada', news: true, visits: ['one'] }, 'first').expect(200)).body.id;
});

const submit = (email: string, data: object, key?: string, server = a) => {
  const request = server.client.submit(app, { email, data });
  return key === undefined ? request : request.set('Idempotency-Key', key);
};
const change = (email: unknown, tag?: string, of = id) => {
  const request = operator.put(`/auth/users/${of}/email`, { email } as object);
  return tag === undefined ? request : request.set('If-Match', tag);
};
const get = (of = id) => operator.get(`/auth/users/${of}`);
const listed = async (): Promise<{ id: string; email: string }[]> =>
  (await operator.get('/auth/users?limit=10').expect(200)).body.users.map(
    ({ id: one, email }: { id: string; email: string }) => ({ id: one, email }),
  );

/** The collections of the database with a document that contains a text, in any member. */
async function collectionsWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await a.db.listCollections().toArray()) {
    const documents = await a.db.collection(name).find().toArray();
    if (JSON.stringify(documents).includes(text)) found.push(name);
  }
  return found;
}

describe('PUT /auth/users/:id/email (spec 4.3)', () => {
  it('changes the email and keeps everything else of the record', async () => {
    const before = await get().expect(200);
    const { body, headers } = await change(' Ada@Example.com ', before.headers.etag).expect(200);
    const { updatedAt, ...rest } = before.body;
    expect(body).toEqual({ ...rest, email: RIGHT, updatedAt: expect.any(String) });
    expect(body.consents).toMatchObject([{ key: 'news', given: true }]);
    expect(body.updatedAt > updatedAt).toBe(true);
    expect(headers.etag).not.toBe(before.headers.etag);
    const after = await get().expect(200);
    expect([after.body, after.headers.etag]).toEqual([body, headers.etag]);
    expect(await listed()).toEqual([{ id, email: RIGHT }]);
    const { body: found } = await operator.get(`/auth/users?where=email:eq:${RIGHT}`).expect(200);
    expect(found.users).toHaveLength(1);
  });

  it('changes nothing for the same email', async () => {
    const before = await get().expect(200);
    const { body, headers } = await change(TYPO.toUpperCase()).expect(200);
    expect([body, headers.etag]).toEqual([before.body, before.headers.etag]);
    expect((await operator.get(`/auth/users/${id}/history`).expect(200)).body.entries).toEqual([]);
  });

  it('is refused with the record that has the email, and changes neither', async () => {
    const { body: other } = await submit(RIGHT, { name: 'Eve' }).expect(200);
    const before = [(await get()).body, (await get(other.id)).body];
    const { body } = await change(RIGHT).expect(409);
    expect(body).toEqual({ message: expect.any(String), code: 'emailTaken', params: { id: other.id } });
    expect([(await get()).body, (await get(other.id)).body]).toEqual(before);
    await operator.delete(`/auth/users/${other.id}`).expect(200);
    await change(RIGHT).expect(200);
  });

  it('takes place in the state that If-Match names, or not at all', async () => {
    const { headers } = await get();
    await operator.patch(`/auth/users/${id}`, { set: { name: 'A.' } }).expect(200);
    await change(RIGHT, headers.etag).expect(412);
    expect((await get()).body.email).toBe(TYPO);
    await change(RIGHT, (await get()).headers.etag).expect(200);
  });

  it('refuses invalid emails, other members, and records that do not exist', async () => {
    for (const email of ['', 'ada', 'a@b', 7, null, `${'a'.repeat(250)}@x.org`]) {
      const { body } = await change(email).expect(400);
      expect(body.errors, String(email)).toMatchObject([{ path: 'email' }]);
    }
    await operator.put(`/auth/users/${id}/email`, { email: RIGHT, name: 'Ada' }).expect(400);
    await change(RIGHT, undefined, id.replace(/^./, 'f')).expect(404);
    await change(RIGHT, undefined, 'nobody').expect(404);
    expect((await get()).body.email).toBe(TYPO);
  });

  it('leaves the former email to a new record', async () => {
    await change(RIGHT).expect(200);
    const { body } = await submit(TYPO, { name: 'Eve' }, undefined, b).expect(200);
    expect(body.id).not.toBe(id);
    expect((await get()).body.data.name).toBe('Ada');
    const { body: same } = await submit(RIGHT, { visits: ['two'] }, undefined, b).expect(200);
    expect(same.id).toBe(id);
    expect((await get()).body.data.visits).toHaveLength(2);
  });
});

describe('the history of a change of an email', () => {
  it('names no email and cannot be undone, but the changes before can', async () => {
    await operator.patch(`/auth/users/${id}`, { set: { name: 'A.' } }).expect(200);
    await change(RIGHT).expect(200);
    const { body, text } = await operator.get(`/auth/users/${id}/history`).expect(200);
    expect(body.entries[0]).toMatchObject({ by: { kind: 'edit' }, changes: [{ path: 'email', omitted: true }] });
    expect(text).not.toContain('@');
    const { revision } = body.entries[0];
    const { body: refused } = await operator.post(`/auth/users/${id}/revert`, { revision }).expect(409);
    expect(refused.code).toBe('emailNotUndone');
    await operator.post(`/auth/users/${id}/revert`, { revision: revision - 1 }).expect(200);
    expect((await get()).body).toMatchObject({ email: RIGHT, data: { name: 'Ada' } });
  });

  it('is told by the audit log and an event, without the former email', async () => {
    const receiver = await Receiver.start();
    try {
      await operator.post('/auth/webhooks', { url: receiver.url, events: ['user.updated'] }).expect(200);
      await change(RIGHT).expect(200);
      const [event] = (await receiver.until(1)).map(({ body }) => body);
      expect(event).toMatchObject({ type: 'user.updated', data: { id, email: RIGHT, changed: ['email'] } });
      const { body, text } = await a.admin.get(`/auth/audit?sourceAppId=${app}&action=user.email`).expect(200);
      expect(body.events).toMatchObject([{ action: 'user.email', target: id }]);
      expect(text).not.toContain('@');
    } finally {
      await receiver.close();
    }
  });
});

describe('idempotency keys after a change of an email (invariant 3)', () => {
  it('are known under the former email and under the new one, on every server', async () => {
    await change(RIGHT).expect(200);
    const data = { name: 'Ada', news: true, visits: ['one'] };
    for (const server of [a, b]) {
      expect((await submit(TYPO, data, 'first', server).expect(200)).body.id).toBe(id);
      expect((await submit(RIGHT, data, 'first', server).expect(200)).body.id).toBe(id);
      await submit(TYPO, { name: 'Eve' }, 'first', server).expect(422);
    }
    expect(await listed()).toEqual([{ id, email: RIGHT }]);
    expect((await get()).body.data.visits).toHaveLength(1);
  });

  it('are known although the former email has a new record', async () => {
    await change(RIGHT).expect(200);
    const { body: other } = await submit(TYPO, { name: 'Eve' }, 'other').expect(200);
    const data = { name: 'Ada', news: true, visits: ['one'] };
    expect((await submit(TYPO, data, 'first', b).expect(200)).body.id).toBe(id);
    expect((await submit(TYPO, { name: 'Eve' }, 'other', b).expect(200)).body.id).toBe(other.id);
    expect((await get(other.id)).body.data).toEqual({ name: 'Eve' });
  });

  it('are known after two changes, also back to the first email', async () => {
    await change('ada@x.org').expect(200);
    await change(RIGHT).expect(200);
    const data = { name: 'Ada', news: true, visits: ['one'] };
    for (const email of [TYPO, 'ada@x.org', RIGHT]) {
      expect((await submit(email, data, 'first', b).expect(200)).body.id, email).toBe(id);
    }
    await change(TYPO).expect(200);
    for (const email of [TYPO, 'ada@x.org', RIGHT]) {
      expect((await submit(email, data, 'first', a).expect(200)).body.id, email).toBe(id);
    }
    expect(await listed()).toEqual([{ id, email: TYPO }]);
  });

  it('are known also those that left the record', { tags: 'long' }, async () => {
    for (let at = 0; at < 130; at += 1) await submit(TYPO, { visits: [at] }, `key-${at}`).expect(200);
    await change(RIGHT).expect(200);
    for (const at of [0, 64, 129]) {
      expect((await submit(TYPO, { visits: [at] }, `key-${at}`, b).expect(200)).body.id).toBe(id);
    }
    expect((await get()).body.data.visits).toHaveLength(131);
    expect(await listed()).toEqual([{ id, email: RIGHT }]);
  });
});

describe('files of a record whose email was changed', () => {
  it('stay its own, also for a repeat of their submission', { tags: 'long' }, async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [CV] });
    const { body: uploaded } = await upload(a.client.url, sourceAppId, pdf());
    const send = (server: TestServer) =>
      server.client
        .submit(sourceAppId, { email: TYPO, data: { cv: [uploaded.token] } })
        .set('Idempotency-Key', 'with-file');
    const { body: created } = await send(a).expect(200);
    const query = `?sourceAppId=${sourceAppId}`;
    await a.admin.put(`/auth/users/${created.id}/email${query}`, { email: RIGHT }).expect(200);
    for (const server of [a, b]) expect((await send(server).expect(200)).body.id).toBe(created.id);
    const { body } = await a.admin.get(`/auth/users/${created.id}${query}`).expect(200);
    await a.admin.get(`/auth/files/${body.data.cv[0].id}${query}`).expect(200);
    expect((await a.admin.get(`/auth/users${query}&limit=5`)).body.users).toHaveLength(1);
  });
});

describe('what other collections have of the former email', () => {
  it('is under the new one, or gone', { tags: 'long' }, async () => {
    const typo = `typo-${app}@exmaple.com`;
    await a.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
    await a.admin.put(`/auth/apps/${app}/search`, { enabled: true }).expect(200);
    const state = async () => (await operator.get(`/auth/apps/${app}/search`)).body.state;
    await expect.poll(state, { timeout: 20_000 }).toBe('ready');
    const { body: created } = await submit(typo, { visits: ['one'] }).expect(200);
    const inbox = async (email: string) =>
      (await operator.get(`/auth/submissions?where=email:eq:${email}`).expect(200)).body.submissions.length;
    await expect.poll(() => inbox(typo)).toBe(1);
    await change(RIGHT, undefined, created.id).expect(200);
    expect(await inbox(RIGHT)).toBe(1);
    expect(await inbox(typo)).toBe(0);
    const found = async (q: string) => (await operator.get(`/auth/users?q=${q}`).expect(200)).body.users.length;
    expect([await found('example.com'), await found(typo)]).toEqual([1, 0]);
    expect(await collectionsWith(typo)).toEqual([]);
    const { body } = await operator.post('/auth/people/export', { email: typo }).expect(200);
    expect(body.entries).toEqual([]);
    const { body: receipt } = await operator.post('/auth/people/erase', { email: typo }).expect(200);
    expect(Object.values(receipt.erased).every((count) => count === 0)).toBe(true);
    expect((await get(created.id)).body.data.visits).toHaveLength(1);
  });
});
