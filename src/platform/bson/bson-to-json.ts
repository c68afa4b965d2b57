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
  timeAt,
  UnknownType,
  UUID_BYTES,
  UUID_SUBTYPE,
} from './documents.ts';
import { isTime, Utf8Writer } from './utf8-writer.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;

/** Strings are escaped in chunks, so that the space reserved for escapes stays small. */
const CHUNK_SIZE = 4_096;
const MAX_ESCAPE_LENGTH = 6;
/** The JSON escapes by byte value. */
const ESCAPES = Array.from({ length: BACKSLASH + 1 }, (_, byte) =>
  JSON.stringify(String.fromCharCode(byte)).slice(1, -1),
);

/**
 * Writes BSON as JSON without decoding it; the output is identical to `JSON.stringify` of the
 * decoded value. Strings stay bytes from the database to the socket (decision 36).
 */
export class BsonToJson extends Utf8Writer {
  /** Writes the value at `at`; returns the position of the next element. @throws {UnknownType} */
  value(type: number, source: Buffer, at: number): number {
    switch (type) {
      case STRING:
        this.#string(source, at + 4, at + 3 + source.readInt32LE(at));
        return at + 4 + source.readInt32LE(at);
      case INT32:
        this.ascii(String(source.readInt32LE(at)));
        return at + 4;
      case DOUBLE:
        this.ascii(JSON.stringify(source.readDoubleLE(at)));
        return at + 8;
      case BOOLEAN:
        this.ascii(source[at] === 1 ? 'true' : 'false');
        return at + 1;
      case NULL:
        this.ascii('null');
        return at;
      case DATE:
        this.#time(timeAt(source, at));
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

  /** Writes the name and the value of the element at `at`. @throws {UnknownType} */
  member(source: Buffer, at: number): number {
    const end = endOfName(source, at + 1);
    this.#string(source, at + 1, end);
    this.byte(COLON);
    return this.value(source[at] as number, source, end + 1);
  }

  #elements(isArray: boolean, source: Buffer, start: number): number {
    this.byte(isArray ? 0x5b : 0x7b);
    let at = start + 4;
    for (let isFirst = true; source[at] !== 0; isFirst = false) {
      if (!isFirst) this.byte(COMMA);
      at = isArray ? this.value(source[at] as number, source, endOfName(source, at + 1) + 1) : this.member(source, at);
    }
    this.byte(isArray ? 0x5d : 0x7d);
    return at + 1;
  }

  #time(milliseconds: number): void {
    if (isTime(milliseconds)) {
      this.byte(QUOTE);
      this.time(milliseconds);
      this.byte(QUOTE);
    } else this.ascii('null');
  }

  #uuid(source: Buffer, at: number): number {
    if (source.readInt32LE(at) !== UUID_BYTES || source[at + 4] !== UUID_SUBTYPE) throw new UnknownType();
    this.byte(QUOTE);
    this.uuid(source, at + 5);
    this.byte(QUOTE);
    return at + 5 + UUID_BYTES;
  }

  #string(source: Buffer, start: number, end: number): void {
    this.byte(QUOTE);
    for (let at = start; at < end; at += CHUNK_SIZE) this.#escaped(source, at, Math.min(at + CHUNK_SIZE, end));
    this.byte(QUOTE);
  }

  #escaped(source: Buffer, start: number, end: number): void {
    this.reserve((end - start) * MAX_ESCAPE_LENGTH);
    const bytes = this.buffer;
    let length = this.size;
    for (let at = start; at < end; at += 1) {
      const byte = source[at] as number;
      if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) bytes[length++] = byte;
      else for (const character of ESCAPES[byte] as string) bytes[length++] = character.charCodeAt(0);
    }
    this.size = length;
  }
}
