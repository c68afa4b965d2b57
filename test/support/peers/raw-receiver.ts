import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

/** A TCP server that answers each connection with bytes that no HTTP server would send. */
export class RawReceiver {
  /** What each connection sent, as Latin-1. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * @param answer is called when the first bytes of a connection have arrived
   * @param host the address to listen on
   */
  static async start(answer: (socket: Socket) => void, host = '127.0.0.1'): Promise<RawReceiver> {
    const server = createServer((socket) => {
      receiver.#sockets.add(socket);
      const index = receiver.requests.push('') - 1;
      socket.on('error', () => undefined);
      socket.on('close', () => receiver.#sockets.delete(socket));
      socket.once('data', () => answer(socket));
      socket.on('data', (chunk) => {
        receiver.requests[index] += chunk.toString('latin1');
      });
    });
    const receiver = new RawReceiver(server);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** The connections that are open. */
  get open(): number {
    return this.#sockets.size;
  }

  close(): Promise<unknown> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(resolve));
  }
}
