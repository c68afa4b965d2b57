import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create as contentDisposition } from 'content-disposition';
import type { Request, Response } from 'express';
import { AppError } from '../core/errors.ts';
import { say } from '../languages/reasons.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const CHUNK_CHARACTERS = 64 * 1024;
/** Object streams would buffer 16 pieces. */
const OK = { ok: true };
const BYTES = { objectMode: false, highWaterMark: CHUNK_CHARACTERS };
/** The age of the last check at which the caller of a stream is checked again. */
const RECHECK_AFTER_MS = 1_000;

/** A part of the JSON of a list without its brackets. */
type Piece = string | Uint8Array;

/** A JSON object with one list of any length, which is streamed. */
export class JsonStream {
  readonly name: string;
  readonly pieces: AsyncIterable<Piece>;
  readonly rest: Record<string, unknown>;

  /** @param rest the members that follow the list */
  constructor(name: string, pieces: AsyncIterable<Piece>, rest: Record<string, unknown> = {}) {
    this.name = name;
    this.pieces = pieces;
    this.rest = rest;
  }

  /** @param present maps an item to its public form */
  static of<Item>(
    name: string,
    items: AsyncIterable<Item>,
    present: (item: Item) => unknown,
    rest?: Record<string, unknown>,
  ): JsonStream {
    return new JsonStream(name, serialized(items, present), rest);
  }

  /** The whole document. */
  async *text(): AsyncGenerator<Piece> {
    const pieces = this.pieces[Symbol.asyncIterator]();
    yield* wholeObject(this, await pieces.next(), pieces);
  }
}

