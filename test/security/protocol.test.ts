// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server/server.ts';
import { ended, open, request, send } from './raw.ts';

let server: TestServer;
let app: string;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.listener.url;
  app = (await server.admin.buildApp()).sourceAppId;
});
afterAll(() => server.close());

const JSON_TYPE = 'Content-Type: application/json';
const submission = (email: string, data: object = {}): string => JSON.stringify({ email, data });
const submit = (body: string | Buffer, headers: string[] = [JSON_TYPE]): Buffer =>
  request('POST', '/v1/users', [`x-app-id: ${app}`, ...headers], body);
const stored = (email: string) => server.db.collection('users').findOne({ email });
const countOf = () => server.db.collection('users').countDocuments();

describe('request headers', () => {
  it.each([
    ['a header of 100 kB', `x-padding: ${'x'.repeat(100_000)}`, 431],
    ['10,000 headers', Array.from({ length: 10_000 }, (_, index) => `x-${index}: 1`).join('\r\n'), 431],
    ['an x-app-id of 10 kB', `x-app-id: ${'a'.repeat(10_000)}`, 400],
    ['two different x-app-id headers', 'x-app-id: one\r\nx-app-id: two', 400],
    ['a non-ASCII x-app-id', 'x-app-id: caf\xe9', 400],
    ['an x-app-id with a NUL', 'x-app-id: a\0b', 400],
    ['a folded x-app-id', 'x-app-id: a\r\n b', 400],
    ['a query operator as x-app-id', 'x-app-id: {"$ne":""}', 400],
    ['a path as x-app-id', 'x-app-id: ../admin', 400],
    ['an empty x-app-id', 'x-app-id:', 400],
    ['a header name with a space', 'x-app-id : admin', 400],
    ['an empty header name', ': admin', 400],
  ])('refuses %s', async (_name, header, status) => {
    expect(await send(url, request('GET', '/v1/schema', [header]))).toMatchObject({ status, answers: 1 });
  });

  it('refuses the same x-app-id sent twice', async () => {
    const twice = request('GET', '/v1/schema', [`x-app-id: ${app}`, `x-app-id: ${app}`]);
    expect((await send(url, twice)).text).toContain('Invalid x-app-id header');
  });

  it('does not echo an invalid request id (attack: header and log injection)', async () => {
    const { text, status } = await send(url, request('GET', '/health', ['X-Request-Id: caf\xe9 "}']));
    expect(status).toBe(200);
    expect(text).not.toContain('caf');
  });
});

it.each(['GET', 'POST'])(
  'a %s of a path of 20 kB is 431 without a body, as every operation documents',
  async (method) => {
    const answer = await send(url, request(method, `/v1/forms/${'a'.repeat(20_000)}`, [JSON_TYPE], '{}'));
    expect(answer).toMatchObject({ status: 431, answers: 1 });
    expect(answer.text).toMatch(/\r\n\r\n$/);
  },
);

