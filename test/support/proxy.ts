import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a TCP server that a test can make fail. */
export interface TcpProxy {
  port: number;
  /** Ends all connections and refuses new ones, as when the server's process is gone. */
  cut(): void;
  /** Keeps connections open and passes nothing on, as when the server's machine hangs. */
  stall(): void;
  /**
   * Passes the next `times` writes on to MongoDB and withholds their answers: as when the network fails between commit and answer. Their connections are
   * cut, or stay open in silence for good; all others go on. The first `after` writes are answered.
   */
  withholdAnswers(how: 'cut' | 'silent', times: number, after?: number): void;
  /** Passes everything on again, but for connections that are silent for good. */
  restore(): void;
  close(): Promise<void>;
}

/** How a command that writes begins in MongoDB's wire protocol: a text element of that name. */
const WRITES = ['\x02insert\0', '\x02update\0', '\x02findAndModify\0'];

/** Starts a proxy in front of `target`, a URL with host and port. */
export async function startProxy(target: URL): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const pairs = new Set<[Socket, Socket]>();
  const withheld = new Set<Socket>();
  let withhold = { how: 'cut' as 'cut' | 'silent', times: 0, after: 0 };

  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.on('data', (chunk) => {
      if (withhold.times > 0 && WRITES.some((name) => chunk.includes(name))) {
        if (withhold.after > 0) withhold.after -= 1;
        else {
          withhold.times -= 1;
          withheld.add(near);
        }
      }
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (!withheld.has(near)) near.write(chunk);
      else if (withhold.how === 'cut') near.destroy();
    });
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
        withheld.delete(near);
      });
      if (state === 'stalled') from.pause();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  const each = (act: (socket: Socket) => void): void => {
    for (const pair of pairs) for (const socket of pair) act(socket);
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      each((socket) => socket.destroy());
    },
    stall() {
      state = 'stalled';
      each((socket) => socket.pause());
    },
    withholdAnswers(how, times, after = 0) {
      withhold = { how, times, after };
    },
    restore() {
      state = 'open';
      withhold.times = 0;
      each((socket) => socket.resume());
    },
    async close() {
      each((socket) => socket.destroy());
      await new Promise((done) => server.close(done));
    },
  };
}
