import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';

/**
 * Time limit for the headers of a request, and for the whole request. With the check interval, a
 * client is disconnected within 15 s.
 */
const REQUEST_TIMEOUT_MS = 13_000;
const CHECK_EVERY_MS = 2_000;
/**
 * Longer than the idle timeout of common proxies (60 s), so that the proxy closes first and never
 * sends to a closed connection.
 */
const KEEP_ALIVE_MS = 65_000;

/** A connection is closed when it has unsent output and its client reads nothing for this time. */
const STALLED_AFTER_MS = 60_000;

/**
 * The requests of a connection that may wait for the answers before them; beyond it the connection
 * ends. Browsers and proxies send none.
 */
const MAX_WAITING_REQUESTS = 100;

/** During a stop, idle connections are closed after the first time, all others after the second. */
const DRAIN_MS = 1_000;
const FORCE_AFTER_MS = 7_000;

export interface Listener {
  url: string;
  /** Stops accepting connections, answers all received requests, and resolves within 8 seconds. */
  close(): Promise<void>;
}

/** Listening failed. The message states the reason and what to set. */
class ListenError extends Error {
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
 * Serves an Express application on `host` and `port` (0: any free port).
 *
 * @param stalledAfterMs how long a client may read nothing of a response
 * @throws {ListenError}
 */
export async function listen(
  http: Express,
  port: number,
  host: string,
  stalledAfterMs = STALLED_AFTER_MS,
): Promise<Listener> {
  const server = createServer({
    ...presetPrototypes(http),
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Read only when the server is created. By default timeouts are detected up to 30 s late.
    connectionsCheckingInterval: CHECK_EVERY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  let closing = false;
  server.on('request', (_req, res) => {
    if (closing) res.setHeader('Connection', 'close');
  });
  server.on('request', inTurn(http));
  const connections = trackConnections(server);
  endStalledConnections(server, stalledAfterMs);

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(port, host, error)));
    server.listen(port, host, resolve);
  });

  return {
    url: urlOf(server, host),
    async close() {
      closing = true;
      const closed = new Promise<void>((resolve) => stopAccepting(server, resolve));
      // From here on each response ends its connection. Closing idle connections at once would drop
      // requests in flight.
      await Promise.race([closed, sleep(DRAIN_MS)]);
      server.closeIdleConnections();
      await Promise.race([closed, sleep(FORCE_AFTER_MS)]);
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/**
 * Handles the requests of a connection one after the other. Node hands over all requests that a
 * client sends at once, and keeps their answers in memory until the client reads them.
 */
function inTurn(handle: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (req, res) => {
    // The answer has the socket unless it has to wait for another one.
    if (res.socket) return void handle(req, res);
    const { socket } = req;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > MAX_WAITING_REQUESTS) return void socket.destroy();
    waiting.set(socket, count);
    res.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      // Later, because Node has not finished handing over the socket. Other requests go first.
      setImmediate(() => {
        if (!socket.destroyed) handle(req, res);
      });
    });
  };
}

/**
 * `http.Server.close` also closes idle keep-alive connections; the method of `net.Server` only
 * stops accepting.
 */
function stopAccepting(server: Server, onClosed: () => void): void {
  Object.getPrototypeOf(Object.getPrototypeOf(server)).close.call(server, () => onClosed());
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
 * Closes connections whose client reads nothing. Node reports a connection on which nothing was
 * received or sent for a while; partial writes count as sent. A connection without unsent output
 * waits for its handler, so it stays open.
 */
function endStalledConnections(server: Server, stalledAfterMs: number): void {
  server.setTimeout(stalledAfterMs, (socket) => {
    // Between two requests the socket has the keep-alive timeout.
    const isIdle = socket.timeout !== stalledAfterMs;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

type Constructors = { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse };

/**
 * Options for `http.createServer` that create requests and responses with Express's prototypes.
 * Express sets these prototypes on each request. Changing a prototype makes every later access to
 * the object slower, most of all on Node 20 (decision 36); setting the same one costs
 * nothing.
 */
export function presetPrototypes(http: Express): Constructors {
  return {
    IncomingMessage: withPrototype(IncomingMessage, http.request),
    ServerResponse: withPrototype(ServerResponse, http.response),
  };
}

/**
 * Node's two classes are constructor functions, which a `class` cannot call on an object with
 * another prototype.
 */
function withPrototype<Constructor extends typeof IncomingMessage | typeof ServerResponse>(
  base: Constructor,
  prototype: object,
): Constructor {
  function Preset(this: object, ...args: unknown[]): void {
    (base as unknown as (...args: unknown[]) => void).apply(this, args);
  }
  Preset.prototype = prototype;
  // Like a class that extends `base`: V8 reserves space for the properties of all constructors on
  // this chain. Without it each response becomes a dictionary-mode object, which is slow to read
  // and expensive to collect (decision 36).
  Object.setPrototypeOf(Preset, base);
  return Preset as unknown as Constructor;
}
