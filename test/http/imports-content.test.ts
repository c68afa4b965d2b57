import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ChunkDocument } from '../../src/features/imports/imports.model.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { runImport, untilImport } from '../support/server/imports.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// The content of a file, when the request that writes it stops halfway or is late.

const EMAIL = 'ada@example.com';
const CHUNK_BYTES = 256 * 1024;
const LIMITS = { IMPORT_LIMIT: '2mb', IMPORT_APP_LIMIT: '2mb' };

let server: TestServer;
let proxy: TcpProxy;
/** A server that reaches the database through `proxy`. */
let slow: TestServer;
beforeAll(async () => {
  server = await startServer(LIMITS);
});
afterAll(() => server.close());
beforeEach(async () => {
  ({ proxy, slow } = await startSlow(LIMITS, server.database));
});
afterEach(() => slow.close());

type Source = AsyncIterable<Buffer> | Buffer[];

async function build() {
  const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  const found = await server.db.collection('apps').findOne({ sourceAppId });
  const app = { id: found?._id, sourceAppId } as Parameters<typeof server.services.imports.receive>[0];
  const create = async (): Promise<string> =>
    (await server.admin.post(`/auth/imports?sourceAppId=${sourceAppId}`, {}).expect(200)).body.id;
  const receive = (by: TestServer, id: string, from: number | undefined, source: Source) =>
    by.services.imports.receive(app, id, from, source as AsyncIterable<Buffer>);
  const erase = () => server.admin.post(`/auth/people/erase?sourceAppId=${sourceAppId}`, { email: EMAIL }).expect(200);
  const stored = async (): Promise<string> => {
    const chunks = await server.db.collection<ChunkDocument>('import_chunks').find({ appId: app.id }).toArray();
    return chunks.map(({ bytes }) => Buffer.from(bytes.buffer.subarray(0, bytes.position)).toString()).join('');
  };
  return { app, sourceAppId, create, receive, erase, stored };
}

const rowsOf = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `person${from + index}@example.com,${'x'.repeat(60)}\n`).join('');
const FILE = `email,name\n${rowsOf(10)}${EMAIL},secret\n`;

/** What a request receives until `release` is called, and after it. */
function inTwoParts(first: string, second: string) {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reached = (): void => undefined;
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  async function* parts(): AsyncGenerator<Buffer> {
    if (first) yield Buffer.from(first);
    reached();
    await released;
    yield Buffer.from(second);
  }
  return { parts: parts(), release, isReached };
}

/** Ends a server behind the proxy as a crash does: nothing more of it reaches the database. */
async function crash(writing: Promise<unknown>): Promise<void> {
  proxy.cut();
  await writing.catch(() => undefined);
}

it('a chunk that no import lists, because the server died before, is erased and counts', { tags: 'long' }, async () => {
  const { create, receive, erase, stored } = await build();
  const id = await create();
  const held = proxy.holdNext('update', 'imports');
  const writing = receive(slow, id, undefined, [Buffer.from(FILE)]);
  await held;
  await crash(writing);
  expect(await stored()).toContain(EMAIL);
  const other = await create();
  const large = Buffer.from('x'.repeat(2 * 1024 * 1024 - 10));
  await expect(receive(server, other, undefined, [large])).rejects.toThrow('larger than 2 MB');
  await erase();
  expect((await stored()).includes(EMAIL)).toBe(false);
  // The client sends the file again.
  await receive(server, id, undefined, [Buffer.from(FILE)]);
  expect((await stored()).includes(FILE)).toBe(true);
});

it('chunks of a file that is replaced are erased, though the server died before it removed them', async () => {
  const { create, receive, erase, stored } = await build();
  const id = await create();
  await receive(server, id, undefined, [Buffer.from(FILE)]);
  const held = proxy.holdNext('delete', 'import_chunks');
  const writing = receive(slow, id, undefined, [Buffer.from('email\n')]);
  await held;
  await crash(writing);
  await erase();
  expect(await stored()).toBe('');
});

it('a slow request does not write back what an erasure has overwritten', async () => {
  const { create, receive, erase, stored } = await build();
  const id = await create();
  const received = await receive(server, id, undefined, [Buffer.from(FILE)]);
  const slowly = inTwoParts('more@example.com,', 'more\n');
  const writing = receive(server, id, received, slowly.parts);
  await slowly.isReached;
  await erase();
  slowly.release();
  await expect(writing).rejects.toThrow(`send the content from byte ${received} again`);
  expect(await stored()).not.toContain(EMAIL);
  await receive(server, id, received, [Buffer.from('more@example.com,more\n')]);
  expect((await stored()).replace(/\*/g, '')).toBe(`${FILE.replace(`${EMAIL},secret`, ',')}more@example.com,more\n`);
});

