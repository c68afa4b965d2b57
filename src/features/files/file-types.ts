import { FILE_TYPES, type FileTypeName } from '../../platform/text/file-types.ts';

/** Reads bytes of the file that is examined. `end`: exclusive. */
type ReadAt = (start: number, end: number) => Promise<Buffer>;

/** Sees the content of a file once, in the order of its bytes. */
interface Examination {
  add(bytes: Buffer): void;
  /** Resolves with whether all of the content is of the type. @param readAt reads it again */
  end(readAt: ReadAt): Promise<boolean>;
}

/** The types of text, and those that are archives. Of the others the signature decides. */
const TEXTS: readonly string[] = ['txt', 'csv'];
const ARCHIVES: readonly string[] = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'zip'];
/** Pictures hold no markup, wherever it is. */
const PICTURES: readonly string[] = ['png', 'jpeg', 'gif', 'webp', 'heic'];

/** What the package finds, by the name of the type. */
const SIGNATURES: Readonly<Record<string, FileTypeName>> = {
  pdf: 'pdf',
  png: 'png',
  apng: 'png',
  jpg: 'jpeg',
  gif: 'gif',
  webp: 'webp',
  heic: 'heic',
  mp3: 'mp3',
  m4a: 'm4a',
  m4b: 'm4a',
  wav: 'wav',
  mp4: 'mp4',
  m4v: 'mp4',
  mov: 'mov',
  webm: 'webm',
};

/** Begins the examination of a file whose name is of a type (spec 4.14). */
export function examine(type: FileTypeName): Examination {
  if (TEXTS.includes(type)) return examineText();
  if (ARCHIVES.includes(type)) return examineArchive(type);
  return examineBinary(type);
}

