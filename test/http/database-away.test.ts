// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TcpProxy } from '../support/peers/proxy.ts';
import type { TestApp } from '../support/server/client.ts';
import type { TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

let proxy: TcpProxy;
let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  ({ proxy, slow: server } = await startSlow());
  app = await server.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
});
afterEach(() => proxy.restore());
afterAll(() => server.close());

const submit = (email: string) =>
  server.client.submit(app.sourceAppId, { email, data: { list: [1] } }).set('Idempotency-Key', email);

describe.each(['cut', 'stall'] as const)('spec 7, database away (%s)', (failure) => {
  it('responds with 503, Retry-After and a message (200 to /health) and recovers without a restart', async () => {
    proxy[failure]();
    await sleep(200); // a schema that was read in the last 100 ms may be served from the cache
    const email = `${failure}@x.org`;
    // The service must respond within this timeout: 3 s plus a margin for a busy machine.
    const [submitted, schema, listed, loggedIn, ready, health] = await Promise.all(
      [
        submit(email),
        server.client.get('/v1/schema').set('x-app-id', app.sourceAppId),
        server.admin.get('/auth/users'),
        server.client.post('/auth/login', app),
        server.client.get('/ready'),
        server.client.get('/health'),
      ].map((request) => request.timeout(4_500)),
    );
    for (const refused of [submitted, schema, listed, loggedIn]) {
      expect.soft(refused?.status).toBe(503);
      expect.soft(refused?.headers['retry-after']).toMatch(/^\d+$/);
      expect.soft(Object.keys(refused?.body)).toEqual(['message', 'code']);
      expect.soft(refused?.body.message).toMatch(/database|took too long/);
      expect.soft(refused?.text).not.toMatch(/Mongo|ECONN|127\.0\.0\.1|timed out|pool/);
    }
    expect(ready?.status).toBe(503);
    expect(health?.body).toEqual({ status: 'ok' });

    proxy.restore();
    await expect.poll(async () => (await server.client.get('/ready')).status).toBe(200);
    // Repeats the submission that received 503, with its key: it is applied once, whether or not
    // the first attempt reached the database.
    await expect.poll(async () => (await submit(email)).status).toBe(200);
    const stored = await server.db.collection('users').find({ email }).toArray();
    expect(stored).toHaveLength(1);
    expect(stored[0]?.data.list).toHaveLength(1);
    await server.admin.get('/auth/session').expect(200);
  });
});

it('does not count log-ins as failed if the database was unavailable, so an outage locks nobody out', async () => {
  proxy.cut();
  // The limit is 20 failures in 15 minutes. Pending log-ins count as failures until they are
  // checked.
  for (let wave = 0; wave < 2; wave += 1) {
    const attempts = Array.from({ length: 15 }, () => server.client.post('/auth/login', app));
    for (const { status } of await Promise.all(attempts)) expect(status).toBe(503);
  }
  proxy.restore();
  await expect.poll(async () => (await server.client.post('/auth/login', app)).status).not.toBe(503);
  await server.client.post('/auth/login', app).expect(200);
});
