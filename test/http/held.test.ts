// @module-tag fault

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SubmissionOptions } from '../../src/core/users/acceptance.ts';
import { MAX_HELD, UNITS_PER_HOUR } from '../../src/features/held/held.model.ts';
import { solve } from '../../web/embed/proof-of-work.ts';
import { rounds } from '../support/run/rounds.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const FIELDS = {
  fields: [
    { key: 'list', kind: 'array' as const },
    { key: 'age', kind: 'number' as const },
  ],
};

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer();
  b = await startServer({}, a.database);
});
afterAll(async () => {
  await b.close();
  await a.close();
});

interface Site extends TestApp {
  operator: Client;
  /** The same session on the other server. */
  elsewhere: Client;
}

async function site(settings: object = {}): Promise<Site> {
  const app = await a.admin.buildApp(FIELDS);
  await a.admin.put(`/auth/apps/${app.sourceAppId}/form`, settings).expect(200);
  const [operator, elsewhere] = await Promise.all(
    [a, b].map(({ client }) => new Client(client.url).logIn(app.sourceAppId, app.password)),
  );
  return { ...app, operator, elsewhere } as Site;
}

/** Submits as the endpoint for HTML forms does. */
const sendForm = (
  { sourceAppId }: TestApp,
  input: { email: string; data?: Record<string, unknown> },
  options: SubmissionOptions = {},
  { services } = a,
) => services.submissions.submit(sourceAppId, input, { via: 'form', ...options });
const trap = (app: TestApp, email: string, options: SubmissionOptions = {}, server = a) =>
  sendForm(app, { email }, { isTrapped: true, ...options }, server);

const listOf = async ({ operator }: Site) => (await operator.get('/auth/held').expect(200)).body.held;
const records = ({ sourceAppId }: TestApp) => a.db.collection('users').find({ sourceAppId }).toArray();