async function* serialized<Item>(items: AsyncIterable<Item>, present: (item: Item) => unknown): AsyncGenerator<string> {
  let text = '';
  let separator = '';
  for await (const item of items) {
    text += separator + JSON.stringify(present(item));
    separator = ',';
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** JSON of another media type than that of plain values. */
export class TypedJson {
  readonly json: string;
  readonly mediaType: string;
  constructor(json: string, mediaType: string) {
    this.json = json;
    this.mediaType = mediaType;
  }
}

/** Content that changes only with its version; answers 304 to a client that has it. */
export class Versioned<Content extends string | Buffer = string | Buffer> {
  readonly content: Content;
  readonly etag: string;
  readonly mediaType: string;
  readonly cacheControl: string;
  constructor(content: Content, etag: string, mediaType = JSON_TYPE, cacheControl = 'no-cache') {
    this.content = content;
    this.etag = etag;
    this.mediaType = mediaType;
    this.cacheControl = cacheControl;
  }
}

/** A file of any length, streamed as an attachment. */
export class Download {
  readonly fileName: string;
  readonly mediaType: string;
  readonly content: Readable;

  /** @param fileName letters, digits, dots, underscores and hyphens only */
  constructor(fileName: string, mediaType: string, content: Readable) {
    this.fileName = fileName;
    this.mediaType = mediaType;
    this.content = content;
  }
}

/** The first and the last byte, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * A file that somebody sent. Its content never changes, so its ETag is a hash of it. Browsers save
 * it, or show it without scripts, plug-ins and its origin. Answers one range of bytes, and 304.
 */
export class StoredFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly hash: string;
  readonly isInline: boolean;
  /** Yields all bytes of a range, or fails. Its first failure is the answer. */
  readonly read: (range: ByteRange) => AsyncIterable<Uint8Array>;

  /** @param of.name any text @param of.isInline whether a browser may show it in the page */
  constructor(of: Readonly<StoredFile>) {
    this.name = of.name;
    this.mediaType = of.mediaType;
    this.bytes = of.bytes;
    this.hash = of.hash;
    this.isInline = of.isInline;
    this.read = of.read;
  }
}

/** 303, or 302 for an answer to GET: the browser follows with GET. */
export class Redirect {
  readonly location: string;
  readonly status: 302 | 303;
  /** Leads to a page about a refusal: the request is no event of the audit log. */
  readonly isRefusal: boolean;

  /** @param location a path or an absolute URL that the service has checked */
  constructor(location: string, { status = 303, isRefusal = false }: { status?: 302 | 303; isRefusal?: boolean } = {}) {
    this.location = location;
    this.status = status;
    this.isRefusal = isRefusal;
  }
}

/** An HTML page. */
export class Html {
  readonly html: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly language: string;

  /**
   * @param headers such as the page's Content-Security-Policy
   * @param language the tag of the language that was chosen for the visitor
   */
  constructor(html: string, status: number, headers: Record<string, string>, language: string) {
    this.html = html;
    this.status = status;
    this.headers = headers;
    this.language = language;
  }
}

/** A refusal as JSON with a body of its own. */
export class Refusal {
  readonly status: number;
  readonly body: object;
  readonly language: string | undefined;

  /** @param language the tag of the language that was chosen for the visitor, if one was */
  constructor(status: number, body: object, language?: string) {
    this.status = status;
    this.body = body;
    this.language = language;
  }
}

/** Names the language that was chosen for the visitor by `Accept-Language`. */
export function setLanguage(res: Response, tag: string): void {
  res.setHeader('Content-Language', tag);
  res.vary('Accept-Language');
}

/** 204: no content. */
export class Empty {}

/** What a list or file of any length needs while it is sent. */
interface Sending {
  /** Is called when the first piece was read. */
  onStart?: (() => void) | undefined;
  /** Rejects when the caller may no longer read it (`Input.recheck`). */
  recheck?: (maxAgeMs: number) => Promise<void>;
}

/** Sends a reply; undefined is `Ok`. */
export async function send(req: Request, res: Response, reply: unknown, sending: Sending = {}): Promise<void> {
  if (reply instanceof JsonStream) return sendStream(res, reply, sending);
  if (reply instanceof Versioned) return sendVersioned(req, res, reply);
  if (reply instanceof TypedJson) return sendWhole(res, reply.json, reply.mediaType);
  if (reply instanceof Download) return sendDownload(res, reply, sending);
  if (reply instanceof StoredFile) return sendStored(req, res, reply, sending);
  if (reply instanceof Redirect) return res.redirect(reply.status, reply.location);
  if (reply instanceof Html) {
    setLanguage(res, reply.language);
    return void res.status(reply.status).set(reply.headers).type('html').send(reply.html);
  }
  if (reply instanceof Refusal) {
    if (reply.language !== undefined) setLanguage(res, reply.language);
    return sendWhole(res.status(reply.status), JSON.stringify(reply.body));
  }
  if (reply instanceof Empty) return void res.status(204).end();
  sendWhole(res, JSON.stringify(reply === undefined ? OK : reply));
}

function sendWhole(res: Response, content: string | Buffer, mediaType = JSON_TYPE): void {
  res.setHeader('Content-Type', mediaType);
  res.setHeader('Content-Length', Buffer.byteLength(content));
  // JSON is no buffer: Node then writes headers and body to the socket in one piece.
  res.end(content);
}

function sendVersioned(req: Request, res: Response, { content, etag, mediaType, cacheControl }: Versioned): void {
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', cacheControl);
  if (isKnown(etag, req.headers['if-none-match'])) {
    res.statusCode = 304;
    res.end();
    return;
  }
  // Sent after all requests that are readable now. Responses without database access are then
  // written in a row, and their reader (such as a local proxy) wakes up once and not for each.
  setImmediate(sendWhole, res, content, mediaType);
}

/** Whether `If-None-Match` contains this ETag, also in weak form (RFC 9110, 13.1.2). */
function isKnown(etag: string, ifNoneMatch = ''): boolean {
  return ifNoneMatch.split(',').some((part) => ['*', etag, `W/${etag}`].includes(part.trim()));
}

/**
 * Streams a list with back-pressure: memory is independent of its length (invariant 6). Headers are
 * sent with the first piece, so that an unavailable database still causes a 503. A later failure
 * closes the connection, and the client sees incomplete JSON.
 */
async function sendStream(res: Response, stream: JsonStream, { onStart, recheck }: Sending): Promise<void> {
  const iterator = whilePermitted(stream.pieces, recheck);
  const first = await iterator.next();
  onStart?.();
  if (res.headersSent || res.destroyed) return void (await iterator.return(undefined));
  res.setHeader('Content-Type', JSON_TYPE);
  await pipeline(Readable.from(wholeObject(stream, first, iterator), BYTES), res);
}

/** Streams a file; headers wait for the first piece. */
async function sendDownload(
  res: Response,
  { fileName, mediaType, content }: Download,
  { recheck }: Sending,
): Promise<void> {
  const file = Readable.from(whilePermitted(content, recheck), BYTES);
  await once(file, 'readable');
  if (res.headersSent || res.destroyed) return void file.destroy();
  res.setHeader('Content-Type', mediaType);
  res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  await pipeline(file, res);
}

/** Headers wait for the first piece, so that a missing content is no success. */
async function sendStored(req: Request, res: Response, file: StoredFile, { recheck }: Sending): Promise<void> {
  const etag = `"${file.hash}"`;
  const isKnownToClient = isKnown(etag, req.headers['if-none-match']);
  const range = isKnownToClient ? undefined : requestedRange(req, res, file.bytes, etag);
  const { start, end } = range ?? { start: 0, end: file.bytes - 1 };
  const setHeaders = () => {
    const type = file.isInline ? 'inline' : 'attachment';
    res.set({
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-store',
      'Content-Disposition': contentDisposition(file.name.toWellFormed(), { type }),
      'Content-Security-Policy': "sandbox; default-src 'none'",
    });
    if (isKnownToClient) return void res.status(304);
    // Without the function of Express, which adds a charset.
    res.setHeader('Content-Type', file.mediaType);
    res.setHeader('Content-Length', end - start + 1);
    if (range) res.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${file.bytes}`);
  };
  if (isKnownToClient || req.method === 'HEAD' || file.bytes === 0) {
    setHeaders();
    return void res.end();
  }
  const content = Readable.from(whilePermitted(file.read({ start, end }), recheck), BYTES);
  await once(content, 'readable');
  if (res.headersSent || res.destroyed) return void content.destroy();
  setHeaders();
  await pipeline(content, res);
}

/**
 * Returns the range that a request names; undefined: the whole file, also for several ranges, which
 * would let one request read the file many times.
 * @throws {AppError} 416
 */
function requestedRange(req: Request, res: Response, bytes: number, etag: string): ByteRange | undefined {
  const condition = req.headers['if-range'];
  if (condition !== undefined && condition !== etag) return undefined;
  // The package takes a suffix longer than the file for a range beyond its end (RFC 9110, 14.1.2).
  const [, suffix] = /^bytes=-(\d+)$/.exec(req.headers.range ?? '') ?? [];
  if (Number(suffix) > bytes) return { start: 0, end: bytes - 1 };
  const ranges = req.range(bytes);
  if (ranges === undefined || ranges === -2) return undefined;
  if (ranges === -1) {
    res.setHeader('Content-Range', `bytes */${bytes}`);
    throw new AppError(416, say('rangeOutside', { bytes }));
  }
  const [range, ...others] = ranges;
  return ranges.type === 'bytes' && others.length === 0 ? range : undefined;
}

/** Yields the pieces while the caller may read them. Fails with the error of `recheck`. */
async function* whilePermitted(pieces: AsyncIterable<Piece>, recheck: Sending['recheck']): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    await recheck?.(RECHECK_AFTER_MS);
    yield piece;
  }
}

async function* wholeObject(
  { name, rest }: JsonStream,
  first: IteratorResult<Piece>,
  iterator: AsyncIterator<Piece>,
): AsyncGenerator<Piece> {
  try {
    yield `{${JSON.stringify(name)}:[`;
    for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    const members = Object.entries(rest).map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
    yield `]${members.join('')}}`;
  } finally {
    await iterator.return?.();
  }
}
