import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawReceiver } from '../../support/peers/raw-receiver.ts';
import { Receiver } from '../../support/peers/receiver.ts';
import { Client } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const WEBHOOKS = 11;
const RECORDS = 20;
/** The attempts in progress over all webhooks. */
const AT_ONCE = 200;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' });
});
afterAll(() => server.close());

it('webhooks of one app that never answer hold up no other app', { tags: 'long' }, async () => {
  const silent = await RawReceiver.start(() => undefined);
  const receiver = await Receiver.start();
  const create = async (url: string, webhooks: number): Promise<string> => {
    const { sourceAppId, password } = await server.admin.buildApp();
    const operator = await new Client(server.client.url).logIn(sourceAppId, password);
    for (let index = 0; index < webhooks; index += 1) {
      await operator.post('/auth/webhooks', { url, events: ['user.created'] }).expect(200);
    }
    return sourceAppId;
  };
  const slow = await create(silent.url, WEBHOOKS);
  const quick = await create(receiver.url, 1);
  const people = Array.from({ length: RECORDS }, (_, index) => ({ email: `person${index}@example.com`, data: {} }));
  await Promise.all(people.map((person) => server.client.submit(slow, person).expect(200)));
  await expect.poll(() => silent.open, { timeout: 12_000 }).toBeGreaterThanOrEqual(AT_ONCE);
  await server.client.submit(quick, { email: 'ada@example.com', data: {} }).expect(200);
  await receiver.until(1);
  // None of the silent ones has ended.
  expect(silent.open).toBeGreaterThanOrEqual(AT_ONCE);
  await silent.close();
  await receiver.close();
});
