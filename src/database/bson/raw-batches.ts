import { mongo } from 'mongoose';
import { decode } from '../collections.ts';
import { BINARY, UUID_BYTES, UUID_SUBTYPE } from './elements.ts';

/** Undecoded BSON documents. */
export type RawDocuments = Uint8Array[];

/** A value of `_id`, of any type. */
export type DocumentId = mongo.UUID;

/** Offset of the value of a leading `_id`: document length (4), type (1), `_id` and NUL (4). */
const ID_VALUE = 9;
const ID_ELEMENT = Buffer.from('\x05_id\0', 'latin1');

/**
 * Runs a query that was opened with `raw: true` and resolves with its first batch: all of a small
 * result, about 16 MB of a large one. The cursor is closed, so that a slow client cannot keep it
 * open.
 *
 * @returns `isWhole`: whether the batch is the whole result
 */
export async function firstBatch(
  cursor: mongo.FindCursor<Uint8Array> | mongo.AggregationCursor<Uint8Array>,
): Promise<{ documents: RawDocuments; isWhole: boolean }> {
  try {
    await cursor.hasNext();
    return { documents: cursor.readBufferedDocuments(), isWhole: cursor.id?.isZero() ?? true };
  } finally {
    await cursor.close();
  }
}

/** The total size of documents in bytes. */
export function sizeOf(documents: RawDocuments): number {
  return documents.reduce((size, { length }) => size + length, 0);
}

/**
 * The first documents, as many as fit into `maxBytes` and at least one. Frees the memory of the
 * rest.
 */
export function headOf(documents: RawDocuments, maxBytes: number): RawDocuments {
  let size = 0;
  let count = 0;
  while (count < documents.length && (count === 0 || size <= maxBytes)) size += documents[count++]?.length ?? 0;
  if (count > 1 && size > maxBytes) count -= 1;
  // Documents are views of the whole batch: only copies allow its memory to be freed.
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