describe('request length (attack: request smuggling)', () => {
  const body = submission('smuggled@example.com');
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const head = () => `POST /v1/users HTTP/1.1\r\nHost: localhost\r\nx-app-id: ${app}\r\n${JSON_TYPE}\r\n`;

  it.each([
    ['two Content-Length headers', `Content-Length: ${body.length}\r\nContent-Length: 1\r\n\r\n${body}`],
    [
      'Content-Length before chunked encoding',
      `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    ],
    ['Content-Length after chunked encoding', `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunked}`],
    ['an unknown transfer coding', `Transfer-Encoding: xchunked\r\n\r\n${chunked}`],
    ['two transfer codings', `Transfer-Encoding: gzip, chunked\r\n\r\n${chunked}`],
    ['a transfer coding in a second line', `Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    ['a transfer coding with a parameter', `Transfer-Encoding: chunked;x=1\r\n\r\n${chunked}`],
    ['two Host headers', `hOST: evil.example\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
    ['the same Host header twice', `Host: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
    ['chunked twice', `Transfer-Encoding: chunked, chunked\r\n\r\n${chunked}`],
    ['a list of lengths in one header', `Content-Length: ${body.length}, ${body.length}\r\n\r\n${body}`],
    ['a negative length', `Content-Length: -1\r\n\r\n${body}`],
    ['a length in hexadecimal', `Content-Length: 0x10\r\n\r\n${body}`],
    ['a chunk with an invalid size', `Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}`],
    ['a chunk size beyond 64 bits', `Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n${body}`],
  ])('responds to %s with one 400 and stores nothing', async (_name, rest) => {
    const answer = await send(url, `${head()}${rest}`, 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(answer).toMatchObject({ status: 400, answers: 1 });
    expect(await stored('smuggled@example.com')).toBeNull();
  });

  it('reads no further request after one with two Host headers and no body', async () => {
    const ambiguous = 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n';
    const answer = await send(url, ambiguous, 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(answer).toMatchObject({ status: 400, answers: 1 });
  });

  it('accepts a chunked body, in any case of letters', async () => {
    const own = submission('chunked@example.com');
    const headers = `${head()}Connection: close\r\nTransfer-Encoding: CHUNKED\r\n\r\n`;
    const answer = await send(url, `${headers}${own.length.toString(16)}\r\n${own}\r\n0\r\n\r\n`);
    expect(answer).toMatchObject({ status: 200, answers: 1 });
  });

  it('does not store a truncated body and keeps running', async () => {
    const socket = open(url);
    const body = submission('half@example.com');
    socket.write(submit(body).subarray(0, -5));
    await sleep(100);
    socket.destroy();
    await server.client.get('/health').expect(200);
    expect(await stored('half@example.com')).toBeNull();
  });

  it('does not process the bytes after Content-Length as a second submission', async () => {
    const bytes = Buffer.concat([submit('{"email":"a@b.co"}'), Buffer.from(submission('tail@example.com'))]);
    expect((await send(url, bytes)).answers).toBe(1);
    expect(await stored('tail@example.com')).toBeNull();
  });
});

describe('slow clients (attack: Slowloris)', () => {
  /** Sends `first`, then one byte every `intervalMs`, until the server closes the connection. */
  async function drip(first: Buffer | string, intervalMs: number) {
    const socket = open(url);
    socket.write(first);
    const timer = setInterval(() => socket.write('x'), intervalMs);
    const answer = await ended(socket);
    clearInterval(timer);
    return answer;
  }

  it('are disconnected within 15 s, in their headers or body, while other clients are served', async () => {
    let isOver = false;
    const slow = Promise.all([
      drip('GET /health HTTP/1.1\r\nHost: localhost\r\nx-slow: ', 500),
      drip(submit(' '.repeat(500)).subarray(0, -490), 500),
      drip('GET /health HTTP/1.1\r\n', 60_000),
    ]).finally(() => {
      isOver = true;
    });
    const served = (async () => {
      for (let count = 0; ; count += 1) {
        if (isOver) return count;
        await server.client.get('/health').expect(200);
        await sleep(250);
      }
    })();
    const answers = await Promise.race([slow, sleep(15_500).then(() => 'still connected')]);
    expect(answers).toEqual([408, 408, 408].map((status) => expect.objectContaining({ status, answers: 1 })));
    expect(await served).toBeGreaterThan(10);
  }, 30_000);
});

describe('content encodings and types', () => {
  it.each([
    ['a gzip bomb', () => gzipSync(`{"email":"${'a'.repeat(50_000_000)}"}`), 'gzip', 413],
    ['a brotli bomb', () => brotliCompressSync(`{"email":"${'a'.repeat(5_000_000)}"}`), 'br', 415],
    ['invalid gzip', () => Buffer.from('not gzip'), 'gzip', 400],
    ['truncated gzip', () => gzipSync(submission('cut@example.com')).subarray(0, -12), 'gzip', 400],
    ['an unknown encoding', () => Buffer.from(submission('x@example.com')), 'compress', 415],
    ['two encodings', () => gzipSync(gzipSync(submission('x@example.com'))), 'gzip, gzip', 415],
    ['an empty gzip body', () => gzipSync(''), 'gzip', 400],
  ])('refuses %s', async (_name, body, encoding, status) => {
    const before = await countOf();
    const answer = await send(url, submit(body(), [JSON_TYPE, `Content-Encoding: ${encoding}`]));
    expect(answer.status).toBe(status);
    expect(await countOf()).toBe(before);
  });

  it.each([
    ['latin1', 'application/json; charset=latin1'],
    ['an unknown charset', 'application/json; charset=x-klingon'],
    ['UTF-16', 'application/json; charset=utf-16'],
    ['UTF-7', 'application/json; charset=utf-7'],
    ['form-encoded', 'application/x-www-form-urlencoded'],
    ['plain text', 'text/plain'],
    ['an invalid type', 'x'],
    ['two types', 'text/plain, application/json'],
    ['JSON-LD', 'application/ld+json'],
  ])('responds to the content type %s with 400', async (_name, type) => {
    const before = await countOf();
    expect((await send(url, submit(submission('type@example.com'), [`Content-Type: ${type}`]))).status).toBe(400);
    expect(await countOf()).toBe(before);
  });

  it.each([
    ['an invalid byte', Buffer.from('{"email":"u@example.com","data":{"name":"\xff"}}', 'latin1')],
    ['an overlong slash', Buffer.from('{"email":"u@example.com","data":{"name":"\xc0\xaf"}}', 'latin1')],
    ['an encoded surrogate', Buffer.from('{"email":"u@example.com","data":{"name":"\xed\xa0\x80"}}', 'latin1')],
    ['a truncated character', Buffer.from('{"email":"u@example.com","data":{"name":"\xf0\x9f\x98"}}', 'latin1')],
    ['an escaped high surrogate', '{"email":"u@example.com","data":{"name":"\\ud800"}}'],
    ['an escaped low surrogate', '{"email":"u@example.com","data":{"name":"x\\udc00y"}}'],
    ['surrogates in reverse order', '{"email":"u@example.com","data":{"name":"\\ude00\\ud83d"}}'],
    ['a surrogate in an array item', '{"email":"u@example.com","data":{"tags":[{"a":["\\ud800"]}]}}'],
    ['a surrogate in a key', '{"email":"u@example.com","data":{"tags":[{"\\ud800":1}]}}'],
    ['UTF-16', Buffer.from(submission('u@example.com'), 'utf16le')],
  ])('refuses %s instead of storing it altered', async (_name, body) => {
    expect((await send(url, submit(body))).status).toBe(400);
    expect(await stored('u@example.com')).toBeNull();
  });

  it('stores every other text unchanged', async () => {
    const name = '\u0000\u0001\u001f\u007f\u0085\u2028\u2029\ufeff\ufffe\uffff😀é\u0065\u0301\\"/';
    await server.client.submit(app, { email: 'text@example.com', data: { name } }).expect(200);
    expect((await stored('text@example.com'))?.data).toEqual({ name });
  });
});

describe('expensive and malformed bodies', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it.each([
    ['nesting of 20,000 levels', `{"email":"c@example.com","data":{"x":${nested(20_000)}}}`],
    ['nesting of 10,000 objects', `{"email":"c@example.com","data":${'{"x":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ['a number beyond the double range', '{"email":"c@example.com","data":{"x":1e400}}'],
    ['a negative number beyond the double range', '{"email":"c@example.com","data":{"x":[-1e400]}}'],
    ['NaN', '{"email":"c@example.com","data":{"x":NaN}}'],
    ['two JSON values', `${submission('c@example.com')}${submission('c@example.com')}`],
    ['a byte order mark and trailing text', `\ufeff${submission('c@example.com')} x`],
    ['null', 'null'],
    ['an array', `[${submission('c@example.com')}]`],
    ['a string', '"c@example.com"'],
    ['no bytes', ''],
    ['a comment', '{"email":"c@example.com" /* hello */}'],
  ])('responds to %s with 400', async (_name, body) => {
    const answer = await send(url, submit(body));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(3_000);
    expect(await stored('c@example.com')).toBeNull();
  });

  it('refuses a number of 90,000 digits and a body of 1 MB', async () => {
    const digits = '9'.repeat(90_000);
    expect((await send(url, submit(`{"email":"c@example.com","data":{"x":${digits}}}`))).status).toBe(400);
    const answer = await send(url, submit(`{"email":"c@example.com","data":{"x":"${'x'.repeat(1_000_000)}"}}`));
    // 0: the connection was reset while the body was in flight.
    expect([413, 0]).toContain(answer.status);
    expect(await stored('c@example.com')).toBeNull();
  });

  it.each([
    ['in data', (keys: string) => `{"email":"c@example.com","data":{${keys}}}`],
    ['next to data', (keys: string) => `{"email":"c@example.com",${keys}}`],
    ['in an array item', (keys: string) => `{"email":"c@example.com","data":{"tags":[{${keys}}]}}`],
  ])('responds to 10,000 invalid keys %s with 400 and a short body', async (_name, body) => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `"$${index}":1`).join(',');
    const answer = await send(url, submit(body(keys)));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(6_000);
    expect(await stored('c@example.com')).toBeNull();
  });
});

describe('paths and queries', () => {
  it.each([
    ['/auth/apps/%ff/schema', 400],
    ['/auth/apps/%', 400],
    ['/auth/apps/%00/schema', 404],
    ['/auth/apps/%2e%2e/schema', 404],
    ['/auth/apps/..%2fadmin/schema', 404],
    ['/auth/apps/%24ne/schema', 404],
    ['/auth/apps//schema', 404],
    ['//health', 404],
    ['/health/', 404],
    ['/HEALTH', 404],
    ['/%68ealth', 404],
    ['/health%00', 404],
    ['/./health', 404],
    ['/x/../health', 404],
    ['/docs/../openapi.json', 404],
    ['/docs/..%2f..%2fpackage.json', 404],
    ['/docs/%2e%2e/%2e%2e/package.json', 404],
    ['/dashboard/..%2f..%2fpackage.json', 404],
    ['/dashboard/%2e%2e/%2e%2e/package.json', 404],
    ['/dashboard/%ff', 400],
    ['/dashboard/%00', 404],
    ['/dashboard/assets/..%5c..%5cpackage.json', 404],
    ['/__proto__', 404],
    ['/auth/apps/__proto__/schema', 404],
  ])('responds to %s with %i', async (path, status) => {
    const cookie = await adminCookie();
    const answer = await send(url, request('GET', path, [`Cookie: ${cookie}`]));
    // The dashboard serves its page for unknown paths below /dashboard.
    if (path.startsWith('/dashboard') && answer.status === 200) {
      expect(answer.text).not.toContain('"dependencies"');
      return;
    }
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('"dependencies"');
  });

  it.each([
    ['limit=1&limit=2'],
    ['limit[]=1'],
    ['limit[$gt]=1'],
    ['limit=1e2'],
    ['limit=%2b1'],
    ['limit=1%00'],
    ['limit=0x10'],
    ['limit='],
    ['limit=-1'],
    ['skip=99999999999999999999'],
    ['skip=1.5'],
    ['skip=NaN'],
    ['sourceAppId=a&sourceAppId=b'],
    ['sourceAppId[$ne]=x'],
    ['sourceAppId='],
    ['__proto__=x'],
    ['__proto__[admin]=1'],
    ['constructor=1'],
    [`${'x'.repeat(5_000)}=1`],
  ])('responds to ?%s with 400 and a short body', async (query) => {
    const answer = await send(url, request('GET', `/auth/admin/users?${query}`, [`Cookie: ${await adminCookie()}`]));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(2_500);
  });

  it('handles absolute and asterisk targets and unknown methods without a 500', async () => {
    for (const [line, statuses] of [
      ['GET http://evil.example/health HTTP/1.1', [200, 404]],
      ['OPTIONS * HTTP/1.1', [404]],
      ['TRACE /health HTTP/1.1', [405]],
      ['CONNECT localhost:1 HTTP/1.1', [0]],
      ['BREW /health HTTP/1.1', [400]],
      ['GET /health HTTP/3.7', [505, 400]],
    ] as const) {
      const { status } = await send(url, `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(statuses, line).toContain(status);
    }
    await server.client.get('/health').expect(200);
  });
});

let cookie: string | undefined;

async function adminCookie(): Promise<string> {
  if (cookie) return cookie;
  const { headers } = await server.client.post('/auth/login', {
    sourceAppId: 'admin',
    password: 'the-admin-password-of-the-tests',
  });
  const setCookies = headers['set-cookie'] as unknown as string[];
  cookie = setCookies[0]?.split(';')[0] ?? '';
  return cookie;
}
