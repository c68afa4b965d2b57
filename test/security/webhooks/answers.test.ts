import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RawReceiver } from '../../support/peers/raw-receiver.ts';
import { Client } from '../../support/server/client.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const HEAD = 'HTTP/1.1 200 OK\r\n';
const NO_ANSWER = 'no answer within 15 s';
const DAY_MS = 86_400_000;

let server: TestServer;
let operator: Client;
let sourceAppId: string;
beforeAll(async () => {
  server = await startServer({ WEBHOOKS_ALLOW_PRIVATE: 'true' });
  const app = await server.admin.buildApp();
  sourceAppId = app.sourceAppId;
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
});
afterAll(() => server.close());

let people = 0;
const receivers: RawReceiver[] = [];
const webhooks: string[] = [];
afterEach(async () => {
  for (const id of webhooks.splice(0)) await operator.delete(`/auth/webhooks/${id}`).expect(200);
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function receive(answer: (socket: Socket) => void) {
  const receiver = await RawReceiver.start(answer);
  receivers.push(receiver);
  return receiver;
}

async function create(url: string, events = ['user.created']): Promise<{ id: string; secret: string }> {
  const { body } = await operator.post('/auth/webhooks', { url, events }).expect(200);
  webhooks.push(body.id);
  return body;
}

/** The result of a test event to a receiver that answers like this. */
async function tested(answer: (socket: Socket) => void) {
  const receiver = await receive(answer);
  const { id } = await create(receiver.url);
  const { body } = await operator.post(`/auth/webhooks/${id}/test`).expect(200);
  return { result: body, receiver };
}

/** Writes a piece again and again, as fast as the other side reads, or with pauses. */
function forever(socket: Socket, piece: string, everyMs?: number, before = ''): void {
  socket.write(before);
  const write = (): void => {
    if (socket.destroyed) return;
    if (everyMs !== undefined) socket.write(piece, () => setTimeout(write, everyMs).unref());
    else if (socket.write(piece)) setImmediate(write);
    else socket.once('drain', write);
  };
  write();
}

describe('an answer', () => {
  it.each([
    ['nothing', (socket: Socket) => socket.end()],
    ['a reset', (socket: Socket) => socket.resetAndDestroy()],
    ['no HTTP', (socket: Socket) => socket.end('hello\r\n\r\n')],
    ['HTTP of another version', (socket: Socket) => socket.end('HTTP/9.9 200 OK\r\n\r\n')],
    ['a TLS alert', (socket: Socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 40]))],
    ['half a header', (socket: Socket) => socket.end(`${HEAD}Content-Le`)],
    ['a wrong header', (socket: Socket) => socket.end(`${HEAD}a b: c\u0000\r\n\r\n`)],
    ['two lengths', (socket: Socket) => socket.end(`${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`)],
    ['a header of 100 kB', (socket: Socket) => socket.end(`${HEAD}a: ${'x'.repeat(100_000)}\r\n\r\n`)],
    ['endless headers', (socket: Socket) => forever(socket.setNoDelay(), `${HEAD}${'a: b\r\n'.repeat(9_999)}`)],
    [
      'a switch of protocols',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
  ])('of %s is a failure', async (_, answer) => {
    const { result, receiver } = await tested(answer);
    expect(result).toEqual({ ok: false, ms: expect.any(Number), error: expect.any(String) });
    expect(result.error).not.toBe(NO_ANSWER);
    expect(result.error).not.toContain('127.0.0.1');
    expect(receiver.requests.length).toBe(1);
    await expect.poll(() => receiver.open).toBe(0);
  });

  it('is not waited for longer than 15 s, however it drips, and counts by its status if that came', {
    tags: 'long',
  }, async () => {
    const silent: ((socket: Socket) => void)[] = [
      () => undefined,
      (socket) => socket.pause(),
      (socket) => forever(socket, ' ', 100),
      (socket) => forever(socket, 'a: b\r\n', 100, HEAD),
      (socket) => forever(socket, 'HTTP/1.1 100 Continue\r\n\r\n', 20),
      (socket) => forever(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 20),
    ];
    const endless = ['200 OK', '410 Gone'].map(
      (status) => (socket: Socket) => forever(socket, 'drop ', 100, `HTTP/1.1 ${status}\r\n\r\n`),
    );
    const results = await Promise.all([...silent, ...endless].map(tested));
    for (const { result } of results.slice(0, silent.length)) {
      expect(result).toEqual({ ok: false, ms: expect.any(Number), error: expect.any(String) });
    }
    expect(results[0]?.result.error).toBe(NO_ANSWER);
    expect(results[1]?.result.error).toBe(NO_ANSWER);
    const [success, gone] = results.slice(silent.length).map(({ result }) => result);
    expect(success).toMatchObject({ ok: true, status: 200, response: expect.stringMatching(/^(drop )+$/) });
    expect(gone).toMatchObject({ ok: false, status: 410, response: expect.stringMatching(/^(drop )+$/) });
    for (const { receiver } of results) {
      expect(receiver.requests.length).toBe(1);
      await expect.poll(() => receiver.open).toBe(0);
    }
  });

  it('is read up to 64 kB and kept up to 1,000 characters', async () => {
    let sent = 0;
    const { result, receiver } = await tested((socket) => {
      socket.write(`${HEAD}\r\n`);
      forever(socket, 'y'.repeat(16_384));
      socket.on('close', () => {
        sent = socket.bytesWritten;
      });
    });
    expect(result).toMatchObject({ ok: true, status: 200, response: 'y'.repeat(1_000) });
    await expect.poll(() => receiver.open).toBe(0);
    // What the buffers of both ends take is written, but not read.
    expect(sent).toBeLessThan(20_000_000);
  });

  it('that is compressed is not expanded', async () => {
    const { result } = await tested((socket) =>
      socket.end(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc`),
    );
    expect(result).toMatchObject({ ok: true, response: 'abc' });
  });

  it.each([301, 302, 303, 307, 308])('that redirects (%i) is a failure, and nothing follows it', async (status) => {
    const target = await receive((socket) => socket.end(`${HEAD}\r\n`));
    const { result } = await tested((socket) =>
      socket.end(`HTTP/1.1 ${status} Moved\r\nLocation: ${target.url}\r\n\r\n`),
    );
    expect(result).toMatchObject({ ok: false, status });
    expect(target.requests).toEqual([]);
  });

  it.each(['1e9', '-1', '99999999999999999999', 'Fri, 31 Dec 9999 23:59:59 GMT', 'x'.repeat(5_000)])(
    'that asks to wait for %s delays the next attempt by a day at most',
    async (retryAfter) => {
      const receiver = await receive((socket) =>
        socket.end(`HTTP/1.1 503 Busy\r\nRetry-After: ${retryAfter}\r\nContent-Length: 0\r\n\r\n`),
      );
      const { id } = await create(receiver.url);
      people += 1;
      await server.client.submit(sourceAppId, { email: `person${people}@example.com`, data: {} }).expect(200);
      const newest = async () => (await operator.get(`/auth/webhooks/${id}/deliveries`).expect(200)).body.deliveries[0];
      await expect.poll(async () => (await newest())?.attempts.length).toBe(1);
      const { at, nextAt } = await newest();
      // The attempt is made within minutes of the event.
      expect(Date.parse(nextAt) - Date.parse(at)).toBeLessThan(DAY_MS + 600_000);
    },
  );
});

describe('a request', () => {
  it('has no header or line of its own from the URL', async () => {
    const receiver = await receive((socket) => socket.end(`${HEAD}Content-Length: 0\r\n\r\n`));
    const { id } = await create(receiver.url);
    const paths = ['/a\r\nX-Evil: 1', '/a b HTTP/1.1\r\n\r\nGET /', '/\tü?q=\u0000', '/%0d%0aX-Evil:1', '/..//../x'];
    for (const path of paths) {
      const url = `http://127.0.0.1:${receiver.port}${path}`;
      await operator.patch(`/auth/webhooks/${id}`, { url }).expect(200);
      await operator.post(`/auth/webhooks/${id}/test`).expect(200);
    }
    const sent = receiver.requests.map((text) => text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n'));
    expect(sent.length).toBe(paths.length);
    for (const [line, ...headers] of sent) {
      expect(line).toMatch(/^POST \/[!-~]* HTTP\/1\.1$/);
      expect(headers.map((header) => header.split(':')[0]?.toLowerCase()).sort()).toEqual([
        'connection',
        'content-length',
        'content-type',
        'host',
        'user-agent',
        'webhook-id',
        'webhook-signature',
        'webhook-timestamp',
      ]);
    }
  });

  it.each([
    'whsec_',
    'whsec_QUJD',
    `whsec_${'A'.repeat(400)}`,
    `whsec_${'A'.repeat(31)}\n`,
    `whsec_${'-'.repeat(32)}`,
    'A'.repeat(32),
    7,
  ])('is signed with no secret such as %j', async (secret) => {
    const { body } = await operator
      .post('/auth/webhooks', { url: 'https://example.com/', events: ['user.created'], secret })
      .expect(400);
    expect(body.errors[0].path).toBe('secret');
  });
});
