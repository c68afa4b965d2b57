import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TooManyRequests } from '../../src/platform/core/errors.ts';
import { type Connection, connectDatabase } from '../../src/platform/database/client.ts';
import { createSharedLimits, type SharedLimits } from '../../src/platform/database/shared-limits.ts';
import { createLoginLimiter } from '../../src/platform/log-ins/log-in-limits.ts';
import { randomName } from '../support/database/databases.ts';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';

const FAILURES = 3;
const WINDOW_MS = 60_000;
const SECRET = 'the secret of two servers';

let proxy: TcpProxy;
const connections: Connection[] = [];
/** The limits of two servers. The second one's statements can be held. */
let a: SharedLimits;
let b: SharedLimits;
let documents: ReturnType<Connection['collection']>;
beforeAll(async () => {
  const uri = new URL(inject('mongodbUri'));
  uri.pathname = `/${randomName()}`;
  proxy = await startProxy(new URL(uri));
  const held = new URL(uri);
  held.port = String(proxy.port);
  const [direct, slow] = await Promise.all([connectDatabase(uri.href), connectDatabase(held.href)]);
  connections.push(direct, slow);
  a = createSharedLimits(direct, SECRET);
  b = createSharedLimits(slow, SECRET);
  documents = direct.collection('limits');
});
afterAll(async () => {
  proxy.restore();
  for (const connection of connections) await connection.close();
  await proxy.close();
});

/** A limit of two servers. Each test has its own. */
function limitsOf(name: string, max = FAILURES, windowMs = WINDOW_MS) {
  return [a.create(name, max, windowMs), b.create(name, max, windowMs)] as const;
}

describe('a shared limit', () => {
  it('holds over two servers, for concurrent events too', async () => {
    const [one, other] = limitsOf('concurrent');
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).take('key')));
    expect(results.filter(({ undo }) => undo)).toHaveLength(FAILURES);
    for (const { undo, waitMs } of results) {
      if (undo) continue;
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(WINDOW_MS);
    }
    expect((await other.take('another key')).waitMs).toBe(0);
  });

  it('goes on where a statement waited for one that began later', async () => {
    const [one, other] = limitsOf('later', 1);
    await one.take('key');
    // As stored by a statement that began a second after the next one.
    const later = [{ $set: { until: { $add: ['$until', 1_000] } } }];
    await documents.findOneAndUpdate({ count: 1 }, later, { sort: { at: -1 } });
    expect((await other.take('key')).undo).toBeUndefined();
  });

  it('counts no event that it refuses, and gives back what is undone on another server', async () => {
    const [one, other] = limitsOf('undone');
    const taken = [];
    for (let n = 0; n < FAILURES; n += 1) taken.push(await one.take('key'));
    expect((await other.take('key')).undo).toBeUndefined();
    await taken[0]?.undo?.();
    expect((await one.take('key')).undo).toBeDefined();
    expect((await one.take('key')).undo).toBeUndefined();
  });

  it('ends with its window, and an undo of an earlier window changes nothing', async () => {
    const [one, other] = limitsOf('window', 1, 300);
    const first = await one.take('key');
    expect((await other.take('key')).undo).toBeUndefined();
    // The second server refuses by itself for a moment.
    await expect.poll(async () => (await one.take('key')).undo, { interval: 50 }).toBeDefined();
    await first.undo?.();
    const stored = await documents.find({ count: 1 }).toArray();
    expect(stored.length).toBeGreaterThan(0);
    expect((await a.create('window', 1, 300).take('key')).undo).toBeUndefined();
  });

  it('keeps no address and no email', async () => {
    const [one] = limitsOf('hashed');
    await one.take('ada@example.com 203.0.113.7');
    const text = JSON.stringify(await documents.find().toArray());
    expect(text).not.toMatch(/ada|203\.0/);
    expect(text).toContain('refused');
  });

  it('rejects while the database is away, and counts nothing', async () => {
    const [one, other] = limitsOf('away', 1);
    proxy.cut();
    await expect(other.take('key')).rejects.toThrow();
    proxy.restore();
    expect((await one.take('key')).undo).toBeDefined();
  });

  it('counts an event whose statement was held while another server went on', async () => {
    const [one, other] = limitsOf('held', 2);
    const arrival = proxy.holdNext('findAndModify', 'limits');
    const late = other.take('key');
    const forward = await arrival;
    for (let n = 0; n < 2; n += 1) expect((await one.take('key')).undo).toBeDefined();
    await forward();
    expect((await late).undo).toBeUndefined();
  });
});

