import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, Receiver } from '../../support/peers/receiver.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const PUBLIC_URL = 'https://forms.example.com';
const SECRET_PATH = '/services/T00000000/B00000000/secret-of-a-channel';
const ALL = ['user.created', 'user.updated', 'user.erased'];
const FORMATS = ['slack', 'discord', 'teams', 'text'] as const;
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** The clock of deliveries, which a test moves. */
let offset = 0;
const env = { WEBHOOKS_ALLOW_PRIVATE: 'true', PUBLIC_URL };
let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer(env, undefined, { deliveryNow: () => Date.now() + offset });
  b = await startServer(env, a.database, { deliveryNow: () => Date.now() + offset });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

let app: TestApp;
let operator: Client;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
  app = await a.admin.buildApp({
    fields: [
      { key: 'name', kind: 'text', label: 'Your name' },
      { key: 'plan', kind: 'select', label: 'Plan', enum: ['p1', 'p2'], enumLabels: { p1: 'Basic' } },
      { key: 'terms', kind: 'checkbox', label: 'Terms' },
    ],
  });
  operator = await new Client(a.client.url).logIn(app.sourceAppId, app.password);
});
afterEach(async () => {
  // What waits would be attempted when a later test moves the clock.
  await a.admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
  await receiver.close();
});

const secretUrl = () => new URL(SECRET_PATH, receiver.url).href;
const shownUrl = () => `${new URL(receiver.url).origin}/…`;

const create = async (format: string, url = secretUrl()) =>
  (await operator.post('/auth/webhooks', { url, events: ALL, format }).expect(200)).body as {
    id: string;
    secret: string;
  };

const submit = (data: object, email = 'ada@example.com') =>
  a.client.submit(app.sourceAppId, { email, data }).expect(200);

const deliveries = async (id: string) =>
  (await operator.get(`/auth/webhooks/${id}/deliveries`).expect(200)).body.deliveries;

