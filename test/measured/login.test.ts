// @module-tag long

import { createHook } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createSessionService } from '../../src/core/sessions/sessions.service.ts';
import { clientNetwork, forwardedAddress } from '../../src/platform/core/client-network.ts';
import { loadConfig } from '../../src/platform/core/config.ts';
import { Unauthenticated, Unavailable } from '../../src/platform/core/errors.ts';
import { createLogger } from '../../src/platform/core/logger.ts';
import { connectDatabase, createClosedConnection } from '../../src/platform/database/client.ts';
import { createSharedLimits } from '../../src/platform/database/shared-limits.ts';
import { DEADLINE_MS } from '../../src/platform/http/deadline.ts';
import { createLoginLimiter } from '../../src/platform/log-ins/log-in-limits.ts';
import { createPasswordHasher } from '../../src/platform/log-ins/passwords.ts';
import { createServices } from '../../src/services.ts';
import { startCommandTap } from '../support/database/command-tap.ts';
import { randomName } from '../support/database/databases.ts';
import type { Client } from '../support/server/client.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ RATE_LIMIT_LOGIN: '0' }, undefined, { deadlineMs: DEADLINE_MS });
});
afterAll(() => server.close());

describe('log-in bodies (attack: operator injection)', () => {
  it.each([
    ['a query operator as password', { sourceAppId: 'admin', password: { $ne: '' } }],
    ['a query operator as id', { sourceAppId: { $ne: '' }, password: ADMIN_PASSWORD }],
    ['a $regex operator as id', { sourceAppId: { $regex: '^a' }, password: ADMIN_PASSWORD }],
    ['query operators as id and password', { sourceAppId: { $gt: '' }, password: { $gt: '' } }],
    ['an array as password', { sourceAppId: 'admin', password: [ADMIN_PASSWORD] }],
    ['an array as id', { sourceAppId: ['admin'], password: ADMIN_PASSWORD }],
    ['a NUL in the password', { sourceAppId: 'admin', password: `${ADMIN_PASSWORD}\0x` }],
    ['a NUL in the id', { sourceAppId: 'admin\0', password: ADMIN_PASSWORD }],
    ['a password of 73 bytes', { sourceAppId: 'admin', password: 'x'.repeat(73) }],
    ['a password of 73 bytes in 37 characters', { sourceAppId: 'admin', password: `${'é'.repeat(36)}x` }],
    ['an empty password', { sourceAppId: 'admin', password: '' }],
    ['no password', { sourceAppId: 'admin' }],
    ['a null password', { sourceAppId: 'admin', password: null }],
    ['a number as password', { sourceAppId: 'admin', password: 1 }],
    ['an unknown property', { sourceAppId: 'admin', password: ADMIN_PASSWORD, role: 'admin' }],
    ['an additional query operator', { sourceAppId: 'admin', password: ADMIN_PASSWORD, $where: '1' }],
    ['an id with spaces', { sourceAppId: ' admin', password: ADMIN_PASSWORD }],
    ['an array of log-ins', [{ sourceAppId: 'admin', password: ADMIN_PASSWORD }]],
  ])('get 400 without a cookie: %s', async (_name, body) => {
    const { headers, text } = await server.client.post('/auth/login', body).expect(400);
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).not.toContain(ADMIN_PASSWORD);
  });

  it('get 401 for a wrong password of 72 bytes, the maximum length', async () => {
    await server.client.post('/auth/login', { sourceAppId: 'admin', password: 'x'.repeat(72) }).expect(401);
  });
});

