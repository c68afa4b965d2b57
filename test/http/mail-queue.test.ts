import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventOf, insertRecord } from '../support/mail-events.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/smtp.ts';

const POLL = { timeout: 20_000, interval: 20 };
const MINUTE_MS = 60_000;

let smtp: TestSmtp;
let servers: TestServer[];
let app: string;
let count = 0;
beforeEach(async () => {
  smtp = await startSmtp();
  servers = [];
});
afterEach(async () => {
  for (const server of servers.reverse()) await server.close();
  await smtp.close();
});

async function start(env: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer({ ...mailEnv(smtp), ...env }, servers[0]?.database);
  servers.push(server);
  if (servers.length === 1) {
    app = (await server.admin.buildApp()).sourceAppId;
    const notify = { emails: ['team@example.com'], when: 'each' };
    await server.admin.put(`/auth/apps/${app}/form`, { notify }).expect(200);
  }
  return server;
}

/** Plans an email about a new record; resolves with the id of the email. */
async function plan(server: TestServer): Promise<string> {
  count += 1;
  const event = await eventOf(server, app, await insertRecord(server, app, `u${count}@example.com`));
  await server.services.mailConsumer.consume([event]);
  return `each:${event.id}`;
}

const stored = (server: TestServer, id: string) => server.db.collection('mails').findOne({ _id: id as never });
const stateOf = async (server: TestServer, id: string) => (await stored(server, id))?.state;
/** Lets the wait of an email pass. */
async function makeDue(server: TestServer, id: string): Promise<void> {
  await server.db.collection('mails').updateOne({ _id: id as never }, { $set: { nextAt: new Date() } });
  server.services.jobs.wake('mails');
}

describe('an email that was not taken (spec 4.12)', () => {
  it('is tried again after growing waits, then has failed', async () => {
    const server = await start();
    smtp.options.onRecipient = () => ({ status: 451 });
    const id = await plan(server);
    const waits = [1, 5, 30, 120, 480, 1_440];
    for (const [index, minutes] of waits.entries()) {
      await expect
        .poll(
          async () => (await stored(server, id))?.reason !== undefined && (await stored(server, id))?.attempts,
          POLL,
        )
        .toBe(index + 1);
      await expect
        .poll(async () => {
          const mail = await stored(server, id);
          return Math.round((mail?.nextAt.getTime() - Date.now()) / MINUTE_MS);
        }, POLL)
        .toBe(minutes);
      expect(await stateOf(server, id)).toBe('due');
      await makeDue(server, id);
    }
    await expect.poll(() => stateOf(server, id), POLL).toBe('failed');
    const mail = await stored(server, id);
    expect(mail).toMatchObject({ attempts: 7, reason: 'EENVELOPE 451', expiresAt: expect.any(Date) });
    expect(server.log()).toContain('an email was not sent');
    expect(server.log()).not.toContain('team@example.com');
  });

  it('is not tried again when the server refuses the recipient or the content for good', async () => {
    const server = await start();
    smtp.options.onRecipient = () => ({ status: 550 });
    const recipient = await plan(server);
    await expect.poll(() => stateOf(server, recipient), POLL).toBe('failed');
    delete smtp.options.onRecipient;
    smtp.options.beforeTaken = () => ({ status: 554 });
    const content = await plan(server);
    await expect.poll(() => stateOf(server, content), POLL).toBe('failed');
    expect((await stored(server, content))?.reason).toBe('EMESSAGE 554');
  });

  it('is tried again when the server is away or refuses the log-in', async () => {
    const { port } = smtp;
    const server = await start();
    await smtp.close();
    const id = await plan(server);
    await expect
      .poll(async () => (await stored(server, id))?.reason, POLL)
      .toMatch(/^(ESOCKET|ECONNECTION|ECONNREFUSED)/);
    expect(await stateOf(server, id)).toBe('due');
    smtp = await startSmtp({ port, auth: { user: 'ada', pass: 'secret' } });
    await makeDue(server, id);
    await expect.poll(async () => (await stored(server, id))?.attempts, POLL).toBe(2);
    await expect.poll(async () => (await stored(server, id))?.reason, POLL).toMatch(/^(EENVELOPE|EAUTH|ENOAUTH)/);
    expect(await stateOf(server, id)).toBe('due');

    const other = await start({ SMTP_URL: `smtp://ada:secret@127.0.0.1:${port}` });
    await server.services.jobs.stop();
    await makeDue(other, id);
    await expect.poll(() => stateOf(other, id), POLL).toBe('sent');
    expect(smtp.mails).toHaveLength(1);
  });
});

describe('two servers', () => {
  it('send each email once', async () => {
    const [a, b] = [await start(), await start()];
    smtp.options.beforeTaken = () => new Promise((resolve) => setTimeout(() => resolve(undefined), 5));
    await Promise.all(Array.from({ length: 40 }, (_, n) => plan(n % 2 ? a : b)));
    // Both send at the same time, as when one has lost the lock of the job.
    const context = { signal: new AbortController().signal, stillOwner: () => true };
    await Promise.all([a, b].map(({ services }) => services.mailJobs[0]?.run(context)));
    await expect.poll(() => a.db.collection('mails').countDocuments({ state: 'sent' }), POLL).toBe(40);
    expect(smtp.mails).toHaveLength(40);
    expect(smtp.connections()).toBeLessThanOrEqual(2 * 5);
  });

  it('leave an email that is being sent to the one that took it, until it counts as dead', async () => {
    const a = await start();
    const release = new AbortController();
    const isReleased = new Promise<undefined>((resolve) => {
      release.signal.addEventListener('abort', () => resolve(undefined));
    });
    const isHeld = new Promise<void>((resolve) => {
      smtp.options.beforeTaken = () => {
        resolve();
        return isReleased;
      };
    });
    const id = await plan(a);
    await isHeld;
    const b = await start();
    const context = { signal: new AbortController().signal, stillOwner: () => true };
    await b.services.mailJobs[0]?.run(context);
    expect((await stored(b, id))?.attempts).toBe(1);
    release.abort();
    await expect.poll(() => stateOf(b, id), POLL).toBe('sent');
    expect(smtp.mails).toHaveLength(1);
  });

  it('give up an email that ended each server that took it', async () => {
    const server = await start();
    await server.services.jobs.stop();
    const id = await plan(server);
    await server.db.collection('mails').updateOne({ _id: id as never }, { $set: { attempts: 7 } });
    await server.services.mailJobs[0]?.run({ signal: new AbortController().signal, stillOwner: () => true });
    expect(await stored(server, id)).toMatchObject({ state: 'failed', reason: 'INTERRUPTED' });
    expect(smtp.mails).toEqual([]);
  });

  it('do not store an outdated result', async () => {
    const a = await start();
    await a.services.jobs.stop();
    const id = await plan(a);
    const { mailQueue } = a.services;
    const first = await mailQueue.claim(id);
    await makeDue(a, id);
    const second = await mailQueue.claim(id);
    if (!first || !second) throw new Error('the email was not due');
    await mailQueue.settle(first, { state: 'failed', reason: 'LATE' });
    expect(await stateOf(a, id)).toBe('due');
    await mailQueue.settle(second, { state: 'sent' });
    expect(await stateOf(a, id)).toBe('sent');
    expect(await mailQueue.claim(id)).toBeUndefined();
  });
});
