import { Agent, createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As in deploy/replica-set/Caddyfile, shorter. */
const CHECK_EVERY_MS = 250;
const CHECK_TIMEOUT_MS = 2_000;
const TRY_FOR_MS = 5_000;
const TRY_EVERY_MS = 100;
/** Errors of a connection that was never established: the request was not sent. */
const NOT_SENT = new Set(['ECONNREFUSED']);

interface Upstream {
  url: string;
  isReady: boolean;
}

/** A load balancer in front of several servers. */
export interface Balancer {
  url: string;
  close(): Promise<void>;
}

/**
 * Starts a load balancer that behaves as deploy/replica-set/Caddyfile says: servers in turn, those
 * whose `/ready` is not 200 left out; a request that no server received goes to another one; one
 * that was sent is not repeated: its client sees a broken connection.
 */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const upstreams: Upstream[] = urls.map((url) => ({ url, isReady: true }));
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  const check = setInterval(() => {
    for (const upstream of upstreams) {
      const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
      const checked = get(`${upstream.url}/ready`, { agent: false, signal }, (response) => {
        upstream.isReady = response.statusCode === 200;
        response.resume();
      });
      checked.once('error', () => {
        upstream.isReady = false;
      });
    }
  }, CHECK_EVERY_MS);

  function next(): Upstream | undefined {
    turn += 1;
    const ready = upstreams.filter(({ isReady }) => isReady);
    return ready[turn % ready.length];
  }

  function forward(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, until: number): void {
    const again = (): void => {
      if (performance.now() > until) outgoing.writeHead(503).end();
      else if (!outgoing.destroyed) setTimeout(() => forward(incoming, body, outgoing, until), TRY_EVERY_MS);
    };
    const upstream = next();
    if (!upstream) {
      again();
      return;
    }
    const { method, headers, url } = incoming;
    const sent = request(upstream.url + url, { method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
      response.once('error', () => outgoing.destroy());
    });
    sent.once('error', (error: NodeJS.ErrnoException) => {
      if (NOT_SENT.has(error.code ?? '')) {
        upstream.isReady = false;
        again();
      } else outgoing.destroy();
    });
    outgoing.once('close', () => sent.destroy());
    sent.end(body);
  }

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.once('error', () => outgoing.destroy());
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => forward(incoming, Buffer.concat(chunks), outgoing, performance.now() + TRY_FOR_MS));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      clearInterval(check);
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
