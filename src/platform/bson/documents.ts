import { type AggregationCursor, type FindCursor, UUID } from 'mongodb';
import { NamedError } from '../core/errors.ts';
import { decode } from '../database/collections.ts';

/** The types of BSON elements (bsonspec.org) that the service stores. */
export const DOUBLE = 0x01;
export const STRING = 0x02;
export const OBJECT = 0x03;
export const ARRAY = 0x04;
export const BINARY = 0x05;
export const BOOLEAN = 0x08;
export const DATE = 0x09;
export const NULL = 0x0a;
export const INT32 = 0x10;
const OBJECT_ID = 0x07;
export const UUID_SUBTYPE = 4;
export const UUID_BYTES = 16;

/** A BSON type that the service does not store. The caller decodes the document instead. */
export class UnknownType extends NamedError {}

/** The position of the NUL that terminates the name of an element. */
export function endOfName(source: Buffer, start: number): number {
  let at = start;
  while (source[at] !== 0) at += 1;
  return at;
}

/** The length of a value in bytes. @throws {UnknownType} */
export function valueLength(type: number, source: Buffer, at: number): number {
  switch (type) {
    case STRING:
      return 4 + source.readInt32LE(at);
    case OBJECT:
    case ARRAY:
      return source.readInt32LE(at);
    case BINARY:
      return 5 + source.readInt32LE(at);
    case DOUBLE:
    case DATE:
      return 8;
    case INT32:
      return 4;
    case BOOLEAN:
      return 1;
    case NULL:
      return 0;
    case OBJECT_ID:
      return 12;
    default:
      throw new UnknownType();
  }
}

/** The time of the date at `at`, in milliseconds since 1970. */
export function timeAt(source: Buffer, at: number): number {
  return source.readUInt32LE(at) + source.readInt32LE(at + 4) * 2 ** 32;
}

interface Name<Target> {
  /** The name and its NUL. */
  readonly bytes: Buffer;
  readonly target: Target;
  /** The name that last followed this one in a document. */
  next: Name<Target> | undefined;
}

/**
 * Reads the elements of documents, each with the target of its name. Most documents of a collection
 * have the same names in the same order, so a name is first compared with the one that followed in
 * the document before, and decoded only when it differs.
 */
export class DocumentReader<Target> {
  readonly #names: ReadonlyMap<string, Name<Target>>;
  readonly #start: { next: Name<Target> | undefined } = { next: undefined };

  /** @param targets the value for each name; the names are ASCII */
  constructor(targets: Iterable<readonly [name: string, target: Target]>) {
    this.#names = new Map(
      Array.from(targets, ([name, target]) => [name, { bytes: Buffer.from(`${name}\0`), target, next: undefined }]),
    );
  }

  /**
   * Calls `visit` for each element of the document that begins at `start`, in their order.
   *
   * @param visit `at` is the offset of the element, `value` that of its value
   * @throws {UnknownType}
   */
  read(
    source: Buffer,
    start: number,
    visit: (target: Target | undefined, type: number, value: number, at: number) => void,
  ): void {
    let last = this.#start;
    for (let at = start + 4; source[at] !== 0; ) {
      const type = source[at] as number;
      const name = this.#find(source, at + 1, last.next);
      const value = name ? at + 1 + name.bytes.length : endOfName(source, at + 1) + 1;
      visit(name?.target, type, value, at);
      if (name) last = last.next = name;
      at = value + valueLength(type, source, value);
    }
  }

  #find(source: Buffer, at: number, expected: Name<Target> | undefined): Name<Target> | undefined {
    if (expected !== undefined && isAt(expected.bytes, source, at)) return expected;
    // A name beyond ASCII becomes another text, which is none of the names either.
    return this.#names.get(source.toString('latin1', at, endOfName(source, at)));
  }
}

function isAt(bytes: Buffer, source: Buffer, at: number): boolean {
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] !== source[at + index]) return false;
  return true;
}

/** Undecoded BSON documents. */
export type RawDocuments = Uint8Array[];

/** A value of `_id`, of any type. */
export type DocumentId = UUID;

/** Offset of the value of a leading `_id`: document length (4), type (1), `_id` and NUL (4). */
const ID_VALUE = 9;
const ID_ELEMENT = Buffer.from('\x05_id\0', 'latin1');

/**
 * Resolves with the first batch of a query with `raw: true`: all of a small result (`isWhole`),
 * about 16 MB of a large one. Closes the cursor, so that a slow client cannot keep it open.
 */
export async function firstBatch(
  cursor: FindCursor<Uint8Array> | AggregationCursor<Uint8Array>,
): Promise<{ documents: RawDocuments; isWhole: boolean }> {
  try {
    await cursor.hasNext();
    return { documents: cursor.readBufferedDocuments(), isWhole: cursor.id?.isZero() ?? true };
  } finally {
    await cursor.close();
  }
}

/** The total size of documents in bytes. */
export function totalBytes(documents: RawDocuments): number {
  return documents.reduce((size, { length }) => size + length, 0);
}

/** The first documents that fit into `maxBytes`, at least one. Frees the memory of the rest. */
export function takeBytes(documents: RawDocuments, maxBytes: number): RawDocuments {
  let size = 0;
  let count = 0;
  while (count < documents.length && (count === 0 || size <= maxBytes)) size += documents[count++]?.length ?? 0;
  if (count > 1 && size > maxBytes) count -= 1;
  // Documents are views of the whole batch: only copies allow its memory to be freed.
  return count === documents.length ? documents : documents.slice(0, count).map((bytes) => Buffer.from(bytes));
}

export function readId(document: Uint8Array): DocumentId {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  const isUuid =
    bytes.subarray(4, ID_VALUE).equals(ID_ELEMENT) &&
    bytes[4] === BINARY &&
    bytes.readInt32LE(ID_VALUE) === UUID_BYTES &&
    bytes[ID_VALUE + 4] === UUID_SUBTYPE;
  if (!isUuid) return decode<{ _id: DocumentId }>(document)._id;
  return new UUID(Buffer.from(bytes.subarray(ID_VALUE + 5, ID_VALUE + 5 + UUID_BYTES)));
}
