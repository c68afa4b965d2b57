import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Dicer } from '@fastify/busboy';
import { parse as parseDisposition } from 'content-disposition';
import { InvalidInput } from '../../platform/core/errors.ts';
import { say } from '../../platform/languages/reasons.ts';
import type { ReadBody } from './json-body.ts';
import { checkCharset, GrowingBuffer, notUtf8Error, type ReadBytes } from './request-bytes.ts';

/** The most entries of one form (spec 8). A browser sends one for each control. */
const MAX_ENTRIES = 1_000;
/** The longest name of an entry, in bytes of UTF-8. */
const MAX_NAME_BYTES = 200;

/** One control of a form: its name and its text. */
export type FormEntry = readonly [name: string, value: string];

/** The entries of an HTML form in the order of its controls. A name may repeat. */
export class FormEntries {
  readonly list: readonly FormEntry[];
  /** The names of the controls that sent a file, without the content: files are refused. */
  readonly files: readonly string[];

  constructor(list: readonly FormEntry[], files: readonly string[] = []) {
    this.list = list;
    this.files = files;
  }
}

/** Counts the separators of entries in a body, up to one more than the limit. */
function countEntries(bytes: Buffer, separator: string): number {
  let count = 0;
  for (let at = bytes.indexOf(separator); at >= 0 && count < MAX_ENTRIES + 2; at = bytes.indexOf(separator, at + 1)) {
    count += 1;
  }
  return count;
}

/** @throws {InvalidInput} for more entries than a form may have */
function checkEntryCount(count: number): void {
  if (count > MAX_ENTRIES) throw new InvalidInput(say('tooManyEntries', { max: MAX_ENTRIES }));
}

/** @throws {InvalidInput} when a name is too long or contains NUL */
function checkName(name: string): string {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new InvalidInput(say('entryNameTooLong', { max: MAX_NAME_BYTES }));
  }
  if (name.includes('\0')) throw new InvalidInput('entryNameNul');
  return name;
}

/** Without the check, invalid bytes would be stored as U+FFFD. @throws {InvalidInput} */
function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8Error();
  return bytes.toString();
}

const PLUS = 0x2b;
const SPACE = 0x20;
const INCOMPLETE_ESCAPE = /%(?![0-9a-f]{2})/i;

/**
 * Creates a reader of `application/x-www-form-urlencoded` bodies. Unlike `URLSearchParams` it
 * refuses invalid UTF-8, and a `%` without two hexadecimal digits.
 */
export function createUrlencodedReader(readBytes: ReadBytes): ReadBody {
  return async (req, deadline) => {
    checkCharset(req.headers['content-type'] ?? '');
    const sent = readBytes(req, deadline);
    const bytes = sent instanceof Promise ? await sent : sent;
    checkEntryCount(countEntries(bytes, '&') + 1);
    return new FormEntries(decodePairs(bytes));
  };
}

/** Decodes `name=value` pairs; changes the bytes. @throws {InvalidInput} */
function decodePairs(bytes: Buffer): FormEntry[] {
  // A megabyte of `+` takes 2 ms here, and 40 ms as `replaceAll` of a string.
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === PLUS) bytes[at] = SPACE;
  const text = decodeText(bytes);
  if (INCOMPLETE_ESCAPE.test(text)) throw formDataError();
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
      return [checkName(unescaped(pair.slice(0, end))), unescaped(pair.slice(end + 1))];
    });
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notUtf8Error();
  }
}

/** RFC 2046: 1 to 70 characters, which need quotes if a parameter may not have them. */
const BOUNDARY =
  /;[ \t]*boundary[ \t]*=[ \t]*(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.-]{1,70}))[ \t]*(?:;|$)/i;

/** Bytes that are parsed in one turn of the event loop: a part costs about 30 us and 60 bytes. */
const SLICE_BYTES = 16 * 1024;
/** The longest header block of one part. Browsers send fewer than 500 bytes. */
const MAX_HEADER_BYTES = 4_096;
const IDENTITY_ENCODINGS = new Set(['7bit', '8bit', 'binary']);

/** The headers of a part: their values by lower-case name, one character for each byte. */
type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Creates a reader of `multipart/form-data` bodies. Of a part with a file only the name is kept;
 * the empty part that browsers send without a file is left out. busboy itself replaces invalid
 * UTF-8 and skips parts that it cannot read, so only its parser of messages (Dicer) is used.
 */
