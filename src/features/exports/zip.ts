import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';
import { PackedBytes } from './packed-bytes.ts';

/** A file of an archive. */
export interface ZipEntry {
  /** Its path, with `/`. */
  path: string;
  content: AsyncIterable<Uint8Array | string>;
  modified: Date;
  /** Whether its bytes get smaller by compression: pictures and the like do not. */
  isText: boolean;
}

/**
 * Streams a ZIP archive (APPNOTE 6.3) with back-pressure: one entry is read at a time, and of each
 * one some 50 bytes are kept for the directory at the end, without which no program opens an
 * archive. The stream fails when an entry does, and closes the entries when it is destroyed.
 */
export function zipOf(entries: AsyncIterable<ZipEntry>): Readable {
  return Readable.from(archiveOf(entries), { objectMode: false });
}

async function* archiveOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory = new PackedBytes();
  let count = 0;
  let offset = 0;
  for await (const { path, content, modified, isText } of entries) {
    const found: Described = { name: nameOf(path), modified, isText, offset, crc: 0, size: 0, packed: 0 };
    const header = localHeader(found);
    yield header;
    const bytes = measured(content, found);
    for await (const piece of isText ? deflated(bytes) : bytes) {
      found.packed += piece.length;
      yield piece;
    }
    const end = descriptor(found);
    yield end;
    offset += header.length + found.packed + end.length;
    directory.add(directoryRecord(found));
    count += 1;
  }
  let bytes = 0;
  for (const block of directory.take()) {
    bytes += block.length;
    yield block;
  }
  yield endOfDirectory(count, bytes, offset);
}

/** What the headers of an entry say. */
interface Described {
  name: Buffer;
  modified: Date;
  isText: boolean;
  /** The place of its local header. */
  offset: number;
  crc: number;
  size: number;
  /** Its size in the archive. */
  packed: number;
}

/** @throws {Error} for a path that leaves the folder of the archive */
function nameOf(path: string): Buffer {
  if (/^\/|^[a-z]:|\\/i.test(path) || path.split('/').includes('..')) throw new Error(`no path of an archive: ${path}`);
  return Buffer.from(path);
}

async function* measured(content: ZipEntry['content'], found: Described): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    found.crc = crc32(bytes, found.crc);
    found.size += bytes.length;
    yield bytes;
  }
}

async function* deflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const deflate = createDeflateRaw();
  const feeding = pipeline(source, deflate);
  // Its error is also that of the stream.
  feeding.catch(() => undefined);
  yield* deflate;
  await feeding;
}

/** UTF-8 names; sizes and checksum follow the content. */
const FLAGS = (1 << 11) | (1 << 3);
/** Of the version 6.3, on Unix. */
const MADE_BY = (3 << 8) | 63;
const VERSION = 20;
const VERSION_OF_ZIP64 = 45;
/** A regular file of the mode 0664. */
const ATTRIBUTES = (0o100664 << 16) >>> 0;
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

const isLarge = ({ size, packed, offset }: Described): boolean => Math.max(size, packed, offset) >= MAX_32;

const methodOf = ({ isText }: Described): number => (isText ? 8 : 0);

function localHeader(entry: Described): Buffer {
  const { name, modified } = entry;
  const fixed = fields([4, 0x04034b50], [2, VERSION], [2, FLAGS], [2, methodOf(entry)], ...dosTime(modified));
  return Buffer.concat([fixed, fields([4, 0], [4, 0], [4, 0], [2, name.length], [2, 0]), name]);
}

function descriptor(entry: Described): Buffer {
  const { crc, size, packed } = entry;
  const width = isLarge(entry) ? 8 : 4;
  return fields([4, 0x08074b50], [4, crc], [width, packed], [width, size]);
}

function directoryRecord(entry: Described): Buffer {
  const { name, modified, crc, size, packed, offset } = entry;
  const isZip64 = isLarge(entry);
  const seconds = Math.min(Math.floor(modified.getTime() / 1_000), 0x7fffffff);
  const time = fields([2, 0x5455], [2, 5], [1, 3], [4, seconds]);
  const sizes = isZip64 ? fields([2, 1], [2, 24], [8, size], [8, packed], [8, offset]) : Buffer.alloc(0);
  const or64 = (value: number): number => (isZip64 ? MAX_32 : value);
  return Buffer.concat([
    fields([4, 0x02014b50], [2, MADE_BY], [2, isZip64 ? VERSION_OF_ZIP64 : VERSION], [2, FLAGS]),
    fields([2, methodOf(entry)], ...dosTime(modified), [4, crc], [4, or64(packed)], [4, or64(size)]),
    fields([2, name.length], [2, time.length + sizes.length], [2, 0], [2, 0], [2, 0], [4, ATTRIBUTES]),
    fields([4, or64(offset)]),
    name,
    time,
    sizes,
  ]);
}

/** @param bytes the size of the directory @param offset its place */
function endOfDirectory(count: number, bytes: number, offset: number): Buffer {
  const isZip64 = count >= MAX_16 || bytes >= MAX_32 || offset >= MAX_32;
  const [count16, bytes32, offset32] = [Math.min(count, MAX_16), Math.min(bytes, MAX_32), Math.min(offset, MAX_32)];
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, count16], [2, count16], [4, bytes32], [4, offset32], [2, 0]);
  if (!isZip64) return end;
  return Buffer.concat([
    fields([4, 0x06064b50], [8, 44], [2, MADE_BY], [2, VERSION_OF_ZIP64], [4, 0], [4, 0]),
    fields([8, count], [8, count], [8, bytes], [8, offset]),
    fields([4, 0x07064b50], [4, 0], [8, offset + bytes], [4, 1]),
    end,
  ]);
}

const FIRST_DOS_TIME = new Date(1980, 0, 1);
const LAST_DOS_TIME = new Date(2107, 11, 31, 23, 59, 58);

/** The time and the date in the zone of the server, as ZIP has them. */
function dosTime(modified: Date): [Field, Field] {
  const at = new Date(Math.min(Math.max(modified.getTime(), FIRST_DOS_TIME.getTime()), LAST_DOS_TIME.getTime()));
  const time = (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1);
  const date = ((at.getFullYear() - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate();
  return [
    [2, time],
    [2, date],
  ];
}

/** A number, and the bytes that it has in the order of ZIP, the least first. */
type Field = readonly [bytes: 1 | 2 | 4 | 8, value: number];

function fields(...given: Field[]): Buffer {
  const buffer = Buffer.alloc(given.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of given) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return buffer;
}
