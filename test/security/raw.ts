import { connect, type Socket } from 'node:net';

/** The bytes received on a connection, decoded as Latin-1. */
interface RawAnswer {
  /** The status of the first response; 0 if the connection was closed without a response. */
  status: number;
  /** The number of responses. */
  answers: number;
  text: string;
}

/** Opens a TCP connection to a server, to send bytes that no HTTP client would send. */
export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The server may reset the connection. The tests check the bytes received before the reset.
  socket.on('error', () => undefined);
  return socket;
}

/** Sends raw bytes and resolves with all bytes received until the connection is closed. */
export function send(url: string, ...pieces: (string | Buffer)[]): Promise<RawAnswer> {
  const socket = open(url);
  for (const piece of pieces) socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  return ended(socket);
}

/** Resolves with all bytes received until the connection is closed. */
export function ended(socket: Socket): Promise<RawAnswer> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  return new Promise((resolve) => {
    socket.once('close', () => {
      const lines = text.match(/^HTTP\/1\.1 \d{3}/gm) ?? [];
      resolve({ status: Number(lines[0]?.slice(9) ?? 0), answers: lines.length, text });
    });
  });
}

/** Builds a valid HTTP/1.1 request that closes its connection. */
export function request(method: string, path: string, headers: string[] = [], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body);
  const length = bytes.length > 0 ? [`Content-Length: ${bytes.length}`] : [];
  const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, ...length, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes]);
}