export function createMultipartReader(readBytes: ReadBytes): ReadBody {
  return async (req, deadline) => {
    const type = req.headers['content-type'] ?? '';
    checkCharset(type);
    const found = BOUNDARY.exec(type);
    const boundary = found?.[1] ?? found?.[2];
    if (boundary === undefined) throw new InvalidInput('noBoundary');
    const sent = readBytes(req, deadline);
    return parseMultipart(sent instanceof Promise ? await sent : sent, boundary);
  };
}

/** @throws {InvalidInput} */
async function parseMultipart(bytes: Buffer, boundary: string): Promise<FormEntries> {
  const delimiter = `--${boundary}`;
  const isFirst = bytes.subarray(0, delimiter.length).equals(Buffer.from(delimiter));
  // One delimiter is the end.
  const count = countEntries(bytes, `\r\n${delimiter}`) - (isFirst ? 0 : 1);
  checkEntryCount(count);
  const parts = await readParts(bytes, boundary);
  // Parts after the end would be lost.
  if (parts.length !== count) throw formDataError();
  const list: FormEntry[] = [];
  const files: string[] = [];
  for (const part of parts) {
    const { name, text } = toSentPart(part);
    if (text !== undefined) list.push([name, text]);
    else if (name !== undefined) files.push(name);
  }
  return new FormEntries(list, files);
}

class Part {
  headers: PartHeaders = {};
  readonly #content: GrowingBuffer;

  /** @param stream a part of a Dicer */
  constructor(stream: NodeJS.ReadableStream, maxBytes: number) {
    this.#content = new GrowingBuffer(maxBytes);
    stream.on('header', (headers: PartHeaders) => {
      this.headers = headers;
    });
    stream.on('data', (chunk: Buffer) => void this.#content.add(chunk));
    // The same failure ends the whole message.
    stream.on('error', () => undefined);
  }

  takeContent(): Buffer {
    return this.#content.take();
  }
}

/** Parses a message in steps, so that many parts do not block the event loop. */
async function readParts(bytes: Buffer, boundary: string): Promise<Part[]> {
  const parts: Part[] = [];
  // The package's types do not list the limits of a Dicer.
  const options = { boundary, maxHeaderSize: MAX_HEADER_BYTES };
  const message = new Dicer(options);
  message.on('part', (stream) => void parts.push(new Part(stream, bytes.length)));
  const end = new Promise<void>((resolve, reject) => {
    message.on('finish', resolve).on('error', () => reject(formDataError()));
  });
  end.catch(() => undefined); // awaited below
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await nextTurn();
    message.write(bytes.subarray(at, at + SLICE_BYTES));
  }
  message.end();
  await end;
  return parts;
}

/** A text with its name, the name of a file, or neither for a file control without a file. */
type SentPart = { name: string; text: string } | { name?: string; text?: undefined };

/** @throws {InvalidInput} */
function toSentPart(part: Part): SentPart {
  const { name, ...parameters } = readDisposition(part.headers);
  const content = part.takeContent();
  const [type = 'text/plain'] = part.headers['content-type'] ?? [];
  const fileName = Object.entries(parameters).find(([key]) => key.startsWith('filename'))?.[1];
  if (fileName === '' && content.length === 0) return {};
  const isFile = fileName !== undefined || /^application\/octet-stream/i.test(type);
  if (isFile) return { name: decodeName(name ?? '') };
  if (name === undefined) throw formDataError();
  checkCharset(type);
  const [encoding = '8bit'] = part.headers['content-transfer-encoding'] ?? [];
  if (!IDENTITY_ENCODINGS.has(encoding.toLowerCase())) throw formDataError();
  return { name: decodeName(name), text: decodeText(content) };
}

/** @param name one character for each byte @throws {InvalidInput} */
function decodeName(name: string): string {
  return checkName(decodeText(Buffer.from(name, 'latin1')));
}

/** The parameters of `Content-Disposition: form-data`. @throws {InvalidInput} */
function readDisposition(headers: PartHeaders): Record<string, string | undefined> {
  const [header, ...others] = headers['content-disposition'] ?? [];
  if (header === undefined || others.length > 0) throw formDataError();
  const { type, parameters } = parseDisposition(header, { multipart: true, extended: false });
  if (type !== 'form-data') throw formDataError();
  return parameters;
}

function formDataError(): InvalidInput {
  return new InvalidInput('notFormData');
}
