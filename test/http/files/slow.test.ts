// @module-tag long

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import { ended, open } from '../../security/raw.ts';
import { Client } from '../../support/server/client.ts';
import { filePart, multipartOf, TYPES } from '../../support/server/forms.ts';
import { createKey } from '../../support/server/keys.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';
import { pdfOf, upload } from '../../support/server/uploads.ts';

/** A thirteenth of the times of the service. */
const LIMITS = { requestMs: 1_000, checkMs: 200, filesMs: 8_000, filesCheckMs: 1_000 };
const CV: FieldDefinitionInput = { key: 'cv', kind: 'file', types: ['pdf'], maxBytes: 100_000 };
/** The files that a process receives of one network. */
const OF_NETWORK = 100;

let server: TestServer;
let app: string;
let operator: Client;
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: '1' }, undefined, { sending: LIMITS });
  const built = await server.admin.buildApp({ fields: [CV] });
  app = built.sourceAppId;
  operator = await new Client(server.client.url).logIn(app, built.password);
});
afterAll(() => server.close());

const FILE = pdfOf(20_000);
const FORM = multipartOf([filePart('cv', 'cv.pdf', FILE), ['email', 'ada@x.org']]);

const WAYS = {
  form: { path: '', type: TYPES.multipart, body: FORM, status: 200 },
  upload: { path: '/files?field=cv&name=cv.pdf', type: 'application/pdf', body: FILE, status: 201 },
  import: { path: '', type: 'text/csv', body: FILE, status: 200 },
};

/** The first lines of a request that sends the file of a new import. */
async function importHead(): Promise<string[]> {
  const key = await createKey(server, operator, ['import']);
  const { body } = await operator.post('/auth/imports', {}).expect(200);
  return [`PUT /auth/imports/${body.id}/content HTTP/1.1`, `Authorization: Bearer ${key.key}`];
}

function head(way: keyof typeof WAYS, address = '192.0.2.1', first?: readonly string[]): string {
  const { path, type, body } = WAYS[way];
  const begin = first ?? [`POST /v1/forms/${app}${path} HTTP/1.1`];
  const lines = [...begin, 'Host: x', 'Accept: application/json'];
  const own = [`Content-Type: ${type}`, `Content-Length: ${body.length}`, `X-Forwarded-For: ${address}`];
  return `${[...lines, ...own].join('\r\n')}\r\n\r\n`;
}

/** Sends so many bytes in each 100 ms, until all are sent or the connection ends. */
async function trickle(socket: Socket, body: Buffer, bytes: number): Promise<void> {
  const startedAt = performance.now();
  for (let at = 0; at < body.length && !socket.destroyed; ) {
    // What a busy machine was late for goes with the next.
    const due = bytes * (1 + Math.floor((performance.now() - startedAt) / 100));
    socket.write(body.subarray(at, due));
    at = due;
    await sleep(100);
  }
}

/** Sends a file in one way; resolves with the answer and the time until it. */
async function sendSlowly(way: keyof typeof WAYS, bytes: number) {
  const first = way === 'import' ? await importHead() : undefined;
  const socket = open(server.client.url);
  const answer = ended(socket);
  const startedAt = performance.now();
  socket.write(head(way, undefined, first).replace('Host: x', 'Host: x\r\nConnection: close'));
  await trickle(socket, WAYS[way].body, bytes);
  return { ...(await answer), ms: performance.now() - startedAt };
}

describe.concurrent.each(['form', 'upload', 'import'] as const)('the file of a slow client (%s, spec 8)', (way) => {
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
