// @module-tag long
// @module-tag fault

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { type MeasuredServer, startMeasuredServer } from '../support/server/measured-server.ts';
import { Leftovers } from '../support/server/process.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { ended, open } from './raw.ts';

/** 60 decoders of brotli took about 1 GB. */
const FLAT_MB = 60;
/** As many places as there are for bodies of 100 kB that are still arriving, from one address. */
const PLACES_OF_ADDRESS = 256;

const leftovers = new Leftovers();
let base: TestServer;
let server: MeasuredServer;
let app: string;
const sockets: Socket[] = [];
beforeAll(async () => {
  base = await startServer({}, undefined, FULL_LEASES);
  app = (await base.admin.buildApp()).sourceAppId;
  server = await startMeasuredServer(leftovers, base.database, { TRUST_PROXY: '1' });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await sleep(200);
});
afterAll(async () => {
  await base.close();
  await leftovers.clear();
});

/** The head of a submission whose body has this length, from an address of its own. */
function head(length: number, headers: string[] = [], address = '10.0.0.1', appId = app): string {
  const own = [`x-app-id: ${appId}`, `X-Forwarded-For: ${address}`, 'Content-Type: application/json'];
  const lines = ['POST /v1/users HTTP/1.1', 'Host: localhost', ...own, ...headers, `Content-Length: ${length}`];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** A connection that sends these bytes and stays open. */
async function connection(...pieces: (string | Buffer)[]): Promise<Socket> {
  const socket = open(server.url);
  sockets.push(socket);
  await once(socket, 'connect');
  for (const piece of pieces) socket.write(piece);
  return socket;
}

/** The first answer on a connection: its status (0: none) and text. */
function answerOf(socket: Socket): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    let text = '';
    const done = () => resolve({ status: Number(text.slice(9, 12)), text });
    socket.once('close', done).on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('}')) done();
    });
  });
}

const submission = (email: string): string => JSON.stringify({ email, data: {} });

/** Sends the head of a submission and, a moment later, its body. */
async function submitInTwo(email: string, address: string) {
  const body = submission(email);
  const socket = await connection(head(body.length, [], address));
  const answer = answerOf(socket);
  await sleep(50);
  socket.write(body);
  return answer;
}

/**
 * A few bytes of brotli with a window of 2^24: the decoder fills 16 MB and waits for the last byte.
 */
const brotli = () =>
  brotliCompressSync(Buffer.alloc(2 ** 25, ' '), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }).subarray(0, -1);

