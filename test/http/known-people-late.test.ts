// @module-tag long

import type { Document } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { untilDatabaseTime } from '../support/clock/database-time.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { Client } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// A write of a submission to an app with `keep` or `confirm` is held in the network, its answer is
// lost, or its server dies, while another server serves the same person.

const POLL = { timeout: 30_000, interval: 20 };
const PAGE = { Accept: 'text/html' };
const OK = { ok: true };

let smtp: TestSmtp;
let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
beforeAll(async () => {
  smtp = await startSmtp();
  main = await startServer(mailEnv(smtp));
  ({ proxy, slow } = await startSlow(mailEnv(smtp), main.database));
  await slow.services.jobs.stop();
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
  await smtp.close();
});

let number = 0;

/** An app that keeps submissions, with one record. */
async function build(settings: object) {
  number += 1;
  const email = `ada${number}@example.com`;
  const { sourceAppId, password } = await main.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] as never });
  const operator = await new Client(main.client.url).logIn(sourceAppId, password);
  await main.admin.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
  await main.client.submit(sourceAppId, { email, data: { name: 'Ada' } }).expect(200);
  await main.admin.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
  const send = (server: TestServer, name: string, key: string) =>
    server.client.submit(sourceAppId, { email, data: { name } }).set('Idempotency-Key', key);
  const inbox = async () =>
    (await operator.get('/auth/submissions').expect(200)).body.submissions.map(
      ({ data }: { data: { name: string } }) => data.name,
    );
  await expect.poll(inbox, POLL).toEqual(['Ada']);
  return {
    email,
    logIn: [sourceAppId, password] as const,
    send,
    operator,
    inbox,
    record: (): Promise<Document | null> => main.db.collection('users').findOne({ sourceAppId, email }),
    waiting: () => main.db.collection('held_submissions').find({ email, reason: 'confirm' }).toArray(),
  };
}

it('`keep`: a repeat is kept once, also when the statement of the first attempt arrives after it', async () => {
  const { send, record, inbox } = await build({ existing: 'keep' });
  const before = (await record())?.data;
  const held = proxy.holdNext('into', 'submissions');
  const first = send(slow, 'Mallory', 'once').then((answer) => answer);
  const forward = await held;
  // The record has the key, and the inbox has nothing yet.
  expect((await record())?.appliedKeys).toHaveLength(1);
  expect(await inbox()).toEqual(['Ada']);
  expect((await send(main, 'Mallory', 'once').expect(200)).body).toEqual(OK);
  await expect.poll(inbox, POLL).toEqual(['Mallory', 'Ada']);
  await forward();
  await first;
  expect((await send(main, 'Mallory', 'once').expect(200)).body).toEqual(OK);
  expect(await inbox()).toEqual(['Mallory', 'Ada']);
  expect((await record())?.data).toEqual(before);
});

it('`keep`: a submission whose answers from the database are lost is kept once', async () => {
  const { send, record, inbox } = await build({ existing: 'keep' });
  // The key is one write, the entry of the inbox another.
  for (const after of [0, 1]) {
    proxy.withholdAnswers('cut', 1, after);
    await send(slow, `${after}`, `lost-${after}`);
    await send(main, `${after}`, `lost-${after}`).expect(200);
  }
  await expect.poll(inbox, POLL).toEqual(['1', '0', 'Ada']);
  expect((await record())?.data).toEqual({ name: 'Ada' });
});

it('`keep`: an erasure in between is not undone by the late entry', async () => {
  const { send, record, inbox, operator } = await build({ existing: 'keep' });
  const held = proxy.holdNext('into', 'submissions');
  const late = send(slow, 'Mallory', 'erased').then((answer) => answer);
  const forward = await held;
  await operator.delete(`/auth/users/${(await record())?._id}`).expect(200);
  await forward();
  await late;
  expect(await inbox()).toEqual([]);
});