/** Browsers look for markup in the first 1,445 bytes, readers of PDF for its mark in 1,024. */
const HEAD_BYTES = 4_096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: none of them is text
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;
/** Markup, a document or a program, after what a reader skips. */
const NO_TEXT = /^[\s\p{Cf}\p{Zs}]*(?:<[!?/a-z%]|%pdf|%!ps|#!|\{\\rtf)/iu;

function examineText(): Examination {
  // Without `ignoreBOM` a first mark is left out.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let head = '';
  let size = 0;
  let isText = true;
  const read = (bytes?: Buffer): void => {
    if (!isText) return;
    try {
      const text = decoder.decode(bytes, { stream: bytes !== undefined });
      if (head.length < HEAD_BYTES) head += text.slice(0, HEAD_BYTES - head.length);
      if (CONTROLS.test(text)) isText = false;
    } catch {
      isText = false; // not UTF-8
    }
  };
  return {
    add(bytes) {
      size += bytes.length;
      read(bytes);
    },
    async end() {
      read();
      return isText && size > 0 && !NO_TEXT.test(head);
    },
  };
}

/** Keeps the first bytes of a file. */
function createHead(bytes: number) {
  const parts: Buffer[] = [];
  let kept = 0;
  let size = 0;
  return {
    add(part: Buffer): void {
      size += part.length;
      if (kept >= bytes) return;
      const some = Buffer.from(part.subarray(0, bytes - kept));
      parts.push(some);
      kept += some.length;
    },
    get size(): number {
      return size;
    },
    read: (): Buffer => Buffer.concat(parts),
  };
}

/** The package looks for private data of a program in the beginning of a PDF. */
const SIGNATURE_BYTES = 64 * 1024;
const MARKUP_AT_START = /<(?:!doctype|html|head|body|script|svg|iframe|\?php)/i;
const MARKUP = /<(?:!doctype\s|html[\s>]|script[\s>]|\?php\s)/i;
const OVERLAP = 16;

function examineBinary(type: FileTypeName): Examination {
  const head = createHead(SIGNATURE_BYTES);
  const isPicture = PICTURES.includes(type);
  let before = '';
  let hasMarkup = false;
  return {
    add(bytes) {
      head.add(bytes);
      if (!isPicture || hasMarkup) return;
      const text = before + bytes.toString('latin1');
      hasMarkup = MARKUP.test(text);
      before = text.slice(-OVERLAP);
    },
    async end(readAt) {
      if (hasMarkup || head.size === 0) return false;
      const bytes = head.read();
      const start = bytes.toString('latin1', 0, HEAD_BYTES);
      if (MARKUP_AT_START.test(start)) return false;
      if (type !== 'pdf' && start.includes('%PDF-')) return false;
      // The package looks at the first three bytes.
      if (type === 'gif' && !/^GIF8[79]a/.test(start)) return false;
      const found = await signatureOf(bytes);
      const isSound = type === 'm4a' && found === 'mp4' && (await hasSoundAlone(head.size, readAt));
      if (found !== type && !isSound) return false;
      return !(await endsLikeArchive(head.size, readAt));
    },
  };
}

/** Loaded with the first file: a service without files does not need it. */
async function signatureOf(bytes: Buffer): Promise<FileTypeName | undefined> {
  const { fileTypeFromBuffer } = await import('file-type/core');
  const found = await fileTypeFromBuffer(bytes);
  return found && SIGNATURES[found.ext];
}

/** Reading one may inflate a file from its beginning. Recorders write few before `moov`. */
const MAX_BOXES = 8;
const MAX_MOOV_BYTES = 8 * 1024 * 1024;
const HANDLER = 'hdlr';
const HANDLER_BYTES = 16;
/** A recorder writes fewer than five. */
const MAX_HANDLERS = 100;

/** Whether a file of a general brand, as recorders of phones write, has sound and no pictures. */
async function hasSoundAlone(size: number, readAt: ReadAt): Promise<boolean> {
  for (let at = 0, boxes = 0; at + 16 <= size && boxes < MAX_BOXES; boxes += 1) {
    const box = await readAt(at, at + 16);
    const short = box.readUInt32BE(0);
    const length = short === 1 ? Number(box.readBigUInt64BE(8)) : short || size - at;
    if (box.toString('latin1', 4, 8) === 'moov') {
      const content = await readAt(at, Math.min(size, at + Math.min(length, MAX_MOOV_BYTES)));
      const handlers = handlersIn(content);
      return handlers.includes('soun') && !handlers.includes('vide') && handlers.length <= MAX_HANDLERS;
    }
    if (length < 8) return false;
    at += length;
  }
  return false;
}

/** The handlers of tracks and of their descriptions, up to one more than a recorder writes. */
function handlersIn(content: Buffer): string[] {
  const handlers: string[] = [];
  for (let at = content.indexOf(HANDLER); at >= 0; at = content.indexOf(HANDLER, at + HANDLER_BYTES)) {
    // After its version and 4 bytes without a meaning.
    const name = content.subarray(at + HANDLER_BYTES - 4, at + HANDLER_BYTES);
    if (name.length === 4) handlers.push(name.toString('latin1'));
    if (handlers.length > MAX_HANDLERS) break;
  }
  return handlers;
}

function examineArchive(type: FileTypeName): Examination {
  const head = createHead(HEAD_BYTES);
  return {
    add: head.add,
    async end(readAt) {
      const bytes = head.read();
      if (!isSignature(bytes, LOCAL) && !(head.size === END_BYTES && isSignature(bytes, END))) return false;
      const names = await readDirectory(head.size, readAt);
      return names !== undefined && typeOfArchive(bytes, names) === type;
    },
  };
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
/** The record of a large archive, and the locator that names its place, before the end. */
const END_64 = 0x06064b50;
const END_64_BYTES = 56;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const MAX_COMMENT = 0xffff;
/** Names of about 100,000 entries. */
const MAX_DIRECTORY_BYTES = 8 * 1024 * 1024;

const isSignature = (bytes: Buffer, signature: number, at = 0): boolean =>
  bytes.length >= at + 4 && bytes.readUInt32LE(at) === signature;

/** What may stand from the locator of a large archive on. */
const MAX_TAIL = LOCATOR_BYTES + END_BYTES + MAX_COMMENT;

/** Whether some reader may take the file for an archive: it has the end of one. */
async function endsLikeArchive(size: number, readAt: ReadAt): Promise<boolean> {
  const tail = await readAt(Math.max(0, size - MAX_TAIL), size);
  if (tail.includes('PK\x05\x06\0\0\0\0')) return true;
  // The numbers of disks are those of the record that the locator names.
  for (let at = tail.indexOf('PK\x06\x07'); at >= 0; at = tail.indexOf('PK\x06\x07', at + 1)) {
    if (isSignature(tail, END, at + LOCATOR_BYTES)) return true;
  }
  return false;
}

/** Where the directory of an archive is. `after`: the bytes between it and the end. */
interface Directory {
  entries: number;
  bytes: number;
  offset: number;
  after: number;
}

/**
 * Resolves with the names of the entries of a ZIP archive; undefined: the file is none, it is too
 * large, or its numbers leave room for another directory, which other readers might find.
 */
async function readDirectory(size: number, readAt: ReadAt): Promise<string[] | undefined> {
  const found = await findDirectory(size, readAt);
  if (!found || found.bytes > MAX_DIRECTORY_BYTES) return undefined;
  const { entries, bytes, offset, after } = found;
  const directory = await readAt(offset, offset + bytes);
  const names: string[] = [];
  const places = new Set<number>();
  let at = 0;
  while (at + CENTRAL_BYTES <= directory.length && isSignature(directory, CENTRAL, at)) {
    places.add(at);
    const [name, extra, comment] = [28, 30, 32].map((place) => directory.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ];
    names.push(directory.toString('latin1', at + CENTRAL_BYTES, at + CENTRAL_BYTES + name));
    at += CENTRAL_BYTES + name + extra + comment;
  }
  if (at !== bytes || names.length !== entries) return undefined;
  // A reader that does not know the record takes the end for that of the directory.
  return isSignature(directory, CENTRAL, after) && !places.has(after) ? undefined : names;
}

async function findDirectory(size: number, readAt: ReadAt): Promise<Directory | undefined> {
  const from = Math.max(0, size - MAX_TAIL);
  const tail = await readAt(from, size);
  const end = tail.lastIndexOf('PK\x05\x06');
  if (end < 0 || end + END_BYTES > tail.length) return undefined;
  const numbers = [4, 6, 8, 10].map((place) => tail.readUInt16LE(end + place));
  const [bytes, offset] = [12, 16].map((place) => tail.readUInt32LE(end + place)) as [number, number];
  const [disk, first, onDisk, entries] = numbers as [number, number, number, number];
  if (tail.readUInt16LE(end + 20) !== tail.length - end - END_BYTES) return undefined;
  const locator = end - LOCATOR_BYTES;
  if (locator < 0 || !isSignature(tail, LOCATOR, locator)) {
    const isWhole = disk === 0 && first === 0 && onDisk === entries && offset + bytes === from + end;
    return isWhole ? { entries, bytes, offset, after: 0 } : undefined;
  }
  const record = await readRecord(from + locator, tail.subarray(locator, end), readAt);
  if (!record) return undefined;
  // What the end says is what the record says, or a mark that the record says it.
  const isSame =
    [disk, first].every((number) => number === 0 || number === MAX_16) &&
    [onDisk, entries].every((number) => number === record.entries || number === MAX_16) &&
    (bytes === record.bytes || bytes === MAX_32) &&
    (offset === record.offset || offset === MAX_32);
  return isSame ? record : undefined;
}

/**
 * Reads the record of a large archive (APPNOTE 4.3.14), which ends where its locator begins.
 * @param at the place of the locator
 */
async function readRecord(at: number, locator: Buffer, readAt: ReadAt): Promise<Directory | undefined> {
  const start = at - END_64_BYTES;
  const isOfOne = locator.readUInt32LE(4) === 0 && locator.readUInt32LE(16) <= 1;
  if (start < 0 || !isOfOne || locator.readBigUInt64LE(8) !== BigInt(start)) return undefined;
  const record = await readAt(start, at);
  if (!isSignature(record, END_64) || record.readBigUInt64LE(4) !== BigInt(END_64_BYTES - 12)) return undefined;
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0) return undefined;
  const [onDisk, entries, bytes, offset] = [24, 32, 40, 48].map((place) => Number(record.readBigUInt64LE(place))) as [
    number,
    number,
    number,
    number,
  ];
  if (onDisk !== entries || offset + bytes !== start) return undefined;
  return { entries, bytes, offset, after: END_64_BYTES + LOCATOR_BYTES };
}

const PARTS_OF_OFFICE = { docx: 'word/', xlsx: 'xl/', pptx: 'ppt/' } as const;
/** Macros, and binary workbooks, which may have them. */
const WITH_MACROS = /(?:^|\/)(?:vbaProject\.bin|workbook\.bin)$|^(?:Basic|Scripts)\//i;
const PROGRAM = /^(?:META-INF\/MANIFEST\.MF|AndroidManifest\.xml|classes\.dex)$/i;

/** The type of a ZIP archive; undefined: of a program, a book, or a document with macros. */
function typeOfArchive(head: Buffer, names: readonly string[]): FileTypeName | undefined {
  if (names.some((name) => PROGRAM.test(name))) return undefined;
  const isOffice = names.includes('[Content_Types].xml');
  const mediaType = firstEntry(head, 'mimetype');
  if (!isOffice && mediaType === undefined) return 'zip';
  if (names.some((name) => WITH_MACROS.test(name))) return undefined;
  if (mediaType !== undefined) {
    return (['odt', 'ods', 'odp'] as const).find((type) => {
      const own = FILE_TYPES[type].mediaType;
      return mediaType.startsWith(own) && mediaType.startsWith('PK', own.length);
    });
  }
  const parts = Object.entries(PARTS_OF_OFFICE).filter(([, part]) => names.some((name) => name.startsWith(part)));
  return parts.length === 1 ? (parts[0]?.[0] as FileTypeName) : undefined;
}

/** The text from the content of the first entry on, if it is stored under that name. */
function firstEntry(head: Buffer, name: string): string | undefined {
  if (!isSignature(head, LOCAL) || head.length < LOCAL_BYTES) return undefined;
  const [length, extra] = [head.readUInt16LE(26), head.readUInt16LE(28)];
  if (head.toString('latin1', LOCAL_BYTES, LOCAL_BYTES + length) !== name) return undefined;
  return head.toString('latin1', LOCAL_BYTES + length + extra);
}
