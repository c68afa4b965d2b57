import { randomBytes } from 'node:crypto';
import type { Db, UUID } from 'mongodb';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import type { FileDocument, FileMetadata } from '../../../src/features/files/files.model.ts';
import { hashOf } from '../../../src/features/files/incoming.ts';
import { bytesOf, type FileValue, storeFile } from './files.ts';

/** A field of files, and one of text. */
export const FILE_FIELDS: FieldDefinitionInput[] = [
  { key: 'name', label: 'Name', kind: 'text', required: false },
  { key: 'cv', label: 'CV', kind: 'file', required: false, types: ['pdf', 'png'], maxFiles: 3 },
];

/** A file that was uploaded for a submission, with its token and the value that it becomes. */
export interface Uploaded {
  token: string;
  value: FileValue;
}

/** Stores an uploaded file, as the upload of a field does. */
export async function upload(
  db: Db,
  sourceAppId: string,
  { bytes = 1_000, ...metadata }: { bytes?: number; name?: string } & Partial<FileMetadata> = {},
): Promise<Uploaded> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + 3_600_000);
  const known = { token: hashOf(token), expiresAt, checkAt: expiresAt, ...metadata };
  return { token, value: await storeFile(db, sourceAppId, bytesOf(bytes), known) };
}

/** The document of a file, if it exists. */
export const findFile = async (db: Db, { id }: Pick<FileValue, 'id'>): Promise<FileDocument | undefined> =>
  (await db.collection<FileDocument>('files.files').find().toArray()).find(({ _id }) => String(_id) === id);

/** The number of the chunks of a file. */
export async function countChunks(db: Db, { id }: FileValue): Promise<number> {
  const chunks = await db.collection<{ files_id: UUID }>('files.chunks').find().toArray();
  return chunks.filter(({ files_id }) => String(files_id) === id).length;
}

/**
 * Sets back the times of a file, as if so many milliseconds had passed. Resolves with the time of
 * its next check.
 */
export async function age(db: Db, value: Pick<FileValue, 'id'>, ms: number): Promise<Date | undefined> {
  const file = await findFile(db, value);
  if (!file) return undefined;
  const earlier = (time?: Date) => time && new Date(time.getTime() - ms);
  const { expiresAt, checkAt, claim } = file.metadata;
  const due = earlier(checkAt);
  const times = {
    'metadata.expiresAt': earlier(expiresAt),
    ...(due && { 'metadata.checkAt': due }),
    ...(claim && { 'metadata.claim.until': earlier(claim.until) }),
  };
  await db.collection<FileDocument>('files.files').updateOne({ _id: file._id }, { $set: times });
  return due;
}
