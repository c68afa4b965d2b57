import { describe, expect, it } from 'vitest';
import { FAILURE_WORDS, type FailureCause, readWords } from '../../../src/platform/languages/mail-failures.ts';
import { failureOfReason, MailFailure, toMailFailure, withoutAddresses } from '../../../src/platform/mail/failure.ts';

const NOTHING = { auth: undefined, to: undefined };
const AUTH = { user: 'forms-user', pass: 'gänse blümchen' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the answer of an SMTP server', () => {
  it.each([
    ['550 5.1.1 <ada@example.com>: Recipient address rejected', '5.1.1 […]: Recipient address rejected'],
    ['550 5.1.1 ada@example.com unknown', '5.1.1 […] unknown'],
    ['550 5.1.1 <"ada lovelace"@example.com> unknown', '5.1.1 […] unknown'],
    ['550 "ada \\" lovelace"@example.com unknown', '[…] unknown'],
    ['550 ada @ example.com unknown', '[…] unknown'],
    ['550 ada＠example.com unknown', '[…] unknown'],
    ['550 ада@пример.рф unknown', '[…] unknown'],
    ['550 ada@bücher.example unknown', '[…] unknown'],
    ['550 ada@[192.0.2.1] unknown', '[…] unknown'],
    ['550 ORCPT=rfc822;ada+40example.com unknown', '[…] unknown'],
    ['550 rcpt=ada=40example.com unknown', '[…] unknown'],
    ['550 see https://mail.example.com/?to=ada%40example.com', 'see […]'],
    ['550 ada&#64;example.com unknown', '[…] unknown'],
    ['550 ada(at)example.com unknown', '[…] unknown'],
    ['550 bounces+ada=example.com@lists.example.org unknown', '[…] unknown'],
    ['550 open <ada@exam', 'open […]'],
    ['550-5.1.1 <ada@example.com>\r\n550-5.1.1 is not\n550 5.1.1 here', '5.1.1 […] 5.1.1 is not 5.1.1 here'],
    ['452 4.3.1 size=4096 is too large', '4.3.1 size=4096 is too large'],
    ['550 one\u0000two\u202Ethree', 'one two three'],
  ])('has no address: %j', (answer, expected) => {
    expect(withoutAddresses(answer, NOTHING)).toBe(expected);
  });

  it.each([
    ['550 No such user ada.lovelace here', 'No such user […] here'],
    ['550 User ADA.LOVELACE.', 'User […].'],
    ['550 example.com takes none', '[…] takes none'],
    ['550 adaptive.lovelace of ada.lovelaces', 'adaptive.lovelace of ada.lovelaces'],
  ])('has no part of the address of the recipient: %j', (answer, expected) => {
    expect(withoutAddresses(answer, { auth: undefined, to: 'ada.lovelace@example.com' })).toBe(expected);
  });

  it('has neither the user nor the password, also as the protocol encodes them', () => {
    const { user, pass } = AUTH;
    const all = [user, pass, base64(user), base64(pass), base64(`\0${user}\0${pass}`), encodeURIComponent(pass)];
    for (const secret of all) {
      expect(withoutAddresses(`535 5.7.8 wrong: ${secret} and more`, { auth: AUTH })).toMatch(
        /^5\.7\.8 wrong: \[…\]=* and more$/,
      );
    }
  });

  it.each(['a', '"', '<', '@', ' @ ', 'a@', '\\"', '&#0', 'ada@example.com ', '=40a.'])(
    'is bounded, however long it is: %j',
    (part) => {
      const error = Object.assign(new Error('x'), {
        code: 'EENVELOPE',
        command: 'RCPT TO',
        responseCode: 550,
        response: `550 ${part.repeat(1_000_000)}`,
      });
      const { shown } = toMailFailure(error, { auth: AUTH, to: 'ada@example.com' });
      expect(shown.error.length).toBeLessThanOrEqual(300);
      expect(shown.error).not.toContain('ada@');
    },
  );

  it('that is cut within an address shows no part of it', () => {
    for (const before of [580, 590, 594, 596]) {
      const answer = `550 ${'<ada@example.com> '.repeat(30)}${'x '.repeat(400)}`.slice(0, before);
      const shown = withoutAddresses(`${answer} ada.lovelace@example.com and more ${'y'.repeat(700)}`, NOTHING);
      expect(shown).not.toMatch(/ada|lovelace/);
    }
  });
});

/** An error as the client of SMTP throws it. */
const failure = (of: { code?: string; originalCode?: string; message?: string; command?: string; response?: string }) =>
  toMailFailure(
    Object.assign(new Error(of.message ?? ''), {
      ...of,
      ...(of.response !== undefined && { responseCode: Number(of.response.slice(0, 3)) }),
    }),
    NOTHING,
  );

