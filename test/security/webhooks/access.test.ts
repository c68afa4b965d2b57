// @module-tag fault

import { UUID } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../support/peers/receiver.ts';
import { rounds } from '../../support/run/rounds.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

/** More than are taken at once. */
const REPLAYED = rounds(2_500, 1_200);
const ID = '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57';

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' });
  b = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' }, a.database);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

let receiver: Receiver;
let app: TestApp;
let operator: Client;
beforeEach(async () => {
  receiver = await Receiver.start();
  app = await a.admin.buildApp();
  operator = await new Client(a.client.url).logIn(app.sourceAppId, app.password);
});
afterEach(() => receiver.close());

const create = async (client: Client): Promise<{ id: string; secret: string }> =>
  (await client.post('/auth/webhooks', { url: receiver.url, events: ['user.created', 'user.erased'] }).expect(200))
    .body;

/** Stores deliveries as if they had happened, of erased records. */
async function seed(webhookId: string, count: number): Promise<string[]> {
  const appId = (await a.db.collection('webhooks').findOne({ _id: new UUID(webhookId) } as object))?.appId;
  const at = new Date();
  const documents = Array.from({ length: count }, (_, index) => ({
    _id: `${v7({ msecs: at.getTime() - count + index })}:${webhookId}`,
    webhookId: new UUID(webhookId),
    appId,
    recordId: new UUID(),
    type: 'user.erased',
    revision: 2,
    at,
    state: 'delivered',
    attempts: 1,
    log: [],
    expiresAt: new Date(at.getTime() + 86_400_000),
  }));
  await a.db.collection<{ _id: string }>('deliveries').insertMany(documents);
  return documents.map(({ _id }) => _id);
}

describe('the webhooks of an app', () => {
  it('and their deliveries are not there for other operators', { tags: 'long' }, async () => {
    const { id } = await create(operator);
    const [delivery = ''] = await seed(id, 1);
    const others = await a.admin.buildApp();
    const stranger = await new Client(b.client.url).logIn(others.sourceAppId, others.password);
    const before = await a.db.collection('webhooks').find({}).toArray();

    expect((await stranger.get('/auth/webhooks').expect(200)).body).toEqual({ webhooks: [] });
    for (const query of ['', `?sourceAppId=${others.sourceAppId}`]) {
      await stranger.patch(`/auth/webhooks/${id}${query}`, { enabled: false }).expect(404);
      await stranger.delete(`/auth/webhooks/${id}${query}`).expect(404);
      await stranger.post(`/auth/webhooks/${id}/test${query}`).expect(404);
      await stranger.post(`/auth/webhooks/${id}/rotate-secret${query}`).expect(404);
      await stranger.get(`/auth/webhooks/${id}/deliveries${query}`).expect(404);
      await stranger.post(`/auth/webhooks/${id}/replay${query}`, { since: '2020-01-01T00:00:00Z' }).expect(404);
      await stranger.get(`/auth/webhooks/deliveries/${delivery}${query}`).expect(404);
      await stranger.post(`/auth/webhooks/deliveries/${delivery}/replay${query}`).expect(404);
      // Nor for an admin who names another app.
      const other = `?sourceAppId=${others.sourceAppId}`;
      await a.admin.get(`/auth/webhooks/deliveries/${delivery}${other}`).expect(404);
      await a.admin.delete(`/auth/webhooks/${id}${other}`).expect(404);
    }
    await stranger.get(`/auth/webhooks?sourceAppId=${app.sourceAppId}`).expect(403);
    await stranger.get(`/auth/webhooks/deliveries/${delivery}?sourceAppId=${app.sourceAppId}`).expect(403);
    await a.client.get('/auth/webhooks').expect(401);

    expect(await a.db.collection('webhooks').find({}).toArray()).toEqual(before);
    expect(receiver.received).toEqual([]);
    await a.admin.get(`/auth/webhooks/deliveries/${delivery}?sourceAppId=${app.sourceAppId}`).expect(200);
  });

  it('show their secrets once only', async () => {
    const { id, secret } = await create(operator);
    const { body: rotated } = await operator.post(`/auth/webhooks/${id}/rotate-secret`).expect(200);
    const [delivery] = await seed(id, 1);
    const answers = await Promise.all([
      operator.get('/auth/webhooks'),
      operator.patch(`/auth/webhooks/${id}`, { enabled: true }),
      operator.get(`/auth/webhooks/${id}/deliveries`),
      operator.get(`/auth/webhooks/deliveries/${delivery}`),
      operator.post(`/auth/webhooks/${id}/test`),
    ]);
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(rotated.secret);
    }
    expect(a.log() + b.log()).not.toContain('whsec_');
  });

  it.each([
    'x',
    '0',
    'null',
    '__proto__',
    '%00',
    '..%2f..%2f',
    '%7B%22%24gt%22:%22%22%7D',
    `${ID}:${ID}`,
    'x'.repeat(4_000),
  ])('have none of the id %s', async (id) => {
    await create(operator);
    await operator.patch(`/auth/webhooks/${id}`, { enabled: false }).expect(404);
    await operator.get(`/auth/webhooks/${id}/deliveries`).expect(404);
    await operator.get(`/auth/webhooks/deliveries/${id}`).expect(404);
    await operator.post(`/auth/webhooks/deliveries/${id}/replay`).expect(404);
  });

  it('are at most 20, however many are created at once', { tags: 'long' }, async () => {
    const other = await new Client(b.client.url).logIn(app.sourceAppId, app.password);
    const attempts = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? operator : other).post('/auth/webhooks', { url: receiver.url, events: ['user.created'] }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    const { body } = await operator.get('/auth/webhooks').expect(200);
    expect(body.webhooks.length).toBeLessThanOrEqual(20);
    expect(statuses.filter((status) => status === 200).length).toBe(body.webhooks.length);
    // On a busy machine some find no place in time.
    expect(statuses.filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
    expect(statuses).toContain(200);
  });
});

