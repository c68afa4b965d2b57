import { connect, type Socket } from 'node:net';

/** What came back on a connection, as text of one byte a character. */
export interface RawAnswer {
  /** The status of the first answer; 0 when the connection ended without one. */
  status: number;
  /** How many answers came. */
  answers: number;
  text: string;
}

/** Opens a connection to a server, for bytes that no HTTP client would send. */
export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // A server that drops the connection may do it with a reset; what counts is what it said before.
  socket.on('error', () => undefined);
  return socket;
}

/** Sends bytes as they are and resolves with all that comes until the server ends the connection. */
export function send(url: string, ...pieces: (string | Buffer)[]): Promise<RawAnswer> {
  const socket = open(url);
  for (const piece of pieces) socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  return ended(socket);
}

/** All that comes on a connection until the server ends it. */
export function ended(socket: Socket): Promise<RawAnswer> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  return new Promise((done) => {
    socket.once('close', () => {
      const lines = text.match(/^HTTP\/1\.1 \d{3}/gm) ?? [];
      done({ status: Number(lines[0]?.slice(9) ?? 0), answers: lines.length, text });
    });
  });
}

/** A request of its own on a connection, with what HTTP wants. */
export function request(method: string, path: string, headers: string[] = [], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body);
  const length = bytes.length > 0 ? [`Content-Length: ${bytes.length}`] : [];
  const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, ...length, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes]);
}
