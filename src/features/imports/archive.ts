import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { type Entry, fromRandomAccessReader, RandomAccessReader, type ZipFile } from 'yauzl';
import { InvalidInput } from '../../platform/core/errors.ts';
import { createTurns } from '../../platform/core/turns.ts';
import { say } from '../../platform/languages/reasons.ts';
import { normalized } from '../../platform/text/text.ts';
import { CHUNK_BYTES, type ContentStore, createFileReader, type FileReader } from './content.ts';
import type { ImportDocument } from './imports.model.ts';

const LINES = 'users.csv';
const MANIFEST = 'manifest.json';
const FILES = 'files/';

const MAX_ENTRIES = 100_000;
/** The bytes of the directory. Its names stay in memory while the archive is open. */
const MAX_DIRECTORY_BYTES = 24 * 1024 * 1024;
/** More than 500 for each entry. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
/** An object of the manifest has a name of at most 200 characters. */
const MAX_OBJECT_BYTES = 16 * 1024;
/** The archives that a process keeps open. Others are opened again in their turn. */
const MAX_OPEN = 4;

const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
const SHA256 = /^[0-9a-f]{64}$/;

/** The archive, or an entry of it, cannot be read. */
export class DamagedArchive extends InvalidInput {}

/** A file of an archive. `size`: in bytes, as the archive says. */
export interface ArchivedFile {
  size: number;
  /** As the manifest says, if it names the file. */
  sha256?: string;
  /** Yields the content. @throws {DamagedArchive} when it is not as the archive says */
  open(): AsyncGenerator<Buffer>;
}

interface Packed extends Pick<ArchivedFile, 'size' | 'sha256'> {
  /** Of its local header. */
  offset: number;
  packed: number;
  crc: number;
  isDeflated: boolean;
}

export type Archive = Awaited<ReturnType<typeof openArchive>>;

/**
 * Opens the archive of an import (spec 4.7.1), which is read where it is stored: memory grows with
 * the number of its entries only, and no content is read beyond the size that the archive states.
 *
 * @param received the bytes of the archive @param maxLines those that the lines may have
 * @throws {DamagedArchive} when it cannot be read, or may be read in two ways
 */
async function openArchive(reader: FileReader, received: number, maxLines: number) {
  const zip = await openZip(reader, received).catch(refuse);
  const directory = { begin: Number(zip.readEntryCursor), end: received };
  if (zip.entryCount > MAX_ENTRIES || directory.end - directory.begin > MAX_DIRECTORY_BYTES) {
    throw new DamagedArchive(say('archiveTooLarge', { max: MAX_ENTRIES }));
  }
  const entries = new Map<string, Packed>();
  const spans = [directory];
  const turn = createTurns();
  const all = zip.eachEntry();
  for (let next = await all.next().catch(refuse); !next.done; next = await all.next().catch(refuse)) {
    add(next.value);
    await turn();
  }
  spans.sort((one, other) => one.begin - other.begin);
  const overlaps = spans.some(({ end }, index) => end > (spans[index + 1]?.begin ?? received));
  if (overlaps) throw new DamagedArchive('archiveAmbiguous');
  const lines = entries.get(LINES);
  if (!lines) throw new DamagedArchive('archiveNoUsers');
  checkSize(lines.size, maxLines);
  checkSize(entries.get(MANIFEST)?.size ?? 0, MAX_MANIFEST_BYTES);

  function add(entry: Entry): void {
    const { relativeOffsetOfLocalHeader: offset, compressedSize: packed, uncompressedSize: size, crc32: crc } = entry;
    const { fileNameRaw, generalPurposeBitFlag: flags, compressionMethod } = entry;
    spans.push({ begin: offset, end: offset + LOCAL_BYTES + fileNameRaw.length + packed });
    const path = normalized(entry.fileName, 'NFC');
    if (path !== LINES && path !== MANIFEST && (!path.startsWith(FILES) || path.endsWith('/'))) return;
    const isDeflated = compressionMethod === DEFLATED;
    if ((flags & ENCRYPTED) !== 0 || (!isDeflated && compressionMethod !== STORED)) {
      throw new DamagedArchive('archiveUnsupported');
    }
    if (entries.has(path)) throw new DamagedArchive('archiveAmbiguous');
    entries.set(path, { offset, packed, size, crc, isDeflated });
  }

  async function* bytesOf(begin: number, end: number): AsyncGenerator<Buffer> {
    for (let at = begin; at < end; ) {
      const bytes = await reader.read({ begin: at, end: Math.min(end, at + CHUNK_BYTES) });
      if (bytes.length === 0) return;
      yield bytes;
      at += bytes.length;
    }
  }

  async function* contentOf({ offset, packed, size, crc, isDeflated }: Packed): AsyncGenerator<Buffer> {
    const header = await reader.read({ begin: offset, end: offset + LOCAL_BYTES });
    if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL) throw new DamagedArchive('archiveDamaged');
    const begin = offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
    const stored = bytesOf(begin, Math.min(begin + packed, received));
    let read = 0;
    let checksum = 0;
    for await (const bytes of isDeflated ? inflated(stored) : stored) {
      read += bytes.length;
      if (read > size) throw new DamagedArchive('archiveDamaged');
      checksum = crc32(bytes, checksum);
      yield bytes;
    }
    if (read !== size || checksum !== crc) throw new DamagedArchive('archiveDamaged');
  }

  return {
    /** The bytes of the lines. */
    size: lines.size,

    /** Yields the lines, as CSV, from an offset on. */
    async *linesFrom(offset: number): AsyncGenerator<Buffer> {
      let at = 0;
      for await (const bytes of contentOf(lines)) {
        at += bytes.length;
        if (at > offset) yield bytes.subarray(Math.max(0, bytes.length - (at - offset)));
      }
    },

    /** The file at a path. */
    find(path: string): ArchivedFile | undefined {
      const found = path.startsWith(FILES) ? entries.get(normalized(path, 'NFC')) : undefined;
      return found && { size: found.size, ...hashIn(found), open: () => contentOf(found) };
    },

    /** Reads which hashes the files have. */
    async readManifest(): Promise<void> {
      const manifest = entries.get(MANIFEST);
      for await (const object of manifest ? objectsIn(contentOf(manifest)) : []) {
        const { path, sha256 } = parse(object);
        const entry = typeof path === 'string' && entries.get(normalized(path, 'NFC'));
        if (entry && typeof sha256 === 'string' && SHA256.test(sha256)) entry.sha256 = sha256;
      }
    },

    /** Reads the lines to their end, so that none is applied of a damaged archive. */
    async verify(): Promise<void> {
      for await (const _ of contentOf(lines)) await turn();
    },
  };
}

