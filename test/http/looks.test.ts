import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinApp, logIn } from '../support/server/accounts.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { createKey } from '../support/server/keys.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

const [EARLY, LATE] = ['2026-01-01T08:00:00.000Z', '2026-01-02T08:00:00.000Z'];

let a: TestServer;
let b: TestServer;
let app: TestApp;
beforeAll(async () => {
  a = await startServer({ RATE_LIMIT_LOGIN: '0' });
  b = await startServer({ RATE_LIMIT_LOGIN: '0' }, a.database);
  app = await a.admin.buildApp();
});
afterAll(async () => {
  await b.close();
  await a.close();
});

const operatorOf = ({ sourceAppId, password }: TestApp, server = a) =>
  new Client(server.client.url).logIn(sourceAppId, password);
const note = (client: Client, list: string, at: string) => client.put('/auth/looks', { list, at });
const looks = async (client: Client) => (await client.get('/auth/looks').expect(200)).body;
const stored = (filter: object) => a.db.collection('looks').countDocuments(filter);

async function member(): Promise<{ id: string; clients: Client[] }> {
  const { email, id } = await joinApp(a, app.sourceAppId, 'viewer');
  const clients = [new Client(a.client.url), new Client(b.client.url)];
  for (const client of clients) await logIn(client, email).expect(200);
  return { id, clients };
}

describe('a look (spec 4.3.4)', () => {
  it('is that of the account, on every device and server, and of each list of its own', { tags: 'long' }, async () => {
    const [one, other] = (await member()).clients as [Client, Client];
    expect(await looks(one)).toEqual({});
    await note(one, 'inbox', LATE).expect(200, { ok: true });
    await note(other, 'users', EARLY).expect(200);
    expect(await looks(other)).toEqual({ inbox: LATE, users: EARLY });
    const [stranger] = (await member()).clients as [Client];
    expect(await looks(stranger)).toEqual({});
  });

  it('is shared by all who log in with the password of the app', async () => {
    const own = await a.admin.buildApp();
    await note(await operatorOf(own), 'inbox', EARLY).expect(200);
    expect(await looks(await operatorOf(own, b))).toEqual({ inbox: EARLY });
    expect(await looks(await operatorOf(app))).toEqual({});
  });

  it('never goes back, nor beyond now, also when two devices note it first at once', async () => {
    const { id, clients } = await member();
    const [one, other] = clients as [Client, Client];
    const both = await Promise.all([note(one, 'inbox', LATE), note(other, 'inbox', EARLY)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(await looks(one)).toEqual({ inbox: LATE });
    expect(await stored({ accountId: new ObjectId(id) })).toBe(1);
    await note(one, 'inbox', '2999-01-01T00:00:00.000Z').expect(200);
    expect(Date.parse((await looks(one)).inbox)).toBeLessThanOrEqual(Date.now());
  });

  it('is refused with another list or time, and for API keys', async () => {
    const operator = await operatorOf(app);
    for (const body of [{}, { list: 'inbox' }, { list: 'held', at: LATE }, { list: 'inbox', at: 'yesterday' }]) {
      await operator.put('/auth/looks', body).expect(400);
    }
    const { send } = await createKey(a, operator, ['users:read']);
    await send('get', '/auth/looks').expect(403);
  });

  it('goes with the app and with the account', { tags: 'long' }, async () => {
    const own = await a.admin.buildApp();
    await note(await operatorOf(own), 'users', EARLY).expect(200);
    const { _id: appId } = (await a.db.collection('apps').findOne({ sourceAppId: own.sourceAppId })) ?? {};
    expect(await stored({ appId })).toBe(1);
    await a.admin.delete(`/auth/apps/${own.sourceAppId}`).expect(200);
    expect(await stored({ appId })).toBe(0);
    const { id, clients } = await member();
    await note(clients[0] as Client, 'users', EARLY).expect(200);
    await a.admin.delete(`/auth/accounts/${id}`).expect(200);
    expect(await stored({ accountId: new ObjectId(id) })).toBe(0);
  });

  it('is not stored when its statement arrives after the erasure of the account', { tags: 'long' }, async () => {
    const { proxy, slow } = await startSlow({ RATE_LIMIT_LOGIN: '0' }, a.database);
    try {
      const { email, id } = await joinApp(a, app.sourceAppId, 'viewer');
      const client = new Client(slow.client.url);
      await logIn(client, email).expect(200);
      const held = proxy.holdNext('aggregate', 'accounts');
      const noting = note(client, 'inbox', LATE).then(({ status }) => status);
      const release = await held;
      await a.admin.delete(`/auth/accounts/${id}`).expect(200);
      await release();
      await noting;
      expect(await stored({ accountId: new ObjectId(id) })).toBe(0);
    } finally {
      await slow.close();
    }
  });
});
