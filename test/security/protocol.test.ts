import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
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

describe('headers', () => {
  it.each([
    ['a giant one', `x-padding: ${'x'.repeat(100_000)}`, 431],
    ['ten thousand', Array.from({ length: 10_000 }, (_, index) => `x-${index}: 1`).join('\r\n'), 431],
    ['a giant x-app-id', `x-app-id: ${'a'.repeat(10_000)}`, 400],
    ['two x-app-id', 'x-app-id: one\r\nx-app-id: two', 400],
    ['a non-ASCII x-app-id', 'x-app-id: caf\xe9', 400],
    ['an x-app-id with a NUL', 'x-app-id: a\0b', 400],
    ['a folded x-app-id', 'x-app-id: a\r\n b', 400],
    ['an operator as x-app-id', 'x-app-id: {"$ne":""}', 400],
    ['a path as x-app-id', 'x-app-id: ../admin', 400],
    ['an empty x-app-id', 'x-app-id:', 400],
    ['a name with a space', 'x-app-id : admin', 400],
    ['no name', ': admin', 400],
  ])('%s', async (_name, header, status) => {
    expect(await send(url, request('GET', '/v1/schema', [header]))).toMatchObject({ status, answers: 1 });
  });

  it('the same x-app-id twice is no app either', async () => {
    const twice = request('GET', '/v1/schema', [`x-app-id: ${app}`, `x-app-id: ${app}`]);
    expect((await send(url, twice)).text).toContain('Invalid x-app-id header');
  });

  it('never repeats a sent request id that could end a header or a log line', async () => {
    const { text, status } = await send(url, request('GET', '/health', ['X-Request-Id: caf\xe9 "}']));
    expect(status).toBe(200);
    expect(text).not.toContain('caf');
  });
});

