// @module-tag long
// @module-tag fault

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { assertCoded } from '../support/server/coded.ts';
import { BOUNDARY, type Entries, multipart, partOf, sendBody, TYPES, urlencoded } from '../support/server/forms.ts';
import { type MeasuredServer, startMeasuredServer } from '../support/server/measured-server.ts';
import { Leftovers } from '../support/server/process.ts';
import { FULL_LEASES, startServer, type TestServer } from '../support/server/server.ts';
import { open } from './raw.ts';

const END = `--${BOUNDARY}--\r\n`;
const NOT_FORM_DATA = 'The request body is not valid form data';
const NOT_UTF8 = 'The request body must be UTF-8: the form of the website needs accept-charset="utf-8"';
const FILES = 'Files are not accepted: the form may send texts only';

const leftovers = new Leftovers();
let server: TestServer;
let app: string;
beforeAll(async () => {
  server = await startServer({}, undefined, FULL_LEASES);
  app = (await server.admin.buildApp({ fields: [] })).sourceAppId;
});
afterAll(async () => {
  await server.close();
  await leftovers.clear();
});

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const EMAIL = partOf('name="email"', 'a@x.org');

/** Expects that a body is refused with this message, as JSON and as a page, and nothing stored. */
async function expectRefused(type: string, body: Buffer | string, message: string, status = 400): Promise<void> {
  const sent = typeof body === 'string' ? Buffer.from(body) : body;
  const json = await sendBody(server.client, app, type, sent).set('Accept', 'application/json').expect(status);
  expect(json.body).toEqual({
    message,
    code: expect.any(String),
    ...(json.body.params && { params: expect.any(Object) }),
  });
  assertCoded(json.body);
  const page = await sendBody(server.client, app, type, sent).expect(status);
  expect(page.type).toBe('text/html');
  expect(await server.db.collection('users').countDocuments({ sourceAppId: app })).toBe(0);
}

describe('spec 4, forms that are not readable', () => {
  it.each([
    ['no body', TYPES.urlencoded, ''],
    ['text', 'text/plain', 'email=a@x.org'],
    ['no type', '', 'email=a@x.org'],
    ['another multipart type', `multipart/mixed; boundary=${BOUNDARY}`, multipart([['email', 'a@x.org']])],
  ])('%s', async (_name, type, body) => {
    const required =
      'A body of one of these types is required: application/json, application/x-www-form-urlencoded, multipart/form-data';
    await expectRefused(type, body, required);
  });

  it.each(['email=a%40x.org&name=%', 'email=a%40x.org&name=%4', 'email=a%40x.org&%zz=1', 'email=100%+sure'])(
    'a percent sign without two digits: %s',
    (body) => expectRefused(TYPES.urlencoded, body, NOT_FORM_DATA),
  );

  it.each([
    ['windows-1252', '\xe9'],
    ['an encoded surrogate', '\xed\xa0\x80'],
    ['an overlong encoding', '\xc0\xaf'],
    ['a truncated sequence', '\xe2\x82'],
  ])('%s in a value or a name, raw or escaped', async (_name, text) => {
    const escaped = [...bytes(text)].map((byte) => `%${byte.toString(16)}`).join('');
    for (const part of [`name=${text}`, `${text}=x`, `name=${escaped}`, `${escaped}=x`]) {
      await expectRefused(TYPES.urlencoded, bytes(`email=a@x.org&${part}`), NOT_UTF8);
    }
    for (const part of [partOf('name="name"', text), partOf(`name="${text}"`, 'x')]) {
      await expectRefused(TYPES.multipart, bytes(EMAIL + part + END), NOT_UTF8);
    }
  });

  it.each(['windows-1252', 'iso-8859-1', 'utf-16'])('the charset %s', async (charset) => {
    await expectRefused(`${TYPES.urlencoded}; charset=${charset}`, 'email=a@x.org', NOT_UTF8);
    const part = partOf('name="name"', '\xc3\xa9', [`Content-Type: text/plain; charset=${charset}`]);
    await expectRefused(TYPES.multipart, bytes(EMAIL + part + END), NOT_UTF8);
  });

  it.each([
    ['utf-16', 'x\0'],
    ['iso-2022-jp', '\x1b$B$"\x1b(B'],
    ['utf-7', '+AOk-'],
    ['x-unknown', 'x'],
  ])('a part of %s whose bytes are ASCII, but another text', async (charset, text) => {
    const part = partOf('name="name"', text, [`Content-Type: text/plain; charset=${charset}`]);
    await expectRefused(TYPES.multipart, EMAIL + part + END, NOT_UTF8);
  });

  it('NUL in a name', async () => {
    const message = 'The name of a form entry may not contain NUL';
    await expectRefused(TYPES.urlencoded, 'email=a@x.org&na%00me=x', message);
    await expectRefused(TYPES.multipart, EMAIL + partOf('name="na\0me"', 'x') + END, message);
  });

  it.each(['base64', 'quoted-printable', 'x-other'])('a part in %s', (encoding) =>
    expectRefused(
      TYPES.multipart,
      EMAIL + partOf('name="name"', 'QWRh', [`Content-Transfer-Encoding: ${encoding}`]) + END,
      NOT_FORM_DATA,
    ),
  );

  it.each([
    ['a part without an end', EMAIL.slice(0, -2)],
    ['no last boundary', EMAIL],
    ['a header without an end', `${EMAIL}--${BOUNDARY}\r\nContent-Disposition: form-data; name="name"`],
    ['headers that never end', `${EMAIL}--${BOUNDARY}\r\nContent-Disposition: form-data; name="name"\r\n${END}`],
    ['a part without a header', `${EMAIL}--${BOUNDARY}\r\n\r\nx\r\n${END}`],
    ['a part without a disposition', `${EMAIL}--${BOUNDARY}\r\nContent-Type: text/plain\r\n\r\nx\r\n${END}`],
    [
      'a part of another disposition',
      `${EMAIL}--${BOUNDARY}\r\nContent-Disposition: inline; name="a"\r\n\r\nx\r\n${END}`,
    ],
    ['a part without a name', EMAIL + partOf('title="a"', 'x') + END],
    ['a name without an end', EMAIL + partOf('name="a', 'x') + END],
    ['two dispositions', EMAIL + partOf('name="a"', 'x', ['Content-Disposition: form-data; name="b"']) + END],
    ['a broken line in a header', EMAIL + partOf('name="a"\n', 'x') + END],
    ['text before a boundary', `${EMAIL}--${BOUNDARY}x\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n${END}`],
    ['parts after the end', EMAIL + END + partOf('name="a"', 'x') + END],
    ['no boundary at all', 'email=a@x.org'],
  ])('%s', (_name, body) => expectRefused(TYPES.multipart, body, NOT_FORM_DATA));

  it.each(['multipart/form-data', 'multipart/form-data; boundary=', `multipart/form-data; boundary=${'x'.repeat(71)}`])(
    'the type %s',
    (type) => expectRefused(type, EMAIL + END, 'The Content-Type has no valid boundary'),
  );

  it('an unknown Content-Encoding is 415', async () => {
    const { body } = await sendBody(server.client, app, TYPES.urlencoded, 'email=a@x.org')
      .set({ Accept: 'application/json', 'Content-Encoding': 'br' })
      .expect(415);
    expect(body.message).toContain('Content-Encoding');
  });

  it('a body beyond the limit is 413, compressed or not', async () => {
    const large = Buffer.from(`email=a@x.org&name=${'x'.repeat(100 * 1024)}`);
    await expectRefused(TYPES.urlencoded, large, 'The request body is too large', 413);
    await sendBody(server.client, app, TYPES.urlencoded, gzipSync(large)).set('Content-Encoding', 'gzip').expect(413);
  });
});