describe('unknown apps and wrong passwords', () => {
  it('get the same response (attack: enumeration of apps)', async () => {
    const unknown = await server.client.post('/auth/login', { sourceAppId: 'nobody', password: 'x' }).expect(401);
    const wrong = await server.client.post('/auth/login', { sourceAppId: 'admin', password: 'x' }).expect(401);
    expect(unknown.text).toBe(wrong.text);
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(wrong.headers).sort());
  });

  it('take the same CPU time at the production bcrypt cost (attack: timing)', async () => {
    const config = loadConfig({ NODE_ENV: 'test' });
    const waiter = { network: '192.0.2.1', known: true, leftMs: () => 30_000 };
    const uri = new URL(inject('mongodbUri'));
    uri.pathname = `/${randomName()}`;
    const connection = await connectDatabase(uri.href);
    const services = createServices(config, connection, createLogger({ logLevel: 'silent' }));
    try {
      await services.apps.ensureAdmin('admin', ADMIN_PASSWORD);
      // The first check also creates the dummy hash for unknown apps.
      await services.apps.checkPassword('nobody', 'x', waiter);
      const times: Record<string, number[]> = { admin: [], nobody: [] };
      for (let round = 0; round < 5; round += 1) {
        for (const [sourceAppId, list] of Object.entries(times)) {
          const startUsage = process.cpuUsage();
          expect(await services.apps.checkPassword(sourceAppId, 'wrong', waiter)).toBeUndefined();
          const { user } = process.cpuUsage(startUsage);
          list.push(user);
        }
      }
      const median = (list: number[]): number => list.sort((a, b) => a - b)[2] ?? 0;
      const ratio = median(times.admin ?? []) / median(times.nobody ?? []);
      // Without the dummy hash the ratio would be about 100.
      expect(ratio).toBeGreaterThan(1 / 3);
      expect(ratio).toBeLessThan(3);
    } finally {
      await services.stop();
      await connection.getClient().db(connection.name).dropDatabase();
      await connection.close();
    }
  });

  it('run at most two concurrent hashes and get 503 if they cannot complete in time', async () => {
    const running = new Set<number>();
    let peak = 0;
    const hook = createHook({
      init(id, type) {
        if (!/^bcrypt:(Encrypt|Compare)/.test(type)) return;
        running.add(id);
        peak = Math.max(peak, running.size);
      },
      before: (id) => void running.delete(id),
    }).enable();
    try {
      const hasher = createPasswordHasher(9);
      const waiter = (index: number) => ({ network: `network ${index}`, known: true, leftMs: () => 2_000 });
      const hashes = Array.from({ length: 10 }, () => hasher.hash('x'));
      const attempts = Array.from({ length: 300 }, (_, index) =>
        hasher.verify('x', undefined, waiter(index)).then(String, ({ status }) => status),
      );
      const results = await Promise.all(attempts);
      await Promise.all(hashes);
      expect(peak).toBe(2);
      expect(results.filter((result) => result === 503).length).toBeGreaterThan(100);
      expect(results.filter((result) => result === 'false').length).toBeGreaterThan(0);
      expect(await hasher.verify('x', undefined, waiter(300))).toBe(false);
    } finally {
      hook.disable();
    }
  });
});

describe('refused log-ins (attack: clients that send the next password at once)', () => {
  it('wait before their refusal, so that other requests are answered first', async () => {
    const limited = await startServer({ RATE_LIMIT_LOGIN: '1' });
    try {
      const attempt = () => limited.client.post('/auth/login', { sourceAppId: 'made-up', password: 'x' });
      await attempt().expect(401);
      let isRefused = false;
      const refused = attempt()
        .expect(429)
        .then(() => {
          isRefused = true;
        });
      for (let request = 0; request < 3; request += 1) await limited.client.get('/health').expect(200);
      expect(isRefused).toBe(false);
      await refused;
    } finally {
      await limited.close();
    }
  });

  it('read nothing from the database when their password cannot be checked in time', async () => {
    const uri = new URL(inject('mongodbUri'));
    const tap = await startCommandTap(new URL(uri));
    uri.port = String(tap.port);
    const { services, close } = await startServer({ MONGODB_URI: uri.href }, undefined, { passwordCost: 8 });
    try {
      const waiter = (leftMs: number) => ({ network: '192.0.2.1', known: false, leftMs: () => leftMs });
      const reads = (sourceAppId: string) => tap.commands().filter(({ filter }) => filter?.sourceAppId === sourceAppId);
      const check = (sourceAppId: string, leftMs: number) =>
        services.apps.checkPassword(sourceAppId, 'x', waiter(leftMs));
      const checked = Array.from({ length: 40 }, () => check('checked', 60_000));
      await expect.poll(() => reads('checked').length).toBe(40);
      await expect(check('refused', 400)).rejects.toBeInstanceOf(Unavailable);
      expect(reads('refused')).toEqual([]);
      expect(new Set(await Promise.all(checked))).toEqual(new Set([undefined]));
    } finally {
      await close();
      await tap.close();
    }
  });

  it('of a network that logged in before lose its priority after five wrong passwords', async () => {
    const { services } = server;
    const priorities: boolean[] = [];
    const checkPassword: typeof services.apps.checkPassword = (sourceAppId, password, waiter) => {
      priorities.push(waiter.known);
      return services.apps.checkPassword(sourceAppId, password, waiter);
    };
    const sessions = createSessionService({
      apps: { ...services.apps, checkPassword },
      parts: () => [],
      limiter: createLoginLimiter(0, createSharedLimits(createClosedConnection(), 'unused')),
      hasher: { assertCapacity: () => undefined },
    });
    const caller = { address: '192.0.2.1', leftMs: () => 30_000 };
    const wrong = () => expect(sessions.logIn('admin', 'wrong', caller)).rejects.toBeInstanceOf(Unauthenticated);
    await sessions.logIn('admin', ADMIN_PASSWORD, caller);
    for (let failed = 0; failed < 6; failed += 1) await wrong();
    // A session of that network does not give it back; a right password does.
    await sessions.confirmPassword({ sourceAppId: 'admin' }, ADMIN_PASSWORD, caller);
    await wrong();
    expect(priorities).toEqual([false, true, true, true, true, true, false, false, true]);
  });
});

