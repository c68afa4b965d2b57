import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Binary, ObjectId, UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDatabaseContent, type FileContent, MissingContent } from '../../../src/features/files/file-content.ts';
import { createFileStores } from '../../../src/features/files/file-stores.ts';
import { CHUNK_BYTES, type ChunkCollection, createChunkModel } from '../../../src/features/files/files.model.ts';
import { createS3Content } from '../../../src/features/files/s3-content.ts';
import { Unavailable } from '../../../src/platform/core/errors.ts';
import { type FilesBucket, parseFilesUrl } from '../../../src/platform/core/files-url.ts';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { type Connection, connectDatabase } from '../../../src/platform/database/client.ts';
import { ensureIndexes } from '../../../src/platform/database/indexes.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';
import { randomName } from '../../support/database/databases.ts';
import { startProxy } from '../../support/peers/proxy.ts';
import { type S3Server, startS3 } from '../../support/peers/s3.ts';

/** Spans several chunks and one statement of the database. */
const LENGTH = 6 * CHUNK_BYTES + 1_234;
/** Two whole parts, of 8 MB, and more than one request may have. */
const LARGE = 64_000_001;

const lines: string[] = [];
const logger = createLogger({ logLevel: 'info' }, { write: (line) => void lines.push(line) });
const newId = createOrderedIds();

let connection: Connection;
let chunks: ChunkCollection;
let server: S3Server;
beforeAll(async () => {
  const uri = new URL(inject('mongodbUri'));
  uri.pathname = `/${randomName()}`;
  connection = await connectDatabase(uri.href);
  const model = createChunkModel(connection);
  await ensureIndexes(connection, [model]);
  chunks = model.collection;
  server = await startS3();
}, 300_000);
afterAll(async () => {
  await server?.close();
  await connection?.close();
});

const bucketAt = (url: string): FilesBucket => parseFilesUrl(url) as FilesBucket;

interface File {
  _id: UUID;
  length: number;
}

/** A file whose bytes have arrived in the database, as each does first. */
async function arrive(bytes: Buffer): Promise<File> {
  const _id = newId(new Date());
  for (let n = 0; n * CHUNK_BYTES < bytes.length; n += 1) {
    const data = new Binary(bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES));
    await chunks.insertOne({ _id: new ObjectId(), files_id: _id, n, data });
  }
  return { _id, length: bytes.length };
}

/** Pieces whose ends are no ends of chunks or parts. */
async function* inPieces(bytes: Buffer, size = 100_003): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readAll(content: FileContent, file: File, start = 0, end = file.length - 1): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content.read(file, { start, end })) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function listed(content: FileContent, from?: UUID): Promise<{ id: string; bytes: number }[]> {
  const found: { id: string; bytes: number }[] = [];
  for await (const { id, bytes } of content.list(from)) found.push({ id: id.toHexString(true), bytes });
  return found;
}

