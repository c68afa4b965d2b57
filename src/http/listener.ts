import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { NamedError } from '../platform/core/errors.ts';
import { openAcceptHandles } from './accept-handles.ts';
import { createClientErrorListener, SENDING_LIMITS, type SendingLimits } from './sending-limits.ts';

/** Longer than the idle timeout of common proxies (60 s), so that the proxy closes first. */
const KEEP_ALIVE_MS = 65_000;

/** A connection is closed when it has unsent output and its client reads nothing for this time. */
const STALLED_AFTER_MS = 60_000;

/** The requests of a connection that may wait; more end the connection. Browsers send none. */
const MAX_WAITING_REQUESTS = 100;

/** After this time of a stop, connections without a whole request end, and all after the second. */
const DRAIN_MS = 1_000;
const FORCE_MS = 8_000;
const EMPTY_QUEUE_WITHIN_MS = 2_000;
/** A worker accepts for this time of a stop, so that it is not the first process that ends last. */
const RELEASE_MS = 500;

export interface Listener {
  url: string;
  /** The number of open connections. */
  connections(): number;
  /** Ends `count` connections, each with its next answer. Replaces the count of an earlier call. */
  endConnections(count: number): void;
  /** Stops accepting connections, answers all received requests, and resolves within 8 seconds. */
  close(): Promise<void>;
}

