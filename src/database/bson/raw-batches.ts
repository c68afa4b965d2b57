import { mongo } from 'mongoose';
import { decode } from '../collections.ts';
import { BINARY, UUID_SUBTYPE } from './elements.ts';

/** Documents as the database sent them, in BSON. */
export type RawDocuments = Uint8Array[];

/** A value of `_id`, of any type. */
export type DocumentId = mongo.UUID;

const UUID_BYTES = 16;
/** Length of the document, type, `_id` and NUL. */
const ID_VALUE = 9;
const ID_ELEMENT = Buffer.from('\x05_id\0', 'latin1');

/**
 * Runs a query that was opened with `raw: true` and resolves with what its first answer holds: all of a small result,
 * and about 16 MB of a large one. The cursor is closed, so no later reader of a connection can keep it open.
 *
 * @returns `isWhole` whether nothing is left
 */
export async function firstBatch(
  cursor: mongo.FindCursor<Uint8Array>,
): Promise<{ documents: RawDocuments; isWhole: boolean }> {
  try {
    await cursor.hasNext();
    return { documents: cursor.readBufferedDocuments(), isWhole: cursor.id?.isZero() ?? true };
  } finally {
    await cursor.close();
  }
}

/** The bytes of all documents. */
export function sizeOf(documents: RawDocuments): number {
  return documents.reduce((size, { length }) => size + length, 0);
}

/** As many of the first documents as fit into `most` bytes, at least one. The rest of the answer's memory is freed. */
export function headOf(documents: RawDocuments, most: number): RawDocuments {
  let size = 0;
  let count = 0;
  while (count < documents.length && (count === 0 || size <= most)) size += documents[count++]?.length ?? 0;
  if (count > 1 && size > most) count -= 1;
  // Documents are views of the whole answer: only a copy lets the rest of it go.
  return count === documents.length ? documents : documents.slice(0, count).map((bytes) => Buffer.from(bytes));
}

/** The `_id` of a document. */
export function idOf(document: Uint8Array): DocumentId {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  const isUuid =
    bytes.subarray(4, ID_VALUE).equals(ID_ELEMENT) &&
    bytes[4] === BINARY &&
    bytes.readInt32LE(ID_VALUE) === UUID_BYTES &&
    bytes[ID_VALUE + 4] === UUID_SUBTYPE;
  if (!isUuid) return decode<{ _id: DocumentId }>(document)._id;
  return new mongo.UUID(Buffer.from(bytes.subarray(ID_VALUE + 5, ID_VALUE + 5 + UUID_BYTES)));
}
