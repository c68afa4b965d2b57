import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import express, { type RequestHandler, type Response } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listener, listen } from '../../../src/http/listener.ts';

const open: Listener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()));
});

async function serve(handler: RequestHandler, host = '127.0.0.1', port = 0): Promise<Listener> {
  const listener = await listen(express().use(handler), port, host);
  open.push(listener);
  return listener;
}

async function ask(url: string, agent?: Agent): Promise<{ response: IncomingMessage; body: string }> {
  const [response] = (await once(get(url, { agent: agent ?? false }), 'response')) as [IncomingMessage];
  return { response, body: await readAll(response) };
}

describe('the listener', () => {
  it('tells the address it got', async () => {
    const { url } = await serve((_req, res) => void res.end('hello'));
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await ask(url)).body).toBe('hello');
  });

  it('names a person’s machine localhost when it listens on all addresses', async () => {
    expect((await serve(() => undefined, '0.0.0.0')).url).toMatch(/^http:\/\/localhost:\d+$/);
  });

  it('fails when the port is taken', async () => {
    const { url } = await serve(() => undefined);
    await expect(serve(() => undefined, '127.0.0.1', Number(new URL(url).port))).rejects.toThrow('in use');
  });
});

describe('closing', () => {
  it('answers what was received, and says that the connection ends', async () => {
    let arrived: (res: Response) => void = () => undefined;
    const received = new Promise<Response>((done) => {
      arrived = done;
    });
    const listener = await serve((_req, res) => arrived(res));
    const answer = ask(listener.url);
    const res = await received;
    const closed = listener.close();
    res.end('whole');
    expect((await answer).body).toBe('whole');
    await closed;
  });

  it('still answers a request that comes on an idle connection, and then ends it', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const listener = await serve((_req, res) => void res.end('hello'));
    await ask(listener.url, agent);
    const closed = listener.close();
    const { response, body } = await ask(listener.url, agent);
    expect(body).toBe('hello');
    expect(response.headers.connection).toBe('close');
    await closed;
    agent.destroy();
  });

  it('takes no new connection', async () => {
    const listener = await serve((_req, res) => void res.end('hello'));
    const closed = listener.close();
    await expect(ask(listener.url)).rejects.toThrow('ECONNREFUSED');
    await closed;
  });

  it('does not wait for ever for a client that never ends its request', async () => {
    const listener = await serve(() => undefined);
    const { port } = new URL(listener.url);
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    const cut = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12');
    await listener.close();
    await cut;
  });
});