describe.each(FORMATS)('a webhook in the format %s', (format) => {
  it('gets the labelled values and the link of a record, then of a change, then that it is erased', {
    tags: 'long',
  }, async () => {
    await a.admin.put(`/auth/apps/${app.sourceAppId}/form`, { title: 'Contact us' }).expect(200);
    const { id } = await create(format);
    const { body: record } = await submit({ name: 'Ada *Lovelace*', plan: 'p1', terms: true });
    const [created] = await receiver.until(1);
    const text = created?.text.replaceAll('\\', '');
    const link = `${PUBLIC_URL}/dashboard/apps/${app.sourceAppId}/users/${record.id}`;
    for (const part of ['New entry: Contact us', 'Your name', 'Ada *Lovelace*', 'Plan', 'Basic', 'Yes', link]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('ada@example.com');
    const type = format === 'text' ? 'text/plain; charset=utf-8' : 'application/json';
    expect(created?.headers['content-type']).toBe(type);
    expect('webhook-signature' in (created?.headers ?? {})).toBe(format === 'text');

    await submit({ name: 'Ada King' });
    const [, changed] = await receiver.until(2);
    expect(changed?.text).toContain('Changed entry');
    expect(changed?.text).toContain('Ada King');
    await operator.delete(`/auth/users/${record.id}`).expect(200);
    const [, , erased] = await receiver.until(3);
    expect(erased?.text).toContain('Erased entry');
    expect(erased?.text).not.toMatch(/Ada [*K]|ada@|dashboard\//);
    await expect
      .poll(async () => (await deliveries(id)).map((one: { state: string }) => one.state))
      .toEqual([
        // The erasure deletes what names the record.
        'delivered',
      ]);
  });

  it('shows its URL without the path in every answer and log', { tags: 'long' }, async () => {
    receiver.answer = () => ({ status: 500, body: `No channel at ${SECRET_PATH}: secret-of-a-channel` });
    const { id, ...created } = await create(format);
    const { body: record } = await submit({ name: 'Ada' });
    await receiver.until(1);
    await expect.poll(async () => (await deliveries(id))[0].attempts.length).toBe(1);
    const delivery = (await deliveries(id))[0].id;
    const answers = await Promise.all([
      operator.get('/auth/webhooks'),
      operator.patch(`/auth/webhooks/${id}`, { events: ['user.created'] }),
      operator.get(`/auth/webhooks/${id}/deliveries`),
      operator.get(`/auth/webhooks/deliveries/${delivery}`),
      operator.post(`/auth/webhooks/${id}/test`),
      a.admin.get('/auth/audit'),
      operator.post('/auth/people/export', { email: record.email ?? 'ada@example.com' }),
    ]);
    const texts = [JSON.stringify(created), ...answers.map(({ text }) => text), a.log(), b.log()];
    for (const text of texts) expect(text).not.toMatch(/secret-of-a-channel|T00000000|B00000000/);
    expect(answers.slice(0, 6).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(created).toMatchObject({ url: shownUrl(), format });
    expect(answers[3]?.body.request).toMatchObject({ url: shownUrl() });
    expect(answers[3]?.body.attempts[0].response).toContain('No channel at ');
  });

  it('gets a test message with example values of the schema', async () => {
    const { id } = await create(format);
    const { body } = await operator.post(`/auth/webhooks/${id}/test`).expect(200);
    expect(body).toMatchObject({ ok: true, status: 200 });
    const [{ text } = { text: '' }] = receiver.received;
    for (const part of ['Test message', 'Your name', 'Lovelace', 'Basic']) expect(text).toContain(part);
  });
});

describe('the URL of a secret webhook', () => {
  const change = (id: string, body: object) => operator.patch(`/auth/webhooks/${id}`, body);

  it('is not shown by a change to the standard format', { tags: 'long' }, async () => {
    const { id } = await create('slack');
    const { body } = await change(id, { format: 'standard' }).expect(400);
    expect(body.errors).toEqual([
      { path: 'url', message: 'must be sent again, because this format shows the whole URL', code: 'urlRequired' },
    ]);
    await change(id, { format: 'discord' }).expect(200);
    const url = `${receiver.url}?open`;
    expect((await change(id, { format: 'standard', url }).expect(200)).body).toMatchObject({ url, format: 'standard' });
    expect((await change(id, { format: 'teams' }).expect(200)).body).toMatchObject({ url: shownUrl() });
  });

  it('is not replaced by the one that answers show', { tags: 'long' }, async () => {
    const { id } = await create('slack');
    const { body } = await change(id, { url: shownUrl() }).expect(400);
    const message = 'must be the whole URL: responses show a shortened one';
    expect(body.errors).toEqual([{ path: 'url', message, code: 'notWholeUrl' }]);
    await submit({ name: 'Ada' });
    await receiver.until(1);
  });

  it('is never stored with a format that shows it, however changes on two servers meet', { tags: 'long' }, async () => {
    const other = await new Client(b.client.url).logIn(app.sourceAppId, app.password);
    const { id } = await create('slack');
    for (let round = 0; round < 15; round += 1) {
      await Promise.all([
        change(id, { url: secretUrl(), format: 'slack' }),
        other.patch(`/auth/webhooks/${id}`, { format: 'standard', url: receiver.url }),
        change(id, { format: 'standard' }),
        other.patch(`/auth/webhooks/${id}`, { format: 'text' }),
      ]);
      const { body } = await operator.get('/auth/webhooks').expect(200);
      expect(body.webhooks[0].url).not.toContain('secret-of-a-channel');
    }
  });

  it('has no other format', async () => {
    for (const format of ['', 'mail', null, 1, ['slack'], { $ne: 'slack' }]) {
      const { body } = await operator.post('/auth/webhooks', { url: secretUrl(), events: ALL, format }).expect(400);
      expect(body.errors[0].path).toBe('format');
    }
  });
});

describe('a receiver that answers 429', () => {
  it('gets no attempt before its Retry-After, which is no failure of the delivery', { tags: 'long' }, async () => {
    let limited = 12;
    const tooMany: Answer = () => (limited-- > 0 ? { status: 429, headers: { 'retry-after': '30.5' } } : undefined);
    receiver.answer = tooMany;
    const { id } = await create('discord');
    await submit({ name: 'Ada' });
    await submit({ name: 'Grace' }, 'grace@example.com');
    // More than the ten attempts of a delivery, and than the five failures of an endpoint.
    for (let round = 1; round <= 12; round += 1) {
      await receiver.until(round);
      await expect
        .poll(async () =>
          (await deliveries(id)).some((one: { attempts: { status: number }[] }) => one.attempts.length > 0),
        )
        .toBe(true);
      const before = receiver.received.length;
      offset += 29 * SECOND;
      await operator.get('/auth/webhooks').expect(200);
      expect(receiver.received.length).toBe(before);
      offset += 2 * SECOND;
    }
    await receiver.until(14);
    const states = async () => (await deliveries(id)).map((one: { state: string }) => one.state);
    await expect.poll(states).toEqual(['delivered', 'delivered']);
  });

  it('for longer than a day fails the delivery', { tags: 'long' }, async () => {
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '1' } });
    const { id } = await create('slack');
    await submit({ name: 'Ada' });
    await receiver.until(2);
    offset += 25 * HOUR;
    await expect
      .poll(async () => Date.parse((await deliveries(id))[0].nextAt) - Date.now() - offset, { timeout: 30_000 })
      .toBeGreaterThan(3 * SECOND);
  });
});