describe('bot protection (spec 4.5)', () => {
  it('holds a filled honeypot by default, and answers it like a success', async () => {
    const app = await site();
    const stored = await sendForm(app, { email: 'Bot@X.org', data: { age: 7 } }, { isTrapped: true });
    expect(stored.held).toBe(true);
    expect(stored.id.toString()).toMatch(UUID_7);
    expect(stored.createdAt).toEqual(stored.updatedAt);
    const at = stored.createdAt.toISOString();
    expect(await listOf(app)).toEqual([
      { id: stored.id.toString(), email: 'bot@x.org', data: { age: 7 }, reason: 'honeypot', at },
    ]);
    const entry = await a.db.collection('held_submissions').findOne({ email: 'bot@x.org' });
    // Counted from the later one of the clocks of the server and of the database.
    expect(Math.round((entry?.expiresAt.getTime() - entry?.at.getTime()) / 60_000)).toBe(30 * 24 * 60);
    expect(await records(app)).toEqual([]);
  });

  it('stores what did not fill the honeypot', async () => {
    const app = await site();
    expect((await sendForm(app, { email: 'ada@x.org' })).held).toBeUndefined();
    expect(await records(app)).toHaveLength(1);
  });

  it('ignores honeypots when it is off', async () => {
    const app = await site({ botProtection: 'off' });
    expect((await trap(app, 'ada@x.org')).held).toBeUndefined();
    expect(await records(app)).toHaveLength(1);
    expect(await listOf(app)).toEqual([]);
  });

  it('holds HTML forms without a solution when it is `proof-of-work`', async () => {
    const app = await site({ botProtection: 'proof-of-work' });
    await sendForm(app, { email: 'ada@x.org' });
    await sendForm(app, { email: 'eve@x.org' }, { proof: '' });
    await trap(app, 'bot@x.org');
    const held = await listOf(app);
    expect(held.map(({ email, reason }: { email: string; reason: string }) => [email, reason])).toEqual([
      ['bot@x.org', 'honeypot'],
      ['eve@x.org', 'no-proof'],
      ['ada@x.org', 'no-proof'],
    ]);
    expect(await records(app)).toEqual([]);
  });

  it('stores HTML forms with a solution, refuses wrong ones, and holds solved honeypots', async () => {
    const app = await site({ botProtection: 'proof-of-work' });
    const solved = async () => {
      const { body } = await a.client.get(`/v1/forms/${app.sourceAppId}/challenge`).expect(200);
      return solve(body);
    };
    expect((await sendForm(app, { email: 'ada@x.org' }, { proof: await solved() })).held).toBeUndefined();
    await expect(sendForm(app, { email: 'eve@x.org' }, { proof: 'wrong' })).rejects.toMatchObject({ status: 403 });
    const proof = await solved();
    expect((await trap(app, 'bot@x.org', { proof })).held).toBe(true);
    await expect(sendForm(app, { email: 'bot@x.org' }, { proof })).rejects.toMatchObject({ status: 403 });
    expect((await records(app)).map(({ email }) => email)).toEqual(['ada@x.org']);
    expect(await listOf(app)).toHaveLength(1);
  });

  it('holds valid submissions only', async () => {
    const app = await site();
    await expect(trap(app, 'nobody')).rejects.toMatchObject({ status: 400 });
    const invalid = { email: 'bot@x.org', data: { age: 'old' } };
    await expect(sendForm(app, invalid, { isTrapped: true })).rejects.toMatchObject({ status: 400 });
    expect(await listOf(app)).toEqual([]);
  });

  it('holds a repeat with the same Idempotency-Key once, over both servers', async () => {
    const app = await site();
    for (let round = 0; round < 5; round += 1) {
      const key = { idempotencyKey: `key-${round}` };
      const answers = await Promise.all([a, b, a, b].map((server) => trap(app, 'bot@x.org', key, server)));
      expect(new Set(answers.map(({ id }) => id.toString())).size).toBe(1);
    }
    expect(await listOf(app)).toHaveLength(5);
    await trap(app, 'other@x.org', { idempotencyKey: 'key-0' });
    expect(await listOf(app)).toHaveLength(6);
    const other = sendForm(app, { email: 'bot@x.org', data: { age: 1 } }, { isTrapped: true, idempotencyKey: 'key-0' });
    await expect(other).rejects.toMatchObject({ status: 422 });
  });

  it('refuses with 429 what a full queue cannot keep', async () => {
    const app = await site();
    await trap(app, 'first@x.org');
    const first = await a.db.collection('held_submissions').findOne({ email: 'first@x.org' });
    const { _id, ...rest } = first ?? { _id: undefined, appId: undefined };
    const copies = Array.from({ length: MAX_HELD - 11 }, (_, index) => ({ ...rest, _id: `copy-${index}` as never }));
    await a.db.collection('held_submissions').insertMany(copies);
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => trap(app, `p${index}@x.org`, {}, index % 2 ? a : b)),
    );
    const refused = answers.filter((answer) => answer.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ status: 429, retryAfter: expect.any(Number) });
    const stored = await a.db.collection('held_submissions').countDocuments({ appId: rest.appId });
    expect(stored).toBe(MAX_HELD - 10 + answers.length - refused.length);
    // One server does not see what the other adds at the same moment.
    expect(stored).toBeGreaterThan(MAX_HELD - 10);
    expect(stored).toBeLessThanOrEqual(MAX_HELD + 20);
    // The entries that the two servers did not see yet are counted now.
    for (let sent = 0; sent < 20; sent += 1) await trap(app, `q${sent}@x.org`).catch(() => undefined);
    await expect(trap(app, 'late@x.org')).rejects.toMatchObject({ status: 429 });
    expect((await sendForm(app, { email: 'ada@x.org' })).held).toBeUndefined();
  });

  it('refuses with 429 what exceeds the bytes of a queue', async () => {
    const app = await site();
    await trap(app, 'large@x.org');
    await a.db.collection('held_submissions').updateOne({ email: 'large@x.org' }, { $set: { size: 10 * 1024 * 1024 } });
    await expect(trap(app, 'bot@x.org')).rejects.toMatchObject({ status: 429 });
  });

  it('has its own room for each reason', async () => {
    const app = await site({ botProtection: 'proof-of-work' });
    await trap(app, 'filling@x.org');
    await a.db
      .collection('held_submissions')
      .updateOne({ email: 'filling@x.org' }, { $set: { size: 10 * 1024 * 1024 } });
    await expect(trap(app, 'bot@x.org')).rejects.toMatchObject({ status: 429 });
    expect((await sendForm(app, { email: 'person@x.org' })).held).toBe(true);
  });

  it('lets no network fill the queue', { tags: 'long' }, async () => {
    const app = await site();
    const from = (address: string, email: string, data = {}) =>
      sendForm(app, { email, data }, { isTrapped: true, address });
    for (let sent = 0; sent < UNITS_PER_HOUR - 2; sent += 1) await from('192.0.2.1', `p${sent}@x.org`);
    await from('192.0.2.1', 'large@x.org', { note: 'x'.repeat(20_000) });
    await expect(from('192.0.2.1', 'late@x.org')).rejects.toMatchObject({ status: 429 });
    expect((await from('192.0.2.2', 'other@x.org')).held).toBe(true);
  });
});

