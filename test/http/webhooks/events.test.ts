import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../support/peers/receiver.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { runImport } from '../../support/server/imports.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' }, undefined, { retentionEveryMs: 200 });
  b = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' }, a.database, { retentionEveryMs: 200 });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

let receiver: Receiver;
let app: TestApp;
let operator: Client;
let secret: string;
beforeEach(async () => {
  receiver = await Receiver.start();
  app = await a.admin.buildApp({
    fields: [
      { key: 'name', kind: 'text' },
      { key: 'tags', kind: 'array' },
    ],
  });
  operator = await new Client(a.client.url).logIn(app.sourceAppId, app.password);
  const events = ['user.created', 'user.updated', 'user.erased'];
  const { body } = await operator.post('/auth/webhooks', { url: receiver.url, events }).expect(200);
  secret = body.secret;
});
afterEach(() => receiver.close());

const submit = (data: object, email = 'ada@example.com', server = a) =>
  server.client.submit(app.sourceAppId, { email, data }).expect(200);

describe('the events of a record (spec 6)', () => {
  it('tell of its creation, its changes on any server, and its erasure, in order', { tags: 'long' }, async () => {
    const { body: created } = await submit({ name: 'Ada' });
    await submit({ name: 'Ada Lovelace', tags: ['x'] }, undefined, b);
    const { body: user } = await operator.get(`/auth/users/${created.id}`).expect(200);
    await operator.patch(`/auth/users/${created.id}`, { set: { name: 'A. L.' } }).expect(200);
    await receiver.until(3);
    await operator.delete(`/auth/users/${created.id}`).expect(200);
    const [first, second, third, fourth] = (await receiver.until(4)).map(({ body }) => body);
    expect(first).toMatchObject({
      type: 'user.created',
      data: { id: created.id, sourceAppId: app.sourceAppId, email: 'ada@example.com', revision: 1 },
    });
    expect(first?.data).not.toHaveProperty('changed');
    expect(second).toMatchObject({
      type: 'user.updated',
      timestamp: user.updatedAt,
      data: { revision: 2, changed: ['data.name', 'data.tags'] },
    });
    expect(third).toMatchObject({ type: 'user.updated', data: { revision: 3, changed: ['data.name'] } });
    expect(third?.data.data).toMatchObject({ name: 'A. L.', tags: [{ value: 'x' }] });
    expect(fourth).toEqual({
      type: 'user.erased',
      timestamp: expect.any(String),
      data: { id: created.id, sourceAppId: app.sourceAppId, revision: 4 },
    });
  });

  it('name the values that a submission removed', async () => {
    const showIf = { all: [{ field: 'name', op: 'exists' as const }] };
    const fields = [
      { key: 'name', kind: 'text' as const },
      { key: 'title', kind: 'text' as const, showIf },
    ];
    await a.admin.putSchema(app.sourceAppId, { fields }).expect(200);
    await submit({ name: 'Ada', title: 'Countess' }, 'titled@example.com');
    await submit({}, 'titled@example.com', b);
    const [, second] = (await receiver.until(2)).map(({ body }) => body);
    expect(second).toMatchObject({ type: 'user.updated', data: { changed: ['data.title'], data: { name: 'Ada' } } });
    expect(second?.data.data).not.toHaveProperty('title');
  });

  it('are signed as Standard Webhooks defines it', async () => {
    await submit({ name: 'Ada' });
    const [{ text, headers } = { text: '', headers: {} }] = await receiver.until(1);
    const signed = headers as Record<string, string>;
    expect(new Webhook(secret).verify(text, signed)).toMatchObject({ type: 'user.created' });
    expect(() => new Webhook(secret).verify(`${text} `, signed)).toThrow();
  });

  it('are signed by a replaced secret beside the new one for 24 hours', { tags: 'long' }, async () => {
    const { body: list } = await operator.get('/auth/webhooks').expect(200);
    const { body } = await operator.post(`/auth/webhooks/${list.webhooks[0].id}/rotate-secret`).expect(200);
    await submit({ name: 'Ada' });
    await receiver.until(1);
    await a.db
      .collection('webhooks')
      .updateOne({ sourceAppId: app.sourceAppId }, { $set: { 'secrets.1.until': new Date(Date.now() - 1) } });
    await submit({ name: 'again' });
    const [first, second] = (await receiver.until(2)).map(({ text, headers }) => (one: string) => {
      new Webhook(one).verify(text, headers as Record<string, string>);
    });
    first?.(secret);
    first?.(body.secret);
    second?.(body.secret);
    expect(() => second?.(secret)).toThrow('No matching signature');
  });

  it('are stored in the record by the write itself, and removed when they are delivered', async () => {
    const users = a.db.collection('users');
    const { body } = await submit({ name: 'Ada' });
    await receiver.until(1);
    await expect.poll(() => users.findOne({ email: 'ada@example.com' })).toMatchObject({ outbox: [], eventCount: 1 });
    const { body: shown } = await operator.get(`/auth/users/${body.id}`).expect(200);
    expect(Object.keys(shown)).not.toContain('outbox');
    expect(Object.keys(shown)).not.toContain('eventCount');
  });

  it('are delivered once if they are passed on again after a crash', async () => {
    await submit({ name: 'Ada' });
    await receiver.until(1);
    const users = a.db.collection('users');
    const filter = { sourceAppId: app.sourceAppId };
    await expect.poll(() => users.findOne(filter)).toMatchObject({ outbox: [] });
    const record = await users.findOne(filter);
    // As the relay leaves it when its server stops before it removes the event.
    const outbox = [{ id: record?._id, at: record?.createdAt, changed: ['data.name'] }];
    await users.updateOne(filter, { $set: { outbox } });
    await submit({ name: 'again' });
    await expect.poll(() => users.findOne(filter)).toMatchObject({ outbox: [] });
    const [, second] = await receiver.until(2);
    expect(second?.body).toMatchObject({ type: 'user.updated', data: { revision: 2 } });
  });

  it('are at most 1,000 of a record, which takes no further change until they are relayed', async () => {
    const { body } = await submit({ name: 'Ada' });
    await receiver.until(1);
    const users = a.db.collection('users');
    const filter = { sourceAppId: app.sourceAppId };
    await expect.poll(() => users.findOne(filter)).toMatchObject({ outbox: [] });
    // `outbox.0.at` is absent: the relay reads none of them.
    const outbox = Array.from({ length: 1_000 }, () => ({ id: body.id }));
    await users.updateOne(filter, { $set: { outbox } });
    await operator.patch(`/auth/users/${body.id}`, { set: { name: 'A. L.' } }).expect(503);
    await a.client.submit(app.sourceAppId, { email: 'ada@example.com', data: { name: 'again' } }).expect(503);
    expect(await users.findOne(filter)).toMatchObject({ data: { name: 'Ada' } });
    await users.updateOne(filter, { $set: { outbox: [] } });
    await operator.patch(`/auth/users/${body.id}`, { set: { name: 'A. L.' } }).expect(200);
  });

  it('are announced in memory on the server that stores them, and only there', async () => {
    const counts = { a: 0, b: 0 };
    a.services.outboxSignal.listen(() => (counts.a += 1));
    b.services.outboxSignal.listen(() => (counts.b += 1));
    const { body: ada } = await submit({ name: 'Ada' }, undefined, b);
    expect(counts).toEqual({ a: 0, b: 1 });
    await submit({ name: 'Ada Lovelace' });
    expect(counts).toEqual({ a: 1, b: 1 });
    await operator.patch(`/auth/users/${ada.id}`, { set: { name: 'A. L.' } }).expect(200);
    expect(counts).toEqual({ a: 2, b: 1 });
    await operator.delete(`/auth/users/${ada.id}`).expect(200);
    expect(counts).toEqual({ a: 3, b: 1 });
    // One of the servers runs the import.
    await runImport(operator, undefined, 'email,name\ngrace@example.com,Grace\n', { format: 'csv' });
    // A batch that is repeated is announced again.
    const announced = counts.a + counts.b;
    expect(announced).toBeGreaterThanOrEqual(5);
    const other = await a.admin.buildApp();
    await a.client.submit(other.sourceAppId, { email: 'ada@example.com', data: {} }).expect(200);
    expect(counts.a + counts.b).toBe(announced);
  });

  it('are none of an app without webhooks', async () => {
    const other = await a.admin.buildApp();
    await a.client.submit(other.sourceAppId, { email: 'ada@example.com', data: {} }).expect(200);
    const record = await a.db.collection('users').findOne({ sourceAppId: other.sourceAppId });
    expect(Object.keys(record ?? {})).not.toContain('outbox');
    expect(Object.keys(record ?? {})).not.toContain('eventCount');
  });

  it('end when the last webhook is deleted, on every server', async () => {
    const { body } = await operator.get('/auth/webhooks').expect(200);
    await operator.delete(`/auth/webhooks/${body.webhooks[0].id}`).expect(200);
    await submit({ name: 'Ada' }, 'late@example.com', b);
    const record = await a.db.collection('users').findOne({ email: 'late@example.com', sourceAppId: app.sourceAppId });
    expect(record).not.toHaveProperty('outbox');
  });

  it('tell of each erasure: in bulk, of a person, and for age', async () => {
    for (const name of ['one', 'two', 'three', 'four']) await submit({ name }, `${name}@example.com`);
    await receiver.until(4);
    await operator.delete('/auth/users?where=data.name:eq:one&confirm=1').expect(200);
    await operator.post('/auth/people/erase', { email: 'two@example.com' }).expect(200);
    await a.db
      .collection('users')
      .updateOne({ email: 'three@example.com' }, { $set: { updatedAt: new Date(Date.now() - 3 * 86_400_000) } });
    await operator.put(`/auth/apps/${app.sourceAppId}/retention`, { days: 1, basis: 'updatedAt' }).expect(200);
    // Ids are in order of creation, and this record was created just now: retention keeps it.
    const erased = (await receiver.until(6)).slice(4).map(({ body }) => body.type);
    expect(erased).toEqual(['user.erased', 'user.erased']);
    await expect.poll(() => a.db.collection('erasures').countDocuments({})).toBe(0);
  });

  it('of a record that was not erased after all are dropped', async () => {
    const { body } = await submit({ name: 'Ada' });
    await receiver.until(1);
    const record = await a.db.collection('users').findOne({ sourceAppId: app.sourceAppId });
    if (!record) throw new Error('no record');
    // As a server leaves it that stopped between the announcement and the deletion.
    await a.db.collection('erasures').insertOne({
      _id: record._id,
      appId: record.appId,
      eventId: record._id,
      revision: 2,
      at: new Date(Date.now() - 120_000),
    });
    await expect.poll(() => a.db.collection('erasures').countDocuments({})).toBe(0);
    await submit({ name: 'again' });
    const types = (await receiver.until(2)).map(({ body: { type } }) => type);
    expect(types).toEqual(['user.created', 'user.updated']);
    await operator.get(`/auth/users/${body.id}`).expect(200);
  });
});

