import { deflateSync, gzipSync } from 'node:zlib';
import type { Test } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/server/client.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';

const LIMIT = 100 * 1024;

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await sharedServer();
  app = await server.admin.buildApp({ fields: [] });
});

let personCount = 0;
const newEmail = (): string => {
  personCount += 1;
  return `person${personCount}@x.org`;
};
const countOf = (email: string) =>
  server.db.collection('users').countDocuments({ sourceAppId: app.sourceAppId, email });
const bodyOf = (email: string, data = '{}'): string => `{"email":"${email}","data":${data}}`;

/** Submits `bytes` unchanged as the body. */
function submitBytes(bytes: Buffer, headers: Record<string, string> = {}): Test {
  return server.client
    .submit(app.sourceAppId, bytes)
    .serialize((given) => given)
    .set({ 'Content-Type': 'application/json', ...headers });
}

/** Expects a refusal that has only a message, does not echo the request and stored nothing. */
async function expectRefused(request: Test, email: string, status: number, message: RegExp): Promise<void> {
  const { status: answered, body, text, headers } = await request;
  expect(answered).toBe(status);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(Object.keys(body).filter((name) => name !== 'params')).toEqual(['message', 'code']);
  expect(body.message).toMatch(message);
  expect(text).not.toContain(email);
  expect(await countOf(email)).toBe(0);
}

async function expectAccepted(request: Test, email: string): Promise<void> {
  await request.expect(200);
  expect(await countOf(email)).toBe(1);
}

describe('spec 4, wrong or missing Content-Type', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/ld+json',
    'json',
  ])('responds to %s with 400', async (type) => {
    const email = newEmail();
    await expectRefused(submitBytes(Buffer.from(bodyOf(email)), { 'Content-Type': type }), email, 400, /Content-Type/);
  });

  it('responds to a request without Content-Type with 400', async () => {
    const email = newEmail();
    const response = await fetch(`${server.client.url}/v1/users`, {
      method: 'POST',
      headers: { 'x-app-id': app.sourceAppId },
      body: Buffer.from(bodyOf(email)),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      message: 'A JSON body with Content-Type: application/json is required',
      code: 'notJsonBody',
    });
    expect(await countOf(email)).toBe(0);
  });

  it.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'])(
    'accepts %s',
    async (type) => {
      const email = newEmail();
      await expectAccepted(submitBytes(Buffer.from(bodyOf(email)), { 'Content-Type': type }), email);
    },
  );

  it('responds with 400 to a log-in sent as text/plain (attack: log-in CSRF with an HTML form)', async () => {
    const { headers } = await server.client
      .post('/auth/login', JSON.stringify({ sourceAppId: app.sourceAppId, password: app.password }))
      .set('Content-Type', 'text/plain')
      .expect(400);
    expect(headers).not.toHaveProperty('set-cookie');
  });
});

describe('spec 4, broken JSON', () => {
  it.each(['{', '', '{"email":"a@x.org",}', "{'email':'a@x.org'}", '{"email":"a@x.org"} {}', 'undefined', 'NaN'])(
    'responds to %j with 400',
    async (text) => {
      const before = await server.db.collection('users').countDocuments();
      const { body } = await submitBytes(Buffer.from(text)).expect(400);
      expect(body.message).toMatch(/^(The request body is not valid JSON|Invalid submission|A JSON body .*)$/);
      expect(await server.db.collection('users').countDocuments()).toBe(before);
    },
  );
});

