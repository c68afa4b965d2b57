// @module-tag long

import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { unitTime } from '../support/clock/thread-time.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { cellOf, rawZip } from '../support/samples/archives.ts';
import { type Sent, type TextInput, textInputs } from '../support/samples/text-inputs.ts';
import { harmlessText, longest, type WorstText, worstTexts } from '../support/samples/worst-texts.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { BOUNDARY, BROWSER, multipart, partOf, TYPES } from '../support/server/forms.ts';
import { runImport } from '../support/server/imports.ts';
import { type MeasuredServer, startMeasuredServer } from '../support/server/measured-server.ts';
import { Leftovers } from '../support/server/process.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';
import { CV } from '../support/server/uploads.ts';

/**
 * Below the limit of a body, and below that of Node.js for the line and the headers of a request.
 */
const MOST = { body: 99_000, header: 15_000, path: 15_000, query: 15_000 } as const;
/** The requests that are sent together. */
const TOGETHER = 6;
/** For a machine that is busy with other tests. */
const PATIENT_MS = 600_000;

const leftovers = new Leftovers();
const agent = new Agent({ keepAlive: true, maxSockets: TOGETHER });
/** Whose main thread is measured; the other one has the database. */
let server: MeasuredServer;
let base: TestServer;
let smtp: TestSmtp;
let client: Client;
let session: string;
let unit: number;
beforeAll(async () => {
  base = await startServer();
  smtp = await startSmtp();
  await base.services.jobs.stop();
  server = await startMeasuredServer(leftovers, base.database, { ...mailEnv(smtp, ''), TRUST_PROXY: '1' });
  client = await new Client(server.url).logIn('admin', ADMIN_PASSWORD);
  const { headers } = await client.post('/auth/login', { sourceAppId: 'admin', password: ADMIN_PASSWORD });
  session = [headers['set-cookie']]
    .flat()
    .map((one) => String(one).split(';', 1))
    .join('; ');
  await client.post('/auth/apps', { sourceAppId: APP }).expect(200);
  await client.post('/auth/apps', { sourceAppId: FIELDS }).expect(200);
  await client.putSchema(APP, { fields: [{ key: 'name', kind: 'text', indexed: true }] }).expect(200);
  await client.putSchema(FIELDS, { fields }).expect(200);
  for (const app of [APP, FIELDS]) await client.put(`/auth/apps/${app}/search`, { enabled: true }).expect(200);
  unit = unitTime();
});
afterAll(async () => {
  agent.destroy();
  await leftovers.clear();
  await smtp.close();
  await base.close();
});