describe('the length of a request', () => {
  const body = submission('smuggled@example.com');
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const head = () => `POST /v1/users HTTP/1.1\r\nHost: localhost\r\nx-app-id: ${app}\r\n${JSON_TYPE}\r\n`;

  it.each([
    ['two lengths', `Content-Length: ${body.length}\r\nContent-Length: 1\r\n\r\n${body}`],
    ['a length and chunks', `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunked}`],
    ['an unknown transfer coding', `Transfer-Encoding: xchunked\r\n\r\n${chunked}`],
    ['chunked twice', `Transfer-Encoding: chunked, chunked\r\n\r\n${chunked}`],
    ['a list of lengths', `Content-Length: ${body.length}, ${body.length}\r\n\r\n${body}`],
    ['a negative length', `Content-Length: -1\r\n\r\n${body}`],
    ['a length in hexadecimal', `Content-Length: 0x10\r\n\r\n${body}`],
    ['a chunk of no size', `Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}`],
    ['a chunk of more than memory', `Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n${body}`],
  ])('%s: 400, one answer, nothing stored', async (_name, rest) => {
    const answer = await send(url, `${head()}${rest}`, 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(answer).toMatchObject({ status: 400, answers: 1 });
    expect(await stored('smuggled@example.com')).toBeNull();
  });

  it('a body cut off half-way is not stored, and the server lives', async () => {
    const socket = open(url);
    const whole = submission('half@example.com');
    socket.write(submit(whole).subarray(0, -5));
    await sleep(100);
    socket.destroy();
    await server.client.get('/health').expect(200);
    expect(await stored('half@example.com')).toBeNull();
  });

  it('a body that is longer than its length says is no second submission', async () => {
    const bytes = Buffer.concat([submit('{"email":"a@b.co"}'), Buffer.from(submission('tail@example.com'))]);
    expect((await send(url, bytes)).answers).toBe(1);
    expect(await stored('tail@example.com')).toBeNull();
  });
});

describe('slow clients', () => {
  /** Sends a byte now and then, as if it were about to go on, until the server has had enough. */
  async function drip(first: Buffer | string, every: number) {
    const socket = open(url);
    socket.write(first);
    const timer = setInterval(() => socket.write('x'), every);
    const answer = await ended(socket);
    clearInterval(timer);
    return answer;
  }

  it('are dropped within 15 s, in their headers and in their body, while others are served', async () => {
    let over = false;
    const slow = Promise.all([
      drip('GET /health HTTP/1.1\r\nHost: localhost\r\nx-slow: ', 500),
      drip(submit(' '.repeat(500)).subarray(0, -490), 500),
      drip('GET /health HTTP/1.1\r\n', 60_000),
    ]).finally(() => {
      over = true;
    });
    const served = (async () => {
      for (let count = 0; ; count += 1) {
        if (over) return count;
        await server.client.get('/health').expect(200);
        await sleep(250);
      }
    })();
    const answers = await Promise.race([slow, sleep(15_500).then(() => 'still connected')]);
    expect(answers).toEqual([408, 408, 408].map((status) => expect.objectContaining({ status, answers: 1 })));
    expect(await served).toBeGreaterThan(10);
  }, 30_000);
});

describe('encodings', () => {
  it.each([
    ['a gzip bomb', () => gzipSync(`{"email":"${'a'.repeat(50_000_000)}"}`), 'gzip', 413],
    ['a brotli bomb', () => brotliCompressSync(`{"email":"${'a'.repeat(5_000_000)}"}`), 'br', 415],
    ['gzip that is none', () => Buffer.from('not gzip'), 'gzip', 400],
    ['gzip cut off', () => gzipSync(submission('cut@example.com')).subarray(0, -12), 'gzip', 400],
    ['an unknown encoding', () => Buffer.from(submission('x@example.com')), 'compress', 415],
    ['two encodings', () => gzipSync(gzipSync(submission('x@example.com'))), 'gzip, gzip', 415],
    ['an empty gzip', () => gzipSync(''), 'gzip', 400],
  ])('%s', async (_name, body, encoding, status) => {
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
    ['a form', 'application/x-www-form-urlencoded'],
    ['plain text', 'text/plain'],
    ['no type', 'x'],
    ['two types', 'text/plain, application/json'],
    ['JSON of another kind', 'application/ld+json'],
  ])('the content type %s: 400', async (_name, type) => {
    const before = await countOf();
    expect((await send(url, submit(submission('type@example.com'), [`Content-Type: ${type}`]))).status).toBe(400);
    expect(await countOf()).toBe(before);
  });

  it.each([
    ['a lone byte', Buffer.from('{"email":"u@example.com","data":{"name":"\xff"}}', 'latin1')],
    ['an overlong slash', Buffer.from('{"email":"u@example.com","data":{"name":"\xc0\xaf"}}', 'latin1')],
    ['an encoded surrogate', Buffer.from('{"email":"u@example.com","data":{"name":"\xed\xa0\x80"}}', 'latin1')],
    ['a character cut off', Buffer.from('{"email":"u@example.com","data":{"name":"\xf0\x9f\x98"}}', 'latin1')],
    ['an escaped high surrogate', '{"email":"u@example.com","data":{"name":"\\ud800"}}'],
    ['an escaped low surrogate', '{"email":"u@example.com","data":{"name":"x\\udc00y"}}'],
    ['surrogates the wrong way round', '{"email":"u@example.com","data":{"name":"\\ude00\\ud83d"}}'],
    ['a surrogate in an item', '{"email":"u@example.com","data":{"tags":[{"a":["\\ud800"]}]}}'],
    ['a surrogate in a key', '{"email":"u@example.com","data":{"tags":[{"\\ud800":1}]}}'],
    ['UTF-16', Buffer.from(submission('u@example.com'), 'utf16le')],
  ])('%s is refused, never stored altered', async (_name, body) => {
    expect((await send(url, submit(body))).status).toBe(400);
    expect(await stored('u@example.com')).toBeNull();
  });

  it('every other text comes back as it was sent', async () => {
    const name = '\u0000\u0001\u001f\u007f\u0085\u2028\u2029\ufeff\ufffe\uffff😀é\u0065\u0301\\"/';
    await server.client.submit(app, { email: 'text@example.com', data: { name } }).expect(200);
    expect((await stored('text@example.com'))?.data).toEqual({ name });
  });
});

describe('bodies that cost', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it.each([
    ['nesting of 20,000 levels', `{"email":"c@example.com","data":{"x":${nested(20_000)}}}`],
    ['nesting of 10,000 objects', `{"email":"c@example.com","data":${'{"x":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ['a number beyond all numbers', '{"email":"c@example.com","data":{"x":1e400}}'],
    ['its negative', '{"email":"c@example.com","data":{"x":[-1e400]}}'],
    ['NaN', '{"email":"c@example.com","data":{"x":NaN}}'],
    ['two values', `${submission('c@example.com')}${submission('c@example.com')}`],
    ['a byte order mark', `\ufeff${submission('c@example.com')} x`],
    ['null', 'null'],
    ['an array', `[${submission('c@example.com')}]`],
    ['a text', '"c@example.com"'],
    ['nothing', ''],
    ['a comment', '{"email":"c@example.com" /* hello */}'],
  ])('%s: 400', async (_name, body) => {
    const answer = await send(url, submit(body));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(3_000);
    expect(await stored('c@example.com')).toBeNull();
  });

  it('a hundred thousand digits are a number too large, and a million bytes too many', async () => {
    const digits = '9'.repeat(90_000);
    expect((await send(url, submit(`{"email":"c@example.com","data":{"x":${digits}}}`))).status).toBe(400);
    const answer = await send(url, submit(`{"email":"c@example.com","data":{"x":"${'x'.repeat(1_000_000)}"}}`));
    expect([413, 0]).toContain(answer.status); // 0: the connection was reset while the rest was still on its way
    expect(await stored('c@example.com')).toBeNull();
  });

  it.each([
    ['in data', (keys: string) => `{"email":"c@example.com","data":{${keys}}}`],
    ['beside data', (keys: string) => `{"email":"c@example.com",${keys}}`],
    ['in an item', (keys: string) => `{"email":"c@example.com","data":{"tags":[{${keys}}]}}`],
  ])('10,000 keys that cannot be kept, %s: 400 in a short answer', async (_name, body) => {
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
  ])('%s: %i', async (path, status) => {
    const cookie = await adminCookie();
    const answer = await send(url, request('GET', path, [`Cookie: ${cookie}`]));
    // The dashboard answers unknown paths under its own with its page.
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
    ['limit=99999999999999999999'],
    ['skip=1.5'],
    ['skip=NaN'],
    ['sourceAppId=a&sourceAppId=b'],
    ['sourceAppId[$ne]=x'],
    ['sourceAppId='],
    ['__proto__=x'],
    ['__proto__[admin]=1'],
    ['constructor=1'],
    [`${'x'.repeat(5_000)}=1`],
  ])('?%s: 400 that repeats nothing of length', async (query) => {
    const answer = await send(url, request('GET', `/auth/admin/users?${query}`, [`Cookie: ${await adminCookie()}`]));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(2_500);
  });

  it('an absolute target, an asterisk and unknown methods get an answer that is no failure', async () => {
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
  const set = headers['set-cookie'] as unknown as string[];
  cookie = set[0]?.split(';')[0] ?? '';
  return cookie;
}
