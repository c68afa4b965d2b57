import { createHash } from 'node:crypto';
import { Binary, type Db, ObjectId, UUID } from 'mongodb';
import { v7 } from 'uuid';
import {
  CHUNK_BYTES,
  type FileChunk,
  type FileDocument,
  type FileMetadata,
} from '../../src/records/files/files.model.ts';

/** Stores a whole file, with its chunks unless it is in a bucket. Resolves with its document. */
export async function storeFile(db: Db, bytes: Buffer, metadata: Partial<FileMetadata> = {}): Promise<FileDocument> {
  const now = new Date();
  const file: FileDocument = {
    _id: new UUID(v7()),
    length: bytes.length,
    chunkSize: CHUNK_BYTES,
    uploadDate: now,
    filename: 'file.pdf',
    metadata: {
      appId: new ObjectId(),
      field: 'cv',
      state: 'whole',
      store: 'database',
      type: 'pdf',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      charged: Math.max(bytes.length, 4_096),
      expiresAt: now,
      ...metadata,
    },
  };
  await db.collection<FileDocument>('files.files').insertOne(file);
  if (file.metadata.store === 's3') return file;
  for (let n = 0; n * CHUNK_BYTES < bytes.length; n += 1) {
    const data = new Binary(bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES));
    await db.collection<FileChunk>('files.chunks').insertOne({ _id: new ObjectId(), files_id: file._id, n, data });
  }
  return file;
}
