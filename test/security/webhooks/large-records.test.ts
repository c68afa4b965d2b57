import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client, type TestApp } from '../../support/client.ts';
import { RawReceiver } from '../../support/raw-receiver.ts';
import { Receiver } from '../../support/receiver.ts';
import { startServer, type TestServer } from '../../support/server.ts';

/** The attempts that a webhook may get at the same time. */
const RECORDS = 20;
/** The bodies of 0.9 MB that have room at the same time. */
const AT_ONCE = 17;
const PART = 'x'.repeat(95_000);
const PARTS = Array.from({ length: 10 }, (_, index) => `part${index}`);

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' });
});
afterAll(() => server.close());

const submit = ({ sourceAppId }: TestApp, email: string, data: object) =>
  server.client.submit(sourceAppId, { email, data }).expect(200);

/** Makes large records, and then a webhook for later changes. */
async function prepare(emails: readonly string[], url: string): Promise<TestApp> {
  const app = await server.admin.buildApp();
  for (const email of emails) for (const part of PARTS) await submit(app, email, { [part]: PART });
  const operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
  await operator.post('/auth/webhooks', { url, events: ['user.updated'] }).expect(200);
  return app;
}

it('large records, which anybody can make, take bounded memory while receivers are slow', async () => {
  const silent = await RawReceiver.start(() => undefined);
  const receiver = await Receiver.start();
  const emails = Array.from({ length: RECORDS }, (_, index) => `person${index}@example.com`);
  const slow = await prepare(emails, silent.url);
  const quick = await prepare(['large@example.com'], receiver.url);
  for (const email of emails) await submit(slow, email, { name: 'Ada' });
  await expect.poll(() => silent.open, { timeout: 12_000 }).toBe(AT_ONCE);
  // The large records of another app do not wait for them.
  for (const name of ['Ada', 'Grace']) await submit(quick, 'large@example.com', { name });
  const [first] = await receiver.until(2);
  expect(first?.body.data.data).toMatchObject({ part0: PART, part9: PART });
  expect(silent.open).toBe(AT_ONCE);
  await silent.close();
  await receiver.close();
});
