import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that a receiver got. */
export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  /** Empty for a body that is not JSON. */
  body: {
    type: string;
    timestamp: string;
    data: { id: string; sourceAppId: string; email?: string; data?: object; revision: number; changed?: string[] };
  };
  at: number;
}

/** What a receiver answers to its n-th request, beginning with 0. */
export type Answer = (
  received: Received,
  index: number,
) =>
  | { status?: number; headers?: Record<string, string>; body?: string; delayMs?: number; after?: Promise<unknown> }
  | undefined;

/** A webhook receiver on this machine. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answer = () => undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(answer?: Answer): Promise<Receiver> {
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', async () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = req.headers['content-type'] === 'application/json';
        const received = { headers: req.headers, text, body: isJson ? JSON.parse(text) : {}, at: performance.now() };
        const reply = receiver.answer(received, receiver.received.push(received) - 1) ?? {};
        if (reply.delayMs) await sleep(reply.delayMs);
        await reply.after;
        res.writeHead(reply.status ?? 200, reply.headers).end(reply.body ?? 'ok');
      });
    });
    const receiver = new Receiver(server);
    if (answer) receiver.answer = answer;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Resolves when `count` requests have arrived. */
  async until(count: number): Promise<Received[]> {
    while (this.received.length < count) await sleep(5);
    return this.received;
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }
}
