import {
  ARRAY,
  BINARY,
  BOOLEAN,
  DATE,
  DOUBLE,
  endOfName,
  INT32,
  NULL,
  OBJECT,
  STRING,
  UnknownType,
  UUID_SUBTYPE,
} from './elements.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;

const DAY_MS = 86_400_000;
/** The largest distance from 1970 that a Date can represent, in milliseconds. */
const MAX_TIME_MS = 100_000_000 * DAY_MS;
const INITIAL_SIZE = 80 * 1024;
/**
 * Strings are escaped in chunks of this many bytes, so that the space reserved for escapes stays
 * small.
 */
const CHUNK_SIZE = 4_096;
const MAX_ESCAPE_LENGTH = 6;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** The JSON escapes by byte value. */
const ESCAPES = Array.from({ length: BACKSLASH + 1 }, (_, byte) =>
  JSON.stringify(String.fromCharCode(byte)).slice(1, -1),
);

/**
 * Writes BSON as JSON without decoding it; the output is identical to `JSON.stringify` of the
 * decoded value. Strings stay bytes from the database to the socket (docs/performance.md).
 */
export class BsonToJson {
  #bytes = Buffer.allocUnsafe(INITIAL_SIZE);
  #length = 0;
  #day = Number.NaN;
  #dayText = '';

  /** The number of bytes written and not yet taken. */
  get length(): number {
    return this.#length;
  }

  /** Returns the bytes written so far and starts a new buffer. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.allocUnsafe(INITIAL_SIZE);
    this.#length = 0;
    return taken;
  }

  /** Returns what was written so far as a text, and keeps the buffer for more. */
  takeText(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length);
    this.#length = 0;
    return text;
  }

  /** Discards everything after the first `length` bytes. */
  cutTo(length: number): void {
    this.#length = length;
  }

  /** Writes bytes unchanged. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    for (let index = 0; index < bytes.length; index += 1) this.#bytes[this.#length++] = bytes[index] as number;
  }

  /** Writes text unchanged. */
  text(text: string): void {
    this.#reserve(text.length * 3); // at most 3 bytes of UTF-8 for a UTF-16 unit
    this.#length += this.#bytes.write(text, this.#length);
  }

  /**
   * Writes the value at `at`.
   * @returns the position of the next element
   * @throws {UnknownType}
   */
  value(type: number, source: Buffer, at: number): number {
    switch (type) {
      case STRING:
        this.#string(source, at + 4, at + 3 + source.readInt32LE(at));
        return at + 4 + source.readInt32LE(at);
      case INT32:
        this.#ascii(String(source.readInt32LE(at)));
        return at + 4;
      case DOUBLE:
        this.#ascii(JSON.stringify(source.readDoubleLE(at)));
        return at + 8;
      case BOOLEAN:
        this.#ascii(source[at] === 1 ? 'true' : 'false');
        return at + 1;
      case NULL:
        this.#ascii('null');
        return at;
      case DATE:
        this.#ascii(this.#time(source.readUInt32LE(at) + source.readInt32LE(at + 4) * 2 ** 32));
        return at + 8;
      case BINARY:
        return this.#uuid(source, at);
      case OBJECT:
      case ARRAY:
        return this.#elements(type === ARRAY, source, at);
      default:
        throw new UnknownType();
    }
  }

  /** Writes the members of a document or an array. */
  #elements(isArray: boolean, source: Buffer, start: number): number {
    this.#byte(isArray ? 0x5b : 0x7b);
    let at = start + 4;
    for (let isFirst = true; source[at] !== 0; isFirst = false) {
      const type = source[at] as number;
      const name = at + 1;
      const end = endOfName(source, name);
      if (!isFirst) this.#byte(COMMA);
      if (!isArray) {
        this.#string(source, name, end);
        this.#byte(COLON);
      }
      at = this.value(type, source, end + 1);
    }
    this.#byte(isArray ? 0x5d : 0x7d);
    return at + 1;
  }

  /** Writes the UTF-8 text from `start` to `end` in quotes. */
  #string(source: Buffer, start: number, end: number): void {
    this.#byte(QUOTE);
    for (let at = start; at < end; at += CHUNK_SIZE) this.#escaped(source, at, Math.min(at + CHUNK_SIZE, end));
    this.#byte(QUOTE);
  }

  #escaped(source: Buffer, start: number, end: number): void {
    this.#reserve((end - start) * MAX_ESCAPE_LENGTH);
    const bytes = this.#bytes;
    let length = this.#length;
    for (let at = start; at < end; at += 1) {
      const byte = source[at] as number;
      if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) bytes[length++] = byte;
      else for (const character of ESCAPES[byte] as string) bytes[length++] = character.charCodeAt(0);
    }
    this.#length = length;
  }

  /**
   * The JSON of a time. The text of the last day is cached: formatting it is the slow part, and the
   * records of a listing fall on few days.
   */
  #time(milliseconds: number): string {
    if (Math.abs(milliseconds) > MAX_TIME_MS) return 'null';
    const day = Math.floor(milliseconds / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayText = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    }
    const time = milliseconds - day * DAY_MS;
    const hours = padded(Math.floor(time / 3_600_000), 2);
    const minutes = padded(Math.floor(time / 60_000) % 60, 2);
    const seconds = padded(Math.floor(time / 1_000) % 60, 2);
    return `"${this.#dayText}${hours}:${minutes}:${seconds}.${padded(time % 1_000, 3)}Z"`;
  }

  #uuid(source: Buffer, at: number): number {
    if (source.readInt32LE(at) !== 16 || source[at + 4] !== UUID_SUBTYPE) throw new UnknownType();
    let text = '"';
    for (let index = 0; index < 16; index += 1) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text += '-';
      text += HEX[source[at + 5 + index] as number];
    }
    this.#ascii(`${text}"`);
    return at + 21;
  }

  #ascii(text: string): void {
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index += 1) this.#bytes[this.#length++] = text.charCodeAt(index);
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
