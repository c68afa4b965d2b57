// @module-tag fault

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { Ledger, summary } from './ledger.ts';
import { startLoad } from './load.ts';
import { inspect, startStandalone } from './mongod.ts';
import { logProgress, Service } from './service.ts';

/** The longest time between SIGTERM and the end of the process. */
const ENDS_WITHIN_MS = 10_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function prepare(): Promise<{ service: Service; uri: string; mongod: { signal(name: NodeJS.Signals): void } }> {
  const database = await startStandalone();
  cleanups.push(() => database.stop());
  const service = await (await Service.create({ MONGODB_URI: database.uri })).start();
  cleanups.push(() => service.kill());
  await service.createApp('forms');
  const [mongod] = database.members;
  if (!mongod) throw new Error('no mongod');
  return { service, uri: database.uri, mongod };
}

/** Opens a connection, sends `text` and never closes it. */
async function holdConnection(url: string, text: string): Promise<void> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
}

async function expectCleanEnd(service: Service): Promise<void> {
  const startedAt = performance.now();
  const ended = await service.stop();
  const ms = performance.now() - startedAt;
  logProgress(`ended with code ${ended?.code} after ${Math.round(ms)} ms`);
  expect(ended?.code).toBe(0);
  expect(ms).toBeLessThan(ENDS_WITHIN_MS);
}

it('answers every received submission after SIGTERM and exits with code 0 within 10 s, while clients hold connections open', async () => {
  const { service, uri } = await prepare();
  await holdConnection(service.url, '');
  await holdConnection(service.url, 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  await holdConnection(service.url, 'GET /health HTTP/1.1\r\nHo');
  const unfinished = 'POST /v1/users HTTP/1.1\r\nHost: x\r\nx-app-id: forms\r\nContent-Type: application/json\r\n';
  await holdConnection(service.url, `${unfinished}Content-Length: 100\r\n\r\n{"email":`);

  const ledger = new Ledger();
  const load = startLoad({ urls: [service.url], sourceAppId: 'forms', ledger, rate: 200, repeats: false });
  await sleep(1_500);
  await expectCleanEnd(service);
  await load.stop();
  const audit = await inspect(uri, (db) => ledger.audit(db.collection('users')));
  logProgress(`SIGTERM: ${summary(audit)}`);
  // New connections are refused after SIGTERM, and each received submission was answered, so no
  // unanswered submission may be stored.
  expect(audit).toMatchObject({ storedUnanswered: 0, lost: [], twice: [], invented: [] });
  expect(audit.acknowledged).toBeGreaterThan(0);
});

it('exits with code 0 within 10 s after SIGTERM while the database does not answer', async () => {
  const { service, mongod } = await prepare();
  const ledger = new Ledger();
  const load = startLoad({ urls: [service.url], sourceAppId: 'forms', ledger, rate: 50, repeats: false });
  await sleep(500);
  mongod.signal('SIGSTOP');
  try {
    await sleep(1_000);
    await expectCleanEnd(service);
  } finally {
    mongod.signal('SIGCONT');
    await load.stop();
  }
});
