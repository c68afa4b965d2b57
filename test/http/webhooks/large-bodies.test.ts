// @module-tag long

import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_BYTES, MAX_BYTES_OF_ONE } from '../../../src/features/webhooks/dispatcher.ts';
import { type Received, Receiver } from '../../support/peers/receiver.ts';
import { Client } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const RECORDS = 20;
const SLOW_WEBHOOKS = 4;
/** Each character takes six in JSON, so a body has 2 MB, and all together have 40 MB. */
const LARGE = '\u0001'.repeat(350_000);

let server: TestServer;
const receivers: Receiver[] = [];
beforeAll(async () => {
  server = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' });
});
afterAll(async () => {
  await server.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** A receiver that answers when it is told to, and knows the bytes that wait. */
async function startSlow() {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting = new Set<Received>();
  const bytes = () => [...waiting].reduce((sum, { text }) => sum + text.length, 0);
  let most = 0;
  const receiver = await Receiver.start((received) => {
    waiting.add(received);
    most = Math.max(most, bytes());
    void released.then(() => waiting.delete(received));
    return { after: released };
  });
  receivers.push(receiver);
  return { receiver, release, bytes, most: () => most };
}

it('bodies of large records in flight are bounded, and slow webhooks hold up no other', async () => {
  const app = await server.admin.buildApp({ rejectUnknown: false, fields: [{ key: 'n', kind: 'number' }] });
  const operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
  const listen = (url: string) => operator.post('/auth/webhooks', { url, events: ['user.updated'] }).expect(200);
  const submit = (index: number) =>
    server.client.submit(app.sourceAppId, { email: `p${index}@x.org`, data: { n: index } }).expect(200);
  for (let index = 0; index < RECORDS; index += 1) await submit(index);
  await server.db.collection('users').updateMany({ sourceAppId: app.sourceAppId }, { $set: { 'data.note': LARGE } });

  const slow = await Promise.all(Array.from({ length: SLOW_WEBHOOKS }, startSlow));
  const quick = await Receiver.start();
  receivers.push(quick);
  for (const { receiver } of [...slow, { receiver: quick }]) await listen(receiver.url);
  for (let index = 0; index < RECORDS; index += 1) await submit(index);
  const total = () => slow.reduce((sum, { bytes }) => sum + bytes(), 0);
  const share = Math.floor(MAX_BYTES_OF_ONE / (LARGE.length * 6));
  await expect
    .poll(() => slow.map(({ receiver }) => receiver.received.length))
    .toEqual(Array(SLOW_WEBHOOKS).fill(share));
  await quick.until(RECORDS);
  expect(total()).toBeLessThanOrEqual(MAX_BYTES);
  for (const { release } of slow) release();
  for (const { receiver, most } of slow) {
    await receiver.until(RECORDS);
    expect(most()).toBeLessThanOrEqual(MAX_BYTES_OF_ONE);
    expect(new Set(receiver.received.map(({ body }) => body.data.id)).size).toBe(RECORDS);
  }
});
