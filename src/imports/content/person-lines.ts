import type { Types } from 'mongoose';
import { Unavailable } from '../../core/errors.ts';
import type { ImportDocument } from '../imports.model.ts';
import { createLineReader, type Line, MAX_LINE_BYTES } from '../lines/line-reader.ts';
import { CHUNK_BYTES, type ContentStore } from './content-store.ts';
import { createEmailSearch, type EmailSearch } from './email-search.ts';
import { readLayout } from './header.ts';

type File = Pick<ImportDocument, 'chunks' | 'settings'>;

/** Each further attempt means that a chunk was written meanwhile. */
const MAX_ATTEMPTS = 24;
/** Larger parts of a file are searched chunk by chunk. With room for the empty lines before one. */
const MAX_PART_BYTES = 2 * MAX_LINE_BYTES;

/**
 * Creates what finds the records of files that name a person.
 */
export function createPersonLines(content: ContentStore) {
  /** Yields the text of each record that names the person. @param erase whether to overwrite it */
  async function* linesOf(file: File, email: string, erase: boolean): AsyncGenerator<string> {
    const [first] = file.chunks;
    if (!first) return;
    const search = createEmailSearch(await content.read(first), email);
    if (!(await occurs())) return;
    const isWhole = yield* byRecords();
    if (!isWhole) yield* byChunks(file, search, erase);

    async function occurs(): Promise<boolean> {
      for await (const _ of byChunks(file, search, false)) return true;
      return false;
    }

    /** Resolves with whether all parts of the file were searched. */
    async function* byRecords(): AsyncGenerator<string, boolean> {
      const readFrom = (offset: number) => content.readFrom(file.chunks, offset);
      const found = await readLayout(readFrom, file.settings).catch(() => undefined);
      if (!found) return false;
      const { layout, position } = found;
      const reader = createLineReader(readFrom, layout, file.settings.format, position);
      // The header too: in a file without one it is a person.
      yield* inPart(0, position.offset);
      let isWhole = true;
      let before: Line | undefined;
      for (let line = await reader.next(); line; line = await reader.next()) {
        // A text that is not valid is searched as bytes.
        if (line.text?.toLowerCase().includes(email) ?? true) {
          const [begin, end] = [before?.next().offset ?? position.offset, line.next().offset];
          if (end - begin <= MAX_PART_BYTES) yield* inPart(begin, end);
          else isWhole = false;
        }
        before = line;
      }
      return isWhole;
    }

    async function* inPart(begin: number, end: number): AsyncGenerator<string> {
      const bytes = await read(file, begin, end);
      if (search.find(bytes, 0, bytes.length).length === 0) return;
      yield search.text(bytes).trim();
      if (erase) await write(file, begin, search.overwritten(bytes));
    }
  }

  async function read({ chunks }: File, begin: number, end: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = end - begin;
    for await (const bytes of content.readFrom(chunks, begin)) {
      parts.push(bytes.subarray(0, missing));
      missing -= bytes.length;
      if (missing <= 0) break;
    }
    return Buffer.concat(parts);
  }

  async function write({ chunks }: File, begin: number, bytes: Buffer): Promise<void> {
    const end = begin + bytes.length;
    for (let index = Math.floor(begin / CHUNK_BYTES); index * CHUNK_BYTES < end; index += 1) {
      const id = chunks[index];
      if (!id) return;
      await writeChunk(id, bytes, begin - index * CHUNK_BYTES);
    }
  }

  /** Writes what of these bytes is in a chunk; other parts of it may be written meanwhile. */
  async function writeChunk(id: Types.ObjectId, bytes: Buffer, at: number): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { bytes: stored, version } = await content.readChunk(id);
      const chunk = Buffer.from(stored);
      bytes.copy(chunk, Math.max(at, 0), Math.max(-at, 0));
      if (await content.replace(id, version, chunk)) return;
    }
    throw new Unavailable();
  }

  /** By the line ends around the email, in a window of three chunks. */
  async function* byChunks(file: File, search: EmailSearch, erase: boolean): AsyncGenerator<string> {
    const { chunks } = file;
    let previous: Buffer = Buffer.alloc(0);
    let current: Buffer | undefined;
    for (const [index, id] of chunks.entries()) {
      current ??= await content.read(id);
      const following = chunks[index + 1];
      const next = following ? await content.read(following) : Buffer.alloc(0);
      const bytes = Buffer.concat([previous, current, next]);
      const lines = search.find(bytes, previous.length, previous.length + current.length);
      for (const { text, at, overwritten } of lines) {
        yield text;
        if (!erase) continue;
        overwritten.copy(bytes, at);
        await write(file, index * CHUNK_BYTES - previous.length + at, overwritten);
      }
      previous = bytes.subarray(previous.length, previous.length + current.length);
      current = bytes.subarray(bytes.length - next.length);
    }
  }

  return linesOf;
}