describe('a secret', () => {
  it('that was replaced signs for 24 hours more, though it is replaced on two servers at once', async () => {
    const other = await new Client(b.client.url).logIn(app.sourceAppId, app.password);
    const { id, secret } = await create(operator);
    const rotated = await Promise.all(
      [operator, other, operator].map((client) => client.post(`/auth/webhooks/${id}/rotate-secret`).expect(200)),
    );
    await operator.post(`/auth/webhooks/${id}/test`).expect(200);
    const [{ text, headers } = { text: '', headers: {} }] = receiver.received;
    for (const one of [secret, ...rotated.map(({ body }) => body.secret)]) {
      expect(new Webhook(one).verify(text, headers as Record<string, string>)).toMatchObject({ type: 'webhook.test' });
    }
    const secrets = (await a.db.collection('webhooks').findOne({ url: receiver.url }))?.secrets;
    expect(secrets[0]).not.toHaveProperty('until');
    expect(secrets.length).toBe(4);
  });

  it('is one of at most five', async () => {
    const { id } = await create(operator);
    for (let round = 0; round < 8; round += 1) await operator.post(`/auth/webhooks/${id}/rotate-secret`).expect(200);
    await operator.post(`/auth/webhooks/${id}/test`).expect(200);
    expect(String(receiver.received[0]?.headers['webhook-signature']).split(' ').length).toBe(5);
  });
});

describe('the pages of deliveries', () => {
  it('begin after any cursor, and show those of the webhook only', async () => {
    const { id } = await create(operator);
    const others = await a.admin.buildApp();
    const stranger = await new Client(b.client.url).logIn(others.sourceAppId, others.password);
    const foreign = await seed((await create(stranger)).id, 3);
    const ids = await seed(id, 5);
    const list = async (query: string) =>
      (await operator.get(`/auth/webhooks/${id}/deliveries?${query}`).expect(200)).body;
    const shown = ({ deliveries }: { deliveries: { id: string }[] }) => deliveries.map((delivery) => delivery.id);

    const first = await list('limit=2&state=delivered');
    const second = await list(`limit=2&cursor=${first.next}`);
    const third = await list(`limit=2&cursor=${second.next}`);
    expect([first, second, third].flatMap(shown)).toEqual(ids.toReversed());
    expect(third).not.toHaveProperty('next');
    expect(shown(await list(`cursor=${foreign[0]}`))).toEqual(
      ids.filter((one) => one < String(foreign[0])).toReversed(),
    );
    for (const cursor of ['', '%00', '%E2%82%AC', 'zzz', '$gt', '[object Object]']) {
      expect(ids).toEqual(expect.arrayContaining(shown(await list(`cursor=${cursor}`))));
    }
    expect(shown(await list('state=failed'))).toEqual([]);
  });

  it.each([
    'cursor[$gt]=',
    'cursor=a&cursor=b',
    `cursor=${'x'.repeat(81)}`,
    'state=other',
    'state[$ne]=failed',
    'limit=0',
    'limit=-1',
    'limit=1e3',
    'skip=1',
  ])('are refused with %s', async (query) => {
    const { id } = await create(operator);
    await operator.get(`/auth/webhooks/${id}/deliveries?${query}`).expect(400);
  });
});

describe('a replay since a time', () => {
  it('sends each event once, although the receiver answers before all are replayed', { tags: 'long' }, async () => {
    const { id } = await create(operator);
    await seed(id, REPLAYED);
    const { body } = await operator.post(`/auth/webhooks/${id}/replay`, { since: '0001-01-01T00:00:00Z' }).expect(200);
    expect(body).toEqual({ replayed: REPLAYED });
    const sent = await receiver.until(REPLAYED);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(REPLAYED);
    const delivered = () =>
      a.db.collection('deliveries').countDocuments({ 'log.0': { $exists: true }, state: 'delivered' });
    await expect.poll(delivered).toBe(REPLAYED);
    expect(receiver.received.length).toBe(REPLAYED);
  });

  it.each(['', 'yesterday', '2026-01-01', 1_700_000_000, null, { $gt: '' }])('is refused for %j', async (since) => {
    const { id } = await create(operator);
    await operator.post(`/auth/webhooks/${id}/replay`, { since }).expect(400);
  });
});