let requests = 0;
/** Each request comes from another network, so that no rate refuses it. */
function nextNetwork(): string {
  requests += 1;
  return `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
}

/** Sends bytes as they are; in headers, without those that Node.js does not send. */
function send({ method, path, headers, body }: Sent): Promise<number> {
  const all = {
    Cookie: session,
    'X-Forwarded-For': nextNetwork(),
    'Content-Length': Buffer.byteLength(body ?? ''),
    ...headers,
  };
  const sent = Object.entries(all).map(([name, value]) => [
    name,
    Buffer.from(String(value))
      .toString('latin1')
      .replace(/[^\t\x20-\x7e\x80-\xff]/g, ' '),
  ]);
  return new Promise((resolve, reject) => {
    const req = request(server.url + path, { method, headers: Object.fromEntries(sent), agent }, (response) => {
      response.resume();
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
    });
    req.on('error', reject).end(body);
  });
}

const sizeOf = ({ path, headers, body = '' }: Sent, part: TextInput['part']): number =>
  part === 'body'
    ? Buffer.byteLength(body)
    : path.length + Object.values(headers).reduce((sum, value) => sum + Buffer.byteLength(value), session.length + 300);

function largest({ part, fill }: TextInput, text: WorstText): Sent {
  return fill(longest(text, MOST[part], (some) => sizeOf(fill(some), part)));
}

/** Resolves with the time of the main thread while it answers some requests. */
async function timeOf(sent: readonly Sent[]): Promise<number> {
  const from = server.threadTime();
  const statuses = new Set<number>();
  await Promise.all(sent.map(async (one) => statuses.add(await send(one))));
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  return server.threadTime() - from;
}

/** The least of several times, because a busy machine adds to each. */
async function leastTimeOf(sent: Sent): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run += 1) times.push(await timeOf([sent]));
  return Math.min(...times);
}

/**
 * Resolves with the texts that take longer than others of their length, and a fixed computation.
 */
async function slowTexts(input: TextInput): Promise<string[]> {
  const harmless = largest(input, harmlessText);
  const usual = await timeOf([harmless]);
  const sent = worstTexts.map(([name, text]) => ({ name, request: largest(input, text) }));
  let all = 0;
  for (let at = 0; at < sent.length; at += TOGETHER) {
    all += await timeOf(sent.slice(at, at + TOGETHER).map(({ request }) => request));
  }
  if (all < unit + sent.length * usual) return [];
  const most = unit + 4 * (await leastTimeOf(harmless));
  const slow: string[] = [];
  for (const { name, request } of sent) {
    if ((await timeOf([request])) < most) continue;
    const least = await leastTimeOf(request);
    if (least >= most) slow.push(`${input.name}, ${name}: ${Math.round((least / unit) * 100) / 100} units`);
  }
  return slow;
}

const APP = 'worst-texts';
/** The inputs of each part of the interface. */
const parts = new Map<string, TextInput[]>();
for (const input of textInputs(APP)) {
  const [, part = ''] = /^\w+ (\/\w+(?:\/\w+)?)/.exec(input.name) ?? [];
  parts.set(part, (parts.get(part) ?? []).concat(input));
}

/** An app that takes each kind of value. */
const FIELDS = 'worst-fields';
const fields: FieldDefinitionInput[] = [
  { key: 'line', kind: 'text', indexed: true },
  { key: 'long', kind: 'text', ui: 'textarea' },
  { key: 'site', kind: 'text', ui: 'url', showIf: { all: [{ field: 'line', op: 'contains', value: 'ab' }] } },
  { key: 'address', kind: 'text', ui: 'email' },
  { key: 'phone', kind: 'text', ui: 'tel', minLength: 10, maxLength: 90_000 },
  { key: 'coded', kind: 'text', regex: '^[a-z ]*$' },
  { key: 'age', kind: 'number', indexed: true },
  { key: 'agreed', kind: 'checkbox' },
  { key: 'topic', kind: 'select', enum: ['one', 'two'] },
  { key: 'topics', kind: 'multiselect', enum: ['one', 'two'] },
  { key: 'day', kind: 'date', indexed: true },
  { key: 'visits', kind: 'array' },
  CV,
];
const JSON_BODY = { 'Content-Type': 'application/json' };
const FORM = { method: 'POST', path: `/v1/forms/${FIELDS}` };
const escaped = (text: string): string => encodeURIComponent(text.toWellFormed());
/** As many parts as have a header block of almost 4 kB. */
const HEADS = 26;

/** The inputs that openapi.json does not list: values by their kind, forms, headers and paths. */
const ownInputs: Record<string, TextInput[]> = {
  'a value of a submission': fields.flatMap(({ key, kind }) =>
    [(text: string) => text, (text: string) => [text, { [text]: text }]].map(
      (inValue): TextInput => ({
        name: `a ${kind}, ${key}`,
        part: 'body',
        fill: (text) => {
          const body = JSON.stringify({ email: 'ada@example.com', data: { [key]: inValue(text) } });
          return { method: 'POST', path: '/v1/users', headers: { ...JSON_BODY, 'x-app-id': FIELDS }, body };
        },
      }),
    ),
  ),
  // A refused form shows its values again.
  'a control of a form': ['email', '_timeZone', '_lang', '_next', 'data[', ...fields.map(({ key }) => key)].flatMap(
    (name): TextInput[] => [
      {
        name: `${name}, urlencoded`,
        part: 'body',
        fill: (text) => ({
          ...FORM,
          headers: { 'Content-Type': TYPES.urlencoded, Accept: BROWSER },
          body: `age=none&${escaped(name)}=${escaped(text)}`,
        }),
      },
      {
        name: `${name}, multipart`,
        part: 'body',
        fill: (text) => ({
          ...FORM,
          headers: { 'Content-Type': TYPES.multipart, Accept: BROWSER },
          body: multipart([
            ['age', 'none'],
            [name, text],
          ]),
        }),
      },
    ],
  ),
  'the head of a part': ['name="', 'name=', 'name="cv"; filename="', "name=cv; filename*=UTF-8''", 'a', ''].map(
    (start): TextInput => ({
      name: `after ${start}`,
      part: 'body',
      fill: (text) => {
        const head = start + text.slice(-Math.ceil(text.length / HEADS));
        const body = `${partOf(head, 'a').repeat(HEADS)}--${BOUNDARY}--\r\n`;
        return { ...FORM, headers: { 'Content-Type': TYPES.multipart, Accept: BROWSER }, body };
      },
    }),
  ),
  'a header': [
    ['accept', '', 'a/a;q="'],
    ['accept-encoding', ''],
    ['accept-language', ''],
    ['authorization', 'Bearer ', 'Basic '],
    ['content-disposition', 'attachment; filename="', 'attachment; filename='],
    ['content-type', 'application/json;charset=', 'application/json;', 'multipart/form-data; boundary=', 'text/'],
    ['cookie', 'sid=', ''],
    ['idempotency-key', '"'],
    ['if-match', '"'],
    ['if-none-match', 'W/"'],
    ['origin', 'https://'],
    ['range', 'bytes='],
    ['referer', 'https://example.com/'],
    ['user-agent', ''],
    ['x-forwarded-for', '', '['],
    ['x-forwarded-host', ''],
    ['x-forwarded-proto', ''],
    ['x-request-id', ''],
  ].flatMap(([name = '', ...starts]) =>
    starts.flatMap((start) =>
      ['POST /v1/users', `POST /v1/forms/${FIELDS}`, `GET /f/${FIELDS}`, `GET /auth/users`].map(
        (endpoint): TextInput => {
          const [method = '', path = ''] = endpoint.split(' ');
          const headers = method === 'POST' ? { ...JSON_BODY, 'x-app-id': FIELDS } : {};
          const body = method === 'POST' ? '{"email":"ada@example.com"}' : undefined;
          const named = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
          return {
            name: `${named}: ${start} of ${endpoint}`,
            part: 'header',
            fill: (text) => ({ method, path, headers: { ...headers, [named]: `${start}${text.slice(1)}"` }, body }),
          };
        },
      ),
    ),
  ),
  'a condition or a path': [
    ...['line', 'long', 'coded', 'age', 'day', 'topics', 'visits'].flatMap((key) =>
      ['contains', 'prefix', 'eq', 'in', 'gt'].map((operator) => `/auth/users?where=data.${key}:${operator}:`),
    ),
    ...['email:contains:', 'data.', 'createdAt:gt:'].map((start) => `/auth/users?where=${start}`),
    '/auth/users?q=%22',
    '/auth/users/export?columns=data.line,',
    '/auth/users?cursor=',
    '/f/',
    '/docs/',
    '/embed/',
    '/dashboard/',
    '/files/',
    '/',
  ].map(
    (start): TextInput => ({
      name: start,
      part: 'path',
      fill: (text) => {
        const path = start + escaped(text);
        const query = path.includes('?') ? `${path}&sourceAppId=${FIELDS}` : path;
        return { method: 'GET', path: query, headers: {} };
      },
    }),
  ),
};

