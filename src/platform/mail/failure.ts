import { NamedError } from '../core/errors.ts';
import type { SmtpServer } from '../core/smtp-url.ts';
import { type FailureCause, inWords } from '../languages/mail-failures.ts';
import { oneLine } from './content.ts';

/** What an operator may read of a failed attempt. */
export interface ShownFailure {
  /** The status of the answer of the SMTP server. */
  status?: number;
  error: string;
}

/** Why an email was not sent. It has no address: SMTP servers repeat addresses in their answers. */
export class MailFailure extends NamedError {
  /** The error code of the client, and the status of the server if it answered. */
  readonly reason: string;
  readonly shown: ShownFailure;
  readonly isPermanent: boolean;
  /** Whether the recipient or the content was refused; others may be taken. */
  readonly isOfMessage: boolean;
  constructor(
    reason: string,
    shown: ShownFailure,
    { isPermanent, isOfMessage }: { isPermanent: boolean; isOfMessage: boolean },
  ) {
    super(`the email was not sent: ${reason}`);
    this.reason = reason;
    this.shown = shown;
    this.isPermanent = isPermanent;
    this.isOfMessage = isOfMessage;
  }
}

/** An error of the client of the SMTP server. */
interface SendError extends Error {
  code?: string;
  /** The code of the system, where `code` is one of the client. */
  originalCode?: string;
  responseCode?: number;
  response?: string;
  command?: string;
}

/** What must not appear in an error. */
interface Hidden {
  auth: SmtpServer['auth'];
  /** The recipient. */
  to?: string | undefined;
}

/** Returns why an email was not sent. An error of another kind is an unknown failure. */
export const mailFailureOf = (error: unknown): MailFailure =>
  error instanceof MailFailure
    ? error
    : new MailFailure('UNKNOWN', shownFailure('unknown'), { isPermanent: false, isOfMessage: false });

export function toMailFailure(error: unknown, hidden: Hidden): MailFailure {
  const { name, code = name, originalCode, responseCode, command = '', message = '', response } = error as SendError;
  // A refused log-in or sender is a fault of the configuration, which can be corrected.
  const isOfMessage = responseCode !== undefined && (['RCPT TO', 'DATA'].includes(command) || code === 'EMESSAGE');
  const isPermanent = isOfMessage && responseCode >= 500 && responseCode < 600;
  const reason = responseCode === undefined ? code : `${code} ${responseCode}`;
  const status = isRefusal(responseCode) ? responseCode : undefined;
  // Only a refusal is repeated: what answers with another text may be no mail server.
  const answer = status === undefined ? '' : withoutAddresses(response ?? '', hidden);
  const cause =
    status === undefined
      ? causeWithoutAnswer(code, `${originalCode ?? ''} ${message.slice(0, MAX_READ)}`)
      : causeOfAnswer({ code, status, command, answer });
  return new MailFailure(reason, shownFailure(cause, status, answer), { isPermanent, isOfMessage });
}

/** Returns what is shown of the `reason` that an earlier version stored. */
export function failureOfReason(reason: string): ShownFailure {
  if (reason === 'INTERRUPTED') return shownFailure('interrupted');
  const [code = '', text] = reason.split(' ');
  const status = Number(text);
  if (!isRefusal(status)) return shownFailure(causeWithoutAnswer(code, code));
  return shownFailure(causeOfAnswer({ code, status, command: '', answer: '' }), status);
}

const MAX_ERROR = 300;

function shownFailure(cause: FailureCause, status?: number, answer = ''): ShownFailure {
  return { ...(status !== undefined && { status }), error: oneLine(inWords(cause, answer), MAX_ERROR) };
}

const isRefusal = (status: number | undefined): status is number =>
  status !== undefined && status >= 400 && status < 600;

/** The code of the client or of the system, or a part of the text that OpenSSL and Node.js give. */
const CAUSES_WITHOUT_ANSWER: readonly [FailureCause, RegExp][] = [
  // Its text may be that of any server.
  ['protocol', /^EPROTOCOL\b/],
  ['password', /^EAUTH\b/],
  ['noPassword', /^ENOAUTH\b/],
  ['certificate', /cert|self.signed|altname|issuer/i],
  ['name', /^EDNS\b|ENOTFOUND|EAI_AGAIN/],
  ['silent', /^(?:ETIMEDOUT|EABORT|AbortError|TimeoutError)\b|ETIMEDOUT/],
  ['away', /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/],
  ['closed', /ECONNRESET|EPIPE|^ECONNECTION\b/],
  ['encryption', /^(?:ETLS|EREQUIRETLS)\b|ERR_SSL|EPROTO\b|SSL routines/],
  ['away', /^ESOCKET\b/],
];

function causeWithoutAnswer(code: string, text: string): FailureCause {
  const all = `${code} ${text}`;
  return CAUSES_WITHOUT_ANSWER.find(([, pattern]) => pattern.test(all))?.[0] ?? 'unknown';
}