describe('GET /auth/held (spec 4.5)', () => {
  it('lists, releases and deletes those of any app for admins, and for no other operator', {
    tags: 'long',
  }, async () => {
    const [app, other] = [await site(), await site()];
    for (const name of ['one', 'two']) await trap(app, `${name}@example.com`);
    const query = `?sourceAppId=${app.sourceAppId}`;
    const { body } = await a.admin.get(`/auth/held${query}`).expect(200);
    expect(body.held).toEqual(await listOf(app));
    const [two, one] = body.held as { id: string }[];
    await other.operator.get(`/auth/held${query}`).expect(403);
    await other.operator.post(`/auth/held/${one?.id}/release${query}`).expect(403);
    await other.operator.delete(`/auth/held/${two?.id}${query}`).expect(403);
    await a.admin.post(`/auth/held/${one?.id}/release${query}`).expect(200);
    await a.admin.delete(`/auth/held/${two?.id}${query}`).expect(200);
    expect(await listOf(app)).toEqual([]);
    expect((await records(app)).map(({ email }) => email)).toEqual(['one@example.com']);
  });

  it('answers pages of the session, newest first', async () => {
    const app = await site();
    const other = await site();
    const sent: string[] = [];
    for (let index = 0; index < 7; index += 1) sent.unshift((await trap(app, `p${index}@x.org`)).id.toString());
    await trap(other, 'other@x.org');
    const seen: string[] = [];
    let query = 'limit=3';
    for (let page = 0; page < 3; page += 1) {
      const { body } = await app.elsewhere.get(`/auth/held?${query}`).expect(200);
      seen.push(...body.held.map(({ id }: { id: string }) => id));
      expect(body.next === undefined).toBe(page === 2);
      query = `limit=3&cursor=${body.next}`;
    }
    expect(seen).toEqual(sent);
    await a.client.get('/auth/held').expect(401);
  });

  it('are counted by their reason, for the app of the session or the one that an admin names', async () => {
    const app = await site({ botProtection: 'proof-of-work' });
    const other = await site();
    const countsOf = async (client: Client, query = '') =>
      (await client.get(`/auth/held/counts${query}`).expect(200)).body.counts;
    expect(await countsOf(app.operator)).toEqual({ honeypot: 0, 'no-proof': 0 });
    for (let index = 0; index < 3; index += 1) await sendForm(app, { email: `p${index}@x.org` });
    await trap(app, 'bot@x.org');
    expect(await countsOf(app.elsewhere)).toEqual({ honeypot: 1, 'no-proof': 3 });
    expect(await countsOf(a.admin, `?sourceAppId=${app.sourceAppId}`)).toEqual({ honeypot: 1, 'no-proof': 3 });
    expect(await countsOf(other.operator)).toEqual({ honeypot: 0, 'no-proof': 0 });
    await other.operator.get(`/auth/held/counts?sourceAppId=${app.sourceAppId}`).expect(403);
    const listings = { action: 'held.listed', sourceAppId: app.sourceAppId };
    expect(await a.db.collection('audit_events').countDocuments(listings)).toBe(0);
    await app.operator.get('/auth/held?counts=true').expect(400);
  });

  it('bounds the bytes of a page', async () => {
    const app = await site();
    const data = { text: 'x'.repeat(90_000) };
    for (let index = 0; index < 14; index += 1) {
      await sendForm(app, { email: `p${index}@x.org`, data }, { isTrapped: true });
    }
    const { body } = await app.operator.get('/auth/held').expect(200);
    expect(body.held).toHaveLength(11);
    const rest = await app.operator.get(`/auth/held?cursor=${body.next}`).expect(200);
    expect(rest.body.held).toHaveLength(3);
    expect(rest.body.next).toBeUndefined();
  });

  it.each(['limit=0', 'limit=x', 'cursor=', 'cursor=abc', 'cursor=AZJMnl86fBGbDi9tahyOVw==', 'skip=1'])(
    'refuses ?%s with 400',
    async (query) => {
      const { operator } = await site();
      await operator.get(`/auth/held?${query}`).expect(400);
    },
  );

  it('does not show entries that have expired', async () => {
    const app = await site();
    const { id } = await trap(app, 'bot@x.org');
    await a.db
      .collection('held_submissions')
      .updateOne({ email: 'bot@x.org', _id: id as never }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect(await listOf(app)).toEqual([]);
    await app.operator.post(`/auth/held/${id}/release`).expect(404);
  });
});

describe('held submissions (spec 4.5)', () => {
  const holdItem = async (app: Site, email = 'ada@x.org') =>
    (await sendForm(app, { email, data: { list: [1] } }, { isTrapped: true })).id.toString();

  it('are stored when they are released, and leave the queue', async () => {
    const app = await site({ botProtection: 'proof-of-work' });
    const id = await holdItem(app);
    const { body } = await app.operator.post(`/auth/held/${id}/release`).expect(200);
    const [record] = await records(app);
    expect(body).toEqual({
      id: record?._id.toString(),
      createdAt: record?.createdAt.toISOString(),
      updatedAt: record?.updatedAt.toISOString(),
    });
    expect(record?.data.list).toHaveLength(1);
    expect(await listOf(app)).toEqual([]);
    await app.operator.post(`/auth/held/${id}/release`).expect(404);
  });

  it('are stored once when they are released on both servers at the same time', { tags: 'long' }, async () => {
    const app = await site();
    for (let round = 1; round <= 10; round += 1) {
      const id = await holdItem(app);
      const clients = [app.operator, app.elsewhere, app.operator, app.elsewhere];
      const answers = await Promise.all(clients.map((client) => client.post(`/auth/held/${id}/release`)));
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toContain(200);
      for (const status of statuses) expect([200, 404]).toContain(status);
      const [record] = await records(app);
      expect(record?.data.list).toHaveLength(round);
    }
    expect(await listOf(app)).toEqual([]);
  });

  it('are stored once when the server stopped between storing and removing them', async () => {
    const app = await site();
    const id = await holdItem(app);
    const entry = await a.db.collection('held_submissions').findOne({ email: 'ada@x.org', data: { list: [1] } });
    await app.operator.post(`/auth/held/${id}/release`).expect(200);
    await a.db.collection('held_submissions').insertOne(entry as never);
    await app.elsewhere.post(`/auth/held/${id}/release`).expect(200);
    const [record] = await records(app);
    expect(record?.data.list).toHaveLength(1);
  });

  it('invariant 3: are stored once with what came under the same Idempotency-Key, before or after', async () => {
    const app = await site();
    const input = { email: 'ada@x.org', data: { list: [1] } };
    const held = async (key: string, server = a) =>
      sendForm(app, input, { isTrapped: true, idempotencyKey: key }, server);
    const release = (id: unknown) => app.operator.post(`/auth/held/${id}/release`).expect(200);
    const items = async () => (await records(app))[0]?.data.list.length;

    const first = await held('one');
    await sendForm(app, input, { idempotencyKey: 'one' }, b);
    expect(await items()).toBe(1);
    await release(first.id);
    expect(await items()).toBe(1);

    await release((await held('two')).id);
    expect(await items()).toBe(2);
    const repeat = await held('two', b);
    expect(repeat.held).toBeUndefined();
    await b.client.submit(app.sourceAppId, input).set('Idempotency-Key', 'two').expect(200);
    expect(await items()).toBe(2);
    expect(await listOf(app)).toEqual([]);
  });

  it('can be released although their Idempotency-Key was used for other data meanwhile', async () => {
    const app = await site();
    const key = { idempotencyKey: 'one' };
    const { id } = await sendForm(app, { email: 'ada@x.org', data: { list: [1] } }, { isTrapped: true, ...key });
    await sendForm(app, { email: 'ada@x.org', data: { list: [2, 3] } }, key, b);
    await Promise.all([app.operator, app.elsewhere].map((client) => client.post(`/auth/held/${id}/release`)));
    expect((await records(app))[0]?.data.list.map(({ value }: { value: number }) => value)).toEqual([2, 3, 1]);
    expect(await listOf(app)).toEqual([]);
  });

  it('are checked by the newest schema, and stay held when it refuses them', async () => {
    const app = await site();
    const id = await holdItem(app);
    await a.admin.putSchema(app.sourceAppId, { fields: [{ key: 'list', kind: 'number' }] }).expect(200);
    await app.operator.post(`/auth/held/${id}/release`).expect(400);
    expect(await listOf(app)).toHaveLength(1);
    await a.admin.putSchema(app.sourceAppId, FIELDS).expect(200);
    await app.operator.post(`/auth/held/${id}/release`).expect(200);
  });

  it('are released after the form has closed', async () => {
    const app = await site();
    const id = await holdItem(app);
    await a.admin.put(`/auth/apps/${app.sourceAppId}/form`, { closesAt: '2020-01-01T00:00:00Z' }).expect(200);
    await app.operator.post(`/auth/held/${id}/release`).expect(200);
  });

  it('are deleted by the operators of the app only', async () => {
    const app = await site();
    const other = await site();
    const id = await holdItem(app);
    for (const path of [`/auth/held/${id}`, '/auth/held/no-id', '/auth/held/01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57']) {
      await other.operator.delete(path).expect(404);
      await other.operator.post(`${path}/release`).expect(404);
      await a.admin.delete(path).expect(404);
      await a.client.delete(path).expect(401);
    }
    expect(await listOf(app)).toHaveLength(1);
    expect((await app.operator.delete(`/auth/held/${id}`).expect(200)).body).toEqual({ ok: true });
    await app.operator.delete(`/auth/held/${id}`).expect(404);
    expect(await records(app)).toEqual([]);
  });

  it('invariant 5: are removed with their app, also those in flight; a re-created app has none', {
    tags: 'long',
    timeout: 60_000,
  }, async () => {
    const held = a.db.collection('held_submissions');
    for (let round = 0; round < rounds(5, 2); round += 1) {
      const app = await site();
      const { sourceAppId } = app;
      const appId = (await a.db.collection('apps').findOne({ sourceAppId }))?._id;
      let stopped = false;
      const load = [a, b, a, b].map(async (server, index) => {
        for (let sent = 0; !stopped; sent += 1) {
          const failed = await trap(app, `p${index}-${sent}@x.org`, {}, server).catch((error: unknown) => error);
          if (failed instanceof Error) expect(failed).toMatchObject({ status: 400 });
        }
      });
      await expect.poll(() => held.countDocuments({ appId })).toBeGreaterThan(10);
      await (round % 2 ? a : b).admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
      expect(await held.countDocuments({ appId })).toBe(0);
      stopped = true;
      await Promise.all(load);
      expect(await held.countDocuments({ appId })).toBe(0);
      const { body } = await a.admin.post('/auth/apps', { sourceAppId }).expect(200);
      const fresh = await new Client(b.client.url).logIn(sourceAppId, body.password);
      expect((await fresh.get('/auth/held').expect(200)).body).toEqual({ held: [] });
    }
  });
});