describe('spec 4.5, files', () => {
  it.each([
    ['a file', 'name="photo"; filename="a.png"', '\x89PNG\xff'],
    ['a file with filename*', `name="photo"; filename*=UTF-8''a.png`, 'x'],
    ['a file with both', `name="photo"; filename="a"; filename*=utf-8''b`, 'x'],
    ['content without a file name', 'name="photo"; filename=""', 'x'],
    ['an empty file with a name', 'name="photo"; filename="a.png"', ''],
  ])('%s is refused with a message that says so', (_name, parameters, content) =>
    expectRefused(TYPES.multipart, bytes(EMAIL + partOf(parameters, content) + END), FILES),
  );

  it('an unfilled file control is left out', async () => {
    const own = (await server.admin.buildApp({ rejectUnknown: true, fields: [] })).sourceAppId;
    const unfilled = partOf('name="photo"; filename=""', '', ['Content-Type: application/octet-stream']);
    await sendBody(server.client, own, TYPES.multipart, EMAIL + unfilled + END).expect(303);
    const record = await server.db.collection('users').findOne({ sourceAppId: own });
    expect(record).toMatchObject({ email: 'a@x.org', data: {} });
  });

  it('a form without entries is a form without an email', async () => {
    const { body } = await sendBody(server.client, app, TYPES.multipart, END)
      .set('Accept', 'application/json')
      .expect(400);
    expect(body.errors).toMatchObject([{ path: 'email' }]);
  });
});

