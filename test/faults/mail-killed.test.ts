// @module-tag fault

import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { insertRecord } from '../support/server/mail-events.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';
import { ADMIN_PASSWORD, FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';

const POLL = { timeout: 60_000, interval: 20 };
const MAILS = 60;
const leftovers = new Leftovers();
const database = randomName();

let smtp: TestSmtp;
let planner: TestServer;
beforeAll(async () => {
  smtp = await startSmtp();
  // Without SMTP_URL it sends nothing; it plans through its queue.
  planner = await startServer({}, database, FULL_LEASES);
});
afterAll(async () => {
  await leftovers.clear();
  await planner.close();
  await smtp.close();
});

/** The built server itself: the script of `npm start` may install packages. */
async function startSender(publicUrl?: string): Promise<ServerProcess> {
  const folder = await leftovers.folder();
  const env = {
    ...mailEnv(smtp, publicUrl),
    MONGODB_URI: databaseUri(database),
    ADMIN_PASSWORD,
    SESSION_SECRET: 'a secret of the tests',
  };
  const server = leftovers.keep(new ServerProcess({ ...env, DATA_DIR: folder }, [process.execPath, 'dist/server.js']));
  await server.url();
  return server;
}

const planned = () => planner.db.collection('mails');

describe('a server that is killed while it sends emails', () => {
  it('loses none, and sends at most those twice that were being sent', async () => {
    smtp.options.beforeTaken = () => new Promise((resolve) => setTimeout(() => resolve(undefined), 30));
    const { sourceAppId } = await planner.admin.buildApp();
    const app = await planner.services.apps.get(sourceAppId);
    const notify = { emails: ['team@example.com'], when: 'each' };
    const form = { origins: [], nullOrigin: false, botProtection: 'honeypot', notify };
    await planner.db.collection('apps').updateOne({ _id: app.id }, { $set: { form } });
    const ids = [];
    for (let n = 0; n < MAILS; n += 1) ids.push(await insertRecord(planner, sourceAppId, `u${n}@example.com`));
    await planner.services.mailQueue.add(
      ids.map((recordId) => ({ _id: `each:${recordId}`, appId: app.id, purpose: 'each', recordId }) as const),
    );

    let kills = 0;
    for (const until of [10, 25, 40]) {
      const server = await startSender();
      await expect.poll(() => smtp.mails.length, POLL).toBeGreaterThanOrEqual(until);
      await server.end('SIGKILL');
      kills += 1;
      // Two minutes pass: what the server took counts as not sent.
      await planned().updateMany({ state: 'due' }, { $set: { nextAt: new Date() } });
    }
    await startSender();
    await expect.poll(() => planned().countDocuments({ state: 'sent' }), POLL).toBe(MAILS);

    const byId = new Map<string, number>();
    for (const mail of smtp.mails) {
      const id = mail.header('message-id') ?? '';
      byId.set(id, (byId.get(id) ?? 0) + 1);
    }
    expect(byId.size).toBe(MAILS);
    const repeated = smtp.mails.length - byId.size;
    expect(repeated).toBeLessThanOrEqual(kills * 5);
  });
});

describe('a server that is killed while it plans replies', () => {
  it('plans and sends one for each acknowledged submission', async () => {
    delete smtp.options.beforeTaken;
    const { sourceAppId } = await planner.admin.buildApp();
    const app = await planner.services.apps.get(sourceAppId);
    const reply = { when: 'each', subject: 'Thank you', text: 'We have your entry.' };
    const form = { origins: [], nullOrigin: false, botProtection: 'honeypot', reply, revision: new ObjectId() };
    await planner.db.collection('apps').updateOne({ _id: app.id }, { $set: { form, consumers: ['email'] } });
    await planner.services.jobs.stop();

    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      // Without a public URL it prints its own.
      const server = await startSender('');
      const url = await server.url();
      const until = acknowledged.length + 40;
      const submit = async (email: string) => {
        const body = JSON.stringify({ email, data: { name: 'Ada' } });
        const headers = { 'Content-Type': 'application/json', 'x-app-id': sourceAppId };
        const response = await fetch(`${url}/v1/users`, { method: 'POST', headers, body });
        if (response.status === 200) acknowledged.push(email);
      };
      const all = Array.from({ length: 80 }, (_, n) => submit(`r${round}-${n}@example.com`).catch(() => undefined));
      await expect.poll(() => acknowledged.length, POLL).toBeGreaterThanOrEqual(until);
      await server.end('SIGKILL');
      await Promise.all(all);
      await planned().updateMany({ purpose: 'reply', state: 'due' }, { $set: { nextAt: new Date() } });
    }
    await startSender();
    const mailsTo = (email: string) => new Set(smtp.to(email).map((mail) => mail.header('message-id'))).size;
    await expect.poll(() => acknowledged.filter((email) => mailsTo(email) === 0), POLL).toEqual([]);
    expect(acknowledged.filter((email) => mailsTo(email) > 1)).toEqual([]);
  });
});
