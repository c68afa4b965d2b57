import { deflateSync, gzipSync } from 'node:zlib';
import type { Test } from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const LIMIT = 100 * 1024;

let server: TestServer;
let app: TestApp;
beforeAll(async () => {
  server = await startServer();
  app = await server.admin.buildApp({ fields: [] });
});
afterAll(() => server.close());

let people = 0;
const newEmail = (): string => {
  people += 1;
  return `person${people}@x.org`;
};
const bodyOf = (email: string, data = '{}'): string => `{"email":"${email}","data":${data}}`;

/** Submits exactly these bytes. */
function submitBytes(bytes: Buffer, headers: Record<string, string> = {}): Test {
  return server.client
    .submit(app.sourceAppId, bytes)
    .serialize((given) => given)
    .set({ 'Content-Type': 'application/json', ...headers });
}

/** Expects a refusal with a message and nothing else, that stored nothing and does not repeat what was sent. */
async function expectRefused(request: Test, email: string, status: number, message: RegExp): Promise<void> {
  const { status: answered, body, text, headers } = await request;
  expect(answered).toBe(status);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(Object.keys(body)).toEqual(['message']);
  expect(body.message).toMatch(message);
  expect(text).not.toContain(email);
  expect(await server.db.collection('users').countDocuments({ email })).toBe(0);
}

async function expectTaken(request: Test, email: string): Promise<void> {
  await request.expect(200);
  expect(await server.db.collection('users').countDocuments({ email })).toBe(1);
}

describe('spec 4, wrong or missing Content-Type', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/ld+json',
    'json',
  ])('%s is 400', async (type) => {
    const email = newEmail();
    await expectRefused(submitBytes(Buffer.from(bodyOf(email)), { 'Content-Type': type }), email, 400, /Content-Type/);
  });

  it('none at all is 400', async () => {
    const email = newEmail();
    const response = await fetch(`${server.client.url}/v1/users`, {
      method: 'POST',
      headers: { 'x-app-id': app.sourceAppId },
      body: Buffer.from(bodyOf(email)),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      message: 'A JSON body with Content-Type: application/json is required',
    });
    expect(await server.db.collection('users').countDocuments({ email })).toBe(0);
  });

  it.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'])(
    '%s is taken',
    async (type) => {
      const email = newEmail();
      await expectTaken(submitBytes(Buffer.from(bodyOf(email)), { 'Content-Type': type }), email);
    },
  );

  it('guards log-in too: a form of another site cannot log anybody in', async () => {
    const { headers } = await server.client
      .post('/auth/login', JSON.stringify({ sourceAppId: app.sourceAppId, password: app.password }))
      .set('Content-Type', 'text/plain')
      .expect(400);
    expect(headers).not.toHaveProperty('set-cookie');
  });
});

describe('spec 4, broken JSON', () => {
  it.each(['{', '', '{"email":"a@x.org",}', "{'email':'a@x.org'}", '{"email":"a@x.org"} {}', 'undefined', 'NaN'])(
    '%j is 400',
    async (text) => {
      const before = await server.db.collection('users').countDocuments();
      const { body } = await submitBytes(Buffer.from(text)).expect(400);
      expect(body.message).toMatch(/^(The request body is not valid JSON|Invalid submission|A JSON body .*)$/);
      expect(await server.db.collection('users').countDocuments()).toBe(before);
    },
  );
});

describe('spec 4, unknown charset, encoding, invalid UTF-8', () => {
  it.each(['utf-16', 'iso-8859-1', 'utf-7', 'x-unknown'])('charset %s is 400', async (charset) => {
    const email = newEmail();
    const type = `application/json; charset=${charset}`;
    await expectRefused(submitBytes(Buffer.from(bodyOf(email)), { 'Content-Type': type }), email, 400, /UTF-8/);
  });

  it.each(['br', 'compress', 'zstd-x', 'gzip, gzip'])('Content-Encoding %s is 415', async (encoding) => {
    const email = newEmail();
    const request = submitBytes(Buffer.from(bodyOf(email)), { 'Content-Encoding': encoding });
    await expectRefused(request, email, 415, /Content-Encoding/);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['a truncated sequence', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('%s is 400: it would be stored as something else', async (_what, bytes) => {
    const email = newEmail();
    const [head, tail] = bodyOf(email, '{"name":"@"}').split('"@"');
    const sent = Buffer.concat([Buffer.from(`${head}"`), Buffer.from(bytes), Buffer.from(`"${tail}`)]);
    await expectRefused(submitBytes(sent), email, 400, /UTF-8/);
  });

  it('a lone surrogate written as an escape is 400', async () => {
    const email = newEmail();
    const sent = Buffer.from(bodyOf(email, '{"name":"\\ud800"}'));
    await expectRefused(submitBytes(sent), email, 400, /not valid Unicode/);
  });

  it('text of any script is stored as sent', async () => {
    const email = newEmail();
    const name = 'Zoë 山田 😀 \u202e\u0000';
    await submitBytes(Buffer.from(bodyOf(email, JSON.stringify({ name })))).expect(200);
    expect(await server.db.collection('users').findOne({ email })).toMatchObject({ data: { name } });
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('a body in %s is taken', async (encoding, compress) => {
    const email = newEmail();
    await expectTaken(submitBytes(compress(bodyOf(email)), { 'Content-Encoding': encoding }), email);
  });

  it('a gzip body that is none, or is cut off, is 400', async () => {
    const email = newEmail();
    const whole = gzipSync(bodyOf(email));
    const encoded = { 'Content-Encoding': 'gzip' };
    await expectRefused(submitBytes(Buffer.from(bodyOf(email)), encoded), email, 400, /cannot be read/);
    await expectRefused(submitBytes(whole.subarray(0, whole.length - 9), encoded), email, 400, /cannot be read/);
  });
});

describe('spec 8, body limit', () => {
  const padded = (email: string, size: number): Buffer => {
    const bare = bodyOf(email, '{"pad":""}').length;
    return Buffer.from(bodyOf(email, `{"pad":"${'x'.repeat(size - bare)}"}`));
  };

  it('100 kB are taken', async () => {
    const email = newEmail();
    await expectTaken(submitBytes(padded(email, LIMIT)), email);
  });

  it('one byte more is 413', async () => {
    const email = newEmail();
    await expectRefused(submitBytes(padded(email, LIMIT + 1)), email, 413, /too large/);
  });

  it('counts after decompression: a gzip bomb is 413', async () => {
    const email = newEmail();
    const bomb = gzipSync(padded(email, 50 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(LIMIT);
    await expectRefused(submitBytes(bomb, { 'Content-Encoding': 'gzip' }), email, 413, /too large/);
  });

  it('after a 413 the service still answers', async () => {
    await server.client.get('/health').expect(200);
  });

  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

  it('20 levels of nesting are taken', async () => {
    const email = newEmail();
    await expectTaken(submitBytes(Buffer.from(bodyOf(email, `{"deep":${nested(18)}}`))), email);
  });

  it.each([19, 100, 40_000])('20 levels and more (%i below a field) are 400', async (levels) => {
    const email = newEmail();
    const sent = Buffer.from(bodyOf(email, `{"deep":${nested(levels)}}`));
    await expectRefused(submitBytes(sent), email, 400, /nested deeper than 20 levels/);
  });
});
