import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What a file contains that the scanner finds. */
export const MALWARE = Buffer.from('malware of the tests');

/** What a file contains that the scanner cannot scan. */
export const UNSCANNABLE = Buffer.from('no scanner of the tests can scan this');

const COMMAND = Buffer.from('zINSTREAM\0');

/** A program that speaks the protocol of clamd (INSTREAM). */
export interface Clamd {
  /** The value of `CLAMD`. */
  address: string;
  /** The sizes of the files that it has read wholly, in their order. */
  scanned: number[];
  /**
   * What it answers instead of what it finds; `null`: nothing; undefined: what it finds; a function
   * answers by hand, before the file is read.
   */
  answer: string | null | undefined | ((socket: Socket) => void);
  /** The connections so far. */
  asked: number;
  /** Ends its connections and refuses new ones, or takes them again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startClamd(): Promise<Clamd> {
  const sockets = new Set<Socket>();
  let port = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    clamd.asked += 1;
    const { answer } = clamd;
    if (typeof answer === 'function') return answer(socket);
    let bytes = Buffer.alloc(0);
    socket.on('data', (piece) => {
      bytes = Buffer.concat([bytes, piece]);
      const file = fileIn(bytes);
      if (!file) return;
      clamd.scanned.push(file.length);
      const said = file.includes(UNSCANNABLE) ? "stream: Can't allocate memory ERROR" : 'stream: OK';
      const found = file.includes(MALWARE) ? 'stream: Test.Malware FOUND' : said;
      if (clamd.answer !== null) socket.end(`${clamd.answer ?? found}\0`);
    });
  });
  const clamd: Clamd = {
    address: '',
    scanned: [],
    answer: undefined,
    asked: 0,
    async start() {
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      ({ port } = server.address() as AddressInfo);
      clamd.address = `127.0.0.1:${port}`;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  await clamd.start();
  return clamd;
}

/** The file of a request that is complete. Throws when it is none of the protocol. */
function fileIn(bytes: Buffer): Buffer | undefined {
  if (bytes.length < COMMAND.length) return undefined;
  if (!bytes.subarray(0, COMMAND.length).equals(COMMAND)) throw new Error('no INSTREAM');
  const pieces: Buffer[] = [];
  for (let at = COMMAND.length; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return undefined;
}
