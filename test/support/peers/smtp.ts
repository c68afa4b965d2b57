import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** An email as an SMTP server received it. */
export interface ReceivedMail {
  /** The addresses of the envelope. */
  from: string;
  to: string[];
  /** Header lines by lower-case name, unfolded; a name that occurs twice has two entries. */
  headers: [name: string, value: string][];
  header(name: string): string | undefined;
  text: string;
  html: string;
  raw: string;
}

/** Refuses a recipient or an email with an SMTP status, such as 451 or 550. */
export interface Refusal {
  status: number;
}

export interface SmtpOptions {
  port?: number;
  /** Whether it offers TLS, with a certificate that nobody trusts. */
  offersTls?: boolean;
  /** The user and password that a client must log in with. */
  auth?: { user: string; pass: string };
  onRecipient?: (address: string) => Refusal | undefined;
  /** Called with each complete email before it is taken; the client waits. */
  beforeTaken?: (mail: ReceivedMail) => Promise<Refusal | undefined> | Refusal | undefined;
}

/** A running SMTP server. */
export interface TestSmtp {
  port: number;
  /** The emails that it took, in order. */
  mails: ReceivedMail[];
  to(address: string): ReceivedMail[];
  /** The number of connections that it has accepted. */
  connections(): number;
  /** The number of attempts to log in. */
  logIns(): number;
  options: SmtpOptions;
  close(): Promise<void>;
}

/** Starts a real SMTP server on 127.0.0.1. */
export async function startSmtp(options: SmtpOptions = {}): Promise<TestSmtp> {
  const mails: ReceivedMail[] = [];
  let connections = 0;
  let logIns = 0;
  const server = new SMTPServer({
    authOptional: options.auth === undefined,
    disabledCommands: options.offersTls ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    closeTimeout: 100,
    onConnect: (_session, callback) => {
      connections += 1;
      callback();
    },
    onAuth: ({ username, password }, _session, callback) => {
      logIns += 1;
      const isRight = username === options.auth?.user && password === options.auth?.pass;
      callback(isRight ? null : refusal({ status: 535 }), isRight ? { user: username } : undefined);
    },
    onRcptTo: ({ address }, _session, callback) => {
      const refused = options.onRecipient?.(address);
      callback(refused ? refusal(refused) : undefined);
    },
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        const to = envelope.rcptTo.map(({ address }) => address);
        const mail = parsed(Buffer.concat(chunks).toString('latin1'), { from, to });
        const refused = await options.beforeTaken?.(mail);
        if (refused) return callback(refusal(refused));
        mails.push(mail);
        callback(null);
      });
    },
  });
  server.on('error', () => undefined); // clients that end without QUIT
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', () => resolve()));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    to: (address) => mails.filter((mail) => mail.to.includes(address)),
    connections: () => connections,
    logIns: () => logIns,
    options,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The environment variables of a service that sends to this server. */
export function mailEnv({ port }: Pick<TestSmtp, 'port'>, publicUrl = 'https://forms.example.com') {
  return {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'Forms <forms@example.com>',
    ...(publicUrl !== '' && { PUBLIC_URL: publicUrl }),
  };
}

function refusal({ status }: Refusal): Error {
  return Object.assign(new Error('refused by the test'), { responseCode: status });
}

function parsed(raw: string, envelope: { from: string; to: string[] }): ReceivedMail {
  const { headers, body } = partOf(raw);
  const header = (name: string) => headers.find(([one]) => one === name)?.[1];
  const boundary = /boundary="([^"]+)"/.exec(header('content-type') ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partOf(part.replace(/\r\n$/, '')));
  const bodyOf = (type: string): string => {
    const part = parts.find((one) => one.headers.some(([, value]) => value.startsWith(type)));
    return part ? decoded(part) : '';
  };
  const [text, html] = [bodyOf('text/plain'), bodyOf('text/html')];
  return { ...envelope, headers, header, text, html, raw };
}

interface Part {
  headers: [string, string][];
  body: string;
}

function partOf(raw: string): Part {
  const source = raw.replace(/^\r\n/, '');
  const end = source.indexOf('\r\n\r\n');
  const lines = source
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), encodedWords(line.slice(colon + 1).trim())];
  });
  return { headers, body: source.slice(end + 4) };
}

function decoded({ headers, body }: Part): string {
  const encoding = headers.find(([name]) => name === 'content-transfer-encoding')?.[1];
  const bytes = encoding === 'base64' ? Buffer.from(body, 'base64') : quotedPrintable(encoding, body);
  return bytes.toString('utf8').replaceAll('\r\n', '\n');
}

function quotedPrintable(encoding: string | undefined, body: string): Buffer {
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1');
  return Buffer.from(
    body
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

/** The words of RFC 2047 in a header. */
function encodedWords(value: string): string {
  return value
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) => {
      const bytes =
        kind.toUpperCase() === 'B'
          ? Buffer.from(word, 'base64')
          : quotedPrintable('quoted-printable', word.replaceAll('_', ' '));
      return bytes.toString('utf8');
    });
}
