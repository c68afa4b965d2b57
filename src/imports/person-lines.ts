import type { ObjectId } from 'mongodb';
import type { PersonData } from '../apps/feature.ts';
import { Unavailable } from '../core/errors.ts';
import { CHUNK_BYTES, type ContentStore, MissingContent } from './content.ts';
import { readLayout } from './header.ts';
import type { ImportStore } from './import-store.ts';
import type { ImportDocument, RejectCollection } from './imports.model.ts';
import { createLineReader, type Line, MAX_LINE_BYTES } from './line-reader.ts';
import { importOf } from './rejects.ts';
import { detectEncoding } from './text-blocks.ts';
import { findUnlisted } from './upload.ts';

/** What an email may have before or after these characters: then it is another email. */
const BEFORE = /[a-z0-9!#$%&*+/=?^_`{}~.-]$/i;
const AFTER = /^[a-z0-9-]|^\.[a-z0-9]/i;
/** What keeps its place, so that the line has as many cells as before. */
const KEPT = /[^",;\t|\r\n]/g;
const LINE_END = /[\r\n]|$/g;

/** A line of a file that names a person. */
interface FoundLine {
  text: string;
  /** Where it begins in the bytes that were searched. */
  at: number;
  /** Bytes of the same form without what it says. */
  overwritten: Buffer;
}

interface EmailSearch {
  /**
   * Finds the lines in which the email occurs.
   *
   * @param from the place at which lines begin, and `to` before which the email begins, in bytes;
   *   what is around only completes lines
   */
  find(bytes: Buffer, from: number, to: number): FoundLine[];
  /** Returns bytes of the file as text. */
  text(bytes: Buffer): string;
  /** Returns bytes of the same form without what they say. */
  overwritten(bytes: Buffer): Buffer;
}

/**
 * Creates what finds the lines in which an email occurs as such, in any case. An email
 * that is written with escapes is not found.
 *
 * @param first the first bytes of the file, which tell its encoding
 * @param email normalized
 */
function createEmailSearch(first: Buffer, email: string): EmailSearch {
  const { encoding } = detectEncoding(first);
  const isWide = encoding !== 'utf-8';
  const unit = isWide ? 2 : 1;
  const swap = (bytes: Buffer): Buffer => (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes);
  const read = (bytes: Buffer): string =>
    isWide ? swap(bytes.subarray(0, bytes.length - (bytes.length % 2))).toString('utf16le') : bytes.toString('latin1');
  const written = (text: string): Buffer => (isWide ? swap(Buffer.from(text, 'utf16le')) : Buffer.from(text, 'latin1'));

  const shown = (text: string): string => (isWide ? text : Buffer.from(text, 'latin1').toString());
  const overwritten = (text: string): Buffer => written(text.replace(KEPT, '*'));

  return { find, text: (bytes) => shown(read(bytes)), overwritten: (bytes) => overwritten(read(bytes)) };

  function find(bytes: Buffer, from: number, to: number): FoundLine[] {
    // In latin1 each byte is a character, so places in the text are places in the bytes.
    const text = read(bytes);
    const lower = text.toLowerCase();
    const searched = lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
    const lines: FoundLine[] = [];
    for (let at = searched.indexOf(email, from / unit); at >= 0 && at < to / unit; ) {
      const end = at + email.length;
      const isOther = BEFORE.test(searched.slice(Math.max(0, at - 1), at)) || AFTER.test(searched.slice(end, end + 2));
      if (isOther) {
        at = searched.indexOf(email, at + 1);
        continue;
      }
      const begin = Math.max(searched.lastIndexOf('\n', at), searched.lastIndexOf('\r', at)) + 1;
      LINE_END.lastIndex = end;
      const ends = LINE_END.exec(searched)?.index ?? searched.length;
      const line = text.slice(begin, ends);
      lines.push({ text: shown(line), at: begin * unit, overwritten: overwritten(line) });
      at = searched.indexOf(email, ends);
    }
    return lines;
  }
}

type File = Pick<ImportDocument, 'chunks' | 'settings'>;

/** Each further attempt means that a chunk was written meanwhile. */
const MAX_ATTEMPTS = 24;
/** Larger parts of a file are searched chunk by chunk. With room for the empty lines before one. */
const MAX_PART_BYTES = 2 * MAX_LINE_BYTES;

/**
 * Creates what finds the records of files that name a person.
 */
function createPersonLines(content: ContentStore) {
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
  async function writeChunk(id: ObjectId, bytes: Buffer, at: number): Promise<void> {
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

const BATCH_SIZE = 100;
const BY_EMAIL = { email: 1, appId: 1 } as const;

/**
 * What imports hold of a person: rejected lines, and lines of files that are kept until their
 * import ends. An erasure overwrites the lines in the files, and unfinished imports pass over lines
 * of the person that they have read already.
 */
export function createImportsOfPerson(deps: {
  store: ImportStore;
  content: ContentStore;
  rejects: RejectCollection;
}): PersonData {
  const { store, content, rejects } = deps;

  const linesOf = createPersonLines(content);

  /**
   * Overwrites the lines of a person in the content of an import; resolves with their number.
   * Chunks that were stored before the right to write the file ended, and are not listed, are
   * removed: no request can list them any more.
   */
  async function eraseLines(importId: ObjectId, email: string): Promise<number> {
    const stored = await content.idsOf(importId);
    const one = stored.length > 0 ? await store.endUpload(importId) : undefined;
    // The content of one that has ended is being removed.
    if (one?.cleanup) await content.removeAll(importId);
    if (!one || one.cleanup) return 0;
    await content.remove(findUnlisted(stored, one));
    const last = one.chunks.at(-1);
    if (last) await content.touch(last);
    let erased = 0;
    for await (const _ of linesOf(one, email, true)) erased += 1;
    return erased;
  }

  return {
    name: 'importLines',

    async *entriesOf(appIds, email) {
      for await (const one of store.withContent(appIds)) {
        const id = one._id.toHexString();
        for await (const text of linesOf(one, email, false)) {
          yield { appId: one.appId, shown: { kind: 'import-line', import: id, text } };
        }
      }
      const found = rejects.find(ofPerson(appIds, email), { hint: BY_EMAIL, batchSize: BATCH_SIZE });
      for await (const reject of found) {
        const { appId, line, reason, row } = reject;
        const shown = { import: importOf(reject), line, reason, ...(row !== undefined && { text: row }) };
        yield { appId, shown: { kind: 'import-reject', ...shown } };
      }
    },

    async eraseOf(appIds, email) {
      const writing: ImportDocument[] = [];
      for await (const one of store.exclude(appIds, email)) writing.push(one);
      let erased = 0;
      for await (const { _id } of store.withContent(appIds)) {
        erased += await eraseLines(_id, email).catch((error: unknown) => {
          // It ended meanwhile.
          if (error instanceof MissingContent) return eraseLines(_id, email);
          throw error;
        });
      }
      // What was inserted before the import knew of the erasure is erased with the records.
      await store.batchesEnded(writing);
      const forgotten = await rejects.updateMany(
        ofPerson(appIds, email),
        { $unset: { email: 1, row: 1 } },
        { hint: BY_EMAIL },
      );
      return erased + forgotten.modifiedCount;
    },
  };
}

const ofPerson = (appIds: readonly ObjectId[], email: string) => ({ email, appId: { $in: [...appIds] } });
