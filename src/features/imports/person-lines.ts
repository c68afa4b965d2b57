import type { ObjectId } from 'mongodb';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { InvalidInput, Unavailable } from '../../platform/core/errors.ts';
import { createTurns } from '../../platform/core/turns.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import type { RemovalGuard } from '../../platform/database/removal.ts';
import type { PersonData } from '../people/person-data.ts';
import type { Archive, Archives } from './archive.ts';
import { CHUNK_BYTES, type ContentStore, createFileReader, type FileSection, MissingChunk } from './content.ts';
import { detectEncoding } from './file-encoding.ts';
import type { ImportStore } from './import-documents.ts';
import type { ImportDocument, RejectCollection, SearchedFile } from './imports.model.ts';
import { createLineReader, type Line, MAX_LINE_BYTES, readLayout } from './line-reader.ts';
import { importOf } from './rejects.ts';
import { findUnlisted } from './upload.ts';

/** With these characters before or after it, a text is another email. */
const BEFORE = /[a-z0-9!#$%&*+/=?^_`{}~.-]$/i;
const AFTER = /^[a-z0-9-]|^\.[a-z0-9]/i;
/** These characters remain, so that the line has as many cells as before. */
const KEPT = new Set(Buffer.from('",;\t|\r\n'));
const MASK = 0x2a;
const LINE_END = /[\r\n]|$/g;

const isLineEnd = (code: number): boolean => code === 0x0a || code === 0x0d;

type EmailSearch = ReturnType<typeof createEmailSearch>;

/** Finds lines by a normalized email, in any case; not with escapes. `first` shows the encoding. */
function createEmailSearch(first: Buffer, email: string) {
  const { encoding } = detectEncoding(first);
  const isWide = encoding !== 'utf-8';
  const unit = isWide ? 2 : 1;
  const swap = (bytes: Buffer): Buffer => (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes);
  // In latin1 each byte is a character, so both have the same indexes.
  const read = (bytes: Buffer): string =>
    isWide ? swap(bytes.subarray(0, bytes.length - (bytes.length % 2))).toString('utf16le') : bytes.toString('latin1');

  /** The index of the email in a text in lower case, from `from` on; -1 when it is not there. */
  function indexIn(lower: string, from = 0): number {
    for (let at = lower.indexOf(email, from); at >= 0; at = lower.indexOf(email, at + 1)) {
      const end = at + email.length;
      if (!BEFORE.test(lower.slice(Math.max(0, at - 1), at)) && !AFTER.test(lower.slice(end, end + 2))) return at;
    }
    return -1;
  }

  return {
    isIn: (text: string): boolean => indexIn(text.toLowerCase()) >= 0,

    /** Whether the email, or a longer one, is in these bytes. */
    mayBeIn: (bytes: Buffer): boolean => read(bytes).toLowerCase().includes(email),

    text: (bytes: Buffer): string => (isWide ? read(bytes) : bytes.toString()).trim(),

    /** Overwrites the content; the form stays. */
    mask(bytes: Buffer): void {
      const [high, low] = encoding === 'utf-16le' ? [1, 0] : [0, unit - 1];
      for (let at = 0; at + unit <= bytes.length; at += unit) {
        if (KEPT.has(bytes[at + low] as number) && (!isWide || bytes[at + high] === 0)) continue;
        if (isWide) bytes[at + high] = 0;
        bytes[at + low] = MASK;
      }
    },

    /** Yields the lines with the email between two offsets; the bytes around complete lines. */
    *find(bytes: Buffer, from: number, to: number): Generator<{ begin: number; end: number }> {
      const text = read(bytes);
      const lower = text.toLowerCase();
      const searched = lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
      for (let at = indexIn(searched, from / unit); at >= 0 && at < to / unit; ) {
        let begin = at;
        while (begin > 0 && !isLineEnd(searched.charCodeAt(begin - 1))) begin -= 1;
        LINE_END.lastIndex = at + email.length;
        const end = LINE_END.exec(searched)?.index ?? searched.length;
        yield { begin: begin * unit, end: end * unit };
        at = indexIn(searched, end);
      }
    },
  };
}

type File = Pick<ImportDocument, 'chunks' | 'settings' | 'received'>;

type Searched = Pick<SearchedFile, 'clean' | 'record'>;

/** How far the search for records is. */
interface Progress {
  /** A record begins there, whatever follows the file: an unfinished one may be continued. */
  offset: number;
  /** The time was over before the end of the file. */
  isOver: boolean;
}

/** Larger parts are searched chunk by chunk. Includes empty lines before a record. */
const MAX_PART_BYTES = 2 * MAX_LINE_BYTES;
/** More than the bytes of an email. An even number, because characters may have two bytes. */
const OVERLAP = 1_024;

/** Collects overwritten parts, and writes each chunk once, when the search has passed it. */
function createOverwriting(content: ContentStore, { chunks }: File, guard: RemovalGuard) {
  const changes = new Map<number, { at: number; bytes: Buffer }[]>();

  /** Writes these parts of a chunk; other parts may be written meanwhile. */
  async function write(id: ObjectId, parts: readonly { at: number; bytes: Buffer }[]): Promise<void> {
    for (const again = limitAttempts(); ; again()) {
      const { bytes: stored, version } = await content.readChunk(id);
      const chunk = Buffer.from(stored);
      for (const { at, bytes } of parts) bytes.copy(chunk, at);
      if (await content.replace(id, version, chunk, guard)) return;
    }
  }

  return {
    add(begin: number, bytes: Buffer): void {
      for (let from = 0; from < bytes.length; ) {
        const index = Math.floor((begin + from) / CHUNK_BYTES);
        const at = begin + from - index * CHUNK_BYTES;
        const part = bytes.subarray(from, from + CHUNK_BYTES - at);
        const ofChunk = changes.get(index);
        if (ofChunk) ofChunk.push({ at, bytes: part });
        else changes.set(index, [{ at, bytes: part }]);
        from += part.length;
      }
    },

    /** Writes the chunks that end before an offset; without one all of them. */
    async writeBefore(offset = Number.POSITIVE_INFINITY): Promise<void> {
      for (const [index, parts] of changes) {
        if ((index + 1) * CHUNK_BYTES > offset) continue;
        const id = chunks[index];
        if (id) await write(id, parts);
        changes.delete(index);
      }
    },
  };
}

/** Finds and overwrites the records of a person in files. Each chunk is written at most once. */
function createPersonLines(content: ContentStore) {
  /** The search, unless the email is nowhere in the file from an offset on. */
  async function searchIn({ chunks }: File, email: string, from = 0): Promise<EmailSearch | undefined> {
    const [first] = chunks;
    if (!first) return undefined;
    const search = createEmailSearch(await content.read(first), email);
    let before: Buffer = Buffer.alloc(0);
    // The email may begin in the chunk before.
    for (const id of chunks.slice(Math.max(0, Math.floor(from / CHUNK_BYTES) - 1))) {
      const chunk = await content.read(id);
      if (search.mayBeIn(Buffer.concat([before, chunk]))) return search;
      before = chunk.subarray(-OVERLAP);
    }
    return undefined;
  }

  /**
   * Yields the records with the email, from that at `progress` on. Parts that are too long have to
   * be searched by chunks.
   */
  async function* recordsOf(
    { settings, received }: File,
    search: EmailSearch,
    { readFrom, read }: ReturnType<typeof createFileReader>,
    progress: Progress = { offset: 0, isOver: false },
    isOver = () => false,
  ): AsyncGenerator<FileSection> {
    const found = await readLayout(readFrom, settings).catch(() => undefined);
    if (!found) return yield { begin: 0, end: Number.POSITIVE_INFINITY };
    const { layout } = found;
    const position = progress.offset > 0 ? { offset: progress.offset, line: 0 } : found.position;
    const reader = createLineReader(readFrom, layout, settings.format, position);
    // The header too: in a file without one it is a person.
    const header = { begin: 0, end: found.position.offset };
    if (progress.offset === 0 && (await isInBytes(header))) yield header;
    const turn = createTurns();
    let before: Line | undefined;
    for (let line = await reader.next(); line; line = await reader.next()) {
      if (await turn()) {
        const offset = before?.next().offset ?? position.offset;
        // Each request goes on for a turn.
        if (offset > position.offset && offset + MAX_PART_BYTES <= received) {
          progress.offset = offset;
          progress.isOver = isOver();
        }
        if (progress.isOver) return;
      }
      if (line.text === undefined || search.isIn(line.text)) {
        const part = { begin: before?.next().offset ?? position.offset, end: line.next().offset };
        // A text that is not valid is searched as bytes.
        if (line.text !== undefined || isLong(part) || (await isInBytes(part))) yield part;
      }
      before = line;
    }

    async function isInBytes(part: FileSection): Promise<boolean> {
      const bytes = await read(part);
      return !search.find(bytes, 0, bytes.length).next().done;
    }
  }

  /**
   * Yields the lines with the email between two offsets, by the line ends around it, in a window of
   * three chunks.
   */
  async function* linesOf(
    { chunks }: File,
    search: EmailSearch,
    { begin: from, end: to }: FileSection = { begin: 0, end: Number.POSITIVE_INFINITY },
  ): AsyncGenerator<FileSection & { bytes: Buffer }> {
    const turn = createTurns();
    const start = Math.floor(from / CHUNK_BYTES);
    const preceding = chunks[start - 1];
    let previous: Buffer = preceding ? await content.read(preceding) : Buffer.alloc(0);
    let current: Buffer | undefined;
    for (const [index, id] of chunks.entries()) {
      if (index < start) continue;
      if (index * CHUNK_BYTES >= to) return;
      current ??= await content.read(id);
      const following = chunks[index + 1];
      const next = following ? await content.read(following) : Buffer.alloc(0);
      const window = Buffer.concat([previous, current, next]);
      const offset = index * CHUNK_BYTES - previous.length;
      for (const { begin, end } of search.find(window, previous.length, previous.length + current.length)) {
        if (offset + begin < from || offset + begin >= to) continue;
        // A change of the bytes stays for the next window.
        yield { begin: offset + begin, end: offset + end, bytes: window.subarray(begin, end) };
        await turn();
      }
      previous = window.subarray(previous.length, previous.length + current.length);
      current = window.subarray(window.length - next.length);
    }
  }

  return {
    async *texts(file: File, email: string): AsyncGenerator<string> {
      const search = await searchIn(file, email);
      if (!search) return;
      const reader = createFileReader(content, file);
      let isWhole = true;
      for await (const part of recordsOf(file, search, reader)) {
        if (isLong(part)) isWhole = false;
        else yield search.text(await reader.read(part));
      }
      if (!isWhole) for await (const { bytes } of linesOf(file, search)) yield search.text(bytes);
    },

    /**
     * Overwrites the records of a person, from where an earlier erasure has ended on, until
     * `isOver`. Resolves with their number, with how far it has searched, and whether to the end.
     * @param guard see {@link PersonData.eraseOf}
     */
    async erase(
      file: File,
      email: string,
      searched: Searched,
      isOver: () => boolean,
      guard: RemovalGuard,
    ): Promise<{ erased: number; searched: Searched; isDone: boolean }> {
      const progress: Progress = { offset: searched.record, isOver: false };
      const search = await searchIn(file, email, Math.max(searched.clean, searched.record));
      const result = (erased: number) => {
        const clean = progress.isOver ? searched.clean : file.received;
        return { erased, searched: { clean, record: progress.offset }, isDone: !progress.isOver };
      };
      if (!search) return result(0);
      const reader = createFileReader(content, file);
      const overwriting = createOverwriting(content, file, guard);
      let erased = 0;
      let isWhole = true;
      /** Adjacent records. */
      let some: FileSection | undefined;
      const overwrite = async (): Promise<void> => {
        if (!some) return;
        await overwriting.writeBefore(some.begin);
        const bytes = await reader.read(some);
        search.mask(bytes);
        overwriting.add(some.begin, bytes);
      };
      for await (const part of recordsOf(file, search, reader, progress, isOver)) {
        if (isLong(part)) {
          isWhole = false;
          continue;
        }
        erased += 1;
        if (some?.end === part.begin && part.end - some.begin <= CHUNK_BYTES) {
          some.end = part.end;
          continue;
        }
        await overwrite();
        some = part;
      }
      await overwrite();
      await overwriting.writeBefore();
      if (isWhole) return result(erased);
      const range = { begin: searched.record, end: progress.isOver ? progress.offset : Number.POSITIVE_INFINITY };
      for await (const { begin, bytes } of linesOf(file, search, range)) {
        erased += 1;
        search.mask(bytes);
        // A line is in the chunk of its email, or in one beside it.
        await overwriting.writeBefore(begin - CHUNK_BYTES);
        overwriting.add(begin, Buffer.from(bytes));
      }
      await overwriting.writeBefore();
      return result(erased);
    },
  };
}

const isLong = ({ begin, end }: FileSection): boolean => end - begin > MAX_PART_BYTES;

/** A search that takes longer goes on at a repeat: the erasure of the other parts needs time. */
const SEARCH_WITHIN_MS = 10_000;
const BATCH_SIZE = 100;
const BY_EMAIL = { email: 1, appId: 1 } as const;

/** Yields the lines of an archive with an email; an empty text for one that cannot be read. */
async function* textsInArchive(archive: Archive, settings: File['settings'], email: string): AsyncGenerator<string> {
  const first = await archive.linesFrom(0).next();
  if (first.done) return;
  const search = createEmailSearch(first.value, email);
  const { layout } = await readLayout(archive.linesFrom, settings);
  const reader = createLineReader(archive.linesFrom, layout, settings.format, { offset: 0, line: 1 });
  const turn = createTurns();
  for (let line = await reader.next(); line; line = await reader.next()) {
    if (line.text === undefined || search.isIn(line.text)) yield line.text ?? '';
    await turn();
  }
}

/** An erasure overwrites lines in files; running imports skip lines that they have read. */
export function createImportsOfPerson(deps: {
  store: ImportStore;
  content: ContentStore;
  archives: Pick<Archives, 'open' | 'close'>;
  rejects: RejectCollection;
  searchWithinMs?: number | undefined;
}): PersonData {
  const { store, content, archives, rejects, searchWithinMs = SEARCH_WITHIN_MS } = deps;
  const lines = createPersonLines(content);

  async function* textsIn(one: ImportDocument, email: string): AsyncGenerator<string> {
    if (one.settings.format !== 'zip') return yield* lines.texts(one, email);
    if (one.received > 0) yield* textsInArchive(await archives.open(one), one.settings, email);
  }

  /**
   * An archive cannot be overwritten: one that has the person, or that cannot be read, is removed
   * with its import. Resolves with the number of removed ones.
   */
  async function eraseArchive(one: ImportDocument, email: string, guard: RemovalGuard): Promise<number> {
    const isWithout = await textsIn(one, email)
      .next()
      .then(({ done }) => done === true)
      .catch(refuseUnreadable);
    if (isWithout) return 0;
    await store.dropArchive(one, guard);
    archives.close(one);
    await content.removeAll(one._id, guard);
    return 1;
  }

  /**
   * Overwrites lines of a person, and keeps how far it came; resolves with their number, and with
   * whether the file is done and whether this took time. No request can list other chunks.
   */
  async function eraseLines(importId: ObjectId, email: string, isOver: () => boolean, guard: RemovalGuard) {
    const stored = await content.idsOf(importId);
    const one = stored.length > 0 ? await store.endUpload(importId) : undefined;
    // The content of an ended import is being removed.
    if (one?.cleanup) await content.removeAll(importId, guard);
    if (!one || one.cleanup) return { erased: 0, isDone: true, hasMoved: false };
    await content.remove(findUnlisted(stored, one), guard);
    const last = one.chunks.at(-1);
    if (last) await content.touch(last);
    if (one.settings.format === 'zip') {
      return { erased: await eraseArchive(one, email, guard), isDone: true, hasMoved: false };
    }
    const before = store.searchedFor(one, email);
    const { erased, searched, isDone } = await lines.erase(one, email, before, isOver, guard);
    const hasMoved = searched.clean > before.clean || searched.record > before.record;
    if (hasMoved) await store.keepSearched(one, email, searched, guard);
    return { erased, isDone, hasMoved };
  }

  return {
    name: 'importLines',

    async *entriesOf(appIds, email) {
      for await (const one of store.withContent(appIds)) {
        const id = one._id.toHexString();
        try {
          for await (const text of textsIn(one, email)) {
            if (text === '') continue;
            yield { appId: one.appId, shown: { kind: 'import-line', import: id, text } };
          }
        } catch (error) {
          // The content of an ended import is removed meanwhile.
          refuseUnreadable(error);
        }
      }
      const found = rejects.find(ofPerson(appIds, email), { hint: BY_EMAIL, batchSize: BATCH_SIZE });
      for await (const reject of found) {
        const { appId, line, reason, row } = reject;
        const shown = { import: importOf(reject), line, reason, ...(row !== undefined && { text: row }) };
        yield { appId, shown: { kind: 'import-reject', ...shown } };
      }
    },

    async eraseOf(appIds, email, guard) {
      const end = performance.now() + searchWithinMs;
      const isOver = (): boolean => performance.now() > end;
      const writing: ImportDocument[] = [];
      for await (const one of store.exclude(appIds, email)) writing.push(one);
      let erased = 0;
      for await (const { _id } of store.withContent(appIds)) {
        const result = await eraseLines(_id, email, isOver, guard).catch((error: unknown) => {
          if (error instanceof MissingChunk) return eraseLines(_id, email, isOver, guard);
          throw error;
        });
        erased += result.erased;
        // Not for files that an earlier request has searched, so that each request goes on.
        if (!result.isDone || (result.hasMoved && isOver())) {
          throw new Unavailable('importsSearched', 1);
        }
      }
      // Records inserted before the import knew of the erasure are erased with the records.
      await store.batchesEnded(writing);
      const forgotten = await rejects.updateMany(
        { ...ofPerson(appIds, email), ...beginsBefore(await guard()) },
        { $unset: { email: 1, row: 1 } },
        { hint: BY_EMAIL },
      );
      return erased + forgotten.modifiedCount;
    },
  };
}

/** @throws what is neither missing nor damaged content */
function refuseUnreadable(error: unknown): false {
  if (error instanceof MissingChunk || error instanceof InvalidInput) return false;
  throw error;
}

const ofPerson = (appIds: readonly ObjectId[], email: string) => ({ email, appId: { $in: [...appIds] } });
