import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What a command is answered with: lines, nothing (`silence`), or the end of the connection. */
type Answer = string | typeof SILENCE | typeof CUT;
export const SILENCE = Symbol('silence');
export const CUT = Symbol('cut');

/**
 * By the first word of a command, or what the command gets; `CONNECT` is the greeting, `.` the end
 * of the content.
 */
type Answers = Readonly<Record<string, Answer | ((command: string) => Answer)>>;

const POLITE: Answers = {
  CONNECT: '220 raw.example.com ESMTP',
  EHLO: '250-raw.example.com\r\n250 AUTH PLAIN',
  AUTH: '235 2.7.0 Accepted',
  DATA: '354 Go on',
  QUIT: '221 Bye',
};

/** A running server. */
export interface RawSmtp {
  port: number;
  /** The commands that it got, without the content of emails. */
  commands: string[];
  /** Replaces what it answers from now on. */
  answers: Answers;
  close(): Promise<void>;
}

/** Starts an SMTP server on 127.0.0.1 that answers as a test says, and takes what it does not. */
export async function startRawSmtp(answers: Answers = {}): Promise<RawSmtp> {
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let isContent = false;
    let rest = '';
    const answer = (word: string, command = ''): void => {
      const found = raw.answers[word] ?? POLITE[word] ?? '250 2.0.0 OK';
      const text = typeof found === 'function' ? found(command) : found;
      if (text === CUT) socket.destroy();
      else if (typeof text === 'string') socket.write(`${text}\r\n`);
      isContent = word === 'DATA' && typeof text === 'string' && text.startsWith('354');
    };
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('utf8')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (isContent && line !== '.') continue;
        if (!isContent) commands.push(line);
        answer(isContent ? '.' : (line.split(/[ :]/)[0] ?? '').toUpperCase(), line);
      }
    });
    answer('CONNECT');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const raw: RawSmtp = {
    port: (server.address() as AddressInfo).port,
    commands,
    answers,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return raw;
}
