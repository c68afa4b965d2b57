import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a TCP server that a test can make fail. */
export interface TcpProxy {
  port: number;
  /** Ends all connections and refuses new ones, as when the server's process is gone. */
  cut(): void;
  /** Keeps connections open and passes nothing on, as when the server's machine hangs. */
  stall(): void;
  /** Passes everything on again. */
  restore(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of `target`, a URL with host and port. */
export async function startProxy(target: URL): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const pairs = new Set<[Socket, Socket]>();

  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
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
    restore() {
      state = 'open';
      each((socket) => socket.resume());
    },
    async close() {
      each((socket) => socket.destroy());
      await new Promise((done) => server.close(done));
    },
  };
}