class ListenError extends NamedError {
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
 * @param options.acceptHandles the connections accepted in one turn of the event loop
 * @param options.isWorker whether a first process also has the socket (decision 40)
 * @throws {ListenError}
 */
export async function listen(
  http: Express,
  port: number,
  host: string,
  options: {
    stalledAfterMs?: number;
    acceptHandles?: number;
    isWorker?: boolean;
    sending?: Partial<SendingLimits> | undefined;
  } = {},
): Promise<Listener> {
  const { stalledAfterMs = STALLED_AFTER_MS, acceptHandles = 1, isWorker = false } = options;
  const sending = { ...SENDING_LIMITS, ...options.sending };
  const server = createServer({
    ...presetPrototypes(http),
    headersTimeout: sending.requestMs,
    requestTimeout: sending.requestMs,
    // Read only when the server is created. By default timeouts are detected up to 30 s late.
    connectionsCheckingInterval: sending.checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  let closing = false;
  let toEnd = 0;
  const turns = createTurns(http);
  let mayEnd = false;
  /** Lets answers end their connections. Not from the start: each answer would be a bit slower. */
  function letEnd(): void {
    if (mayEnd) return;
    mayEnd = true;
    beforeHead(http, (res) => {
      // The client may not send again what it has sent already.
      if ((!closing && toEnd === 0) || turns.hasWaiting(res.req.socket)) return;
      toEnd = Math.max(0, toEnd - 1);
      res.setHeader('Connection', 'close');
    });
  }
  server.on('request', turns.handle);
  server.on('clientError', createClientErrorListener(turns.answerOn, sending));
  const connections = trackConnections(server);
  endStalledConnections(server, stalledAfterMs);

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(port, host, error)));
    server.listen(port, host, resolve);
  });
  const copies = await openAcceptHandles(server, acceptHandles - 1);

  /** Resolves when the socket and all connections are closed. */
  async function stopAccepting(): Promise<void> {
    const ended: Promise<void>[] = [];
    if (isWorker && copies.length > 0) {
      // When all workers have closed it, the first process closes it too.
      ended.push(endServer(server));
      await sleep(RELEASE_MS);
    }
    await untilQueueIsEmpty(server);
    for (const accepting of [...(ended.length === 0 ? [server] : []), ...copies]) ended.push(endServer(accepting));
    await Promise.all(ended);
  }

  return {
    url: listenerUrl(server, host),
    connections: () => connections.size,
    endConnections(count) {
      if (count > 0) letEnd();
      toEnd = count;
    },
    async close() {
      closing = true;
      letEnd();
      // Of connections that become idle from now on, such as those of an export in progress.
      server.keepAliveTimeout = DRAIN_MS;
      const drained = sleep(DRAIN_MS, undefined, { ref: false });
      const forced = sleep(FORCE_MS, undefined, { ref: false });
      const closed = stopAccepting();
      // Each response now ends its connection. Closing idle ones at once would drop requests.
      await Promise.race([closed, drained]);
      server.closeIdleConnections();
      // Incomplete requests get 408 with the next check.
      server.headersTimeout = DRAIN_MS;
      server.requestTimeout = DRAIN_MS;
      await Promise.race([closed, forced]);
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/**
 * Resolves when a turn of the event loop accepted no connection, after at most
 * `EMPTY_QUEUE_WITHIN_MS`. When the socket is closed, the kernel resets those not accepted.
 */
async function untilQueueIsEmpty(server: Server): Promise<void> {
  const until = performance.now() + EMPTY_QUEUE_WITHIN_MS;
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  // A whole turn begins after the one in progress.
  await nextTurn();
  for (let before = -1; before !== accepted && performance.now() < until; ) {
    before = accepted;
    await nextTurn();
  }
}

/** Calls `listener` before the head of each response is written. */
function beforeHead(http: Express, listener: (res: ServerResponse) => void): void {
  const { writeHead } = http.response;
  http.response.writeHead = function (this: ServerResponse, ...args: Parameters<typeof writeHead>) {
    if (!this.headersSent) listener(this);
    return writeHead.apply(this, args);
  } as typeof writeHead;
}

type Answer = ServerResponse<IncomingMessage> & { req: IncomingMessage };

/**
 * Handles the requests of a connection one after the other. Node accepts all requests that a client
 * sends at once, and keeps their answers in memory until the client reads them.
 */
function createTurns(handle: RequestListener) {
  const waiting = new WeakMap<Socket, number>();
  const answers = new WeakMap<Socket, Answer>();
  const countOf = (socket: Socket): number => waiting.get(socket) ?? 0;
  return {
    hasWaiting: (socket: Socket): boolean => countOf(socket) > 0,

    /** The last answer that has the connection. */
    answerOn: (socket: Socket): Answer | undefined => answers.get(socket),

    handle(req: IncomingMessage, res: Answer): void {
      const { socket } = req;
      // The answer has the socket unless it has to wait for another one.
      if (res.socket) {
        answers.set(socket, res);
        return void handle(req, res);
      }
      const count = countOf(socket) + 1;
      if (count > MAX_WAITING_REQUESTS) return void socket.destroy();
      waiting.set(socket, count);
      res.once('socket', () => {
        waiting.set(socket, countOf(socket) - 1);
        // Later, because Node has not finished handing over the socket. Other requests go first.
        setImmediate(() => {
          if (socket.destroyed) return;
          answers.set(socket, res);
          handle(req, res);
        });
      });
    },
  };
}

/** The method of `net.Server`: that of `http.Server` also closes idle keep-alive connections. */
function endServer(server: NetServer): Promise<void> {
  return new Promise((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
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
 * Closes connections whose client reads nothing: nothing was received or sent for a while, not even
 * a part of a write. A connection without unsent output waits for its handler, so it stays open.
 */
function endStalledConnections(server: Server, stalledAfterMs: number): void {
  server.setTimeout(stalledAfterMs, (socket) => {
    // Between two requests the socket has the keep-alive timeout.
    const isIdle = socket.timeout !== stalledAfterMs;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
}

function listenerUrl(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

type Constructors = { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse };

/**
 * Options for `http.createServer` that create requests and responses with Express's prototypes.
 * Express sets them on each request, and a change of prototype makes every later access slower.
 */
export function presetPrototypes(http: Express): Constructors {
  return {
    IncomingMessage: withPrototype(IncomingMessage, http.request),
    ServerResponse: withPrototype(ServerResponse, http.response),
  };
}

/** A `class` cannot call Node's constructor functions on an object with another prototype. */
function withPrototype<Constructor extends typeof IncomingMessage | typeof ServerResponse>(
  base: Constructor,
  prototype: object,
): Constructor {
  function Preset(this: object, ...args: unknown[]): void {
    (base as unknown as (...args: unknown[]) => void).apply(this, args);
  }
  Preset.prototype = prototype;
  // Like a class that extends `base`: V8 reserves space for the properties of all constructors on
  // this chain. Without it each response becomes a slow dictionary-mode object.
  Object.setPrototypeOf(Preset, base);
  return Preset as unknown as Constructor;
}
