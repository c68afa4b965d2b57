// @module-tag long

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChunkDocument } from '../../src/features/imports/imports.model.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

// The search of an erasure ends at once: each request goes on where the one before has ended.

const EMAIL = 'ada@example.com';

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await startServer({}, undefined, { searchWithinMs: 0 });
  b = await startServer({}, a.database, { searchWithinMs: 0 });
});
afterAll(async () => {
  await b.close();
  await a.close();
});

async function build() {
  const { sourceAppId } = await a.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  const found = await a.db.collection('apps').findOne({ sourceAppId });
  const app = { id: found?._id, sourceAppId } as Parameters<typeof a.services.imports.receive>[0];
  const scope = `?sourceAppId=${sourceAppId}`;
  const { body } = await a.admin.post(`/auth/imports${scope}`, {}).expect(200);
  const send = async (text: string, from?: number): Promise<number> =>
    a.services.imports.receive(app, body.id, from, [Buffer.from(text)] as unknown as AsyncIterable<Buffer>);
  const stored = async (): Promise<string> => {
    const chunks = await a.db.collection<ChunkDocument>('import_chunks').find({ appId: app.id }).toArray();
    return chunks.map(({ bytes }) => Buffer.from(bytes.buffer.subarray(0, bytes.position)).toString()).join('');
  };
  /** Repeats the request on both servers, while it is refused; resolves with all answers. */
  const erase = async () => {
    const answers: { status: number; retryAfter: string | undefined; lines: number }[] = [];
    do {
      const by = answers.length % 2 === 0 ? a : b;
      const { status, headers, body } = await by.admin.post(`/auth/people/erase${scope}`, { email: EMAIL });
      answers.push({ status, retryAfter: headers['retry-after'], lines: body.erased?.importLines });
      expect(answers.length).toBeLessThan(1_000);
    } while (answers.at(-1)?.status === 503);
    return answers;
  };
  return { send, stored, erase };
}

const others = (count: number, from: number): string =>
  Array.from({ length: count }, (_, n) => `person${from + n}@example.com,${'x'.repeat(60)}\n`).join('');
const ofPerson = (n: number): string => `"${EMAIL}","secret\n${n}"\n`;

/** A file of 8 MB with a record of two lines in each 400 kB. */
const rows = Array.from({ length: 20 }, (_, n) => `${others(5_000, n * 5_000)}${ofPerson(n)}`).join('');
const masked = (text: string): string => text.replace(/"ada@[^"]*","[^"]*"/g, (part) => part.replace(/[^,"\n]/g, '*'));

it.each([
  ['records', 'email,name'],
  // No record can be read.
  ['line ends', '"email,name'],
])('each request of an erasure goes on in the file, until nothing is left: by %s', async (by, header) => {
  const { send, stored, erase } = await build();
  const file = `${header}\n${rows}`;
  await send(file);
  const answers = await erase();
  expect(answers[0]).toMatchObject({ status: 503, retryAfter: '1' });
  expect(answers.at(-1)?.status).toBe(200);
  const left = await stored();
  expect(left.includes(EMAIL)).toBe(false);
  expect(left.length).toBe(file.length);
  if (by === 'records') expect(left === masked(file)).toBe(true);
  // Another erasure searches only what is new.
  expect((await erase()).map(({ status }) => status)).toEqual([200]);
});

it('an erasure finds what was sent after it had searched the file', async () => {
  const { send, stored, erase } = await build();
  const first = `email,name\n${rows}"ada@exam`;
  const received = await send(first);
  await erase();
  expect((await stored()).includes('"ada@exam')).toBe(true);
  const more = `ple.com","secret\nlast"\n${others(10, 200_000)}`;
  await send(more, received);
  expect((await stored()).includes(EMAIL)).toBe(true);
  const answers = await erase();
  expect(answers.at(-1)).toMatchObject({ status: 200 });
  const left = await stored();
  expect([EMAIL, 'secret', others(10, 200_000)].map((text) => left.includes(text))).toEqual([false, false, true]);
});
