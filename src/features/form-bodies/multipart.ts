import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TextDecoder } from 'node:util';
import { Dicer } from '@fastify/busboy';
import { parse as parseDisposition } from 'content-disposition';
import type { Request } from 'express';
import { clientNetwork } from '../../platform/core/client-network.ts';
import { AppError, InvalidInput } from '../../platform/core/errors.ts';
import type { Deadline } from '../../platform/http/deadline.ts';
import {
  bodyTooLarge,
  checkCharset,
  createBodyPlaces,
  cutOffError,
  decoderOf,
  GrowingBuffer,
  isCompressed,
  maxPiecesOf,
  notUtf8Error,
  type ReadBytes,
} from '../../platform/http/request-bytes.ts';
import type { Reason } from '../../platform/languages/reasons.ts';
import {
  checkEntryCount,
  checkName,
  decodeText,
  FormEntries,
  type FormEntry,
  type FormFile,
  formDataError,
  type ReceivedFiles,
} from './form-body.ts';

/** Takes the files of a form while its body arrives. */
export interface FileSink {
  /** The most bytes of a file of this control; undefined for a control that takes none. */
  limitOf(control: string): number | undefined;
  /**
   * Stores a file. A refusal with 400 is a problem of its control, any other one that of the form.
   * @param name as the client sent it
   * @throws {AppError}
   */
  receive(control: string, name: string, source: AsyncIterable<Buffer>): Promise<FormFile>;
}

/** Reads a form. @param files takes its files; without it they are refused */
type ReadMultipart = (req: Request, deadline: Deadline, files?: FileSink) => Promise<FormEntries>;

/** RFC 2046: 1 to 70 characters, which need quotes if a parameter may not have them. */
const BOUNDARY =
  /;[ \t]*boundary[ \t]*=[ \t]*(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.-]{1,70}))[ \t]*(?:;|$)/i;

/** Bytes that are parsed in one turn of the event loop: a part costs about 30 us and 60 bytes. */
const SLICE_BYTES = 16 * 1024;
/** The longest header block of one part. Browsers send fewer than 500 bytes. */
const MAX_HEADER_BYTES = 4_096;
/** Bytes of a file that were parsed and wait for the store. */
const IN_FLIGHT_BYTES = 64 * 1024;
/** How long a form with files waits until its texts have a place in memory. */
const MAX_WAIT_MS = 10_000;
const IDENTITY_ENCODINGS = new Set(['7bit', '8bit', 'binary']);

/** Whether the bytes of a text in UTF-8 are the same text in another charset. */
function isSameIn(decoder: TextDecoder, text: string): boolean {
  try {
    return decoder.decode(Buffer.from(text)) === text;
  } catch {
    return false;
  }
}

/** The headers of a part: their values by lower-case name, one character for each byte. */
type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Creates a reader of `multipart/form-data` bodies. The files of a form with a {@link FileSink} are
 * given to it while they arrive, with back-pressure; all else has at most `maxText` bytes. Of any
 * other file only the name of the control is kept; the empty part that browsers send without a file
 * is left out. busboy itself replaces invalid UTF-8 and skips parts that it cannot read, so only
 * its parser of messages (Dicer) is used.
 */
export function createMultipartReader(readBytes: ReadBytes, maxText: number): ReadMultipart {
  const inPlace = createBodyPlaces(maxText, { maxWaitMs: MAX_WAIT_MS });
  return async (req, deadline, files) => {
    const type = req.headers['content-type'] ?? '';
    checkCharset(type);
    const found = BOUNDARY.exec(type);
    const boundary = found?.[1] ?? found?.[2];
    if (boundary === undefined) throw new InvalidInput('noBoundary');
    const form = new MultipartForm(boundary, maxText, files);
    if (!files || isCompressed(req)) {
      const sent = readBytes(req, deadline);
      const bytes = sent instanceof Promise ? await sent : sent;
      const parsed = form.parse([bytes]);
      return files ? deadline.suspend(parsed) : parsed;
    }
    req.mayBeSlow = true;
    const network = clientNetwork(req.ip ?? '');
    return deadline.suspend(inPlace(network, () => form.parse(chunksOf(req))));
  };
}

/** Yields a body while it arrives. When the caller stops, the rest stays unread. */
async function* chunksOf(req: Request): AsyncGenerator<Buffer> {
  if (req.destroyed) throw cutOffError();
  let size = 0;
  let pieces = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      pieces += 1;
      if (pieces > maxPiecesOf(size)) throw new InvalidInput('bodyInPieces');
      yield chunk;
    }
  } catch (error) {
    throw error instanceof AppError ? error : cutOffError();
  }
}