const FULL = /\b[45]\.2\.2\b|mailbox (?:is )?full|over ?quota|quota exceeded/i;
const TOO_MANY =
  /\b4\.7\.28\b|\b[45]\.4\.5\b|\b[45]\.5\.3\b|too many|too much|rate.?limit|limit (?:was )?(?:exceeded|reached)|exceeded .{0,40}limit|throttl/i;
const UNKNOWN_MAILBOX =
  /\b[45]\.1\.(?:1|2|3|6|10)\b|unknown|no such|not exist|no mailbox|invalid (?:mailbox|recipient)/i;
const ENHANCED = /\b[45]\.\d{1,3}\.\d{1,3}\b/;
const BY_POLICY = /relay|spam|block|polic|denied|reputation|list/i;
const UNKNOWN_MAILBOX_STATUS = [550, 551, 553];

/** @param answer one line, without the status */
function causeOfAnswer(of: { code: string; status: number; command: string; answer: string }): FailureCause {
  const { code, status, command, answer } = of;
  const isTemporary = status < 500;
  if (FULL.test(answer)) return 'full';
  if (TOO_MANY.test(answer)) return 'tooMany';
  if (status === 530 || code === 'ENOAUTH') return /starttls|tls/i.test(answer) ? 'encryption' : 'noPassword';
  if (code === 'EAUTH') return isTemporary ? 'later' : 'password';
  if (code === 'ETLS') return 'encryption';
  if (command === 'RCPT TO' && isUnknownMailbox(status, answer)) return 'mailbox';
  if (isTemporary) return 'later';
  if (code === 'EMESSAGE' || command === 'DATA') return 'content';
  if (command === 'MAIL FROM') return 'sender';
  return code === 'EENVELOPE' ? 'recipient' : 'connection';
}

function isUnknownMailbox(status: number, answer: string): boolean {
  if (UNKNOWN_MAILBOX.test(answer)) return true;
  return !ENHANCED.test(answer) && !BY_POLICY.test(answer) && UNKNOWN_MAILBOX_STATUS.includes(status);
}

/** More of an answer is not read. */
const MAX_READ = 600;
const HIDDEN = '[…]';
/** An @ sign, also as others write it: in full width, in URLs, quoted printable, xtext and HTML. */
const AT = '(?:[@\\uFF20\\uFE6B]|%40|[=+]40(?=[\\p{L}\\p{N}-]+\\.)|&#0*64;|&#x0*40;|&commat;|[([]at[)\\]])';
/** In this order: a quoted local part and what is in angle brackets may contain spaces. */
const ADDRESSES: readonly RegExp[] = [
  /"(?:[^"\\]|\\.)*"\s*[@\uFF20\uFE6B]\s*[^\s>]*/gu,
  /<[^<>]*>?/gu,
  /\S+\s+[@\uFF20\uFE6B]\s+\S+/gu,
  new RegExp(`\\S*${AT}\\S*`, 'giu'),
];

/**
 * Returns the answer of an SMTP server as one line, without its status, and with a placeholder for
 * each address, the parts of the recipient's address, and the user and the password, also as the
 * protocol encodes them.
 */
export function withoutAddresses(response: string, { auth, to }: Hidden): string {
  const whole = response.slice(0, MAX_READ);
  // The last word may be a part of an address.
  const read = response.length > MAX_READ ? whole.replace(/(?:<[^<>]*|"[^"]*|\S*)$/u, '') : whole;
  const line = oneLine(read.replace(/(^|[\r\n]+)\d{3}[ -]/g, ' '), MAX_READ);
  const withoutSecrets = secretsOf(auth).reduce((text, secret) => text.replaceAll(secret, HIDDEN), line);
  const withoutParts = partsOf(to).reduce((text, part) => text.replace(part, HIDDEN), withoutSecrets);
  const free = ADDRESSES.reduce((text, pattern) => text.replace(pattern, HIDDEN), withoutParts);
  return free.trim();
}

function secretsOf(auth: Hidden['auth']): string[] {
  if (!auth) return [];
  const { user, pass } = auth;
  const all = [`\0${user}\0${pass}`, pass, user];
  return [...all.map(unpadded), ...all, ...all.map(encodeURIComponent)].filter((secret) => secret !== '');
}

/** Returns a text in base64, without its padding. */
const unpadded = (text: string): string => Buffer.from(text).toString('base64').replaceAll('=', '');

/** Patterns of the local part and the domain, as words of their own. */
function partsOf(to = ''): RegExp[] {
  const at = to.lastIndexOf('@');
  return [to.slice(0, Math.max(at, 0)), to.slice(at + 1)]
    .filter((part) => part !== '')
    .map((part) => {
      const escaped = part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      return new RegExp(`(?<![\\p{L}\\p{N}]|[\\p{L}\\p{N}]\\.)${escaped}(?![\\p{L}\\p{N}]|\\.[\\p{L}\\p{N}])`, 'giu');
    });
}
