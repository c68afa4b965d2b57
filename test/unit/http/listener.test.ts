// @module-tag long

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import express, { type RequestHandler, type Response } from 'express';
import { afterAll, describe, expect, it } from 'vitest';
import { type Listener, listen } from '../../../src/http/listener.ts';

const open: Listener[] = [];
// Not after each test: some run at the same time.
afterAll(() => Promise.all(open.map((listener) => listener.close())));

async function serve(handler: RequestHandler, host = '127.0.0.1', port = 0): Promise<Listener> {
  const listener = await listen(express().use(handler), port, host);
  open.push(listener);
  return listener;
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** Sends bytes to a listener; resolves with the response that its handler got. */
async function serveHeld(bytes = GET) {
  const held: ((res: Response) => void)[] = [];
  const handler: { run: RequestHandler } = { run: (_req, res) => held.shift()?.(res) };
  const listener = await serve((req, res, next) => handler.run(req, res, next));

  async function request(text: string): Promise<{ socket: Socket; res: Response }> {
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const received = new Promise<Response>((resolve) => void held.push(resolve));
    socket.write(text);
    return { socket, res: await received };
  }
  return { ...(await request(bytes)), another: () => request(GET), listener, handler };
}

async function send(url: string, agent?: Agent): Promise<{ response: IncomingMessage; body: string }> {
  const [response] = (await once(get(url, { agent: agent ?? false }), 'response')) as [IncomingMessage];
  return { response, body: await readAll(response) };
}

describe('the listener', () => {
  it('reports the URL it listens on', async () => {
    const { url } = await serve((_req, res) => void res.end('hello'));
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await send(url)).body).toBe('hello');
  });

  it('reports localhost when it listens on all addresses', async () => {
    expect((await serve(() => undefined, '0.0.0.0')).url).toMatch(/^http:\/\/localhost:\d+$/);
  });

  it('fails when the port is taken', async () => {
    const { url } = await serve(() => undefined);
    await expect(serve(() => undefined, '127.0.0.1', Number(new URL(url).port))).rejects.toThrow('in use');
  });
});

describe('a burst of connections', () => {
  const CONNECTIONS = 120;

  /** Answers a burst with long turns of the event loop, and resolves with the number of turns. */
  async function turnsFor(acceptHandles: number): Promise<number> {
    const hello = express().use((_req, res) => void res.end('hello'));
    const listener = await listen(hello, 0, '127.0.0.1', { acceptHandles });
    open.push(listener);
    const burst = new Worker(BURST, { eval: true, workerData: { url: listener.url, count: CONNECTIONS } });
    let turns = 0;
    let done = false;
    const answered = once(burst, 'message').then(() => {
      done = true;
    });
    while (!done) {
      const until = performance.now() + 5;
      while (performance.now() < until);
      turns += 1;
      await setImmediate();
    }
    await answered;
    await burst.terminate();
    return turns;
  }

  /** Clients in another thread, whose turns do not wait. */
  const BURST = `
    const { get } = require('node:http');
    const { parentPort, workerData: { url, count } } = require('node:worker_threads');
    const answer = () => new Promise((resolve) => get(url, { agent: false }, (res) => res.resume().once('end', resolve)));
    Promise.all(Array.from({ length: count }, answer)).then(() => parentPort.postMessage('answered'));
  `;

  it('is accepted in fewer turns of the event loop than it has connections', async () => {
    expect(await turnsFor(1)).toBeGreaterThanOrEqual(CONNECTIONS);
    expect(await turnsFor(16)).toBeLessThan(CONNECTIONS);
  });

  /** Connects to a port until it is told to end, and tells how each connection ended. */
  const ARRIVALS = `
    const { get } = require('node:http');
    const { parentPort, workerData: { port } } = require('node:worker_threads');
    const ends = {};
    let isOpen = true;
    parentPort.once('message', () => { isOpen = false; });
    const request = () => new Promise((resolve) => {
      const end = (name) => { ends[name] = (ends[name] ?? 0) + 1; resolve(); };
      get({ port, host: '127.0.0.1', agent: false }, (res) => res.resume().once('end', () => end('answered')))
        .once('error', ({ code }) => end(code));
    });
    const client = async () => { while (isOpen) await request(); };
    Promise.all(Array.from({ length: 8 }, client)).then(() => parentPort.postMessage(ends));
  `;

  it('is answered, also while the listener starts', async () => {
    const first = await serve(() => undefined);
    const port = Number(new URL(first.url).port);
    await first.close();
    const arrivals = new Worker(ARRIVALS, { eval: true, workerData: { port } });
    await once(arrivals, 'online');
    const hello = express().use((_req, res) => void res.end('hello'));
    open.push(await listen(hello, port, '127.0.0.1', { acceptHandles: 16 }));
    arrivals.postMessage('end');
    const [ends] = await once(arrivals, 'message');
    await arrivals.terminate();
    expect(ends.answered).toBeGreaterThan(0);
    expect(Object.keys(ends).filter((end) => end !== 'answered' && end !== 'ECONNREFUSED')).toEqual([]);
  });

  it('ends with the listener, which then frees its port', async () => {
    const hello = express().use((_req, res) => void res.end('hello'));
    const listener = await listen(hello, 0, '127.0.0.1', { acceptHandles: 16 });
    await Promise.all(Array.from({ length: 40 }, () => send(listener.url)));
    await listener.close();
    await expect(send(listener.url)).rejects.toThrow('ECONNREFUSED');
    await serve(() => undefined, '127.0.0.1', Number(new URL(listener.url).port));
  });
});