describe('the limit of failed log-ins (spec 8)', () => {
  const limiters = () => [createLoginLimiter(FAILURES, a), createLoginLimiter(FAILURES, b)] as const;

  it('applies to one app and network over all servers', async () => {
    const [one, other] = limiters();
    for (let failed = 0; failed < FAILURES; failed += 1) await (failed % 2 ? one : other).attempt('shop', 'n1');
    for (const limiter of [one, other])
      await expect(limiter.attempt('shop', 'n1')).rejects.toBeInstanceOf(TooManyRequests);
    await one.attempt('other', 'n1');
    await other.attempt('shop', 'elsewhere');
  });

  it('applies to one network over all apps, also for ids of apps that do not exist', async () => {
    const [one, other] = limiters();
    for (let failed = 0; failed < 3 * FAILURES; failed += 1) await one.attempt(`made-up-${failed}`, 'n2');
    for (let more = 0; more < 20; more += 1) {
      await expect(other.attempt(`more-${more}`, 'n2')).rejects.toBeInstanceOf(TooManyRequests);
    }
  });

  it('does not count attempts that it refuses for one app against the network', async () => {
    const [one, other] = limiters();
    for (let failed = 0; failed < FAILURES; failed += 1) await one.attempt('shop', 'n3');
    for (let more = 0; more < 20; more += 1) {
      await expect(other.attempt('shop', 'n3')).rejects.toBeInstanceOf(TooManyRequests);
    }
    await other.attempt('other', 'n3');
  });

  it('does not count attempts that are undone, and is disabled by 0', async () => {
    const [one, other] = limiters();
    for (let count = 0; count < 20; count += 1) await (await (count % 2 ? one : other).attempt('shop', 'n4'))();
    await one.attempt('shop', 'n4');
    const off = createLoginLimiter(0, a);
    for (let count = 0; count < 100; count += 1) await off.attempt('shop', 'n4');
  });
});

describe('two servers', () => {
  let servers: [TestServer, TestServer];
  beforeAll(async () => {
    const env = { RATE_LIMIT_LOGIN: String(FAILURES), TRUST_PROXY: '1' };
    const first = await startServer(env);
    servers = [first, await startServer(env, first.database)];
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  it('limit wrong passwords together, and do not count right ones', { tags: 'long' }, async () => {
    const [{ sourceAppId, password }, address] = [await servers[0].admin.buildApp(), '203.0.113.1'];
    const logIn = (server: TestServer, sent: string) =>
      server.client.post('/auth/login', { sourceAppId, password: sent }).set('X-Forwarded-For', address);
    for (const server of [...servers, ...servers]) await logIn(server, password).expect(200);
    for (let failed = 0; failed < FAILURES; failed += 1) {
      const [first, second] = servers;
      await logIn(failed % 2 ? first : second, 'wrong').expect(401);
    }
    for (const server of servers) {
      const { headers } = await logIn(server, password).expect(429);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(15 * 60);
    }
    await servers[0].client.post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD }).expect(200);
  });

  it('limit wrong API keys together', async () => {
    const ask = ({ listener }: TestServer) =>
      fetch(`${listener.url}/auth/users`, {
        headers: { Authorization: `Bearer uck_${'0'.repeat(43)}`, 'X-Forwarded-For': '203.0.113.2' },
      });
    const statuses = [];
    for (let n = 0; n < 3 * FAILURES + 2; n += 1) {
      const [first, second] = servers;
      statuses.push((await ask(n % 2 ? first : second)).status);
    }
    expect(statuses).toEqual([...Array(3 * FAILURES).fill(401), 429, 429]);
  });
});