describe('rate limits', () => {
  const failLogIn = (client: Client, sourceAppId: string, forwarded: string) =>
    client.post('/auth/login', { sourceAppId, password: 'wrong' }).set('X-Forwarded-For', forwarded);

  it('ignore forwarding headers without TRUST_PROXY (attack: address spoofing)', async () => {
    const limited = await startServer({ RATE_LIMIT_LOGIN: '3', RATE_LIMIT_SUBMIT: '3' });
    try {
      const { sourceAppId } = await limited.admin.buildApp();
      for (let count = 1; count <= 5; count += 1) {
        await failLogIn(limited.client, sourceAppId, `203.0.113.${count}`)
          .set('Forwarded', `for=203.0.113.${count}`)
          .set('X-Real-IP', `203.0.113.${count}`)
          .expect(count <= 3 ? 401 : 429);
        await limited.client
          .submit(sourceAppId, { email: 'a@example.com' })
          .set('X-Forwarded-For', `203.0.113.${count}`)
          .expect(count <= 3 ? 200 : 429);
      }
      // Other apps are not affected.
      await limited.client.post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD }).expect(200);
      const { sourceAppId: other } = await limited.admin.buildApp();
      await failLogIn(limited.client, other, '203.0.113.9').expect(401);
    } finally {
      await limited.close();
    }
  });

  it('apply to made-up app ids together, before the service reads the database', async () => {
    const { proxy, slow: limited } = await startSlow({ RATE_LIMIT_LOGIN: '2' });
    try {
      for (let count = 1; count <= 6; count += 1) await failLogIn(limited.client, `made-up-${count}`, '').expect(401);
      proxy.stall();
      const { body, headers } = await failLogIn(limited.client, 'made-up-7', '').expect(429);
      expect(body).toEqual({ message: 'Too many failed log-ins; try again later', code: 'tooManyFailedLogIns' });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(15 * 60);
    } finally {
      await limited.close();
    }
  });

  it('use the address that the trusted proxy reports, and the /64 network for IPv6', async () => {
    const limited = await startServer({ RATE_LIMIT_LOGIN: '3', TRUST_PROXY: '1' });
    try {
      const { sourceAppId } = await limited.admin.buildApp();
      const attempt = (address: string) => failLogIn(limited.client, sourceAppId, address);
      for (const last of ['1', '2', '3']) await attempt(`2001:db8:1:2::${last}`).expect(401);
      const { headers } = await attempt('2001:db8:1:2:ffff:ffff:ffff:ffff').expect(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      await attempt('2001:db8:1:3::1').expect(401);
      await attempt('203.0.113.1').expect(401);
      // The client controls the entries before the proxy's own.
      await attempt('198.51.100.7, 2001:0db8:0001:0002::9').expect(429);
    } finally {
      await limited.close();
    }
  });

  it('do not count each port of a client, nor each text that is no address', async () => {
    const env = { RATE_LIMIT_LOGIN: '3', RATE_LIMIT_SUBMIT: '3', TRUST_PROXY: 'loopback,10.0.0.0/8' };
    const limited = await startServer(env);
    try {
      const { sourceAppId } = await limited.admin.buildApp();
      const submit = (address: string) =>
        limited.client.submit(sourceAppId, { email: 'a@example.com' }).set('X-Forwarded-For', address);
      const forms = [
        (port: number) => `203.0.113.8:${port}`,
        (port: number) => `[2001:db8::8]:${port}, 10.0.0.7:${port}`,
        (port: number) => `"203.0.113.9:${port}", "10.0.0.7"`,
        (port: number) => `not-an-address-${port}`,
      ];
      for (const form of forms) {
        for (let port = 40_001; port <= 40_004; port += 1) {
          const isLast = port === 40_004;
          await failLogIn(limited.client, sourceAppId, form(port)).expect(isLast ? 429 : 401);
          await submit(form(port)).expect(isLast ? 429 : 200);
        }
      }
    } finally {
      await limited.close();
    }
  });

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7:80 ', '203.0.113.7'],
    ['"203.0.113.7:80"', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['"[2001:db8::1]:80"', '2001:db8::1'],
    ['[::ffff:203.0.113.7]:80', '::ffff:203.0.113.7'],
    ['203.0.113.777:80', 'unknown'],
    ['203.0.113.7:80:80', 'unknown'],
    ['[203.0.113', 'unknown'],
    ['_hidden', 'unknown'],
    ['', undefined],
    [' ', undefined],
  ])('read %s of a proxy as %s', (entry, address) => {
    expect(forwardedAddress(entry)).toBe(address);
  });

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:203.0.113.7', '1:2:3:4::/64'],
    ['not an address', 'not an address'],
    ['', ''],
  ])('map address %s to network %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});
