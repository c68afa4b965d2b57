// @module-tag long

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../../src/fields/definition.ts';
import { ended, open } from '../../security/raw.ts';
import { filePart, multipartOf, TYPES } from '../../support/server/forms.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';
import { pdfOf, upload } from '../../support/server/uploads.ts';

/** A thirteenth of the times of the service. */
const LIMITS = { requestMs: 1_000, checkMs: 200, filesMs: 8_000, filesCheckMs: 1_000 };
const CV: FieldDefinitionInput = { key: 'cv', kind: 'file', types: ['pdf'], maxBytes: 100_000 };
/** The files that a process receives of one network. */
const OF_NETWORK = 100;

let server: TestServer;
let app: string;
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: '1' }, undefined, { sending: LIMITS });
  app = (await server.admin.buildApp({ fields: [CV] })).sourceAppId;
});
afterAll(() => server.close());

const FILE = pdfOf(20_000);
const FORM = multipartOf([filePart('cv', 'cv.pdf', FILE), ['email', 'ada@x.org']]);

const WAYS = {
  form: { path: '', type: TYPES.multipart, body: FORM, status: 200 },
  upload: { path: '/files?field=cv&name=cv.pdf', type: 'application/pdf', body: FILE, status: 201 },
};

function head(way: keyof typeof WAYS, address = '192.0.2.1'): string {
  const { path, type, body } = WAYS[way];
  const lines = [`POST /v1/forms/${app}${path} HTTP/1.1`, 'Host: x', 'Accept: application/json'];
  const own = [`Content-Type: ${type}`, `Content-Length: ${body.length}`, `X-Forwarded-For: ${address}`];
  return `${[...lines, ...own].join('\r\n')}\r\n\r\n`;
}

/** Sends so many bytes each 100 ms, until all are sent or the connection ends. */
async function trickle(socket: Socket, body: Buffer, bytes: number): Promise<void> {
  for (let at = 0; at < body.length && !socket.destroyed; at += bytes) {
    socket.write(body.subarray(at, at + bytes));
    await sleep(100);
  }
}

/** Sends a file in one way; resolves with the answer and the time until it. */
async function sendSlowly(way: keyof typeof WAYS, bytes: number) {
  const socket = open(server.client.url);
  const answer = ended(socket);
  const startedAt = performance.now();
  socket.write(head(way).replace('Host: x', 'Host: x\r\nConnection: close'));
  await trickle(socket, WAYS[way].body, bytes);
  return { ...(await answer), ms: performance.now() - startedAt };
}

describe.concurrent.each(['form', 'upload'] as const)('the file of a slow client (%s, spec 8)', (way) => {
  it('arrives while enough of it comes', async () => {
    const { status, ms, text } = await sendSlowly(way, 500);
    expect(status, text).toBe(WAYS[way].status);
    expect(ms).toBeGreaterThan(3_000);
  });

  it('ends with 408 at the end of its time, and before it when less comes (attack: Slowloris)', async () => {
    const [enough, less] = await Promise.all([sendSlowly(way, 120), sendSlowly(way, 5)]);
    expect([enough.status, less.status]).toEqual([408, 408]);
    expect(enough.ms).toBeGreaterThan(LIMITS.filesMs);
    expect(less.ms).toBeLessThan(enough.ms);
  });
});

it('the next request of the connection has its own time', async () => {
  const socket = open(server.client.url);
  const answers = ended(socket);
  socket.write(head('upload'));
  await trickle(socket, FILE, 800);
  socket.write(
    `POST /v1/forms/${app} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n`,
  );
  await trickle(socket, Buffer.alloc(99, ' '), 2);
  const { text } = await answers;
  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 408']);
});

it('one network does not hold the places of others (attack)', async () => {
  // No connection of the flood ends by its time.
  const sending = { requestMs: 600_000 };
  const { client, close } = await startServer({ TRUST_PROXY: '1' }, server.database, { sending });
  const tooMany = 20;
  let refused = 0;
  const sockets = Array.from({ length: OF_NETWORK + tooMany }, () => {
    const socket = open(client.url).once('data', () => {
      refused += 1;
    });
    socket.write(head('form', '198.51.100.7'));
    socket.write(FORM.subarray(0, 10_000));
    return socket;
  });
  // Before this, a file of the network could take the last place, and give it back.
  await expect.poll(() => refused).toBe(tooMany);
  const statusFrom = async (address: string) =>
    (await upload(client.url, app, FILE, { headers: { 'x-forwarded-for': address } })).status;
  expect(await statusFrom('198.51.100.7')).toBe(503);
  expect(await statusFrom('203.0.113.9')).toBe(201);
  for (const socket of sockets) socket.destroy();
  await close();
});