describe('spec 4, unknown charset, encoding, invalid UTF-8', () => {
  it.each(['utf-16', 'iso-8859-1', 'utf-7', 'x-unknown'])('responds to charset %s with 400', async (charset) => {
    const email = newEmail();
    const type = `application/json; charset=${charset}`;
    await expectRefused(submitBytes(Buffer.from(bodyOf(email)), { 'Content-Type': type }), email, 400, /UTF-8/);
  });

  it.each([
    ['utf8', {}],
    ['"utf8"', {}],
    ['UTF8', {}],
    ['utf-8', { 'Content-Encoding': '' }],
  ])('reads a body of charset %s with the headers %j as UTF-8', async (charset, headers) => {
    const email = newEmail();
    const type = `application/json; charset=${charset}`;
    await submitBytes(Buffer.from(bodyOf(email)), { 'Content-Type': type, ...headers }).expect(200);
  });

  it('reads over a byte order mark before JSON', async () => {
    const email = newEmail();
    await submitBytes(Buffer.from(`\uFEFF${bodyOf(email)}`)).expect(200);
    await submitBytes(Buffer.from(`\uFEFF\uFEFF${bodyOf(email)}`)).expect(400);
  });

  it.each(['br', 'compress', 'zstd-x', 'gzip, gzip'])('responds to Content-Encoding %s with 415', async (encoding) => {
    const email = newEmail();
    const request = submitBytes(Buffer.from(bodyOf(email)), { 'Content-Encoding': encoding });
    await expectRefused(request, email, 415, /Content-Encoding/);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['a truncated sequence', [0xe2, 0x82]],
    ['an overlong encoding', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ])('responds to %s with 400, because it would be stored altered', async (_name, bytes) => {
    const email = newEmail();
    const [head, tail] = bodyOf(email, '{"name":"@"}').split('"@"');
    const sent = Buffer.concat([Buffer.from(`${head}"`), Buffer.from(bytes), Buffer.from(`"${tail}`)]);
    await expectRefused(submitBytes(sent), email, 400, /UTF-8/);
  });

  it('responds to an escaped lone surrogate with 400', async () => {
    const email = newEmail();
    const sent = Buffer.from(bodyOf(email, '{"name":"\\ud800"}'));
    await expectRefused(submitBytes(sent), email, 400, /not valid Unicode/);
  });

  it('stores text of any script unchanged', async () => {
    const email = newEmail();
    const name = 'Zoë 山田 😀 \u202e\u0000';
    await submitBytes(Buffer.from(bodyOf(email, JSON.stringify({ name })))).expect(200);
    expect(await server.db.collection('users').findOne({ sourceAppId: app.sourceAppId, email })).toMatchObject({
      data: { name },
    });
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('accepts a body compressed with %s', async (encoding, compress) => {
    const email = newEmail();
    await expectAccepted(submitBytes(compress(bodyOf(email)), { 'Content-Encoding': encoding }), email);
  });

  it('responds to an invalid or truncated gzip body with 400', async () => {
    const email = newEmail();
    const complete = gzipSync(bodyOf(email));
    const encoded = { 'Content-Encoding': 'gzip' };
    await expectRefused(submitBytes(Buffer.from(bodyOf(email)), encoded), email, 400, /cannot be read/);
    await expectRefused(submitBytes(complete.subarray(0, complete.length - 9), encoded), email, 400, /cannot be read/);
  });
});

describe('spec 8, body limit', () => {
  const padded = (email: string, size: number): Buffer => {
    const emptyLength = bodyOf(email, '{"pad":""}').length;
    return Buffer.from(bodyOf(email, `{"pad":"${'x'.repeat(size - emptyLength)}"}`));
  };

  it('accepts a body of 100 kB', async () => {
    const email = newEmail();
    await expectAccepted(submitBytes(padded(email, LIMIT)), email);
  });

  it('responds to one byte more with 413', async () => {
    const email = newEmail();
    await expectRefused(submitBytes(padded(email, LIMIT + 1)), email, 413, /too large/);
  });

  it('counts what arrives, when no Content-Length tells the size: responds with 413', async () => {
    const email = newEmail();
    const inPieces = new Blob([padded(email, LIMIT + 1)]).stream();
    const { status } = await fetch(`${server.client.url}/v1/users`, {
      method: 'POST',
      headers: { 'x-app-id': app.sourceAppId, 'Content-Type': 'application/json' },
      body: inPieces,
      duplex: 'half',
    } as RequestInit);
    expect(status).toBe(413);
    expect(await countOf(email)).toBe(0);
  });

  it('measures the decompressed size: responds to one byte more, compressed, with 413', async () => {
    const email = newEmail();
    const compressed = { 'Content-Encoding': 'gzip' };
    await expectAccepted(submitBytes(gzipSync(padded(email, LIMIT)), compressed), email);
    const other = newEmail();
    await expectRefused(submitBytes(gzipSync(padded(other, LIMIT + 1)), compressed), other, 413, /too large/);
  });

  it('measures the decompressed size: responds to a gzip bomb with 413', { tags: 'long' }, async () => {
    const email = newEmail();
    const bomb = gzipSync(padded(email, 50 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(LIMIT);
    await expectRefused(submitBytes(bomb, { 'Content-Encoding': 'gzip' }), email, 413, /too large/);
  });

  it('still responds to requests after a 413', async () => {
    await server.client.get('/health').expect(200);
  });

  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

  it('accepts 20 levels of nesting', async () => {
    const email = newEmail();
    await expectAccepted(submitBytes(Buffer.from(bodyOf(email, `{"deep":${nested(18)}}`))), email);
  });

  it.each([19, 100, 40_000])(
    'responds to more than 20 levels of nesting (%i below a field) with 400',
    async (levels) => {
      const email = newEmail();
      const sent = Buffer.from(bodyOf(email, `{"deep":${nested(levels)}}`));
      await expectRefused(submitBytes(sent), email, 400, /nested deeper than 20 levels/);
    },
  );
});
