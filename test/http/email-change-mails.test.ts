// @module-tag long

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseUuid } from '../../src/platform/database/ordered-ids.ts';
import type { TestSmtp } from '../support/peers/smtp.ts';
import { Client } from '../support/server/client.ts';
import { type MailServers, startMailServers } from '../support/server/mail-servers.ts';
import type { TestServer } from '../support/server/server.ts';

const POLL = { timeout: 30_000, interval: 20 };
const PAGE = { Accept: 'text/html' };

let servers: MailServers;
let smtp: TestSmtp;
let a: TestServer;
let b: TestServer;
let app: string;
let operator: Client;
let former: string;
let next: string;
beforeAll(async () => {
  servers = await startMailServers();
  ({ smtp, a, b } = servers);
});
afterEach(() => {
  delete smtp.options.onRecipient;
});
afterAll(() => servers.close());
beforeEach(async () => {
  const built = await a.admin.buildApp({ fields: [{ key: 'name', kind: 'text', required: false }] });
  app = built.sourceAppId;
  operator = await new Client(b.client.url).logIn(app, built.password);
  [former, next] = [`former-${app}@example.com`, `next-${app}@example.com`];
});

const put = (settings: object) => a.admin.put(`/auth/apps/${app}/form`, settings).expect(200);
const submit = async (email: string, data: object = {}): Promise<string> =>
  (await a.client.submit(app, { email, data }).expect(200)).body.id;
const change = (id: string, email: string) => operator.put(`/auth/users/${id}/email`, { email }).expect(200);
const mailsOf = (id: string, purpose: string) =>
  a.db
    .collection('mails')
    .find({ recordId: parseUuid(id) as never, purpose })
    .toArray();
const makeDue = (id: string) =>
  a.db.collection('mails').updateMany({ recordId: parseUuid(id) as never }, { $set: { nextAt: new Date() } });

/** The path of the link in the newest email to an address. */
async function linkTo(email: string, count = 1): Promise<string> {
  await expect.poll(() => smtp.to(email).length, POLL).toBe(count);
  const [, path = ''] = /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(smtp.to(email).at(-1)?.text ?? '') ?? [];
  return path;
}

describe('a change of an email with `doubleOptIn`', () => {
  beforeEach(() => put({ doubleOptIn: true }));

  it('ends the confirmation and its links, and asks the new address', async () => {
    const id = await submit(former);
    const link = await linkTo(former);
    await a.client.post(link).set(PAGE).expect(200);
    expect((await operator.get(`/auth/users/${id}`)).body).toHaveProperty('confirmedAt');
    const { body } = await change(id, next);
    expect(body).not.toHaveProperty('confirmedAt');
    const asked = await linkTo(next);
    for (const server of [a, b]) {
      await server.client.get(link).set(PAGE).expect(404);
      await server.client.post(link).set(PAGE).expect(404);
    }
    expect((await operator.get(`/auth/users/${id}`)).body).not.toHaveProperty('confirmedAt');
    await b.client.get(asked).set(PAGE).expect(200);
    await b.client.post(asked).set(PAGE).expect(200);
    expect((await operator.get(`/auth/users/${id}`)).body).toHaveProperty('confirmedAt');
    // Also back to the first one: the links were sent to whoever had it then.
    await change(id, former);
    await a.client.post(link).set(PAGE).expect(404);
    await a.client.post(asked).set(PAGE).expect(404);
    await a.client
      .post(await linkTo(former, 2))
      .set(PAGE)
      .expect(200);
    expect((await operator.get(`/auth/users/${id}`)).body).toHaveProperty('confirmedAt');
  });

  it('drops the email to the former address that was not sent', async () => {
    smtp.options.onRecipient = () => ({ status: 451 });
    const id = await submit(former);
    const reasons = async () => (await mailsOf(id, 'confirmation')).map(({ reason }) => reason);
    await expect.poll(reasons, POLL).toEqual(['EENVELOPE 451']);
    await change(id, next);
    await expect.poll(async () => (await mailsOf(id, 'confirmation')).length, POLL).toBe(2);
    delete smtp.options.onRecipient;
    await makeDue(id);
    const states = async () => (await mailsOf(id, 'confirmation')).map(({ state }) => state);
    await expect.poll(states, POLL).toEqual(['dropped', 'sent']);
    expect([smtp.to(former).length, smtp.to(next).length]).toEqual([0, 1]);
  });
});

it('ends a change that waits for the former address', async () => {
  const id = await submit(former, { name: 'Ada' });
  await put({ existing: 'confirm' });
  await a.client.submit(app, { email: former, data: { name: 'Eve' } }).expect(200);
  const link = await linkTo(former);
  await change(id, next);
  expect(await a.db.collection('held_submissions').countDocuments({ email: former })).toBe(0);
  await a.client.get(link).set(PAGE).expect(404);
  await b.client.post(link).set(PAGE).expect(404);
  const { body } = await operator.get(`/auth/users/${id}`).expect(200);
  expect(body).toMatchObject({ email: next, data: { name: 'Ada' } });
});

describe('a change of an email with `reply`', () => {
  beforeEach(() => put({ reply: { when: 'each', subject: 'Thank you', text: 'We have it.' } }));
  const states = async (id: string) => (await mailsOf(id, 'reply')).map(({ state }) => state);

  it('drops a reply to the former address that was not sent', async () => {
    smtp.options.onRecipient = () => ({ status: 451 });
    const id = await submit(former);
    await expect
      .poll(async () => (await mailsOf(id, 'reply')).map(({ reason }) => reason), POLL)
      .toEqual(['EENVELOPE 451']);
    await change(id, next);
    delete smtp.options.onRecipient;
    await makeDue(id);
    await expect.poll(() => states(id), POLL).toEqual(['dropped']);
    expect([...smtp.to(former), ...smtp.to(next)]).toEqual([]);
  });

  it('lets replies go to the new address that the former one refused', async () => {
    smtp.options.onRecipient = (address) => (address === former ? { status: 550 } : undefined);
    const id = await submit(former);
    await expect.poll(() => states(id), POLL).toEqual(['failed']);
    await change(id, next);
    // An address has one reply in an hour.
    const before = new Date(Date.now() - 2 * 3_600_000);
    await a.db
      .collection('mails')
      .updateMany({ recordId: parseUuid(id) as never }, { $set: { createdAt: before, nextAt: before } });
    await submit(next, { name: 'Ada' });
    await expect.poll(() => smtp.to(next).length, POLL).toBe(1);
    expect(await states(id)).toEqual(['failed', 'sent']);
  });
});