describe('the cause of a failure', () => {
  const rcpt = (response: string) => ({ code: 'EENVELOPE', command: 'RCPT TO', response });
  it.each<[FailureCause, Parameters<typeof failure>[0]]>([
    ['password', { code: 'EAUTH', command: 'AUTH PLAIN', response: '535 5.7.8 Authentication failed' }],
    ['later', { code: 'EAUTH', command: 'AUTH PLAIN', response: '454 4.7.0 Temporary failure' }],
    ['tooMany', { code: 'EAUTH', command: 'AUTH PLAIN', response: '454 4.7.0 Too many login attempts' }],
    ['noPassword', { code: 'EENVELOPE', command: 'MAIL FROM', response: '530 5.7.0 Authentication required' }],
    ['encryption', { code: 'EENVELOPE', command: 'MAIL FROM', response: '530 5.7.0 Issue STARTTLS first' }],
    ['encryption', { code: 'ETLS', command: 'STARTTLS', response: '502 not implemented' }],
    ['encryption', { code: 'ESOCKET', originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER', message: 'wrong version number' }],
    ['certificate', { code: 'ESOCKET', originalCode: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed' }],
    ['certificate', { code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED', message: 'expired' }],
    ['certificate', { code: 'ETLS', message: "Hostname/IP does not match certificate's altnames" }],
    ['name', { code: 'EDNS', originalCode: 'ENOTFOUND', message: 'queryA ENOTFOUND mail.example.com' }],
    ['away', { code: 'ESOCKET', originalCode: 'ECONNREFUSED', message: 'connect ECONNREFUSED 10.0.0.7:25' }],
    ['silent', { code: 'ETIMEDOUT', message: 'Greeting never received' }],
    ['silent', { code: 'EABORT', message: 'Message sending aborted' }],
    ['closed', { code: 'ECONNECTION', message: 'Connection closed unexpectedly' }],
    ['closed', { code: 'ESOCKET', originalCode: 'ECONNRESET', message: 'read ECONNRESET' }],
    ['protocol', { code: 'EPROTOCOL', message: 'Invalid greeting. response=HTTP/1.1 400' }],
    ['connection', { code: 'EPROTOCOL', command: 'CONN', response: '554 5.7.1 no service' }],
    ['sender', { code: 'EENVELOPE', command: 'MAIL FROM', response: '553 5.7.1 Sender not owned' }],
    ['mailbox', rcpt('550 5.1.1 User unknown')],
    ['mailbox', rcpt('550 refused')],
    ['mailbox', rcpt('550 5.2.1 No such user')],
    ['mailbox', rcpt('450 4.1.1 unverified')],
    ['recipient', rcpt('550 5.7.1 Relaying denied')],
    ['recipient', rcpt('554 refused')],
    ['recipient', rcpt('550 blocked by policy')],
    ['full', rcpt('552 5.2.2 over quota')],
    ['full', rcpt('452 4.2.2 The mailbox is full')],
    ['tooMany', rcpt('450 4.7.28 unusual rate')],
    ['tooMany', rcpt('421 too many messages in this session')],
    ['tooMany', rcpt('550 5.4.5 Daily sending quota reached')],
    ['later', rcpt('450 4.7.1 Greylisted')],
    ['later', { code: 'ECONNECTION', response: '421 4.3.2 Shutting down' }],
    ['content', { code: 'EMESSAGE', command: 'DATA', response: '554 5.7.1 looks like spam' }],
    ['later', { code: 'EMESSAGE', command: 'DATA', response: '451 4.3.0 later' }],
    ['unknown', { code: 'ESTREAM', message: 'x' }],
  ])('%s: %j', (cause, of) => {
    const { shown } = failure(of);
    expect(readWords(shown.error).cause).toBe(cause);
    expect(shown.status).toBe(of.response === undefined ? undefined : Number(of.response.slice(0, 3)));
  });

  it('is told without the address of the server, and without what is no refusal', () => {
    for (const of of [
      { code: 'ESOCKET', originalCode: 'ECONNREFUSED', message: 'connect ECONNREFUSED 10.0.0.7:25' },
      { code: 'EPROTOCOL', message: 'Invalid greeting. response=220 secret', response: '220 secret' },
    ]) {
      const { shown } = failure(of);
      expect(Object.values(FAILURE_WORDS)).toContain(shown.error);
      expect(shown).not.toHaveProperty('status');
    }
  });

  it.each<[string, FailureCause, number | undefined]>([
    ['EAUTH 535', 'password', 535],
    ['EENVELOPE 550', 'recipient', 550],
    ['EENVELOPE 451', 'later', 451],
    ['EMESSAGE 554', 'content', 554],
    ['ETIMEDOUT', 'silent', undefined],
    ['ESOCKET', 'away', undefined],
    ['INTERRUPTED', 'interrupted', undefined],
    ['UNKNOWN', 'unknown', undefined],
    ['LATE', 'unknown', undefined],
  ])('of an earlier version is read from its reason: %s', (reason, cause, status) => {
    expect(failureOfReason(reason)).toEqual({ ...(status !== undefined && { status }), error: FAILURE_WORDS[cause] });
  });

  it('has words that no other one begins with', () => {
    const all = Object.values(FAILURE_WORDS);
    for (const words of all) expect(all.filter((other) => `${other}: x`.startsWith(`${words}: `))).toEqual([words]);
  });

  it('keeps the reason and whether it is permanent', () => {
    const refused = failure({ code: 'EENVELOPE', command: 'RCPT TO', response: '550 5.1.1 no' });
    expect(refused).toBeInstanceOf(MailFailure);
    expect(refused).toMatchObject({ reason: 'EENVELOPE 550', isPermanent: true, isOfMessage: true });
  });
});
