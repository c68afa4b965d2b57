import { setTimeout as sleep } from 'node:timers/promises';
import { type ObjectId, UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, Receiver } from '../../support/peers/receiver.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const PAUSES = [5 * SECOND, 300 * SECOND, 1_800 * SECOND, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];

/** The clock of deliveries, which a test moves. */
let offset = 0;
const deliveryNow = (): number => Date.now() + offset;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' }, undefined, { deliveryNow });
});
afterAll(() => server.close());

interface Listener {
  id: string;
  receiver: Receiver;
}

let app: TestApp;
let operator: Client;
const receivers: Receiver[] = [];
beforeEach(async () => {
  app = await server.admin.buildApp({ fields: [{ key: 'n', kind: 'number' }] });
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
});
afterEach(async () => {
  // What waits would be attempted when a later test moves the clock.
  await server.admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function listener(answer?: Answer, events = ['user.created', 'user.updated']): Promise<Listener> {
  const receiver = await Receiver.start(answer);
  receivers.push(receiver);
  const { body } = await operator.post('/auth/webhooks', { url: receiver.url, events }).expect(200);
  return { id: body.id, receiver };
}

const submit = (n: number, email = 'ada@example.com') =>
  server.client.submit(app.sourceAppId, { email, data: { n } }).expect(200);

const webhook = async (id: string) =>
  (await operator.get('/auth/webhooks')).body.webhooks.find((one: { id: string }) => one.id === id);

async function deliveries(id: string, query = '') {
  const { body } = await operator.get(`/auth/webhooks/${id}/deliveries${query}`).expect(200);
  return body.deliveries as {
    id: string;
    state: string;
    revision: number;
    nextAt?: string;
    attempts: { at: string; status?: number; error?: string; response?: string }[];
  }[];
}

describe('a failed delivery (spec 4.11)', () => {
  it('is attempted again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and then is failed', {
    tags: 'long',
    timeout: 30_000,
  }, async () => {
    const { id, receiver } = await listener(() => ({ status: 500, body: 'no' }));
    await submit(1);
    await receiver.until(1);
    for (const [index, pause] of PAUSES.entries()) {
      await expect.poll(async () => (await deliveries(id))[0]?.attempts.length).toBe(index + 1);
      const [delivery] = await deliveries(id);
      const wait = Date.parse(delivery?.nextAt ?? '') - Date.parse(delivery?.attempts.at(-1)?.at ?? '');
      expect(wait).toBeGreaterThanOrEqual(pause * 0.9);
      // The attempt itself takes a moment.
      expect(wait).toBeLessThanOrEqual(pause * 1.1 + 10 * SECOND);
      offset += wait + 5 * 60 * SECOND; // beyond the longest pause of an open circuit breaker
      await receiver.until(index + 2);
    }
    await expect.poll(async () => (await deliveries(id))[0]?.state).toBe('failed');
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(10).fill(receiver.received[0]?.headers['webhook-id']),
    );
    expect((await deliveries(id))[0]?.attempts.at(-1)).toMatchObject({ status: 500, response: 'no' });
  });

  it('waits as long as Retry-After asks for', async () => {
    const { id, receiver } = await listener(() => ({ status: 503, headers: { 'retry-after': '7200' } }));
    await submit(1);
    await receiver.until(1);
    await expect.poll(async () => (await deliveries(id))[0]?.attempts.length).toBe(1);
    const [delivery] = await deliveries(id);
    const wait = Date.parse(delivery?.nextAt ?? '') - Date.parse(delivery?.attempts[0]?.at ?? '');
    expect(wait).toBeGreaterThanOrEqual(2 * HOUR);
    expect(wait).toBeLessThan(2 * HOUR + 10 * SECOND);
  });

  it('is a redirect, and is not followed', async () => {
    const target = await Receiver.start();
    receivers.push(target);
    const { id, receiver } = await listener(() => ({ status: 307, headers: { location: target.url } }));
    await submit(1);
    await receiver.until(1);
    await expect.poll(async () => (await deliveries(id))[0]?.attempts[0]?.status).toBe(307);
    expect(target.received).toEqual([]);
  });
});

it('a replay is attempted at once after the clock was set back by an hour', { tags: 'long' }, async () => {
  const now = offset;
  offset += HOUR;
  const { id, receiver } = await listener();
  await submit(1);
  await receiver.until(1);
  await expect.poll(async () => (await deliveries(id))[0]?.state).toBe('delivered');
  offset = now;
  const [delivery] = await deliveries(id);
  await operator.post(`/auth/webhooks/deliveries/${delivery?.id}/replay`).expect(200);
  await receiver.until(2);
});

describe('the order of events', () => {
  it('is kept for a record, and other records do not wait', { tags: 'long' }, async () => {
    let failures = 1;
    const { id, receiver } = await listener(({ body }) =>
      body.data.email === 'ada@example.com' && failures-- > 0 ? { status: 500 } : undefined,
    );
    for (const n of [1, 2, 3]) await submit(n);
    for (const n of [1, 2, 3]) await submit(n, 'bob@example.com');
    await receiver.until(4);
    await expect.poll(async () => (await deliveries(id, '?state=delivered')).length).toBe(3);
    await sleep(300);
    const sentTo = (email: string) =>
      receiver.received.filter(({ body }) => body.data.email === email).map(({ body }) => body.data.revision);
    expect(sentTo('ada@example.com')).toEqual([1]);
    expect(sentTo('bob@example.com')).toEqual([1, 2, 3]);
    offset += 10 * SECOND;
    await receiver.until(7);
    expect(sentTo('ada@example.com')).toEqual([1, 1, 2, 3]);
    await expect.poll(async () => (await deliveries(id, '?state=delivered')).length).toBe(6);
  });

  it('is kept for many changes of one record at once', { tags: 'long' }, async () => {
    const { receiver } = await listener();
    await submit(0);
    await Promise.all(Array.from({ length: 60 }, (_, n) => submit(n)));
    await receiver.until(61);
    const revisions = receiver.received.map(({ body }) => body.data.revision);
    expect(revisions).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
  });
});

describe('an endpoint that fails', () => {
  it('gets single attempts after five failures, and all waiting events once one succeeds', {
    tags: 'long',
  }, async () => {
    let isUp = false;
    const { id, receiver } = await listener(() => ({ status: isUp ? 200 : 500 }));
    for (let n = 0; n < 5; n += 1) {
      await submit(n, `first-${n}@example.com`);
      await receiver.until(n + 1);
    }
    await expect
      .poll(async () => (await deliveries(id)).filter(({ attempts }) => attempts.length === 1).length)
      .toBe(5);
    for (let n = 0; n < 30; n += 1) await submit(n, `later-${n}@example.com`);
    await expect.poll(async () => (await deliveries(id)).length).toBe(35);
    await sleep(300);
    expect(receiver.received.length).toBe(5);
    isUp = true;
    offset += 20 * SECOND;
    await expect.poll(async () => (await deliveries(id, '?state=delivered')).length).toBe(35);
    expect((await webhook(id)).failingSince).toBeUndefined();
  });

  it('does not hold up another endpoint', async () => {
    const slow = await listener(() => ({ delayMs: 60_000 }));
    for (let n = 0; n < 40; n += 1) await submit(n, `p${n}@example.com`);
    await slow.receiver.until(20);
    // A webhook that is added before an event is relayed gets it too.
    await expect.poll(async () => (await deliveries(slow.id)).length).toBe(40);
    const fast = await listener();
    await submit(1, 'last@example.com');
    const [received] = await fast.receiver.until(1);
    expect(received?.body.data.email).toBe('last@example.com');
    expect(slow.receiver.received.length).toBe(20);
  });

  it('is disabled by 410, and gets no further event until it is enabled again', async () => {
    let status = 410;
    const { id, receiver } = await listener(() => ({ status }));
    await submit(1);
    await receiver.until(1);
    await expect.poll(() => webhook(id)).toMatchObject({ state: 'disabled', disabledReason: 'gone' });
    expect((await deliveries(id))[0]).toMatchObject({ state: 'failed' });
    await submit(2);
    await sleep(300);
    expect(receiver.received.length).toBe(1);
    status = 200;
    await operator.patch(`/auth/webhooks/${id}`, { enabled: true }).expect(200);
    await submit(3);
    const [, second] = await receiver.until(2);
    expect(second?.body.data.revision).toBe(3);
  });

  it('that is gone ends all its deliveries, some at a time, and those of others go on', { tags: 'long' }, async () => {
    const gone = await listener(() => ({ status: 410 }));
    const other = await listener();
    await submit(1);
    await expect.poll(() => webhook(gone.id)).toMatchObject({ state: 'disabled' });
    const stored = server.db.collection('deliveries');
    const [one] = await stored.find({ webhookId: new UUID(gone.id) }).toArray();
    const waiting = Array.from({ length: 3_500 }, (_, index) => {
      const recordId = new UUID();
      const _id = `${recordId}:${gone.id}` as unknown as ObjectId;
      return { ...one, _id, recordId, revision: index + 2, state: 'waiting', nextAt: new Date(), log: [] };
    });
    await stored.insertMany(waiting);
    await submit(2, 'grace@example.com');
    await other.receiver.until(2);
    await expect.poll(() => stored.countDocuments({ state: 'waiting' })).toBe(0);
    expect(await stored.countDocuments({ webhookId: new UUID(gone.id), state: 'failed' })).toBe(3_501);
  });

  it('is disabled after five days of failures', { tags: 'long' }, async () => {
    const { id, receiver } = await listener(() => ({ status: 500 }));
    await submit(1);
    await receiver.until(1);
    await expect.poll(() => webhook(id)).toHaveProperty('failingSince');
    offset += 5 * 24 * HOUR;
    await receiver.until(2);
    await expect.poll(() => webhook(id)).toMatchObject({ state: 'disabled', disabledReason: 'failing' });
    await expect.poll(async () => (await deliveries(id))[0]?.state).toBe('failed');
  });
});

describe('what operators do', () => {
  it('a replay sends an event again under the same id', { tags: 'long' }, async () => {
    const { id, receiver } = await listener();
    await submit(1);
    await submit(2);
    await receiver.until(2);
    await expect.poll(async () => (await deliveries(id, '?state=delivered')).length).toBe(2);
    const [, oldest] = await deliveries(id);
    await operator.post(`/auth/webhooks/deliveries/${oldest?.id}/replay`).expect(200);
    await receiver.until(3);
    expect(receiver.received[2]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
    await expect.poll(async () => (await deliveries(id, '?state=delivered')).length).toBe(2);
    const { body } = await operator.post(`/auth/webhooks/${id}/replay`, { since: '2020-01-01T00:00:00Z' }).expect(200);
    expect(body).toEqual({ replayed: 2 });
    await receiver.until(5);
    expect(receiver.received.slice(3).map((one) => one.body.data.revision)).toEqual([1, 2]);
    const none = await operator.post(`/auth/webhooks/${id}/replay`, { since: '2099-01-01T00:00:00Z' }).expect(200);
    expect(none.body).toEqual({ replayed: 0 });
  });

  it('a test sends an event of its own kind and tells the result', { tags: 'long' }, async () => {
    const { id, receiver } = await listener(() => ({ status: 202, body: 'thanks' }));
    const { body } = await operator.post(`/auth/webhooks/${id}/test`).expect(200);
    expect(body).toEqual({ ok: true, status: 202, ms: expect.any(Number), response: 'thanks' });
    expect(receiver.received[0]?.body.type).toBe('webhook.test');
    expect(await deliveries(id)).toEqual([]);
    await receiver.close();
    const refused = await operator.post(`/auth/webhooks/${id}/test`).expect(200);
    expect(refused.body).toMatchObject({ ok: false, error: 'the connection failed (ECONNREFUSED)' });
  });

  it('a webhook gets the events that it names, and a delivery shows its request', { tags: 'long' }, async () => {
    const { id, receiver } = await listener(undefined, ['user.updated']);
    await submit(1);
    await submit(2);
    await receiver.until(1);
    const [delivery, ...others] = await deliveries(id);
    expect(others).toEqual([]);
    const { body } = await operator.get(`/auth/webhooks/deliveries/${delivery?.id}`).expect(200);
    expect(body.request).toMatchObject({ url: receiver.url, body: { type: 'user.updated', data: { data: { n: 2 } } } });
  });

  it('a page of deliveries continues at its cursor', { tags: 'long' }, async () => {
    const { id, receiver } = await listener();
    for (let n = 0; n < 5; n += 1) await submit(n);
    await receiver.until(5);
    const first = await operator.get(`/auth/webhooks/${id}/deliveries?limit=3`).expect(200);
    const rest = await operator.get(`/auth/webhooks/${id}/deliveries?limit=3&cursor=${first.body.next}`).expect(200);
    const revisions = [...first.body.deliveries, ...rest.body.deliveries].map(({ revision }) => revision);
    expect(revisions).toEqual([5, 4, 3, 2, 1]);
    expect(rest.body.next).toBeUndefined();
  });
});

describe('refusals', () => {
  const events = ['user.created'];

  it.each([
    [{ url: 'ftp://example.com/', events }, 'url'],
    [{ url: 'https://user:pass@example.com/', events }, 'url'],
    [{ url: 'https://example.com/#part', events }, 'url'],
    [{ url: 'not a URL', events }, 'url'],
    [{ url: `https://example.com/${'x'.repeat(2_000)}`, events }, 'url'],
    [{ url: 'https://example.com/', events: [] }, 'events'],
    [{ url: 'https://example.com/', events: ['user.created', 'user.created'] }, 'events'],
    [{ url: 'https://example.com/', events: ['user.read'] }, 'events.0'],
    [{ url: 'https://example.com/', events, secret: 'whsec_c2hvcnQ=' }, 'secret'],
    [{ url: 'https://example.com/', events, more: 1 }, 'more'],
  ])('%j is 400', async (input, path) => {
    const { body } = await operator.post('/auth/webhooks', input).expect(400);
    expect(body.errors).toContainEqual(
      expect.objectContaining({ path, message: expect.any(String), code: expect.any(String) }),
    );
  });

  it('a webhook of another app is 404, for its operator 403', { tags: 'long' }, async () => {
    const { id } = await listener();
    const other = await server.admin.buildApp();
    const stranger = await new Client(server.client.url).logIn(other.sourceAppId, other.password);
    for (const call of [
      stranger.patch(`/auth/webhooks/${id}`, { enabled: false }),
      stranger.delete(`/auth/webhooks/${id}`),
      stranger.post(`/auth/webhooks/${id}/test`),
      stranger.post(`/auth/webhooks/${id}/rotate-secret`),
      stranger.get(`/auth/webhooks/${id}/deliveries`),
      stranger.post(`/auth/webhooks/${id}/replay`, { since: '2020-01-01T00:00:00Z' }),
      stranger.get(`/auth/webhooks/deliveries/${id}:${id}`),
      stranger.post(`/auth/webhooks/deliveries/${id}:${id}/replay`),
    ]) {
      await call.expect(404);
    }
    await stranger.get(`/auth/webhooks?sourceAppId=${app.sourceAppId}`).expect(403);
    await server.client.get('/auth/webhooks').expect(401);
    const { body } = await server.admin.get(`/auth/webhooks?sourceAppId=${app.sourceAppId}`).expect(200);
    expect(body.webhooks.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it('an app has at most 20 webhooks', { tags: 'long' }, async () => {
    for (let n = 0; n < 20; n += 1) {
      await operator.post('/auth/webhooks', { url: 'https://example.com/', events }).expect(200);
    }
    await operator.post('/auth/webhooks', { url: 'https://example.com/', events }).expect(409);
  });

  it('a record takes no change while 1,000 of its events wait', { tags: 'long' }, async () => {
    await listener();
    await submit(1);
    const users = server.db.collection('users');
    const filter = { sourceAppId: app.sourceAppId, email: 'ada@example.com' };
    await expect.poll(async () => (await users.findOne(filter))?.outbox).toEqual([]);
    const changed: string[] = [];
    // Dates that the index of the relay does not have: nothing takes these entries.
    const outbox = Array.from({ length: 1_000 }, () => ({ changed }));
    await users.updateOne(filter, { $set: { outbox } });
    await server.client.submit(app.sourceAppId, { email: 'ada@example.com', data: { n: 2 } }).expect(503);
    await users.updateOne(filter, { $set: { outbox: [] } });
    await submit(3);
  });
});