describe('what deliveries keep', () => {
  it('has nothing of a person who was erased', { tags: 'long' }, async () => {
    receiver.answer = ({ text }) => ({ status: 500, body: text });
    await submit({ name: 'Zebulon' }, 'zebulon@example.com');
    await receiver.until(1);
    const deliveries = a.db.collection('deliveries');
    await expect.poll(() => deliveries.findOne({ 'log.response': /Zebulon/ })).not.toBeNull();
    const { body } = await operator.post('/auth/people/erase', { email: 'zebulon@example.com' }).expect(200);
    expect(body.erased.deliveries).toBe(1);
    await receiver.until(2);
    for (const { name } of await a.db.listCollections().toArray()) {
      const text = JSON.stringify(await a.db.collection(name).find({}).toArray());
      expect([name, /zebulon/i.test(text)]).toEqual([name, false]);
    }
    expect(a.log() + b.log()).not.toMatch(/zebulon/i);
  });

  it('is deleted with the app', { tags: 'long' }, async () => {
    await submit({ name: 'Ada' });
    await receiver.until(1);
    const { id } = await a.services.apps.get(app.sourceAppId);
    await a.admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
    for (const name of ['webhooks', 'deliveries', 'erasures']) {
      expect(await a.db.collection(name).countDocuments({ appId: id })).toBe(0);
    }
  });
});
