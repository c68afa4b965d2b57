import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { randomName } from '../database/databases.ts';

/** What the proxy does with a request. All but `lost` and the statuses forward it first. */
export type Fault = 'pass' | 'lost' | 'dropped' | 'cut short' | 'no JSON' | 'silent' | 429 | 502 | 503 | 504;

/** What reaches the proxy under one address, and what happens to it. */
interface Route {
  url: string;
  /** Of the next requests, in their order; then they pass. */
  faults: Fault[];
  retryAfter?: string;
  /** The keys of the requests. */
  keys: unknown[];
}

export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>;

/** Starts an HTTP proxy that loses requests and answers, or gives answers of its own. */
export async function startFaultyProxy(target: string) {
  const routes = new Map<string, Route>();

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [, name = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(req.url ?? '') ?? [];
    const route = routes.get(name);
    const fault = route?.faults.shift() ?? 'pass';
    route?.keys.push(req.headers['idempotency-key']);
    const body = await buffer(req);
    if (fault === 'lost') return void req.socket.destroy();
    if (typeof fault === 'number') {
      const headers = route?.retryAfter === undefined ? {} : { 'retry-after': route.retryAfter };
      return void res.writeHead(fault, headers).end('<html>');
    }
    const { host: _, connection: __, ...headers } = req.headers;
    const forwarded = await fetch(target + path, {
      method: req.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(req.method === 'POST' && { body }),
    });
    const text = await forwarded.text();
    if (fault === 'silent') return;
    if (fault === 'dropped') return void req.socket.destroy();
    if (fault === 'no JSON') return void res.writeHead(200).end('<html>');
    res.writeHead(forwarded.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    if (fault === 'cut short') res.write(text.slice(0, 5), () => req.socket.destroy());
    else res.end(text);
  }

  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    /** Adds an address with these faults. */
    route(faults: Fault[] = [], retryAfter?: string): Route {
      const name = randomName();
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`;
      const added: Route = { url, faults, keys: [], ...(retryAfter !== undefined && { retryAfter }) };
      routes.set(name, added);
      return added;
    },

    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
