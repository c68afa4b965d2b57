import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createMailModel,
  createMailQueue,
  MAX_ATTEMPTS,
  type MailDocument,
  RETRY_AFTER_MS,
} from '../../src/features/notifications/mail-queue.ts';
import { createLogger } from '../../src/platform/core/logger.ts';
import { createDatabaseClock } from '../../src/platform/database/clock.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { eventOf, insertRecord } from '../support/server/mail-events.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const POLL = { timeout: 30_000, interval: 20 };
const MINUTE_MS = 60_000;
const SILENT = createLogger({ logLevel: 'silent' });

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
  it('is tried again after growing waits, then has failed', { tags: 'long' }, async () => {
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

  it('is not tried again when the server refuses the recipient or the content permanently', {
    tags: 'long',
  }, async () => {
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

  it('is tried again when the server is away or refuses the log-in', { tags: 'long' }, async () => {
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

describe('an email and two servers whose clocks differ by ten minutes', () => {
  it.each([10, -10])('is taken by one of them, and again after its wait: by %s', { tags: 'long' }, async (minutes) => {
    const server = await start();
    await server.services.jobs.stop();
    const id = await plan(server);
    const clockOf = async (now: () => number) => {
      const clock = createDatabaseClock({ connection: server.connection, logger: SILENT, now });
      await clock.read();
      return clock;
    };
    const { collection } = createMailModel(server.connection);
    const [clock, other] = [await clockOf(Date.now), await clockOf(() => Date.now() + minutes * MINUTE_MS)];
    const [queue, otherQueue] = [createMailQueue(collection, clock.now), createMailQueue(collection, other.now)];
    expect(await otherQueue.dueIds(1)).toEqual([id]);
    const claimed = await queue.claim(id);
    expect(await otherQueue.claim(id)).toBeUndefined();
    await otherQueue.settle(claimed as MailDocument, { state: 'failed', needsRetry: true });
    const wait = ((await stored(server, id))?.nextAt.getTime() - clock.now()) / MINUTE_MS;
    expect(Math.round(wait)).toBe(1);
  });
});

describe('an email to several addresses (spec 4.12)', () => {
  const ADDRESSES = ['one', 'two', 'three', 'four'].map((name) => `${name}@example.com`);
  const [, TWO = '', THREE = ''] = ADDRESSES;

  async function startForAll(): Promise<TestServer> {
    const server = await start();
    const notify = { emails: ADDRESSES, when: 'each' };
    await server.admin.put(`/auth/apps/${app}/form`, { notify }).expect(200);
    return server;
  }
  const perAddress = () => ADDRESSES.map((address) => smtp.to(address).length);
  /** Resolves when an attempt has ended: then the email waits as long as it should. */
  const attemptEnded = (server: TestServer, id: string, waitMs: number | undefined) =>
    expect
      .poll(async () => {
        const mail = await stored(server, id);
        const isDue = mail?.state === 'due';
        return isDue ? Math.round((mail.nextAt.getTime() - Date.now()) / MINUTE_MS) * MINUTE_MS : undefined;
      }, POLL)
      .toBe(waitMs);

  it('gives each one a message that shows no other address, and tries only those again that it must', {
    tags: 'long',
  }, async () => {
    const server = await startForAll();
    const asked: string[] = [];
    smtp.options.onRecipient = (address) => {
      asked.push(address);
      if (address === TWO) return { status: 451 };
      return address === THREE ? { status: 550 } : undefined;
    };
    const id = await plan(server);
    await attemptEnded(server, id, MINUTE_MS);
    expect(perAddress()).toEqual([1, 0, 0, 1]);
    for (const { raw, to } of smtp.mails) {
      expect(ADDRESSES.filter((address) => raw.includes(address))).toEqual(to);
    }
    expect(await stateOf(server, id)).toBe('due');
    const text = JSON.stringify(await stored(server, id)) + server.log();
    for (const address of ADDRESSES) expect(text).not.toContain(address);

    asked.length = 0;
    smtp.options.onRecipient = (address) => {
      asked.push(address);
      return undefined;
    };
    await makeDue(server, id);
    await expect.poll(() => stateOf(server, id), POLL).toBe('sent');
    expect(asked).toEqual([TWO]);
    expect(perAddress()).toEqual([1, 1, 0, 1]);
    expect(new Set(smtp.mails.map((mail) => mail.header('message-id'))).size).toBe(3);
  });

  it('is tried for an address as often as for a single one, and was sent if another one received it', {
    tags: 'long',
  }, async () => {
    const server = await startForAll();
    let asked = 0;
    smtp.options.onRecipient = (address) => {
      if (address === TWO) asked += 1;
      return address === TWO ? { status: 451 } : undefined;
    };
    const id = await plan(server);
    for (const waitMs of RETRY_AFTER_MS) {
      await attemptEnded(server, id, waitMs);
      await makeDue(server, id);
    }
    await expect.poll(() => stateOf(server, id), POLL).toBe('sent');
    expect(asked).toBe(MAX_ATTEMPTS);
    expect(perAddress()).toEqual([1, 0, 1, 1]);
  });

  it('has failed when the server refuses all addresses permanently', { tags: 'long' }, async () => {
    const server = await startForAll();
    smtp.options.onRecipient = () => ({ status: 550 });
    const id = await plan(server);
    await expect.poll(() => stateOf(server, id), POLL).toBe('failed');
    expect((await stored(server, id))?.attempts).toBe(1);
  });

  it('is continued by another server, which repeats the address that was being sent at most', {
    tags: 'long',
  }, async () => {
    const a = await startForAll();
    let release = (): void => undefined;
    const isReleased = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const isHeld = new Promise<void>((resolve) => {
      smtp.options.beforeTaken = ({ to }) => {
        if (to[0] !== TWO) return undefined;
        resolve();
        return isReleased;
      };
    });
    const id = await plan(a);
    await isHeld;
    delete smtp.options.beforeTaken;
    const b = await start();
    await a.db.collection('mails').updateOne({ _id: id as never }, { $set: { nextAt: new Date() } });
    const context = { signal: new AbortController().signal, stillOwner: () => true };
    await b.services.mailJobs[0]?.run(context);
    expect(await stateOf(a, id)).toBe('sent');
    expect(perAddress()).toEqual([1, 1, 1, 1]);
    release();
    await expect.poll(() => smtp.to(TWO).length, POLL).toBe(2);
    await a.services.jobs.stop();
    expect(perAddress()).toEqual([1, 2, 1, 1]);
    expect(new Set(smtp.to(TWO).map((mail) => mail.header('message-id'))).size).toBe(1);
  });
});

describe('two servers', () => {
  it('send each email once', { tags: 'long' }, async () => {
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

  it('leave an email that is being sent to the one that took it, until it counts as dead', {
    tags: 'long',
  }, async () => {
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

  it('give up an email that ended each server that took it', { tags: 'long' }, async () => {
    const server = await start();
    await server.services.jobs.stop();
    const id = await plan(server);
    await server.db.collection('mails').updateOne({ _id: id as never }, { $set: { attempts: 7 } });
    await server.services.mailJobs[0]?.run({ signal: new AbortController().signal, stillOwner: () => true });
    expect(await stored(server, id)).toMatchObject({ state: 'failed', reason: 'INTERRUPTED' });
    expect(smtp.mails).toEqual([]);
  });

  it('do not store an outdated result', { tags: 'long' }, async () => {
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