describe('attack: bodies that never end', () => {
  it.each([
    ['brotli', 'br', 60, brotli],
    ['brotli', 'br', 200, brotli],
    ['gzip', 'gzip', 60, () => gzipSync(submission('g@example.com')).subarray(0, -1)],
    ['gzip', 'gzip', 200, () => gzipSync(submission('g@example.com')).subarray(0, -1)],
    ['gzip', 'gzip', rounds(1_000, 400), () => gzipSync(submission('g@example.com')).subarray(0, -1)],
    ['deflate', 'deflate', rounds(1_000, 400), () => deflateSync(submission('g@example.com')).subarray(0, -1)],
  ])('%s (%s) on %i connections takes little memory, and others are answered', async (_name, encoding, count, body) => {
    const bytes = body();
    const growth = await server.growthDuring(async () => {
      await Promise.all(
        Array.from({ length: count }, (_, index) => {
          const address = `10.1.${index >> 8}.${index & 255}`;
          return connection(head(bytes.length + 1, [`Content-Encoding: ${encoding}`], address), bytes);
        }),
      );
      await sleep(500);
      expect(await submitInTwo(`other-${count}@example.com`, '10.9.9.9')).toMatchObject({ status: 200 });
    });
    expect(growth).toBeLessThan(FLAT_MB);
  });

  it('chunks of one byte are refused, and others are answered', async () => {
    const chunks = '1\r\n \r\n'.repeat(90_000);
    const chunked = head(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
    const growth = await server.growthDuring(async () => {
      const all = Array.from({ length: 60 }, async () => answerOf(await connection(chunked, chunks)));
      for (const { status, text } of await Promise.all(all)) {
        // 0: the connection was reset with the rest in flight. 503: no place became free in time.
        expect([400, 503, 0]).toContain(status);
        if (status === 400) expect(text).toContain('too many pieces');
      }
      expect(await submitInTwo('beside-chunks@example.com', '10.9.9.9')).toMatchObject({ status: 200 });
    });
    // Node makes an object of each chunk of a socket's read: about 5 MB for each connection.
    expect(growth).toBeLessThan(600);
  });

  it.each([
    [2_400, 200],
    [2_800, 400],
  ])('a body in %i chunks of one byte is %i', async (count, status) => {
    const body = submission('pieces@example.com').padStart(count, ' ');
    const socket = await connection(head(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked'));
    const answer = answerOf(socket);
    await sleep(50);
    socket.write(`${[...body].map((character) => `1\r\n${character}\r\n`).join('')}0\r\n\r\n`);
    const { status: answered, text } = await answer;
    expect(answered, text).toBe(status);
    expect(text.includes('too many pieces')).toBe(status === 400);
  });

  it('a body of the largest size is accepted although its encoding adds bytes', async () => {
    const submitted = submission('stored@example.com').padStart(100 * 1_024, ' ');
    const bytes = gzipSync(submitted, { level: 0 });
    expect(bytes.length).toBeGreaterThan(submitted.length);
    const socket = await connection(head(bytes.length, ['Content-Encoding: gzip']), bytes);
    expect(await answerOf(socket)).toMatchObject({ status: 200 });
  });

  it('a body that is too large leaves nothing behind', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, ' '));
    const round = async () => {
      const all = Array.from({ length: 50 }, async () =>
        answerOf(await connection(head(bomb.length, ['Content-Encoding: gzip']), bomb)),
      );
      for (const { status } of await Promise.all(all)) expect(status).toBe(413);
    };
    await round();
    expect(await server.growthDuring(round)).toBeLessThan(FLAT_MB);
  });
});

describe('attack: the app is looked up before the body is read', () => {
  it('an unknown app is 400 while not one byte of the body is there', async () => {
    const socket = await connection(head(1_000, ['Content-Encoding: gzip'], '10.0.0.1', 'no-such-app'));
    const answer = await ended(socket);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('{"message":"Invalid x-app-id header","code":"invalidAppId"}');
  });

  it.each([
    [
      'a missing x-app-id comes first',
      (text: string) => text.replace(/x-app-id: .*\r\n/, ''),
      'Missing x-app-id header',
    ],
    ['then the app', (text: string) => text.replace('application/json', 'text/plain'), 'Invalid x-app-id header'],
  ])('%s', async (_name, change, message) => {
    const answer = await ended(await connection(change(head(1_000, ['Connection: close'], '10.0.0.1', 'no-such-app'))));
    expect(answer.text).toContain(message);
  });
});

describe('attack: bodies that are still arriving', () => {
  it('of one address do not keep another out, nor bodies that arrive at once', async () => {
    const slow = Array.from({ length: PLACES_OF_ADDRESS }, () => connection(head(1_000), ' '));
    await Promise.all(slow);
    const saturated = async () => (await submitInTwo('same@example.com', '10.0.0.1')).status;
    await expect.poll(saturated).toBe(503);
    const [same, other, atOnce] = await Promise.all([
      submitInTwo('same@example.com', '10.0.0.1'),
      submitInTwo('other@example.com', '10.0.0.2'),
      connection(head(submission('once@example.com').length) + submission('once@example.com')).then(answerOf),
    ]);
    expect(other, other.text).toMatchObject({ status: 200 });
    expect(atOnce, atOnce.text).toMatchObject({ status: 200 });
    expect(same.status).toBe(503);
    expect(same.text).toMatch(/Retry-After: \d/);
    expect(same.text).toContain('Too many requests are being received');
  });

  it('wait for a place that becomes free', async () => {
    const slow = await Promise.all(Array.from({ length: PLACES_OF_ADDRESS }, () => connection(head(1_000), ' ')));
    await sleep(300);
    const waiting = submitInTwo('patient@example.com', '10.0.0.1');
    await sleep(300);
    slow[0]?.destroy();
    expect((await waiting).status).toBe(200);
  });

  it('of a load generator that sends from one address are all answered', async () => {
    const all = Array.from({ length: 400 }, (_, index) => submitInTwo(`load-${index}@example.com`, '10.0.0.7'));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
});
