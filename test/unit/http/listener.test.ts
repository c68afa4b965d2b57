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
    const listener = await serve((_req, res) => void res.end('hello'));
    const closed = listener.close();
    await expect(send(listener.url)).rejects.toThrow('ECONNREFUSED');
    await closed;
  });
});

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
    await listener.close();
    await socketClosed;
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