it('ends as many connections as it is told, each with an answer', async () => {
  const listener = await serve((_req, res) => void res.end('hello'));
  const agents = Array.from({ length: 5 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const connections = () =>
    Promise.all(agents.map(async (agent) => (await send(listener.url, agent)).response.headers.connection));
  expect(await connections()).toEqual(Array(5).fill('keep-alive'));
  expect(listener.connections()).toBe(5);
  listener.endConnections(2);
  expect((await connections()).sort()).toEqual(['close', 'close', 'keep-alive', 'keep-alive', 'keep-alive']);
  await expect.poll(() => listener.connections()).toBe(3);
  expect(await connections()).toEqual(Array(5).fill('keep-alive'));
  for (const agent of agents) agent.destroy();
});

describe('closing the listener', () => {
  it('answers a received request before it resolves', async () => {
    let onRequest: (res: Response) => void = () => undefined;
    const received = new Promise<Response>((resolve) => {
      onRequest = resolve;
    });
    const listener = await serve((_req, res) => onRequest(res));
    const answer = send(listener.url);
    const res = await received;
    const closed = listener.close();
    res.end('whole');
    expect((await answer).body).toBe('whole');
    await closed;
  });

  it('answers a request on an idle keep-alive connection, and then closes the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const listener = await serve((_req, res) => void res.end('hello'));
    await send(listener.url, agent);
    const closed = listener.close();
    const { response, body } = await send(listener.url, agent);
    expect(body).toBe('hello');
    expect(response.headers.connection).toBe('close');
    await closed;
    agent.destroy();
  });

  it('refuses new connections', async () => {
    const { socket, res, listener, handler } = await serveHeld();
    handler.run = (_req, other) => void other.end();
    const closed = listener.close();
    await expect.poll(() => send(listener.url).catch(({ code }) => code)).toBe('ECONNREFUSED');
    socket.resume();
    res.end('whole');
    await closed;
  });

  it('answers requests on connections that it had not accepted yet', async () => {
    const CONNECTIONS = 40;
    const hello = express().use((_req, res) => void res.end('hello'));
    const listener = await listen(hello, 0, '127.0.0.1', { acceptHandles: 2 });
    open.push(listener);
    const connected = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { url: listener.url, count: CONNECTIONS, connected };
    const clients = new Worker(CLIENTS, { eval: true, workerData });
    const answers = once(clients, 'message');
    await once(clients, 'online');
    // The kernel connects clients while this thread accepts none.
    while (Atomics.load(connected, 0) < CONNECTIONS);
    const closed = listener.close();
    const [results] = (await answers) as [string[]];
    await closed;
    expect(results).toEqual(Array(CONNECTIONS).fill('200 close'));
    await clients.terminate();
  });

  it('ends the connection of a request whose body was incomplete with its answer', async () => {
    const { socket, listener, res } = await serveHeld('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
    const closed = listener.close();
    socket.write('67890');
    res.req.resume().once('end', () => res.end('whole'));
    const answer = await readAll(socket);
    expect(answer).toContain('whole');
    expect(answer).toMatch(/^connection: close\r$/im);
    await closed;
  });

  it('answers each of the requests that a client has sent at once', async () => {
    const { socket, listener, res, handler } = await serveHeld(GET + GET + GET);
    handler.run = (_req, other) => void other.end('whole');
    const closed = listener.close();
    res.end('whole');
    const text = await readAll(socket);
    expect(text.match(/whole/g)).toHaveLength(3);
    expect(text.match(/connection: close/gi)).toHaveLength(1);
    await closed;
  });

  it('soon ends a connection whose answer had begun', async () => {
    const held = await serveHeld();
    held.res.write('begun');
    await once(held.socket, 'readable');
    const other = await held.another();
    const closed = held.listener.close();
    // Later than idle connections are closed.
    await sleep(1_500);
    held.res.end();
    await readAll(held.socket);
    // A stop closes all connections at its end; this answer would then be cut off.
    other.res.end('whole');
    expect(await readAll(other.socket)).toContain('whole');
    await closed;
  });
});

/** Connects at once, then sends a request on each connection. */
const CLIENTS = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { url, count, connected } } = require('node:worker_threads');
  const answer = () => new Promise((resolve) => {
    let text = '';
    const socket = connect(new URL(url).port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n');
      Atomics.add(connected, 0, 1);
    });
    socket.on('data', (data) => { text += data; });
    socket.once('error', ({ code }) => resolve(code));
    socket.once('end', () => resolve(text.slice(9, 12) + (/connection: close/i.test(text) ? ' close' : ' kept')));
  });
  Promise.all(Array.from({ length: count }, answer)).then((results) => parentPort.postMessage(results));
