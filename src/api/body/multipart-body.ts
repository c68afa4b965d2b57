import { setImmediate as nextTurn } from 'node:timers/promises';
import { Dicer } from '@fastify/busboy';
import { parse as parseDisposition } from 'content-disposition';
import { InvalidInput } from '../../core/errors.ts';
import { checkEntryCount, countEntries, FormEntries, type FormEntry, nameOf, textOf } from './form-entries.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import type { ReadBody } from './json-body.ts';
import { checkCharset, type ReadBytes } from './request-bytes.ts';

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
 * Creates a reader of `multipart/form-data` bodies in UTF-8, whose result is a {@link FormEntries}.
 * Of a part with a file only the name is kept, so that the form can be shown again without it; the
 * empty part that browsers send for a file control without a file is left out. busboy itself
 * replaces invalid UTF-8 and skips parts that it cannot read, so only its parser of multipart
 * messages (Dicer) is used.
 */
export function createMultipartReader(readBytes: ReadBytes): ReadBody {
  return async (req, deadline) => {
    const type = req.headers['content-type'] ?? '';
    checkCharset(type);
    const found = BOUNDARY.exec(type);
    const boundary = found?.[1] ?? found?.[2];
    if (boundary === undefined) throw new InvalidInput('The Content-Type has no valid boundary');
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
  const parts = await partsOf(bytes, boundary);
  // Parts after the end would be lost.
  if (parts.length !== count) throw notReadable();
  const list: FormEntry[] = [];
  const files: string[] = [];
  for (const part of parts) {
    const { name, text } = entryOf(part);
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
async function partsOf(bytes: Buffer, boundary: string): Promise<Part[]> {
  const parts: Part[] = [];
  // The package's types do not list the limits of a Dicer.
  const options = { boundary, maxHeaderSize: MAX_HEADER_BYTES };
  const message = new Dicer(options);
  message.on('part', (stream) => void parts.push(new Part(stream, bytes.length)));
  const end = new Promise<void>((resolve, reject) => {
    message.on('finish', resolve).on('error', () => reject(notReadable()));
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
type Entry = { name: string; text: string } | { name?: string; text?: undefined };

/** @throws {InvalidInput} */
function entryOf(part: Part): Entry {
  const { name, ...parameters } = dispositionOf(part.headers);
  const content = part.takeContent();
  const [type = 'text/plain'] = part.headers['content-type'] ?? [];
  const fileName = Object.entries(parameters).find(([key]) => key.startsWith('filename'))?.[1];
  if (fileName === '' && content.length === 0) return {};
  const isFile = fileName !== undefined || /^application\/octet-stream/i.test(type);
  if (isFile) return { name: nameOf(Buffer.from(name ?? '', 'latin1')) };
  if (name === undefined) throw notReadable();
  checkCharset(type);
  const [encoding = '8bit'] = part.headers['content-transfer-encoding'] ?? [];
  if (!IDENTITY_ENCODINGS.has(encoding.toLowerCase())) throw notReadable();
  return { name: nameOf(Buffer.from(name, 'latin1')), text: textOf(content) };
}

/** The parameters of `Content-Disposition: form-data`. @throws {InvalidInput} */
function dispositionOf(headers: PartHeaders): Record<string, string | undefined> {
  const [header, ...others] = headers['content-disposition'] ?? [];
  if (header === undefined || others.length > 0) throw notReadable();
  const { type, parameters } = parseDisposition(header, { multipart: true, extended: false });
  if (type !== 'form-data') throw notReadable();
  return parameters;
}

function notReadable(): InvalidInput {
  return new InvalidInput('The request body is not valid form data');
}