/** One form while it is parsed. */
class MultipartForm {
  readonly #boundary: string;
  readonly #maxText: number;
  readonly #files: FileSink | undefined;
  /** Undefined: the place of a file that has not arrived. */
  readonly #entries: (FormEntry | undefined)[] = [];
  readonly #refused: string[] = [];
  readonly #arrived: FormFile[] = [];
  readonly #problems: NonNullable<ReceivedFiles['problems']>[number][] = [];
  /** The bytes of files that the sink has read. */
  #fileBytes = 0;
  /** Those with headers. */
  #parts = 0;
  /** Files are received one after the other. */
  #receiving: Promise<void> = Promise.resolve();
  /** Those before the last one. */
  #before: Promise<void> = this.#receiving;
  /** Resolves when the sink has read the bytes that wait for it. Undefined: few wait. */
  #full: Promise<void> | undefined;
  #noteRead: () => void = () => undefined;
  /** Whether the form was refused: no more of it is read. */
  #hasFailed = false;
  readonly #open = new Set<Readable>();
  #fail: (error: unknown) => void = () => undefined;

  constructor(boundary: string, maxText: number, files: FileSink | undefined) {
    this.#boundary = boundary;
    this.#maxText = maxText;
    this.#files = files;
  }

  /** Parses in steps, so that many parts do not block the event loop. @throws {AppError} */
  async parse(source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<FormEntries> {
    // The package's types do not list the limits of a Dicer.
    const options = { boundary: this.#boundary, maxHeaderSize: MAX_HEADER_BYTES };
    const message = new Dicer(options);
    message.on('part', (stream) => this.#begin(stream as Readable));
    const ended = new Promise<void>((resolve) => void message.on('finish', resolve));
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
      message.on('error', () => reject(formDataError()));
    });
    const delimiters = new DelimiterCount(this.#boundary);
    const work = async (): Promise<void> => {
      await this.#feed(source, message, delimiters);
      message.end();
      await ended;
      await this.#receiving;
    };
    try {
      await Promise.race([failed, work()]);
    } catch (error) {
      this.#hasFailed = true;
      // Who receives a file learns that it does not go on.
      for (const stream of this.#open) stream.destroy(cutOffError());
      await this.#receiving.catch(() => undefined);
      throw error;
    }
    // Parts after the end would be lost. One delimiter is the end.
    if (this.#parts !== delimiters.count - 1) throw formDataError();
    const list = this.#entries.filter((entry) => entry !== undefined);
    return new FormEntries(list, { refused: this.#refused, arrived: this.#arrived, problems: this.#problems });
  }

  async #feed(
    source: AsyncIterable<Buffer> | Iterable<Buffer>,
    message: NodeJS.WritableStream,
    delimiters: DelimiterCount,
  ): Promise<void> {
    let size = 0;
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        if (at > 0) await nextTurn();
        const slice = chunk.subarray(at, at + SLICE_BYTES);
        delimiters.add(slice);
        checkEntryCount(delimiters.count - 1);
        size += slice.length;
        const inFlight = this.#open.size > 0 ? IN_FLIGHT_BYTES : 0;
        if (size - this.#fileBytes > this.#maxText + inFlight) throw bodyTooLarge();
        await new Promise<void>((resolve) => void message.write(slice, () => resolve()));
        await this.#before;
        await this.#full;
        if (this.#hasFailed) return;
      }
    }
  }

  #begin(stream: Readable): void {
    // The same failure ends the whole message.
    stream.on('error', () => undefined);
    // A part always flows: Dicer does not go on when a part that it waits for has ended.
    stream.resume();
    stream.on('header', (headers: PartHeaders) => {
      this.#parts += 1;
      try {
        this.#read(stream, headers);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  /** @throws {InvalidInput} */
  #read(stream: Readable, headers: PartHeaders): void {
    const { name, ...parameters } = readDisposition(headers);
    const [type = 'text/plain'] = headers['content-type'] ?? [];
    const hasFileName = Object.keys(parameters).some((key) => key.startsWith('filename'));
    if (hasFileName || /^application\/octet-stream/i.test(type)) {
      const control = decodeName(name ?? '');
      const limit = this.#files?.limitOf(control);
      if (limit === undefined) this.#leaveOut(stream, control, hasFileName && fileNameOf(parameters) === '');
      else this.#receive(stream, control, fileNameOf(parameters), limit);
      return;
    }
    if (name === undefined) throw formDataError();
    const decoder = decoderOf(type);
    const [encoding = '8bit'] = headers['content-transfer-encoding'] ?? [];
    if (!IDENTITY_ENCODINGS.has(encoding.toLowerCase())) throw formDataError();
    this.#keepText(stream, decodeName(name), decoder);
  }

  /** @param decoder of the charset that the part names, if it is not UTF-8 */
  #keepText(stream: Readable, name: string, decoder: TextDecoder | undefined): void {
    const place = this.#entries.push(undefined) - 1;
    const content = new GrowingBuffer(this.#maxText);
    stream.on('data', (chunk: Buffer) => void content.add(chunk));
    stream.on('end', () => {
      try {
        const text = decodeText(content.take());
        // Of another charset, text that has the same bytes in UTF-8: clients name `us-ascii`.
        if (decoder && !isSameIn(decoder, text)) throw notUtf8Error();
        this.#entries[place] = [name, text];
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  /** @param isUnnamed whether an empty part is that of a control without a file */
  #leaveOut(stream: Readable, control: string, isUnnamed: boolean): void {
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    stream.on('end', () => {
      if (size > 0 || !isUnnamed) this.#refused.push(control);
    });
  }

  #receive(part: Readable, control: string, name: string, limit: number): void {
    const place = this.#entries.push(undefined) - 1;
    const stream = this.#waiting(part);
    this.#open.add(stream);
    const receive = async (): Promise<void> => {
      try {
        const chunks = this.#counted(stream);
        const first = await chunks.next();
        if (first.done && name === '') return;
        const file = await (this.#files as FileSink).receive(control, name, rest(first, chunks));
        this.#arrived.push(file);
        this.#entries[place] = [control, file.token];
      } catch (error) {
        if (!(error instanceof AppError) || error.status !== 400 || stream.errored) throw error;
        const { message, code, params }: Reason = error.issues?.[0] ?? error;
        this.#problems.push([control, { message, code, params }]);
        if (!stream.readableEnded) await drain(this.#counted(stream), limit);
      } finally {
        this.#open.delete(stream);
      }
    };
    this.#before = this.#receiving;
    this.#receiving = this.#receiving.then(receive);
    this.#receiving.catch(this.#fail);
  }

  /** The bytes of a part that wait for the sink. While they are many, the form is not parsed on. */
  #waiting(part: Readable): Readable {
    const stream = new Readable({ highWaterMark: SLICE_BYTES, read: () => this.#noteRead() });
    stream.on('error', () => undefined);
    // `read` is not called again after the last bytes, nor after a failure.
    stream.on('close', () => this.#noteRead());
    part.on('data', (chunk: Buffer) => {
      if (stream.push(chunk) || stream.destroyed) return;
      this.#full ??= new Promise((resolve) => {
        this.#noteRead = () => {
          this.#full = undefined;
          resolve();
        };
      });
    });
    part.on('end', () => stream.push(null));
    return stream;
  }

  async *#counted(stream: Readable): AsyncGenerator<Buffer> {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      this.#fileBytes += chunk.length;
      yield chunk;
    }
  }
}

async function* rest(first: IteratorResult<Buffer, void>, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (!first.done) yield first.value;
  yield* chunks;
}

/** Reads the rest of a file that was refused, so that the entries after it are read too. */
async function drain(chunks: AsyncIterable<Buffer>, limit: number): Promise<void> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw bodyTooLarge();
  }
}

/** Counts the delimiters of a message. The first one may be without its line break. */
class DelimiterCount {
  readonly #delimiter: Buffer;
  #tail: Buffer = Buffer.from('\r\n');
  count = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  add(bytes: Buffer): void {
    const longest = this.#delimiter.length - 1;
    // A whole delimiter in it begins in the tail and ends in `bytes`.
    const seam = Buffer.concat([this.#tail, bytes.subarray(0, longest)]);
    this.count += this.#countIn(seam) + this.#countIn(bytes);
    const end = bytes.length < longest ? seam : bytes;
    this.#tail = Buffer.from(end.subarray(Math.max(0, end.length - longest)));
  }

  #countIn(bytes: Buffer): number {
    let count = 0;
    const { length } = this.#delimiter;
    for (let at = bytes.indexOf(this.#delimiter); at >= 0; at = bytes.indexOf(this.#delimiter, at + length)) {
      count += 1;
    }
    return count;
  }
}

/** @param name one character for each byte @throws {InvalidInput} */
function decodeName(name: string): string {
  return checkName(decodeText(Buffer.from(name, 'latin1')));
}

type Parameters = Record<string, string | undefined>;

/** Returns the name of a file as the client has it; empty without one. @throws {InvalidInput} */
function fileNameOf({ filename = '', 'filename*': extended }: Parameters): string {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(extended ?? '') ?? [];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // The other parameter counts.
  }
  // Browsers escape what would end the text.
  return decodeText(Buffer.from(filename, 'latin1'))
    .replace(/%22/g, '"')
    .replace(/%0[da]/gi, ' ');
}

/**
 * A quote that does not end a text: browsers write `%22`, other clients `\"`. A backslash in what
 * browsers send is one of the name.
 */
const ESCAPED_QUOTE = /\\"(?![ \t]*(?:;|$))/;

/** The parameters of `Content-Disposition: form-data`. @throws {InvalidInput} */
function readDisposition(headers: PartHeaders): Parameters {
  const [header, ...others] = headers['content-disposition'] ?? [];
  if (header === undefined || others.length > 0) throw formDataError();
  const options = { multipart: !ESCAPED_QUOTE.test(header), extended: false };
  const { type, parameters } = parseDisposition(header, options);
  if (type !== 'form-data') throw formDataError();
  return parameters;
}
