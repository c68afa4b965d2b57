import { normalizeEmail } from './identifiers.ts';

/** What {@link parseSmtpUrl} expects, for error messages. It must not repeat the password. */
export const SMTP_URL_FORMAT =
  'smtp://host, smtps://host or smtp://user:password@host:port without a path or query, with reserved characters of the password percent-encoded';

/** What {@link parseMailbox} expects, for error messages. */
export const MAILBOX_FORMAT =
  'an email address like forms@example.com, or a name with one like Forms <forms@example.com>';

const DEFAULT_PORT = { 'smtp:': 587, 'smtps:': 465 };
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export interface SmtpServer {
  host: string;
  port: number;
  /** Whether the connection begins with TLS (`smtps:`). */
  isSecure: boolean;
  /**
   * Whether the connection must change to TLS before anything else is sent: with a password, except
   * on this machine. Otherwise it does so if the server offers it.
   */
  requiresTls: boolean;
  auth: { user: string; pass: string } | undefined;
}

export interface Mailbox {
  name: string;
  address: string;
}

export function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return undefined;
  if (hostname === '' || !['', '/'].includes(pathname) || search !== '' || hash !== '') return undefined;
  if ((username === '') !== (password === '')) return undefined;
  const isSecure = protocol === 'smtps:';
  const hasAuth = username !== '';
  try {
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? DEFAULT_PORT[protocol] : Number(port),
      isSecure,
      requiresTls: !isSecure && hasAuth && !LOOPBACK.test(hostname),
      auth: hasAuth ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined,
    };
  } catch {
    return undefined; // a user name or password that is not percent-encoded
  }
}

/** Parses an email address, with or without a name before `<address>`. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, quoted, plain, inBrackets] = /^\s*(?:"([^"<>]*)"|([^"<>]*?))\s*<([^<>]*)>\s*$/.exec(text) ?? [];
  const address = normalizeEmail(inBrackets ?? text);
  const name = quoted ?? plain ?? '';
  return address === undefined || /\p{Cc}/u.test(name) ? undefined : { name, address };
}
