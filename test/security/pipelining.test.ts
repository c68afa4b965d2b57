// @module-tag long

import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { beforeAll, expect, it } from 'vitest';
import { listen } from '../../src/http/listener.ts';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await sharedServer();
  app = await server.admin.buildApp();
});

const open = (url = server.listener.url): Socket =>
  connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);

const get = (path: string, id: string, last = false): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;

/** The requests of this prefix that were handled. */
const handled = (prefix: string): string[] =>
  server
    .log()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line).requestId as string]))
    .filter((id) => id?.startsWith(prefix));

it('many requests that are sent at once end the connection, before they take memory', async () => {
  const socket = open();
  socket.write(Array.from({ length: 1_000 }, (_, index) => get('/openapi.json', `many-${index}`)).join(''));
  await new Promise((resolve) => socket.once('close', resolve).resume());
  await server.client.get('/health').expect(200);
  expect(handled('many-').length).toBeLessThan(10);
});

it('a request is handled when the answer before it was sent', async () => {
  const http = express();
  let begun = 0;
  http.use((_req, res) => {
    begun += 1;
    res.send('x'.repeat(1024 * 1024));
  });
  const listener = await listen(http, 0, '127.0.0.1');
  const socket = open(listener.url).pause();
  socket.write(Array.from({ length: 100 }, () => get('/', 'unread')).join(''));
  await expect.poll(() => begun).toBeGreaterThan(0);
  // The operating system takes some answers for the client.
  let before = -1;
  const hasSettled = (): boolean => {
    const last = before;
    before = begun;
    return last === begun;
  };
  await expect.poll(hasSettled, { interval: 200 }).toBe(true);
  expect(begun).toBeLessThan(50);
  socket.destroy();
  await listener.close();
});

it('requests that are sent at once are answered in their order, each once', async () => {
  const socket = open();
  const ids = Array.from({ length: 60 }, (_, index) => `order-${index}`);
  const body = (index: number): string => JSON.stringify({ email: `p${index}@example.com`, data: {} });
  const post = (index: number): string =>
    [
      'POST /v1/users HTTP/1.1',
      'Host: a',
      `x-app-id: ${app.sourceAppId}`,
      'Content-Type: application/json',
      `X-Request-Id: order-post-${index}`,
      `Content-Length: ${body(index).length}`,
      '',
      body(index),
    ].join('\r\n');
  const requests = ids.flatMap((id, index) =>
    index % 3 === 0 ? [post(index), get('/health', id)] : [get('/nothing', id)],
  );
  socket.write([...requests, get('/health', 'order-last', true)].join(''));
  const answers = await text(socket);
  const answered = [...answers.matchAll(/X-Request-Id: (\S+)/g)].map(([, id]) => id);
  const expected = ids.flatMap((id, index) => (index % 3 === 0 ? [`order-post-${index}`, id] : [id]));
  expect(answered).toEqual([...expected, 'order-last']);
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(41);
  expect(await server.db.collection('users').countDocuments({ sourceAppId: app.sourceAppId })).toBe(20);
});
