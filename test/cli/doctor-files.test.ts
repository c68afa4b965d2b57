// @module-tag long

import { randomBytes } from 'node:crypto';
import { Binary, ObjectId, UUID } from 'mongodb';
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileContent } from '../../src/features/files/file-content.ts';
import type { FileChunk, FileDocument, FileMetadata } from '../../src/features/files/files.model.ts';
import { createS3Content } from '../../src/features/files/s3-content.ts';
import type { Result } from '../../src/operations/doctor/findings.ts';
import { parseFilesUrl } from '../../src/platform/core/files-url.ts';
import { createLogger } from '../../src/platform/core/logger.ts';
import { startClamd } from '../support/peers/clamd.ts';
import { type S3Server, startS3 } from '../support/peers/s3.ts';
import { storeFile } from '../support/server/files.ts';
import { databaseUri } from '../support/server/process.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

let server: TestServer;
let s3: S3Server;
let bucket: FileContent;
beforeAll(async () => {
  s3 = await startS3();
  server = await startServer();
  const place = parseFilesUrl(s3.url('doctor'));
  bucket = createS3Content(place as NonNullable<typeof place>, createLogger({ logLevel: 'silent' }));
}, 300_000);
afterAll(async () => {
  await server?.close();
  await s3?.close();
});
beforeEach(async () => {
  for (const name of ['files.files', 'files.chunks']) await server.db.collection(name).deleteMany({});
  for await (const { id, bytes } of bucket.list()) await bucket.remove([{ _id: id, length: bytes }]);
});

/** The results of both checks of files, as lines. */
async function doctor(env: Record<string, string> = {}): Promise<string[]> {
  const { stdout } = await runTool(['doctor', '--json'], { MONGODB_URI: databaseUri(server.database), ...env });
  return JSON.parse(stdout)
    .checks.filter(({ check }: Result) => ['store of files', 'files'].includes(check))
    .map(({ level, found }: Result) => `${level}: ${found}`);
}

async function* piece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

type Stored = Pick<FileDocument, '_id' | 'length'>;

async function store(bytes: Buffer, metadata: Partial<FileMetadata> = {}): Promise<Stored> {
  const { id } = await storeFile(server.db, 'admin', bytes, metadata);
  return { _id: new UUID(id), length: bytes.length };
}

const chunks = () => server.db.collection<FileChunk>('files.chunks');

async function storeInBucket(bytes: Buffer): Promise<Stored> {
  const file = await store(bytes, { store: 's3' });
  await bucket.put(file, piece(bytes));
  await chunks().deleteMany({ files_id: file._id });
  return file;
}

const textOf = (id: UUID): string => id.toHexString(true);

