import { afterEach, describe, expect, it } from 'vitest';
import type { SmtpServer } from '../../../src/platform/core/smtp-url.ts';
import { MailFailure } from '../../../src/platform/mail/failure.ts';
import { createMailer, type Mailer } from '../../../src/platform/mail/mailer.ts';
import { CUT, type RawSmtp, SILENCE, startRawSmtp } from '../../support/peers/raw-smtp.ts';
import { type SmtpOptions, startSmtp, type TestSmtp } from '../../support/peers/smtp.ts';

const FROM = { name: 'Forms, "Inc"', address: 'forms@example.com' };
const MESSAGE = { to: 'ada@example.com', subject: 'Hello', text: 'text ☃\n.\n', html: '<p>html</p>' };
const AUTH = { user: 'ada', pass: 'secret' };

let smtp: TestSmtp;
let mailer: Mailer;
afterEach(async () => {
  mailer.close();
  await smtp.close();
});

async function start(server: Partial<SmtpServer> = {}, options: SmtpOptions = {}): Promise<void> {
  smtp = await startSmtp(options);
  const plain = { host: '127.0.0.1', port: smtp.port, isSecure: false, requiresTls: false, auth: undefined };
  mailer = createMailer({ server: { ...plain, ...server }, from: FROM });
}

const failureOf = async (sending: Promise<unknown>): Promise<MailFailure> => {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof MailFailure)) throw new Error('the email was sent');
  return error;
};

describe('the mailer', () => {
  it('sends text and HTML, and the same Message-ID for the same email', async () => {
    await start();
    await mailer.send('one', MESSAGE);
    await mailer.send('one', MESSAGE);
    await mailer.send('two', MESSAGE);
    const [first, second, third] = smtp.mails;
    expect(first).toMatchObject({
      from: 'forms@example.com',
      to: ['ada@example.com'],
      text: 'text ☃\n.\n',
      html: '<p>html</p>',
    });
    expect(first?.header('from')).toBe('"Forms, \\"Inc\\"" <forms@example.com>');
    expect(first?.header('message-id')).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
    expect(second?.header('message-id')).toBe(first?.header('message-id'));
    expect(third?.header('message-id')).not.toBe(first?.header('message-id'));
    expect(smtp.connections()).toBe(1);
  });

  it('puts a subject of several lines into one', async () => {
    await start();
    await mailer.send('one', { ...MESSAGE, subject: 'Hello\r\nBcc: eve@example.com\r\n\r\nbody\0' });
    expect(smtp.mails[0]?.to).toEqual(['ada@example.com']);
    expect(smtp.mails[0]?.header('subject')).toBe('Hello Bcc: eve@example.com body');
    expect(smtp.mails[0]?.header('bcc')).toBeUndefined();
  });

  it('takes each address as one recipient', async () => {
    await start();
    // No validated address contains these, and the mailer does not depend on that.
    const hostile = 'ada@example.com, eve@example.com';
    await failureOf(mailer.send('one', { ...MESSAGE, to: hostile })).catch(() => undefined);
    expect(smtp.mails.flatMap(({ to }) => to)).not.toContain('eve@example.com');
  });

  it('never sends a password without TLS where TLS is required', async () => {
    await start({ requiresTls: true, auth: AUTH }, { auth: AUTH });
    expect((await failureOf(mailer.send('one', MESSAGE))).isPermanent).toBe(false);
    expect(smtp.logIns()).toBe(0);
    expect(smtp.mails).toEqual([]);
  });

  it.each([true, false])('refuses a certificate that it does not trust (TLS required: %s)', async (requiresTls) => {
    await start({ requiresTls, auth: AUTH }, { auth: AUTH, offersTls: true });
    const { reason, isPermanent, shown } = await failureOf(mailer.send('one', MESSAGE));
    expect(reason).toMatch(/^(ESOCKET|ETLS)/);
    expect(shown).toEqual({ error: 'the certificate of the mail server is not trusted' });
    expect(isPermanent).toBe(false);
    expect(smtp.logIns()).toBe(0);
  });

  it('tells refusals of the email from faults of the configuration, without an address', async () => {
    await start({}, { onRecipient: () => ({ status: 550 }) });
    const refused = await failureOf(mailer.send('one', MESSAGE));
    expect(refused).toMatchObject({ isPermanent: true, reason: 'EENVELOPE 550' });
    expect(refused.shown).toEqual({ status: 550, error: 'the mailbox is unknown: refused by the test' });
    expect(refused.message).not.toContain('@');
    smtp.options.onRecipient = () => ({ status: 450 });
    expect((await failureOf(mailer.send('one', MESSAGE))).isPermanent).toBe(false);
    delete smtp.options.onRecipient;
    smtp.options.beforeTaken = () => ({ status: 552 });
    expect(await failureOf(mailer.send('one', MESSAGE))).toMatchObject({ isPermanent: true, reason: 'EMESSAGE 552' });
    mailer.close();
    mailer = createMailer({
      server: {
        host: '127.0.0.1',
        port: smtp.port,
        isSecure: false,
        requiresTls: false,
        auth: { user: 'ada', pass: 'x' },
      },
      from: FROM,
    });
    expect((await failureOf(mailer.send('one', MESSAGE))).isPermanent).toBe(false);
  });
});