describe.each([
  ['the database', () => createDatabaseContent(chunks)],
  ['a bucket', () => createS3Content(bucketAt(server.url()), logger)],
  ['a prefix of a bucket', () => createS3Content(bucketAt(server.url('one/two')), logger)],
])('the content of files in %s', (_name, create) => {
  let content: FileContent;
  beforeAll(() => {
    content = create();
  });

  async function store(bytes: Buffer): Promise<File> {
    const file = await arrive(bytes);
    await content.put(file, inPieces(bytes));
    return file;
  }

  it('reads back what was stored, and any range of it', async () => {
    const bytes = randomBytes(LENGTH);
    const file = await store(bytes);
    expect((await readAll(content, file)).equals(bytes)).toBe(true);
    for (const [start, end] of [
      [0, 0],
      [LENGTH - 1, LENGTH - 1],
      [CHUNK_BYTES - 1, CHUNK_BYTES],
      [CHUNK_BYTES, 2 * CHUNK_BYTES - 1],
      [12_345, 5 * CHUNK_BYTES + 7],
    ] as const) {
      expect((await readAll(content, file, start, end)).equals(bytes.subarray(start, end + 1)), `${start}`).toBe(true);
    }
  });

  it('stores a file of one byte, and an empty one', async () => {
    for (const bytes of [Buffer.from('x'), Buffer.alloc(0)]) {
      const file = await store(bytes);
      expect(await readAll(content, file)).toEqual(bytes);
    }
  });

  it('stores a file again', async () => {
    const bytes = randomBytes(1_000);
    const file = await store(bytes);
    await content.put(file, inPieces(bytes, 7));
    expect(await readAll(content, file)).toEqual(bytes);
    expect((await listed(content)).filter(({ id }) => id === file._id.toHexString(true))).toHaveLength(1);
  });

  it('removes files, also repeatedly and with unknown ones, and keeps the others', async () => {
    const files = [await store(randomBytes(LENGTH)), await store(randomBytes(20))];
    const kept = await store(Buffer.from('kept'));
    const unknown = { _id: newId(new Date()), length: 5 };
    await content.remove([...files, unknown]);
    await content.remove(files);
    await content.remove([]);
    for (const file of [...files, unknown]) {
      await expect(readAll(content, file)).rejects.toThrow(MissingContent);
    }
    expect(await readAll(content, kept)).toEqual(Buffer.from('kept'));
    const ids = (await listed(content)).map(({ id }) => id);
    expect(ids).toContain(kept._id.toHexString(true));
    for (const file of files) expect(ids).not.toContain(file._id.toHexString(true));
  });

  it('lists what is stored with its size, in the order of ids', async () => {
    const sizes = [1, CHUNK_BYTES, CHUNK_BYTES + 1, LENGTH, 3 * CHUNK_BYTES];
    const stored: { id: string; bytes: number }[] = [];
    for (const bytes of sizes) {
      const file = await store(randomBytes(bytes));
      stored.push({ id: file._id.toHexString(true), bytes });
    }
    const found = await listed(content);
    const ids = stored.map(({ id }) => id);
    expect(found.filter(({ id }) => ids.includes(id))).toEqual(stored);
    expect(found.map(({ id }) => id)).toEqual(found.map(({ id }) => id).toSorted());
    expect(await listed(content, new UUID(ids[2]))).toEqual(stored.slice(2));
    await content.remove([{ _id: new UUID(ids[2]), length: 1 }]);
    expect(await listed(content, new UUID(ids[2]))).toEqual(stored.slice(3));
  });

  it('resolves when the store can be used, and leaves nothing in it', async () => {
    const before = await listed(content);
    await content.check();
    expect(await listed(content)).toEqual(before);
  });
});

describe('content in the database', () => {
  it('is missing when a chunk is, or is cut, wherever it is', async () => {
    const content = createDatabaseContent(chunks);
    for (const change of [
      { filter: { n: 0 }, cut: false },
      { filter: { n: 3 }, cut: false },
      { filter: { n: 6 }, cut: false },
      { filter: { n: 4 }, cut: true },
    ]) {
      const file = await arrive(randomBytes(LENGTH));
      const filter = { files_id: file._id, ...change.filter };
      if (change.cut) await chunks.updateOne(filter, { $set: { data: new Binary(Buffer.from('cut')) } });
      else await chunks.deleteOne(filter);
      await expect(readAll(content, file)).rejects.toThrow(MissingContent);
    }
  });

  it('lists a file whose chunks two statements count', async () => {
    const _id = newId(new Date());
    const documents = Array.from({ length: 4_100 }, (_, n) => ({
      _id: new ObjectId(),
      files_id: _id,
      n,
      data: new Binary(Buffer.from('x')),
    }));
    await chunks.insertMany(documents);
    const found = (await listed(createDatabaseContent(chunks))).filter(({ id }) => id === _id.toHexString(true));
    // The chunks but the last count as whole ones.
    const parts = found.map(({ bytes }) => bytes);
    expect(parts).toHaveLength(1);
    expect(parts[0]).toBeGreaterThan(4_097 * CHUNK_BYTES);
    await chunks.deleteMany({ files_id: _id });
  });
});