describe('doctor of files', () => {
  it('says how many there are and where', async () => {
    expect(await doctor()).toEqual(['good: files are in the database', 'good: 0 files with 0 MB in the database']);
    for (const bytes of [1_200_000, 800_000, 0]) await store(randomBytes(bytes));
    await storeInBucket(randomBytes(3_000_000));
    expect(await doctor({ FILES_URL: s3.url('doctor') })).toEqual([
      'good: the bucket of FILES_URL can be read and written',
      'good: 3 files with 2 MB in the database',
      'good: 1 files with 3 MB in the bucket',
    ]);
  });

  it('does not take a file that arrives, is removed or is infected for one without content', async () => {
    await store(randomBytes(300_000), { state: 'arriving', store: 's3' });
    await store(Buffer.alloc(0), { state: 'removing' });
    const infected = await store(Buffer.alloc(10), { scan: 'infected' });
    await chunks().deleteMany({ files_id: infected._id });
    // Its chunks are removed after it is in the bucket.
    const bytes = randomBytes(300_000);
    const moved = await store(bytes);
    await bucket.put(moved, piece(bytes));
    await server.db
      .collection<FileDocument>('files.files')
      .updateOne({ _id: moved._id }, { $set: { 'metadata.store': 's3' } });
    expect(await doctor({ FILES_URL: s3.url('doctor') })).toEqual([
      'good: the bucket of FILES_URL can be read and written',
      'good: 0 files with 0 MB in the database',
      'good: 1 files with 0 MB in the bucket',
    ]);
  });

  it('names files without content, or with a part of it, in both stores', async () => {
    const whole = await store(randomBytes(600_000));
    const cut = await store(randomBytes(600_000));
    await chunks().deleteOne({ files_id: cut._id, n: 1 });
    const gone = await storeInBucket(randomBytes(20));
    const short = await storeInBucket(randomBytes(20));
    await bucket.remove([gone]);
    await bucket.put({ _id: short._id, length: 7 }, piece(Buffer.alloc(7)));
    expect(textOf(whole._id)).not.toBe(textOf(cut._id));
    expect(await doctor({ FILES_URL: s3.url('doctor') })).toEqual([
      'good: the bucket of FILES_URL can be read and written',
      `fault: 1 of the files in the database have no content, or a part of it, such as ${textOf(cut._id)}`,
      `fault: 2 of the files in the bucket have no content, or a part of it, such as ${textOf(gone._id)}`,
    ]);
  });

  it('names content that belongs to no file, and removes none', async () => {
    const before = new UUID(v7());
    await store(randomBytes(10));
    await storeInBucket(randomBytes(10));
    const after = new UUID(v7());
    for (const id of [before, after]) {
      await bucket.put({ _id: id, length: 5 }, piece(Buffer.alloc(5)));
      await chunks().insertOne({ _id: new ObjectId(), files_id: id, n: 0, data: new Binary(Buffer.from('x')) });
    }
    const found = [
      'good: the bucket of FILES_URL can be read and written',
      `warning: 2 contents in the database belong to no file of this database, such as ${textOf(before)}`,
      `warning: 2 contents in the bucket belong to no file of this database, such as ${textOf(before)}`,
    ];
    expect(await doctor({ FILES_URL: s3.url('doctor') })).toEqual(found);
    expect(await doctor({ FILES_URL: s3.url('doctor') })).toEqual(found);
  });

  it('names a bucket that is away, that does not exist, and one that FILES_URL does not name', async () => {
    await storeInBucket(randomBytes(10));
    expect(await doctor()).toEqual([
      'good: files are in the database',
      'good: 0 files with 0 MB in the database',
      'fault: 1 files are in a bucket, and FILES_URL is unset',
    ]);
    expect(await doctor({ FILES_URL: s3.url('doctor').replace('files-of-tests', 'no-such-bucket') })).toEqual([
      'fault: the bucket of FILES_URL cannot be read and written (NoSuchBucket)',
      'warning: it could not be checked (noFileStore)',
    ]);
    expect(await doctor({ FILES_URL: s3.url('doctor', 1) })).toEqual([
      'fault: the bucket of FILES_URL cannot be read and written (ECONNREFUSED)',
      'warning: it could not be checked (noFileStore)',
    ]);
  });

  it('asks the virus scanner', async () => {
    const clamd = await startClamd();
    const scanner = async (CLAMD?: string) => {
      const { stdout } = await runTool(['doctor', '--json'], {
        MONGODB_URI: databaseUri(server.database),
        ...(CLAMD !== undefined && { CLAMD }),
      });
      const found = JSON.parse(stdout).checks.filter(({ check }: Result) => check === 'virus scanner');
      return found.map(({ level, found }: Result) => `${level}: ${found}`);
    };
    expect(await scanner()).toEqual(['good: CLAMD is not set: no file is scanned']);
    expect(await scanner(clamd.address)).toEqual([`good: ${clamd.address} scans files`]);
    expect(clamd.scanned.length).toBe(1);
    clamd.answer = 'INSTREAM size limit exceeded. ERROR';
    expect(await scanner(clamd.address)).toEqual([
      `fault: ${clamd.address} does not scan files (INSTREAM size limit exceeded. ERROR)`,
    ]);
    await clamd.stop();
    expect(await scanner(clamd.address)).toEqual([`fault: ${clamd.address} does not scan files (ECONNREFUSED)`]);
  });

  it('names servers with different values of FILES_URL', async () => {
    const first = await startServer();
    const second = await startServer({ FILES_URL: s3.url('doctor') }, first.database);
    const { stdout } = await runTool(['doctor', '--json'], { MONGODB_URI: databaseUri(first.database) });
    await second.close();
    await first.close();
    expect(JSON.parse(stdout).checks).toContainEqual(
      expect.objectContaining({
        check: 'settings of servers',
        level: 'warning',
        found: 'servers have different values of FILES_URL',
      }),
    );
  });
});