describe('the sample of an event', () => {
  it.each(ALL)('%s has example values of the newest schema', { tags: 'long' }, async (event) => {
    const { body } = await operator.get(`/auth/webhooks/sample?event=${event}`).expect(200);
    expect(body).toMatchObject({ type: event, data: { sourceAppId: app.sourceAppId } });
    const values = { name: 'Ada Lovelace', plan: 'p1', terms: true };
    if (event === 'user.erased') expect(body.data).not.toHaveProperty('data');
    else expect(body.data).toMatchObject({ email: 'ada@example.com', data: values });
    expect(body.data.changed).toEqual(event === 'user.updated' ? ['data.name'] : undefined);
    // A real event has the same members.
    const { id } = await create('standard', receiver.url);
    const { body: record } = await submit(values);
    if (event !== 'user.created') await submit({ name: 'Ada King' });
    if (event === 'user.erased') await operator.delete(`/auth/users/${record.id}`).expect(200);
    await expect.poll(() => receiver.received.map((one) => one.body.type)).toContain(event);
    const real = receiver.received.find((one) => one.body.type === event)?.body;
    expect(Object.keys(real ?? {})).toEqual(Object.keys(body));
    expect(Object.keys(real?.data ?? {})).toEqual(Object.keys(body.data));
    expect(id).not.toBe('');
  });

  it('follows a change of the schema, is user.created by default, and belongs to the app', {
    tags: 'long',
  }, async () => {
    await a.admin
      .put(`/auth/apps/${app.sourceAppId}/schema`, {
        rejectUnknown: true,
        fields: [{ key: 'age', kind: 'number', min: 18 }],
      })
      .expect(200);
    expect((await operator.get('/auth/webhooks/sample').expect(200)).body).toMatchObject({
      type: 'user.created',
      data: { data: { age: 18 } },
    });
    await operator.get('/auth/webhooks/sample?event=webhook.test').expect(400);
    await a.client.get('/auth/webhooks/sample').expect(401);
    const others = await a.admin.buildApp();
    await operator.get(`/auth/webhooks/sample?sourceAppId=${others.sourceAppId}`).expect(403);
    const { body } = await a.admin.get(`/auth/webhooks/sample?sourceAppId=${app.sourceAppId}`).expect(200);
    expect(body.data.sourceAppId).toBe(app.sourceAppId);
  });
});
