import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { NamedError } from '../core/errors.ts';
import type { Mailbox, SmtpServer } from '../core/smtp-url.ts';
import { oneLine } from './content.ts';

/** The connections to the SMTP server, and the emails that are sent at the same time. */
export const MAX_CONNECTIONS = 5;
const MESSAGES_PER_CONNECTION = 100;
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;
/** An idle connection ends before the server ends it. */
const IDLE_MS = 20_000;
const SEND_WITHIN_MS = 60_000;
const MAX_SUBJECT = 150;

/** Only `text` and `html` may contain submitted values. */
export interface Message {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** A normalized address to which answers go. */
  replyTo?: string | undefined;
  /** Whether it answers what the person sent (RFC 3834). */
  isReply?: boolean | undefined;
}

/** Why an email was not sent. It has no address: SMTP servers repeat addresses in their answers. */
export class MailFailure extends NamedError {
  /** The error code of the client, and the status of the server if it answered. */
  readonly reason: string;
  readonly isPermanent: boolean;
  /** Whether the recipient or the content was refused; others may be taken. */
  readonly isOfMessage: boolean;
  constructor(reason: string, { isPermanent, isOfMessage }: { isPermanent: boolean; isOfMessage: boolean }) {
    super(`the email was not sent: ${reason}`);
    this.reason = reason;
    this.isPermanent = isPermanent;
    this.isOfMessage = isOfMessage;
  }
}

export type Mailer = ReturnType<typeof createMailer>;

/** Creates the client of an SMTP server. It connects when the first email is sent. */
export function createMailer({ server, from }: { server: SmtpServer; from: Mailbox }) {
  const { host, port, isSecure, requiresTls, auth } = server;
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: requiresTls,
    ...(auth && { auth: { ...auth } }),
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxMessages: MESSAGES_PER_CONNECTION,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // The caller repeats: the server may have taken the email before the connection ended.
    maxRequeues: 0,
    idleTimeout: IDLE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Reports idle connections that the server closed; the next email opens another.
  transport.on('error', () => undefined);
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);

  return {
    /**
     * The same `id` gives the same `Message-ID`, by which mail systems recognize a repetition.
     * @throws {MailFailure} when it was refused, or when it is unknown whether it was taken
     */
    async send(id: string, { to, subject, text, html, replyTo, isReply }: Message): Promise<void> {
      const sending = transport.sendMail({
        // Copies: the library changes its arguments.
        from: { ...from },
        // An object is not parsed: a text could contain several addresses.
        to: { name: '', address: to },
        ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
        subject: oneLine(subject, MAX_SUBJECT),
        messageId: `<${createHash('sha256').update(id).digest('hex').slice(0, 40)}@${domain}>`,
        // Prevents automatic replies.
        headers: {
          'Auto-Submitted': isReply ? 'auto-replied' : 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
        },
        text,
        html,
        signal: AbortSignal.timeout(SEND_WITHIN_MS),
      });
      try {
        await sending;
      } catch (error) {
        throw toMailFailure(error);
      }
    },

    /** Connects and logs in, and sends nothing. @throws {MailFailure} */
    async check(): Promise<void> {
      try {
        await transport.verify();
      } catch (error) {
        throw toMailFailure(error);
      }
    },

    close: (): void => transport.close(),
  };
}

interface SendError extends Error {
  code?: string;
  responseCode?: number;
  command?: string;
}

function toMailFailure(error: unknown): MailFailure {
  const { name, code = name, responseCode, command = '' } = error as SendError;
  // A refused log-in or sender is a fault of the configuration, which can be corrected.
  const isOfMessage = responseCode !== undefined && (['RCPT TO', 'DATA'].includes(command) || code === 'EMESSAGE');
  const isPermanent = isOfMessage && responseCode >= 500 && responseCode < 600;
  const reason = responseCode === undefined ? code : `${code} ${responseCode}`;
  return new MailFailure(reason, { isPermanent, isOfMessage });
}
