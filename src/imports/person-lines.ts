import type { ObjectId } from 'mongodb';
import type { PersonData } from '../apps/feature.ts';
import { Unavailable } from '../core/errors.ts';
import { CHUNK_BYTES, type ContentStore, MissingContent } from './content.ts';
import type { ImportStore } from './import-store.ts';
import type { ImportDocument, RejectCollection } from './imports.model.ts';
import { createLineReader, detectEncoding, type Line, MAX_LINE_BYTES, readLayout } from './line-reader.ts';
import { importOf } from './rejects.ts';
import { findUnlisted } from './upload.ts';

/** With these characters before or after it, a text is another email. */
const BEFORE = /[a-z0-9!#$%&*+/=?^_`{}~.-]$/i;
const AFTER = /^[a-z0-9-]|^\.[a-z0-9]/i;
/** These characters remain, so that the line has as many cells as before. */
const KEPT = /[^",;\t|\r\n]/g;
const LINE_END = /[\r\n]|$/g;

interface FoundLine {
  text: string;
  /** The offset in the searched bytes. */
  at: number;
  /** Bytes of the same form without the content. */
  overwritten: Buffer;
}

type EmailSearch = ReturnType<typeof createEmailSearch>;

/** Finds lines by a normalized email, in any case; not with escapes. `first` shows the encoding. */
function createEmailSearch(first: Buffer, email: string) {
  const { encoding } = detectEncoding(first);
  const isWide = encoding !== 'utf-8';
  const unit = isWide ? 2 : 1;
  const swap = (bytes: Buffer): Buffer => (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes);
  const read = (bytes: Buffer): string =>
    isWide ? swap(bytes.subarray(0, bytes.length - (bytes.length % 2))).toString('utf16le') : bytes.toString('latin1');
  const written = (text: string): Buffer => (isWide ? swap(Buffer.from(text, 'utf16le')) : Buffer.from(text, 'latin1'));

  const shown = (text: string): string => (isWide ? text : Buffer.from(text, 'latin1').toString());
  const overwritten = (text: string): Buffer => written(text.replace(KEPT, '*'));

  return {
    find,
    text: (bytes: Buffer): string => shown(read(bytes)),
    overwritten: (bytes: Buffer): Buffer => overwritten(read(bytes)),
  };

  /** Finds the lines with the email between two offsets; the bytes around only complete lines. */
  function find(bytes: Buffer, from: number, to: number): FoundLine[] {
    // In latin1 each byte is a character, so both have the same indexes.
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
/** Larger parts are searched chunk by chunk. Includes empty lines before a record. */
const MAX_PART_BYTES = 2 * MAX_LINE_BYTES;

function createPersonLines(content: ContentStore) {
  /** Yields the text of each record with the email; `erase` overwrites it. */
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

  /** Writes the part of these bytes in a chunk; other parts may be written meanwhile. */
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

/** An erasure overwrites lines in files; running imports skip lines that they have read. */
export function createImportsOfPerson(deps: {
  store: ImportStore;
  content: ContentStore;
  rejects: RejectCollection;
}): PersonData {
  const { store, content, rejects } = deps;
  const linesOf = createPersonLines(content);

  /** Overwrites lines of a person; resolves with their number. No request can list other chunks. */
  async function eraseLines(importId: ObjectId, email: string): Promise<number> {
    const stored = await content.idsOf(importId);
    const one = stored.length > 0 ? await store.endUpload(importId) : undefined;
    // The content of an ended import is being removed.
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
          if (error instanceof MissingContent) return eraseLines(_id, email);
          throw error;
        });
      }
      // Records inserted before the import knew of the erasure are erased with the records.
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
