import type { RecordChange } from '../../core/fields/compile.ts';
import { ARRAY, endOfName, OBJECT, STRING, UnknownType, valueLength } from '../../platform/bson/documents.ts';
import { decode } from '../../platform/database/collections.ts';
import { ANY_WORD, addWords, BETWEEN_TEXTS, foldText } from '../../platform/text/words.ts';

/** A record or a change with more words has `ANY_WORD` instead. */
const MAX_WORDS = 192;
/** Submissions to a record with so many words, also of replaced values, make them exact first. */
export const FULL_WORDS = 256;
/** The number of words of a record, in an aggregation. */
export const WORD_COUNT = { $size: { $ifNull: ['$words', []] } };
/** Matches the records to which words can be added. */
export const HAS_ROOM_FOR_WORDS = { [`words.${FULL_WORDS - 1}`]: { $exists: false } } as const;
/** A record with more bytes of data has `ANY_WORD` instead. */
export const MAX_WORDS_DATA = 32 * 1024;
/** The most bytes of the words of a record: 16 units of 3 bytes each, with their overhead. */
export const WORDS_BYTES = (FULL_WORDS + MAX_WORDS) * 56;

/** The depth of a value in `data`. */
const [DATA, VALUE, ITEM, BELOW] = [0, 1, 2, 3] as const;
type Depth = typeof DATA | typeof VALUE | typeof ITEM | typeof BELOW;

const depthIn = (depth: Depth, isArray: boolean): Depth =>
  depth === DATA ? VALUE : depth === VALUE && isArray ? ITEM : BELOW;

const OF_FILES = ['id', 'name', 'type', 'size', 'sha256'] as const;

/**
 * Returns whether a member of an object has texts that people search for. The service gives the
 * items of lists their times; of a file it is the name.
 */
function searchedIn(depth: Depth, names: () => readonly string[]): (name: string) => boolean {
  if (depth !== ITEM) return () => true;
  const all = new Set(names());
  const isFile = OF_FILES.every((name) => all.has(name));
  return (name) => (isFile ? name === 'name' : name !== 'timestamp');
}

/** The texts of a value: the value of a key, items of lists and members of objects. */
function collectTexts(texts: string[], value: unknown, depth: Depth): void {
  if (typeof value === 'string') texts.push(value);
  else if (Array.isArray(value)) for (const item of value) collectTexts(texts, item, depthIn(depth, true));
  else if (isPlain(value)) {
    const isSearched = searchedIn(depth, () => Object.keys(value));
    for (const [name, member] of Object.entries(value)) {
      if (isSearched(name)) collectTexts(texts, member, depthIn(depth, false));
    }
  }
}

/** Dates, ids and other BSON types have no texts. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function wordsOf(texts: readonly string[]): string[] {
  const words = new Set<string>();
  for (const text of texts) {
    addWords(words, text, MAX_WORDS);
    if (words.size > MAX_WORDS) return [ANY_WORD];
  }
  return [...words];
}

/** The words of a record: of its email, and of all texts in `data`. */
export function recordWords(email: string, data: Record<string, unknown>): string[] {
  const texts = [email];
  collectTexts(texts, data, DATA);
  return wordsOf(texts);
}

/** The words that a change adds to those of its record. @param defaults of one that it creates */
export function changeWords(
  email: string,
  { set, append }: Pick<RecordChange, 'set' | 'append'>,
  defaults?: Readonly<Record<string, unknown>>,
): string[] {
  const texts = [email];
  if (defaults) collectTexts(texts, defaults, DATA);
  collectTexts(texts, set, DATA);
  collectTexts(texts, append, DATA);
  return wordsOf(texts);
}

/** The texts of a stored record as one, to be compared with a query. Decodes only its strings. */
export function foldedTexts(document: Uint8Array): string {
  const source = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  let texts: string[] = [];
  try {
    readMembers(source, 0, (name, type, at) => {
      if (name === 'email' && type === STRING) texts.push(readText(source, at));
      else if (name === 'data' && type === OBJECT) readTexts(texts, source, type, at, DATA);
    });
  } catch (error) {
    if (!(error instanceof UnknownType)) throw error;
    const { email, data } = decode<{ email: unknown; data: unknown }>(document);
    texts = typeof email === 'string' ? [email] : [];
    collectTexts(texts, data, DATA);
  }
  return foldText(texts.join(BETWEEN_TEXTS));
}

/** The email of a stored record. */
export function readEmail(document: Uint8Array): string {
  const source = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  let email: unknown;
  try {
    readMembers(source, 0, (name, type, at) => {
      if (name === 'email' && type === STRING) email = readText(source, at);
    });
  } catch (error) {
    if (!(error instanceof UnknownType)) throw error;
    ({ email } = decode<{ email: unknown }>(document));
  }
  return typeof email === 'string' ? email : '';
}

function readTexts(texts: string[], source: Buffer, type: number, at: number, depth: Depth): void {
  if (type === STRING) texts.push(readText(source, at));
  if (type !== OBJECT && type !== ARRAY) return;
  const isSearched = type === ARRAY ? () => true : searchedIn(depth, () => namesOf(source, at));
  readMembers(source, at, (name, member, value) => {
    if (isSearched(name)) readTexts(texts, source, member, value, depthIn(depth, type === ARRAY));
  });
}

function namesOf(source: Buffer, start: number): string[] {
  const names: string[] = [];
  readMembers(source, start, (name) => names.push(name));
  return names;
}

function readMembers(source: Buffer, start: number, visit: (name: string, type: number, at: number) => void): void {
  for (let at = start + 4; source[at] !== 0; ) {
    const type = source[at] as number;
    const end = endOfName(source, at + 1);
    visit(source.toString('latin1', at + 1, end), type, end + 1);
    at = end + 1 + valueLength(type, source, end + 1);
  }
}

const readText = (source: Buffer, at: number): string =>
  source.toString('utf8', at + 4, at + 3 + source.readInt32LE(at));