describe('no text takes longer than a fixed computation, and others of its length', () => {
  async function expectQuick(inputs: readonly TextInput[]): Promise<void> {
    const slow: string[] = [];
    for (const input of inputs) slow.push(...(await slowTexts(input)));
    expect(slow).toEqual([]);
  }

  it.each([...parts])('in an input of %s', (_part, inputs) => expectQuick(inputs), PATIENT_MS);

  it('which are all that openapi.json has', () => {
    expect(parts.size).toBeGreaterThan(20);
    expect([...parts.values()].flat().length).toBeGreaterThan(300);
  });

  it.each(Object.entries(ownInputs))('in %s', (_place, inputs) => expectQuick(inputs), PATIENT_MS);
});

/** Fails when some work takes longer than the same work with harmless texts, and again. */
async function expectUsual(work: (texts: readonly WorstText[]) => Promise<unknown>): Promise<void> {
  const worst = worstTexts.map(([, text]) => text);
  const harmless = worst.map(() => harmlessText);
  const times = new Map<readonly WorstText[], number>();
  for (let run = 0; run < 3; run += 1) {
    for (const texts of [worst, harmless]) {
      const from = server.threadTime();
      await work(texts);
      times.set(texts, Math.min(times.get(texts) ?? Number.POSITIVE_INFINITY, server.threadTime() - from));
    }
    if (Number(times.get(worst)) < 4 * (Number(times.get(harmless)) + unit)) return;
  }
  expect(times.get(worst)).toBeLessThan(4 * (Number(times.get(harmless)) + unit));
}

const sized = (text: WorstText, most: number): string => longest(text, most, (some) => Buffer.byteLength(some));

describe('texts of all kinds take about as long as harmless ones', () => {
  it(
    'in a search of stored records',
    async () => {
      const apps = await Promise.all([client.buildApp({ fields }), client.buildApp({ fields })]);
      await expectUsual(async (texts) => {
        const isHarmless = texts[0] === harmlessText;
        const { sourceAppId } = apps[isHarmless ? 1 : 0] as TestApp;
        const query = `?sourceAppId=${sourceAppId}&q=zz`;
        if ((await base.db.collection('users').countDocuments({ sourceAppId })) === 0) {
          await storePeople(base, sourceAppId, texts.length, (index) => ({
            long: sized(texts[index] as WorstText, MOST.body).toWellFormed(),
          }));
        }
        await client.get(`/auth/users${query}`).expect(200);
      });
    },
    PATIENT_MS,
  );

  it(
    'in an import of lines, and of an archive',
    async () => {
      await expectUsual(async (texts) => {
        const { sourceAppId } = await client.buildApp({ fields });
        const long = texts.map((text) =>
          sized(text, 30_000)
            .toWellFormed()
            .replace(/[\0\\]/g, ''),
        );
        const files = long.map((name, index) => ({
          id: `${index}`,
          name,
          type: 'pdf',
          size: 7,
          sha256: 'a'.repeat(64),
        }));
        const cells = long.map((text, index) => [
          `p${index}@example.com`,
          `"${text.replaceAll('"', '""')}"`,
          cellOf([files[index]]),
        ]);
        const csv = ['email,data.long,data.cv', ...cells].join('\r\n');
        const lines = csv.replace('data.cv', 'data.line');
        const archive = rawZip([
          { path: 'users.csv', content: csv },
          ...long.map((name, index) => ({ path: `files/${index}/${name}`, content: 'a' })),
        ]);
        await runImport(client, sourceAppId, archive, { format: 'zip' });
        await runImport(client, sourceAppId, lines);
        await runImport(client, sourceAppId, Buffer.from(lines, 'utf16le'));
      });
    },
    PATIENT_MS,
  );
});