function checkSize(size: number, most: number): void {
  if (size > most) throw new DamagedArchive(say('fileTooLarge', { max: Math.floor(most / 1024 / 1024) }));
}

const hashIn = ({ sha256 }: Packed) => (sha256 === undefined ? {} : { sha256 });

/** Reads the directory of an archive from its chunks. */
class StoredUpload extends RandomAccessReader {
  readonly #reader: FileReader;
  constructor(reader: FileReader) {
    super();
    this.#reader = reader;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    const part = { begin: position, end: position + length };
    // Outside of the promise, which would keep what the callback throws.
    const end = (error: Error | null, size?: number) => process.nextTick(callback, error, size);
    this.#reader.read(part).then((bytes) => end(null, bytes.copy(buffer, offset)), end);
  }
}

function openZip(reader: FileReader, size: number): Promise<ZipFile> {
  const options = { lazyEntries: true, autoClose: false, strictFileNames: true };
  return new Promise((resolve, reject) => {
    fromRandomAccessReader(new StoredUpload(reader), size, options, (error, zip) =>
      error ? reject(error) : resolve(zip),
    );
  });
}

/** The package throws plain errors; others come from the store. */
function refuse(error: unknown): never {
  const isOfPackage = error instanceof Error && (error.constructor === Error || error instanceof RangeError);
  throw isOfPackage ? new DamagedArchive('archiveUnreadable') : error;
}

async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createInflateRaw({ chunkSize: 64 * 1024 });
  // Its error is that of the stream too.
  pipeline(Readable.from(source), stream, () => undefined);
  try {
    for await (const bytes of stream) yield bytes as Buffer;
  } catch (error) {
    throw String((error as NodeJS.ErrnoException).code).startsWith('Z_') ? new DamagedArchive('archiveDamaged') : error;
  }
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Yields the objects of a list of JSON, one after the other. */
async function* objectsIn(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const turn = createTurns();
  let begun = Buffer.alloc(0);
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  for await (const bytes of source) {
    let begin = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (isInText) {
        isEscaped = byte === BACKSLASH;
        isInText = byte !== QUOTE;
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OPEN) {
        if (depth === 0) begin = at;
        depth += 1;
      } else if (byte === CLOSE && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        yield Buffer.concat([begun, bytes.subarray(begin, at + 1)]).toString();
        begun = Buffer.alloc(0);
      }
    }
    if (depth > 0) begun = Buffer.concat([begun, bytes.subarray(begin)]);
    if (begun.length > MAX_OBJECT_BYTES) throw new DamagedArchive('archiveDamaged');
    await turn();
  }
  if (depth > 0) throw new DamagedArchive('archiveDamaged');
}

function parse(object: string): Record<string, unknown> {
  try {
    return JSON.parse(object);
  } catch {
    throw new DamagedArchive('archiveDamaged');
  }
}

export type Archives = ReturnType<typeof createArchives>;

/** The archives of imports. @param maxLines the bytes that the lines of one may have */
export function createArchives(content: Pick<ContentStore, 'read'>, maxLines: number) {
  const opened = new LRUCache<string, Promise<Archive>>({ max: MAX_OPEN });
  const open = ({ chunks, received }: Pick<ImportDocument, 'chunks' | 'received'>): Promise<Archive> =>
    openArchive(createFileReader(content, { chunks }), received, maxLines);

  return {
    open,

    /** The archive of a running import, with its hashes. Verified before the first line. */
    of(one: ImportDocument): Promise<Archive> {
      const id = one._id.toHexString();
      const known = opened.get(id);
      if (known) return known;
      const archive = open(one).then(async (found) => {
        if (one.counters.read === 0) await found.verify();
        await found.readManifest();
        return found;
      });
      opened.set(id, archive);
      archive.catch(() => opened.delete(id));
      return archive;
    },

    close: ({ _id }: Pick<ImportDocument, '_id'>): boolean => opened.delete(_id.toHexString()),
  };
}