describe('content in a bucket', () => {
  const create = (prefix: string, requestMs?: number, port?: number): FileContent =>
    createS3Content(bucketAt(server.url(prefix, port)), logger, requestMs);

  it('sends a large file in parts', { tags: 'long' }, async () => {
    const content = create('large');
    const bytes = Buffer.alloc(LARGE, randomBytes(1_009));
    const file = { _id: newId(new Date()), length: LARGE };
    await content.put(file, inPieces(bytes, 262_144));
    const hash = createHash('sha256');
    for await (const piece of content.read(file, { start: 0, end: LARGE - 1 })) hash.update(piece);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(await readAll(content, file, 7_999_990, 8_000_010)).toEqual(bytes.subarray(7_999_990, 8_000_011));
    await content.remove([file]);
    expect(await listed(content)).toEqual([]);
  });

  it.each([
    ['small', 1_000],
    ['large', LARGE],
  ])(
    'stores nothing of a %s file whose source fails, is too short or too long',
    { tags: 'long' },
    async (name, length) => {
      const content = create(`source-${name}`);
      const file = { _id: newId(new Date()), length };
      const bytes = Buffer.alloc(length + 1);
      async function* failing() {
        yield bytes.subarray(0, length - 10);
        throw new RangeError('the source failed');
      }
      await expect(content.put(file, failing())).rejects.toThrow(RangeError);
      await expect(content.put(file, inPieces(bytes.subarray(0, length - 1), 262_144))).rejects.toThrow(MissingContent);
      await expect(content.put(file, inPieces(bytes, 262_144))).rejects.toThrow(MissingContent);
      expect(await listed(content)).toEqual([]);
      expect(await server.unfinishedUploads()).toEqual([]);
    },
  );

  it('removes the parts of an upload whose sender was killed', async () => {
    const content = create('killed');
    const file = { _id: newId(new Date()), length: LARGE };
    await server.beginUpload(`killed/${file._id.toHexString(true)}`);
    await content.remove([file]);
    expect(await server.unfinishedUploads()).toEqual([]);
  });

  it('does not list and not remove what other programs store', async () => {
    const content = create('others');
    const inner = create('others/inner');
    const file = { _id: newId(new Date()), length: 3 };
    await inner.put(file, inPieces(Buffer.from('abc')));
    await content.remove([file]);
    expect(await listed(content)).toEqual([]);
    expect(await readAll(inner, file)).toEqual(Buffer.from('abc'));
  });

  it('lists more than one answer of the store has', { tags: 'long' }, async () => {
    const content = create('many');
    const files = Array.from({ length: 1_001 }, () => ({ _id: newId(new Date()), length: 1 }));
    for (let at = 0; at < files.length; at += 50) {
      await Promise.all(files.slice(at, at + 50).map((file) => content.put(file, inPieces(Buffer.from('x')))));
    }
    expect((await listed(content)).map(({ id }) => id)).toEqual(files.map(({ _id }) => _id.toHexString(true)));
    await content.remove(files);
    expect(await listed(content)).toEqual([]);
  });

  it('refuses with 503 and logs the reason while the store is away, stalls or has no such bucket', {
    tags: 'long',
  }, async () => {
    const proxy = await startProxy(new URL(`http://127.0.0.1:${server.port}`));
    const content = create('away', 300, proxy.port);
    const file = { _id: newId(new Date()), length: 3 };
    await content.put(file, inPieces(Buffer.from('abc')));

    const expectRefusals = async (of: FileContent): Promise<void> => {
      await expect(of.put(file, inPieces(Buffer.from('abc')))).rejects.toThrow(Unavailable);
      await expect(readAll(of, file)).rejects.toThrow(Unavailable);
      await expect(of.remove([file])).rejects.toThrow(Unavailable);
      await expect(listed(of)).rejects.toThrow(Unavailable);
      await expect(of.check()).rejects.toThrow();
    };
    proxy.stall();
    await expectRefusals(content);
    proxy.cut();
    await expectRefusals(content);
    proxy.restore();
    expect(await readAll(content, file)).toEqual(Buffer.from('abc'));
    await proxy.close();

    const { bucket: _bucket, ...place } = bucketAt(server.url());
    lines.length = 0;
    await expectRefusals(createS3Content({ bucket: 'no-such-bucket', ...place }, logger));
    expect(lines.join('')).toContain('NoSuchBucket');
  });

  it('ends the reading of a store that stalls, not that of a slow reader', { tags: 'long' }, async () => {
    const proxy = await startProxy(new URL(`http://127.0.0.1:${server.port}`));
    const content = create('slow', 300, proxy.port);
    const bytes = randomBytes(20_000_000);
    const file = { _id: newId(new Date()), length: bytes.length };
    await create('slow').put(file, inPieces(bytes, 262_144));
    let read = 0;
    for await (const piece of content.read(file, { start: 0, end: bytes.length - 1 })) {
      if (read === 0) await sleep(900);
      read += piece.length;
    }
    expect(read).toBe(bytes.length);

    const stalled = (async () => {
      for await (const piece of content.read(file, { start: 0, end: bytes.length - 1 })) {
        if (piece.length > 0) proxy.stall();
      }
    })();
    await expect(stalled).rejects.toThrow(Unavailable);
    await proxy.close();
  });

  it('takes no more from a source than the store takes', async () => {
    const content = create('pressure');
    const length = 40_000_000;
    let sent = 0;
    const file = { _id: newId(new Date()), length };
    async function* counted() {
      for await (const piece of inPieces(Buffer.alloc(length), 262_144)) {
        sent += piece.length;
        yield piece;
      }
    }
    const proxy = await startProxy(new URL(`http://127.0.0.1:${server.port}`));
    const slow = create('pressure', 60_000, proxy.port);
    const put = slow.put(file, counted());
    proxy.stall();
    await expect.poll(() => sent).toBeGreaterThan(0);
    await sleep(500);
    // What the buffers of sockets hold.
    expect(sent).toBeLessThan(length / 2);
    await proxy.close();
    await expect(put).rejects.toThrow(Unavailable);
    expect(await listed(content)).toEqual([]);
  });
});

