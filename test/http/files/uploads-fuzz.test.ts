// @module-tag long
// @module-tag fault

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import type { FileChunk, FileDocument } from '../../../src/features/files/files.model.ts';
import { FILE_TYPES, type FileTypeName, typeOfName } from '../../../src/platform/text/file-types.ts';
import { rounds } from '../../support/run/rounds.ts';
import {
  altered,
  beginnings,
  contentOf,
  names,
  seldom,
  whyUnsafe,
  whyUnsafeName,
} from '../../support/samples/file-fuzz.ts';
import { sha256 } from '../../support/server/files.ts';
import { assertDocumented } from '../../support/server/openapi.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const MAX = 300_000;
const TYPES: Record<string, FileTypeName[]> = {
  pictures: ['png', 'jpeg', 'gif', 'webp', 'heic'],
  documents: ['pdf', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp'],
  texts: ['txt', 'csv'],
  media: ['mp3', 'm4a', 'wav', 'mp4', 'mov', 'webm'],
  archives: ['zip'],
};
const FIELDS = Object.keys(TYPES);

let servers: readonly [TestServer, TestServer];
let apps: readonly [string, string];
beforeAll(async () => {
  const first = await startServer({ TRUST_PROXY: '1' });
  servers = [first, await startServer({ TRUST_PROXY: '1' }, first.db.databaseName)];
  const fields = FIELDS.map(
    (key) => ({ key, kind: 'file', types: TYPES[key], maxFiles: 10, maxBytes: MAX }) as FieldDefinitionInput,
  );
  const build = async () => (await first.admin.buildApp({ fields })).sourceAppId;
  apps = [await build(), await build()];
});
afterAll(async () => {
  await servers[1].close();
  await servers[0].close();
});

const server = (n: number): TestServer => servers[n % 2] as TestServer;
const appOf = (n: number): string => apps[n % 2] as string;
const otherApp = (app: string | undefined): string => (app === apps[0] ? apps[1] : apps[0]);
const addresses = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `198.18.${a}.${b}`);

interface Answer {
  /** 0: the connection ended without one. */
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of any answer
  body: any;
}

/** Sends a body with any headers. `says`: the bytes that its Content-Length says, if it has one. */
async function send(
  n: number,
  app: string,
  query: string,
  { bytes, says, headers }: { bytes: Buffer; says?: number | undefined; headers: Record<string, string> },
): Promise<Answer> {
  const path = `/v1/forms/${app}/files`;
  const length = says === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(says) };
  const req: ClientRequest = request(`${server(n).client.url}${path}?${query}`, {
    method: 'POST',
    headers: { ...headers, ...length },
    agent: false,
  });
  const answered = once(req, 'response').then(
    ([response]) => response as IncomingMessage,
    () => undefined,
  );
  if (says !== undefined && says > bytes.length) req.write(bytes, () => setTimeout(() => req.destroy(), 20));
  else req.end(says === undefined ? bytes : bytes.subarray(0, says));
  const response = await answered;
  const content = response && (await text(response).catch(() => undefined));
  if (!response || content === undefined) return { status: 0, body: {} };
  const status = response.statusCode ?? 0;
  // Node's own answer to characters that no header may have.
  if (content === '' && status === 400) return { status, body: {} };
  const body = JSON.parse(content);
  assertDocumented('POST', path, {
    status,
    body,
    text: content,
    type: 'application/json',
    headers: response.headers,
  } as never);
  return { status, body };
}

/** Fails for everything in the collections that must not be there. */
async function inspect(app: string): Promise<void> {
  const { db } = server(0);
  const found = await db.collection('apps').findOne({ sourceAppId: app });
  const files = await db.collection<FileDocument>('files.files').find({ 'metadata.appId': found?._id }).toArray();
  for (const { _id, length, filename, metadata } of files) {
    if (metadata.state === 'removing') continue;
    const chunks = await db.collection<FileChunk>('files.chunks').find({ files_id: _id }).sort({ n: 1 }).toArray();
    const content = Buffer.concat(chunks.map(({ data }) => Buffer.from(data.value())));
    expect(whyUnsafeName(filename)).toBeUndefined();
    expect(length).toBeLessThanOrEqual(MAX);
    expect(content.length).toBeLessThanOrEqual(MAX);
    expect(length).toBeLessThanOrEqual(metadata.charged);
    if (metadata.state === 'arriving') continue;
    const type = metadata.type as FileTypeName;
    expect(TYPES[metadata.field]).toContain(type);
    expect(typeOfName(filename)).toBe(type);
    expect([content.length, sha256(content)]).toEqual([length, metadata.sha256]);
    expect([type, await whyUnsafe(type, content)]).toEqual([type, undefined]);
  }
  const ids = files.map(({ _id }) => _id);
  await db.collection<FileDocument>('files.files').deleteMany({ _id: { $in: ids } });
  await db.collection<FileChunk>('files.chunks').deleteMany({ files_id: { $in: ids } });
}