it('`confirm`: a repeat waits once, with one email, also when the first change is late', async () => {
  const { email, send, record, waiting } = await build({ existing: 'confirm' });
  const held = proxy.holdNext('update', 'users');
  const first = send(slow, 'Grace', 'once').then((answer) => answer);
  const forward = await held;
  // The change and its email are stored, the key of the submission is not.
  expect(await waiting()).toHaveLength(1);
  expect((await send(main, 'Grace', 'once').expect(200)).body).toEqual(OK);
  await forward();
  expect((await first).status).toBe(200);
  const again = await waiting();
  expect((await send(main, 'Grace', 'once').expect(200)).body).toEqual(OK);
  expect(await waiting()).toEqual(again);
  await expect.poll(() => smtp.to(email).length, POLL).toBe(again.length);
  expect((await record())?.data).toEqual({ name: 'Ada' });
});

it('`confirm`: no change waits for a record that is erased meanwhile, whichever is late', async () => {
  const first = await build({ existing: 'confirm' });
  const held = proxy.holdNext('insert', 'held_submissions');
  const late = first.send(slow, 'Grace', 'late').then((answer) => answer);
  const forward = await held;
  await first.operator.delete(`/auth/users/${(await first.record())?._id}`).expect(200);
  await forward();
  await late;
  expect(await first.waiting()).toEqual([]);

  const second = await build({ existing: 'confirm' });
  const heldErasure = proxy.holdNext('delete', 'users');
  const operator = await new Client(slow.client.url).logIn(...second.logIn);
  const erasure = operator.delete(`/auth/users/${(await second.record())?._id}`).then((answer) => answer);
  const forwardErasure = await heldErasure;
  expect((await second.send(main, 'Grace', 'meanwhile').expect(200)).body).toEqual(OK);
  expect(await second.waiting()).toHaveLength(1);
  await forwardErasure();
  expect((await erasure).status).toBe(200);
  expect(await second.waiting()).toEqual([]);
});

it('`confirm`: the button pressed on two servers at once, the first of which is late, applies the change once', async () => {
  const { email, send, record, waiting } = await build({ existing: 'confirm' });
  await send(main, 'Grace', 'once').expect(200);
  await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
  const [, path = ''] = /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(smtp.to(email)[0]?.text ?? '') ?? [];
  const held = proxy.holdNext('findAndModify', 'users');
  const late = slow.client
    .post(path)
    .type('form')
    .set(PAGE)
    .then((answer) => answer);
  const forward = await held;
  await main.client.post(path).type('form').set(PAGE).expect(200);
  const revision = (await record())?.eventCount;
  await main.admin.put(`/auth/apps/${(await record())?.sourceAppId}/form`, {}).expect(200);
  await send(main, 'Later', 'later').expect(200);
  await forward();
  await late;
  expect((await record())?.data).toEqual({ name: 'Later' });
  // One more, for the submission after the change.
  expect((await record())?.eventCount).toBe(Number(revision) + 1);
  expect(await waiting()).toEqual([]);
});

it('what was held stays when it is restored before a late server ends it', async () => {
  const { email, send, record } = await build({ existing: 'confirm' });
  await send(main, 'Grace', 'once').expect(200);
  await expect.poll(() => smtp.to(email).length, POLL).toBe(1);
  const [, path = ''] = /https:\/\/forms\.example\.com(\/f\/\S+)/.exec(smtp.to(email)[0]?.text ?? '') ?? [];
  const { sourceAppId, appId } = (await record()) as Document;
  const bot = { email: 'bot@example.com' };
  await main.services.submissions.submit(sourceAppId, bot, { via: 'form', isTrapped: true });
  const held = () => main.db.collection('held_submissions').find({ appId }).sort({ _id: 1 }).toArray();
  const before = await held();
  const trapped = before.find(({ reason }) => reason === 'honeypot');
  const heldNote = proxy.holdNext('update', 'held_submissions');
  const confirmed = slow.client
    .post(path)
    .type('form')
    .set(PAGE)
    .then(({ status }) => status);
  const forwardNote = await heldNote;
  const heldRemoval = proxy.holdNext('delete', 'held_submissions');
  const release = `/auth/held/${trapped?._id}/release?sourceAppId=${sourceAppId}`;
  const released = slow.admin.post(release).then(({ status }) => status);
  const forwardRemoval = await heldRemoval;
  // Longer than a server relies on what it stored.
  await untilDatabaseTime(main, Date.now() + 11_000);
  await forwardNote();
  await forwardRemoval();
  await Promise.all([confirmed, released]);
  expect(before.map(({ reason }) => reason).sort()).toEqual(['confirm', 'honeypot']);
  expect(await held()).toEqual(before);
});
