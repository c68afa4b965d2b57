import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Mailbox, SmtpServer } from '../core/smtp-url.ts';
import { oneLine } from './content.ts';
import { toMailFailure } from './failure.ts';

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

export type Mailer = ReturnType<typeof createMailer>;

/**
 * Creates the client of an SMTP server. It connects when the first email is sent.
 * @param withinMs the time for one email, another one than a minute where somebody waits
 */
export function createMailer({ server, from }: { server: SmtpServer; from: Mailbox }, withinMs = SEND_WITHIN_MS) {
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
     * Resolves with the status of the answer of the server.
     * @throws {MailFailure} when it was refused, or when it is unknown whether it was taken
     */
    async send(id: string, { to, subject, text, html, replyTo, isReply }: Message): Promise<number | undefined> {
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
        signal: AbortSignal.timeout(withinMs),
      });
      try {
        const { response } = await sending;
        return statusOf(response);
      } catch (error) {
        throw toMailFailure(error, { auth, to });
      }
    },

    /** Connects and logs in, and sends nothing. @throws {MailFailure} */
    async check(): Promise<void> {
      try {
        await transport.verify();
      } catch (error) {
        throw toMailFailure(error, { auth });
      }
    },

    close: (): void => transport.close(),
  };
}

function statusOf(response: string): number | undefined {
  const [status] = /^\d{3}/.exec(response) ?? [];
  return status === undefined ? undefined : Number(status);
}