describe('spec 8, limits of forms', () => {
  const entries = (count: number): Entries => Array.from({ length: count }, (_, index) => [`_${index}`, 'x']);

  it('1,000 entries with names of 200 bytes are accepted', async () => {
    const own = (await server.admin.buildApp()).sourceAppId;
    const all: Entries = [['email', 'a@x.org'], [`_${'x'.repeat(199)}`, 'x'], ...entries(998)];
    await sendBody(server.client, own, TYPES.urlencoded, urlencoded(all)).expect(303);
    await sendBody(server.client, own, TYPES.multipart, multipart(all)).expect(303);
  });

  it('one more entry is refused', async () => {
    const message = 'A form may have at most 1000 entries';
    const all: Entries = [['email', 'a@x.org'], ...entries(1_000)];
    await expectRefused(TYPES.urlencoded, urlencoded(all), message);
    await expectRefused(TYPES.multipart, multipart(all), message);
  });

  it('a longer name is refused', async () => {
    const message = 'The name of a form entry may have at most 200 bytes';
    const all: Entries = [
      ['email', 'a@x.org'],
      ['é'.repeat(101), 'x'],
    ];
    await expectRefused(TYPES.urlencoded, urlencoded(all), message);
    await expectRefused(TYPES.multipart, multipart(all), message);
  });
});

describe('attack: large forms', () => {
  /** A form may have 1 MB, also where a body may have more. */
  const SIZE = 1024 * 1024 - 200;
  let large: MeasuredServer;
  beforeAll(async () => {
    large = await startMeasuredServer(leftovers, server.database, { BODY_LIMIT: '15mb' });
  });

  const filled = (text: string, size = SIZE): string => text.repeat(Math.floor(size / Buffer.byteLength(text)));
  const attacks: [name: string, type: string, body: () => string, status: number][] = [
    ['100,000 parts', TYPES.multipart, () => partOf('name="a"', 'x').repeat(100_000) + END, 413],
    ['15,000 parts', TYPES.multipart, () => `--${BOUNDARY}\r\n${filled(`\r\n\r\nx\r\n--${BOUNDARY}`)}--\r\n`, 400],
    ['100,000 pairs', TYPES.urlencoded, () => `email=a@x.org&${'a=x&'.repeat(100_000)}`, 400],
    ['1 MB of &', TYPES.urlencoded, () => filled('&'), 400],
    ['a name of 1 MB', TYPES.urlencoded, () => filled('x'), 400],
    ['a part name of 1 MB', TYPES.multipart, () => EMAIL + partOf(`name="${filled('x', SIZE - 500)}"`, '') + END, 400],
    ['headers of 1 MB', TYPES.multipart, () => `--${BOUNDARY}\r\n${filled('a: b\r\n')}`, 400],
    ['a part without an end', TYPES.multipart, () => partOf('name="a"', filled('x')), 400],
    ['nearly a boundary', TYPES.multipart, () => `--${BOUNDARY}\r\n\r\n${filled(`\r\n--${BOUNDARY.slice(1)}`)}`, 400],
    ['1 MB of dashes', TYPES.multipart, () => filled('-'), 400],
    ['1 MB of line ends', TYPES.multipart, () => filled('\r\n'), 400],
    ['1 MB of escapes', TYPES.urlencoded, () => `name=${filled('%C3%A9')}`, 400],
    ['1 MB of text', TYPES.urlencoded, () => `name=${filled('é')}`, 400],
    ['14 MB of text', TYPES.urlencoded, () => filled('x', 14 * SIZE), 413],
  ];

  it.each(attacks)('%s is refused in little memory, and others are answered', async (_name, type, body, status) => {
    const sent = body();
    const send = async () => {
      const url = `${large.url}/v1/forms/${app}`;
      const init = { method: 'POST', headers: { 'Content-Type': type, Connection: 'close' }, body: sent };
      const response = await fetch(url, { ...init, redirect: 'manual' }).catch(() => undefined);
      // Undefined: the connection was reset while the rest of a body that is too large was sent.
      if (!response) return [status, ''] as const;
      return [response.status, await response.text()] as const;
    };
    await send();
    const growth = await large.growthDuring(async () => {
      for (let round = 0; round < rounds(5, 2); round += 1) {
        const answers = await Promise.all([send(), send(), fetch(`${large.url}/health`)]);
        for (const [answered, text] of answers.slice(0, 2) as [number, string][]) {
          expect(answered).toBe(status);
          expect(text.length).toBeLessThan(300_000);
        }
        expect(answers[2].status).toBe(200);
      }
    });
    expect(growth).toBeLessThan(100);
    expect(await server.db.collection('users').countDocuments({ sourceAppId: app })).toBe(0);
  });

  it('forms that stop in the middle of a part take no more than their bytes', async () => {
    const head = [`POST /v1/forms/${app} HTTP/1.1`, 'Host: localhost', `Content-Type: ${TYPES.multipart}`];
    const start = [...head, 'Content-Length: 90000', '', partOf('name="a"', 'x'.repeat(1_000))].join('\r\n');
    const growth = await large.growthDuring(async () => {
      const sockets = Array.from({ length: 200 }, () => open(large.url));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      for (const socket of sockets) socket.write(start);
      await sleep(300);
      for (const socket of sockets) socket.destroy();
    });
    expect(growth).toBeLessThan(60);
  });
});
