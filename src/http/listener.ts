import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { presetPrototypes } from './preset-prototypes.ts';

/** A client has this long to send a request's headers, and as long for the whole request. With the time until that is noticed it is dropped within 15 s. */
const REQUEST_TIMEOUT_MS = 13_000;
const CHECK_EVERY_MS = 2_000;
/** Longer than the idle time of common proxies (60 s), so that the proxy closes first and never sends into a closed connection. */
const KEEP_ALIVE_MS = 65_000;

/** A connection that has unsent output, and whose client reads nothing of it for this long, is ended. */
const STALLED_AFTER_MS = 60_000;

/** How long a stop lets clients find out that their connections end, before it ends idle ones itself, and then all. */
const DRAIN_MS = 1_000;
const FORCE_AFTER_MS = 7_000;

export interface Listener {
  url: string;
  /** Stops taking connections, answers all that was received, and resolves. Takes at most 8 seconds. */
  close(): Promise<void>;
}

/** The port cannot be listened on; the message says why and what to set. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  constructor(port: number, host: string, { code = 'unknown error' }: NodeJS.ErrnoException) {
    const advice: Record<string, string> = {
      EADDRINUSE: `Port ${port} is in use by another program. Set PORT to a free port.`,
      EACCES: `This user may not listen on port ${port}. Set PORT to one from 1024.`,
    };
    super(advice[code] ?? `Cannot listen on ${host}, port ${port} (${code}). Set HOST to an address of this machine.`);
  }
}

/**
 * Serves `app` on `host` and `port` (0: any free one).
 *
 * @param stalledAfterMs how long a client may read nothing of an answer
 * @throws {ListenError}
 */
export async function listen(
  app: Express,
  port: number,
  host: string,
  stalledAfterMs = STALLED_AFTER_MS,
): Promise<Listener> {
  const server = createServer({
    ...presetPrototypes(app),
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Only read when a server is created; by default timeouts are noticed up to 30 s late.
    connectionsCheckingInterval: CHECK_EVERY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  let closing = false;
  server.on('request', (_req, res) => {
    if (closing) res.setHeader('Connection', 'close');
  });
  server.on('request', app);
  const connections = trackConnections(server);
  endStalledConnections(server, stalledAfterMs);

  await new Promise<void>((done, fail) => {
    server.once('error', (error) => fail(new ListenError(port, host, error)));
    server.listen(port, host, done);
  });

  return {
    url: urlOf(server, host),
    async close() {
      closing = true;
      const closed = new Promise<void>((done) => stopAccepting(server, done));
      // Each answer now says that its connection ends. Closing idle ones at once would cut off requests that are on their way on them.
      await Promise.race([closed, sleep(DRAIN_MS)]);
      server.closeIdleConnections();
      await Promise.race([closed, sleep(FORCE_AFTER_MS)]);
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** `http.Server.close` would also close idle keep-alive connections; the one of `net` only stops accepting. */
function stopAccepting(server: Server, done: () => void): void {
  Object.getPrototypeOf(Object.getPrototypeOf(server)).close.call(server, () => done());
}

function trackConnections(server: Server): Set<Socket> {
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

/**
 * Node tells of a connection on which nothing was received or sent for a while; a part of a write that the client took
 * counts as sent. A connection without unsent output waits for a handler and not for the client, so it stays.
 */
function endStalledConnections(server: Server, stalledAfterMs: number): void {
  server.setTimeout(stalledAfterMs, (socket) => {
    // Between two requests the socket has the keep-alive time instead.
    const isIdle = socket.timeout !== stalledAfterMs;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