`;

// These wait most of the time.
describe.concurrent('a client that does not go on', () => {
  it('closes the connection of a client that never completes its request', async () => {
    const listener = await serve(() => undefined);
    const { port } = new URL(listener.url);
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    const socketClosed = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12');
    const answer = readAll(socket);
    await listener.close();
    await socketClosed;
    // A connection that is cut off at the end of a stop has no answer.
    expect(await answer).toMatch(/^HTTP\/1.1 408 /);
  });
});

describe.concurrent('a client that reads nothing', () => {
  const STALLED_MS = 1_500;
  /** Far more than the buffers of both sockets. */
  const LONG = Buffer.alloc(64 * 1024 * 1024, 'x');

  async function serveStalling(handler: RequestHandler): Promise<Socket> {
    const listener = await listen(express().use(handler), 0, '127.0.0.1', { stalledAfterMs: STALLED_MS });
    open.push(listener);
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  }

  it('is disconnected when it takes nothing of its answer for a while', async () => {
    let closed: () => void = () => undefined;
    const cut = new Promise<void>((done) => {
      closed = done;
    });
    const socket = await serveStalling((_req, res) => {
      res.once('close', closed);
      res.end(LONG);
    });
    socket.pause();
    await cut;
    socket.destroy();
  });

  it('is kept when it reads slowly', async () => {
    const socket = await serveStalling((_req, res) => void res.end(LONG));
    let length = 0;
    socket.on('data', (chunk) => {
      length += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 4);
    });
    while (length < LONG.length)
      await Promise.race([
        once(socket, 'data'),
        once(socket, 'close').then(() => Promise.reject(new Error('cut off'))),
      ]);
    socket.destroy();
  });

  it('is kept while the service has nothing to send yet', async () => {
    const socket = await serveStalling(async (_req, res) => {
      await sleep(3 * STALLED_MS);
      res.write('first');
      await sleep(2 * STALLED_MS);
      res.end('last');
    });
    const [head] = await once(socket, 'data');
    expect(String(head)).toContain('first');
    const [rest] = await once(socket, 'data');
    expect(String(rest)).toContain('last');
    socket.destroy();
  }, 20_000);

  it('has the keep-alive time between two requests', async () => {
    const hello = express().use((_req, res) => void res.end('hello'));
    const listener = await listen(hello, 0, '127.0.0.1', { stalledAfterMs: STALLED_MS });
    open.push(listener);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await send(listener.url, agent)).body).toBe('hello');
    await sleep(2 * STALLED_MS);
    // The keep-alive time is longer than that.
    expect((await send(listener.url, agent)).body).toBe('hello');
    agent.destroy();
  });
});
