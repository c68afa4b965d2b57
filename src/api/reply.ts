import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';

const CHUNK_CHARACTERS = 64 * 1024;

/** A stretch of a list's JSON. All of them, one after the other, are the list without its brackets. */
type Piece = string | Uint8Array;

/** A JSON object one of whose members is a list of any length; it is sent as it is read. */
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

  /** @param present what of an item is shown */
  static of<Item>(name: string, items: AsyncIterable<Item>, present: (item: Item) => unknown): JsonStream {
    return new JsonStream(name, serialized(items, present));
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

/** A document that changes only with its version, so that a client need not fetch it twice. */
export class Versioned {
  readonly json: string;
  readonly etag: string;
  constructor(json: string, etag: string) {
    this.json = json;
    this.etag = etag;
  }
}

/** A file of any length that the client is to keep; it is sent as it is made. */
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

/** Sends what a handler answered. */
export async function send(req: Request, res: Response, answer: unknown): Promise<void> {
  if (answer instanceof JsonStream) return sendStream(res, answer);
  if (answer instanceof Versioned) return sendVersioned(req, res, answer);
  if (answer instanceof Download) return sendDownload(res, answer);
  sendJson(res, JSON.stringify(answer));
}

function sendJson(res: Response, json: string): void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(json));
  // As text and not as bytes: Node then writes head and body to the socket in one piece.
  res.end(json);
}

function sendVersioned(req: Request, res: Response, { json, etag }: Versioned): void {
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', 'no-cache');
  if (isKnown(etag, req.headers['if-none-match'])) {
    res.statusCode = 304;
    res.end();
    return;
  }
  // After all requests that are readable now: answers that need no database go out in a row, and whoever reads them (a proxy on this machine) is woken up once and not for each.
  setImmediate(sendJson, res, json);
}

/** Whether the client names this ETag: among others, or weakened by a proxy that compressed the answer (RFC 9110, 13.1.2). */
function isKnown(etag: string, ifNoneMatch = ''): boolean {
  return ifNoneMatch.split(',').some((part) => ['*', etag, `W/${etag}`].includes(part.trim()));
}

/**
 * Streams a list with back-pressure: memory stays flat whatever its length (invariant 6). Headers go out when the first piece is there,
 * so that a database that is away still gets a 503; a failure after that cuts the connection, and the client sees that the JSON is not whole.
 */
async function sendStream(res: Response, stream: JsonStream): Promise<void> {
  const iterator = stream.pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (res.headersSent || res.destroyed) return void (await iterator.return?.());
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  const json = wholeObject(stream, first, iterator);
  await pipeline(Readable.from(json, { objectMode: false, highWaterMark: CHUNK_CHARACTERS }), res);
}

/** Like a streamed list: the headers wait for the first piece, so that a database that is away still gets a 503. */
async function sendDownload(res: Response, { fileName, mediaType, content }: Download): Promise<void> {
  await once(content, 'readable');
  if (res.headersSent || res.destroyed) return void content.destroy();
  res.setHeader('Content-Type', `${mediaType}; charset=utf-8`);
  res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  await pipeline(content, res);
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