const REFUSALS = [0, 400, 404, 409, 413, 415, 416, 429, 503];

const whole = fc.record({
  file: altered,
  beginning: beginnings,
  /** Instead of the extension and the field of the type. */
  otherName: seldom(names),
  otherField: seldom(fc.constantFrom('none', ...FIELDS)),
  says: fc.constantFrom('right', 'right', 'right', 'nothing', 'more', 'less'),
  contentType: fc.constantFrom(
    'application/octet-stream',
    'text/html',
    'image/svg+xml',
    'multipart/form-data',
    'application/json',
    ';;',
    '',
  ),
  place: fc.constantFrom('query', 'quoted', 'star', 'bytes', 'none'),
  encoding: seldom(fc.constantFrom('identity', 'gzip', 'br')),
  address: addresses,
});

/** A header's value, in which Node takes no control characters. */
const disposition = (place: string, name: string): Record<string, string> => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that no header may have
  const clean = name.replace(/[\0-\x1f\x7f]/g, '').replace(/["\\]/g, '\\$&');
  if (place === 'quoted')
    return { 'content-disposition': `attachment; filename="${clean.replace(/[^\0-\xff]/g, '?')}"` };
  if (place === 'star')
    return { 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}` };
  if (place === 'bytes')
    return { 'content-disposition': `attachment; filename="${Buffer.from(clean).toString('latin1')}"` };
  return {};
};

it('stores whole files only with safe names, under types of their field', async () => {
  let stored = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(whole, { minLength: 1, maxLength: 8 }), async (files) => {
      for (const [
        n,
        { file, beginning, otherName, otherField, says, contentType, place, encoding, address },
      ] of files.entries()) {
        const bytes = contentOf(file).subarray(0, MAX + 1_000);
        const name = otherName ?? `${beginning}.${FILE_TYPES[file.type].extensions[0]}`;
        const field = otherField ?? FIELDS.find((key) => TYPES[key]?.includes(file.type)) ?? '';
        const query = new URLSearchParams({ field });
        if (place === 'query') query.set('name', name);
        const headers = {
          'content-type': contentType,
          'x-forwarded-for': address,
          ...(encoding && { 'content-encoding': encoding }),
          ...disposition(place, name),
        };
        const length = { right: bytes.length, nothing: undefined, more: bytes.length + 9, less: bytes.length >> 1 }[
          says
        ];
        const { status, body } = await send(n, appOf(0), query.toString(), { bytes, says: length, headers });
        expect([...REFUSALS, 201]).toContain(status);
        if (status !== 201) continue;
        stored += 1;
        const sent = says === 'less' ? bytes.subarray(0, length) : bytes;
        expect([body.size, body.sha256]).toEqual([sent.length, sha256(sent)]);
        expect(whyUnsafeName(body.name)).toBeUndefined();
        expect(TYPES[field]).toContain(body.type);
      }
      await inspect(appOf(0));
    }),
    { numRuns: rounds(1_500, 25) },
  );
  expect(stored).toBeGreaterThan(0);
});

/** A file that arrives in parts, as its client knows it. */
interface Known {
  token: string;
  field: string;
  app: string;
  /** What was acknowledged. */
  content: Buffer;
  state: 'arriving' | 'whole' | 'used' | 'gone';
}

const part = fc.record({
  what: fc.constant('part' as const),
  which: fc.nat(5),
  token: seldom(fc.constantFrom('none', 'random', 'other field', 'other app')).map((token) => token ?? 'own'),
  bytes: fc.oneof(
    fc.integer({ min: 1, max: 150 }),
    fc.integer({ min: 1, max: 90_000 }),
    fc.integer({ min: 200_000, max: 320_000 }),
  ),
  off: seldom(fc.constantFrom(-1, 1, -10, 300_000)).map((off) => off ?? 0),
  total: fc.constantFrom('right', 'right', 'right', '*', '*', 'less', 'more', 'huge', '999999999999999'),
  says: seldom(fc.constantFrom('nothing', 'more', 'less')),
  twice: seldom(fc.constant(true)),
  server: fc.nat(1),
});
const submission = fc.record({
  what: fc.constant('submit' as const),
  tokens: fc.array(fc.nat(6), { minLength: 1, maxLength: 2 }),
  /** Also tokens of files that are not whole, or used. */
  any: seldom(fc.constant(true)),
  elsewhere: seldom(fc.constantFrom('field', 'app')),
  twice: seldom(fc.constant(true)),
  server: fc.nat(1),
});

const simplePart = { what: 'part', which: 0, bytes: 10, off: 0, says: undefined, twice: undefined, server: 0 } as const;
/** A part is sent again, and says that it is the last one. */
const endOfRepeat = [
  { ...simplePart, token: 'none', total: '*' } as const,
  { ...simplePart, token: 'own', total: 'right', off: -10 } as const,
];

let fill = 0;
/** Text of which no part is like another one's. */
function nextText(length: number): Buffer {
  fill += 1;
  return Buffer.alloc(length, `${fill} `);
}

it('keeps of files in parts what it acknowledged, whatever else is sent', async () => {
  let submitted = 0;
  const { admin, client } = server(0);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 4, arbitrary: part }, submission), { minLength: 2, maxLength: 16 }),
      addresses,
      async (commands, address) => {
        const known: Known[] = [];
        const headers = { 'x-forwarded-for': address };

        /** Asks where a file goes on; undefined: nowhere. */
        const received = async ({ token, field, app }: Known): Promise<number | undefined> => {
          const query = new URLSearchParams({ field, name: 'a.txt', token }).toString();
          const range = { 'content-range': `bytes ${MAX - 2}-${MAX - 2}/*` };
          for (;;) {
            const { status, body } = await send(0, app, query, {
              bytes: Buffer.from('a'),
              says: 1,
              headers: { ...headers, ...range },
            });
            // The request before it may not have noticed yet that its connection ended.
            if (status !== 409 && status !== 503) return body.received;
          }
        };

        for (const command of commands) {
          if (command.what === 'submit') {
            const complete = known.filter(({ state }) => state === 'whole');
            const from = command.any || complete.length === 0 ? known : complete;
            const files = command.tokens.map((n) => from[n % from.length]).filter((one) => one !== undefined);
            if (files.length === 0) continue;
            const field = command.elsewhere === 'field' ? 'archives' : 'texts';
            const app = command.elsewhere === 'app' ? otherApp(files[0]?.app) : (files[0]?.app as string);
            const body = { email: `p${fill++}@example.org`, data: { [field]: files.map(({ token }) => token) } };
            const isGood =
              command.elsewhere === undefined &&
              files.every((file) => file.state === 'whole' && file.app === app) &&
              new Set(files).size === files.length;
            const url = (n: number) => server(command.server + n).client;
            const again = { ...body, email: `again-${body.email}` };
            const sent = command.twice
              ? [url(0).submit(app, body), url(1).submit(app, again)]
              : [url(0).submit(app, body)];
            const answers = await Promise.all(sent);
            const statuses = answers.map(({ status }) => status);
            for (const status of statuses) expect([200, 400, 503]).toContain(status);
            const winners = answers.filter(({ status }) => status === 200);
            expect(winners.length).toBeLessThanOrEqual(isGood ? 1 : 0);
            if (isGood && !command.twice) expect(statuses).toEqual([200]);
            if (winners.length === 0) continue;
            submitted += 1;
            const record = await admin.get(`/auth/users/${winners[0]?.body.id}?sourceAppId=${app}`).expect(200);
            const value: { id: string; name: string; type: string; sha256: string }[] = record.body.data.texts;
            expect(value.map((one) => one.sha256)).toEqual(files.map(({ content }) => sha256(content)));
            for (const [n, { id }] of value.entries()) {
              const read = await admin.get(`/auth/files/${id}?sourceAppId=${app}`).buffer(true).expect(200);
              expect(Buffer.from(read.text).equals((files[n] as Known).content)).toBe(true);
            }
            for (const one of files) one.state = 'used';
            continue;
          }
          const { which, bytes, off, total, says, twice, token } = command;
          const own = token === 'none' ? undefined : known[which % known.length];
          const first = Math.max(0, (own?.content.length ?? 0) + off);
          const last = first + bytes - 1;
          const totals: Record<string, string | number> = {
            right: last + 1,
            less: last,
            more: last + 10,
            huge: MAX + 1,
          };
          const isOtherField = own !== undefined && token === 'other field';
          const query = new URLSearchParams(
            isOtherField ? { field: 'archives', name: 'a.zip' } : { field: 'texts', name: 'a.txt' },
          );
          if (token !== 'none' && own) query.set('token', token === 'random' ? 'x'.repeat(43) : own.token);
          const home = own?.app ?? appOf(which);
          const app = token === 'other app' ? otherApp(home) : home;
          const range = { 'content-range': `bytes ${first}-${last}/${totals[total] ?? total}` };
          const length = { nothing: undefined, more: bytes, less: bytes >> 1 }[says ?? 'more'];
          const contents = [nextText(bytes), ...(twice ? [nextText(bytes)] : [])];
          const answers = await Promise.all(
            contents.map((content, n) =>
              send(command.server + n, app, query.toString(), {
                bytes: says === 'more' ? content.subarray(0, bytes >> 1) : content,
                says: length,
                headers: { ...headers, ...range },
              }),
            ),
          );
          const isForeign = own !== undefined && token !== 'own';
          for (const [n, { status, body }] of answers.entries()) {
            expect([...REFUSALS, 201, 202]).toContain(status);
            if (status !== 201 && status !== 202) continue;
            expect(isForeign).toBe(false);
            if (!own) {
              const content = contents[n] as Buffer;
              known.push({
                token: body.token,
                field: 'texts',
                app,
                content,
                state: status === 201 ? 'whole' : 'arriving',
              });
              expect([body.received ?? body.size, first]).toEqual([bytes, 0]);
              if (status === 201) expect(body.sha256).toBe(sha256(content));
            }
          }
          if (!own || isForeign || own.state === 'used' || own.state === 'gone') {
            if (own?.state === 'used') for (const { status } of answers) expect(status).not.toBe(201);
            continue;
          }
          const stored = answers.findIndex(({ status }) => status === 202 || status === 201);
          const complete = answers.find(({ status }) => status === 201);
          if (own.state === 'whole') {
            // A repeat of the last part, which changes nothing.
            for (const { status, body } of answers) if (status === 201) expect(body.sha256).toBe(sha256(own.content));
            expect(answers.some(({ status }) => status === 202)).toBe(false);
            continue;
          }
          const sums = contents.map((content) => sha256(Buffer.concat([own.content, content])));
          if (complete) {
            // The other one may be a repeat of it, also with other bytes. Both may repeat the part
            // before them, which then was the last one.
            const place = sums.indexOf(complete.body.sha256);
            if (place >= 0) own.content = Buffer.concat([own.content, contents[place] as Buffer]);
            expect(complete.body.sha256).toBe(sha256(own.content));
            own.state = 'whole';
          } else if (stored >= 0) {
            const { body } = answers[stored] as Answer;
            expect(answers.filter(({ status }) => status === 202).length).toBe(1);
            expect(body.received).toBe(first + bytes);
            own.content = Buffer.concat([own.content, contents[stored] as Buffer]);
          } else {
            const now = await received(own);
            if (now === undefined) own.state = 'gone';
            else if (now !== own.content.length) {
              // A part of it arrived before its connection ended: nobody knows whose.
              expect(answers.some(({ status }) => status === 0)).toBe(true);
              expect(now).toBeLessThanOrEqual(first + bytes);
              expect(now).toBeGreaterThan(own.content.length);
              if (twice) own.state = 'gone';
              else
                own.content = Buffer.concat([
                  own.content,
                  (contents[0] as Buffer).subarray(0, now - own.content.length),
                ]);
            }
          }
        }
        for (const one of known) {
          if (one.state !== 'arriving') continue;
          expect(await received(one)).toBe(one.content.length);
        }
        for (const app of apps) await inspect(app);
      },
    ),
    { numRuns: rounds(600, 12), examples: [[endOfRepeat, '198.18.0.0']] },
  );
  // A few examples may have no good submission.
  expect(submitted).toBeGreaterThanOrEqual(rounds(1, 0));
  expect((await client.get('/health')).status).toBe(200);
});