describe('the stores of a service', () => {
  it('keep each file in the store that it was stored in', { tags: 'long' }, async () => {
    const bucket = bucketAt(server.url('stores'));
    const stores = createFileStores(chunks, bucket, logger);
    expect(stores.store).toBe('s3');
    expect(stores.of({ store: 's3' })).toBe(stores.s3);
    expect(stores.of({ store: 'database' })).toBe(stores.database);
    const bytes = randomBytes(CHUNK_BYTES + 5);
    const arrived = await arrive(bytes);
    const file = { ...arrived, metadata: { store: 's3' as const } };
    await stores.of(file.metadata).put(file, stores.database.read(file, { start: 0, end: bytes.length - 1 }));
    expect(await readAll(stores.of(file.metadata), file)).toEqual(bytes);
    await stores.remove([file]);
    expect(await chunks.countDocuments({ files_id: file._id })).toBe(0);
    await expect(readAll(stores.of(file.metadata), file)).rejects.toThrow(MissingContent);
  });

  it('refuse a file in a bucket without FILES_URL, and do not say that it was removed', async () => {
    const stores = createFileStores(chunks, undefined, logger);
    expect(stores.store).toBe('database');
    expect(() => stores.of({ store: 's3' })).toThrow(Unavailable);
    const file = { _id: newId(new Date()), length: 3, metadata: { store: 's3' as const } };
    await expect(stores.remove([file])).rejects.toThrow(Unavailable);
  });
});