it.each([
  ['of a new chunk', 'aggregate', 'imports', ''],
  ['to the last chunk', 'update', 'import_chunks', 'email,name\n'],
])('what a request received before an erasure is not stored after it: %s', async (_, command, collection, before) => {
  const { create, receive, erase, stored } = await build();
  const id = await create();
  const received = before && (await receive(server, id, undefined, [Buffer.from(before)]));
  const held = proxy.holdNext(command, collection);
  const writing = receive(slow, id, received || undefined, [Buffer.from(FILE)]);
  const outcome = writing.then(
    () => 'stored',
    (error: Error) => error.message,
  );
  const forward = await held;
  await erase();
  await forward();
  expect(await outcome).toContain('A person was erased');
  expect(await stored()).toBe(before);
});

it('a request that began after an erasure keeps what it overwrites meanwhile', { tags: 'long' }, async () => {
  const { create, receive, erase, stored, sourceAppId } = await build();
  const id = await create();
  const received = await receive(server, id, undefined, [Buffer.from(FILE)]);
  // The erasure has begun and has not yet overwritten the line.
  const held = proxy.holdNext('update', 'import_chunks');
  const erasing = slow.admin.post(`/auth/people/erase?sourceAppId=${sourceAppId}`, { email: EMAIL }).expect(200);
  const erased = erasing.then(() => undefined);
  const forward = await held;
  await receive(server, id, received, [Buffer.from('more@example.com,more\n')]);
  await forward();
  await erased;
  expect(await stored()).not.toContain(EMAIL);
  expect(await stored()).toContain('more@example.com,more');
  await erase();
});

it('two erasures of one chunk keep what each overwrites', async () => {
  const { create, receive, stored, sourceAppId } = await build();
  const id = await create();
  await receive(server, id, undefined, [Buffer.from(FILE)]);
  const eraseBy = (by: TestServer, email: string) =>
    by.admin.post(`/auth/people/erase?sourceAppId=${sourceAppId}`, { email }).expect(200);
  const held = proxy.holdNext('update', 'import_chunks');
  const first = eraseBy(slow, EMAIL).then(() => undefined);
  let forward = await held;
  // The first update gives the chunk another version; the second one overwrites the line.
  const second = proxy.holdNext('update', 'import_chunks');
  await forward();
  forward = await second;
  await eraseBy(server, 'person3@example.com');
  await forward();
  await first;
  const text = await stored();
  expect(text).not.toContain(EMAIL);
  expect(text).not.toContain('person3@example.com');
  expect(text).toContain('person4@example.com');
});

it.each([
  ['records', 'email,name'],
  // No record can be read.
  ['line ends', '"email,name'],
])(
  'an erasure writes each chunk once, however many of its lines are the person: by %s',
  { tags: 'long' },
  async (_, header) => {
    const { app, create, receive, erase, stored } = await build();
    const id = await create();
    const ofPerson = (from: number) =>
      Array.from({ length: 3_000 }, (_, index) => `${EMAIL},secret ${from + index} ${'y'.repeat(60)}\n`).join('');
    const file = `${header}\n${rowsOf(10)}${ofPerson(0)}${rowsOf(10, 10)}${ofPerson(3_000)}${rowsOf(10, 20)}`;
    await receive(server, id, undefined, [Buffer.from(file)]);
    const { body } = await erase();
    expect(body.erased.importLines).toBe(6_000);
    const masked = file.replace(/^ada@.*$/gm, (line) => line.replace(/[^,]/g, '*'));
    expect((await stored()) === masked).toBe(true);
    const chunks = await server.db.collection<ChunkDocument>('import_chunks').find({ appId: app.id }).toArray();
    // The last chunk gets another version first, so that no request continues it.
    expect(chunks.map(({ version }) => version)).toEqual([1, 1, 2]);
  },
);

it('an import ends with the bytes that were received, not with those that a crash left in the last chunk', {
  tags: 'long',
}, async () => {
  const { create, receive, sourceAppId } = await build();
  const id = await create();
  const received = await receive(server, id, undefined, [Buffer.from('email,name\nbob@example.com,Bob\n')]);
  const held = proxy.holdNext('update', 'imports');
  const writing = receive(slow, id, received, [Buffer.from(`${EMAIL},Ada\n`)]);
  await held;
  await crash(writing);
  await server.admin.post(`/auth/imports/${id}/start?sourceAppId=${sourceAppId}`).expect(200);
  expect(await untilImport(server.admin, sourceAppId, id)).toMatchObject({ state: 'completed', read: 1, created: 1 });
  expect(await server.db.collection('users').findOne({ sourceAppId, email: EMAIL })).toBeNull();
});

it('a file of several chunks in uneven parts is stored as it was sent', { tags: 'long' }, async () => {
  const { create, receive, stored } = await build();
  const id = await create();
  const text = `email,name\n${rowsOf(9_000)}`;
  expect(text.length).toBeGreaterThan(2 * CHUNK_BYTES);
  let at = 0;
  for (const size of [1, CHUNK_BYTES - 1, 10, CHUNK_BYTES, 77, text.length]) {
    const part = text.slice(at, at + size);
    at = await receive(server, id, at === 0 ? undefined : at, [Buffer.from(part)]);
  }
  expect(at).toBe(text.length);
  expect((await stored()) === text).toBe(true);
  expect(await runImport(server.admin, (await build()).sourceAppId, text)).toMatchObject({ created: 9_000 });
});
