import { createHash } from 'node:crypto';
import { Binary, type Db, ObjectId, UUID } from 'mongodb';
import { v7 } from 'uuid';
import {
  CHUNK_BYTES,
  type FileChunk,
  type FileDocument,
  type FileMetadata,
} from '../../../src/features/files/files.model.ts';

/** The value of a record that names a file. */
export interface FileValue {
  id: string;
  name: string;
  type: string;
  size: number;
  sha256: string;
}

export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Bytes that differ at each place of a file. */
export function bytesOf(length: number): Buffer {
  const content = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) content.writeUInt32BE((at * 2_654_435_761) >>> 0, at);
  return content;
}

/** Stores a whole file of an app, which nothing names. Resolves with the value that names it. */
export async function storeFile(
  db: Db,
  sourceAppId: string,
  content: Buffer,
  { name = 'cv.pdf', type = 'pdf', ...metadata }: { name?: string } & Partial<FileMetadata> = {},
): Promise<FileValue> {
  const app = await db.collection('apps').findOne({ sourceAppId });
  const _id = new UUID(v7());
  const hash = sha256(content);
  await db.collection<FileDocument>('files.files').insertOne({
    _id,
    length: content.length,
    chunkSize: CHUNK_BYTES,
    uploadDate: new Date(),
    filename: name,
    metadata: {
      appId: app?._id as ObjectId,
      field: 'cv',
      version: 1,
      state: 'whole',
      store: 'database',
      type,
      sha256: hash,
      charged: content.length,
      expiresAt: new Date(Date.now() + 3_600_000),
      ...metadata,
    },
  });
  const chunks: FileChunk[] = [];
  for (let n = 0; n * CHUNK_BYTES < content.length; n += 1) {
    const data = new Binary(content.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES));
    chunks.push({ _id: new ObjectId(), files_id: _id, n, data });
  }
  if (chunks.length > 0) await db.collection<FileChunk>('files.chunks').insertMany(chunks);
  return { id: _id.toString(), name, type, size: content.length, sha256: hash };
}

/** Lets a record name a file, as the submission that adopts it. */
export async function nameFile(db: Db, record: string, value: FileValue, key = 'cv'): Promise<void> {
  const users = db.collection<{ _id: UUID }>('users');
  await users.updateOne({ _id: new UUID(record) }, { $set: { [`data.${key}`]: [value] } });
}