describe('the mailer and a server that does not take an email', () => {
  let raw: RawSmtp;
  afterEach(() => raw.close());

  async function sendTo(answers: RawSmtp['answers'], server: Partial<SmtpServer> = {}, withinMs?: number) {
    smtp = await startSmtp();
    raw = await startRawSmtp(answers);
    const plain = { host: '127.0.0.1', port: raw.port, isSecure: false, requiresTls: false, auth: undefined };
    mailer = createMailer({ server: { ...plain, ...server }, from: FROM }, withinMs);
    return failureOf(mailer.send('one', MESSAGE));
  }

  it('says what it answered to each command, without the address', async () => {
    const refused = '550 5.1.1 <ada@example.com>: user ada@example.com unknown';
    expect((await sendTo({ RCPT: refused })).shown).toEqual({
      status: 550,
      error: 'the mailbox is unknown: 5.1.1 […]: user […] unknown',
    });
    raw.answers = { RCPT: '450 4.7.28 Too many emails' };
    const { shown, isPermanent } = await failureOf(mailer.send('one', MESSAGE));
    expect(shown).toEqual({ status: 450, error: 'the mail server got too many emails: 4.7.28 Too many emails' });
    expect(isPermanent).toBe(false);
    raw.answers = { '.': '554 5.7.1 spam' };
    expect((await failureOf(mailer.send('one', MESSAGE))).shown).toEqual({
      status: 554,
      error: 'the mail server refused the content: 5.7.1 spam',
    });
    raw.answers = { MAIL: '553 5.7.1 <forms@example.com> is not yours' };
    expect((await failureOf(mailer.send('one', MESSAGE))).shown.error).toBe(
      'the mail server refused the sender: 5.7.1 […] is not yours',
    );
  });

  it('says that the password was refused, without it', async () => {
    const { shown } = await sendTo({ AUTH: '535 5.7.8 ada secret' }, { auth: { ...AUTH } });
    expect(raw.commands.some((command) => command.startsWith('AUTH'))).toBe(true);
    expect(shown).toEqual({ status: 535, error: 'the mail server refused the password: 5.7.8 […] […]' });
  });

  it('says that it cut the connection', async () => {
    expect((await sendTo({ DATA: CUT })).shown).toEqual({ error: 'the mail server closed the connection' });
    raw.answers = { CONNECT: CUT };
    expect((await failureOf(mailer.send('one', MESSAGE))).shown).toEqual({
      error: 'the mail server closed the connection',
    });
  });

  it('says that it did not answer in time', async () => {
    const { shown, isPermanent } = await sendTo({ RCPT: SILENCE }, {}, 100);
    expect(shown).toEqual({ error: 'the mail server did not answer in time' });
    expect(isPermanent).toBe(false);
  });

  it('says that it is none, without what it says', async () => {
    const { shown } = await sendTo({ CONNECT: 'SSH-2.0-OpenSSH_9.6 of a secret machine' });
    expect(shown).toEqual({ error: 'the server does not speak SMTP' });
  });

  it('says that nobody listens, without its address', async () => {
    const { shown } = await sendTo({}, { port: 1 });
    expect(shown).toEqual({ error: 'the mail server cannot be reached' });
  });
});
