// @module-tag long

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { appDocument } from '../support/database/index-slots.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { eventOf, insertRecord } from '../support/server/mail-events.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// The statement that plans a reply is held in the network, and goes on when another server has
// planned one, or its answer is lost.

const POLL = { timeout: 30_000, interval: 20 };

let smtp: TestSmtp;
let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let app: string;
beforeAll(async () => {
  smtp = await startSmtp();
  main = await startServer(mailEnv(smtp));
  ({ proxy, slow } = await startSlow(mailEnv(smtp), main.database));
  await slow.services.jobs.stop();
});
beforeEach(async () => {
  app = (await main.admin.buildApp()).sourceAppId;
  const reply = { when: 'each', subject: 'Thank you', text: 'Hello' };
  await main.admin.put(`/auth/apps/${app}/form`, { reply }).expect(200);
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
  await smtp.close();
});

const mails = async () =>
  main.db
    .collection('mails')
    .find({ appId: (await appDocument(main, app))._id })
    .toArray();

async function events(email: string) {
  const id = await insertRecord(main, app, email);
  const created = { ...(await eventOf(main, app, id)), reply: true as const };
  const updated = { ...(await eventOf(main, app, id, 'user.updated')), reply: true as const };
  return { id, created, updated };
}

it.each(['the same event', 'another event'])('a late plan adds no reply to the one of %s', async (which) => {
  const email = `${which.replaceAll(' ', '-')}@example.com`;
  const { created, updated } = await events(email);
  const held = proxy.holdNext('update', 'mails');
  const late = slow.services.mailConsumer.consume([created]);
  const forward = await held;
  await main.services.mailConsumer.consume([which === 'the same event' ? created : updated]);
  await expect.poll(async () => (await mails()).map(({ state }) => state), POLL).toEqual(['sent']);
  await forward();
  await late;
  expect(await mails()).toHaveLength(1);
  expect(smtp.to(email)).toHaveLength(1);
});

it('a plan whose answer is lost is made once when the event is told again', async () => {
  const email = 'lost@example.com';
  const { created } = await events(email);
  // The answers of both limits arrive.
  proxy.withholdAnswers('cut', 1, 2);
  await slow.services.mailConsumer.consume([created]).catch(() => undefined);
  proxy.restore();
  await main.services.mailConsumer.consume([created]);
  await expect.poll(async () => (await mails()).map(({ state }) => state), POLL).toEqual(['sent']);
  expect(smtp.to(email)).toHaveLength(1);
});

it('a late plan sends nothing to an erased person', async () => {
  const email = 'erased@example.com';
  const { id, created } = await events(email);
  const held = proxy.holdNext('update', 'mails');
  const late = slow.services.mailConsumer.consume([created]);
  const forward = await held;
  await main.admin.delete(`/auth/users/${id}?sourceAppId=${app}`).expect(200);
  await forward();
  await late;
  main.services.jobs.wake('mails');
  await expect.poll(async () => (await mails()).filter(({ state }) => state === 'due'), POLL).toEqual([]);
  expect(smtp.to(email)).toEqual([]);
});
