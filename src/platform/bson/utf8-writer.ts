import { UUID_BYTES } from './documents.ts';

const ZERO = 0x30;
const COLON = 0x3a;
const DASH = 0x2d;
const DOT = 0x2e;
const UTC = 0x5a;
const HEX = Buffer.from('0123456789abcdef');

const DAY_MS = 86_400_000;
/** The largest distance from 1970 that a Date can represent, in milliseconds. */
const MAX_TIME_MS = 100_000_000 * DAY_MS;
const INITIAL_SIZE = 80 * 1024;

export function isTime(milliseconds: number): boolean {
  return Math.abs(milliseconds) <= MAX_TIME_MS;
}

/** Collects UTF-8 text in a buffer that grows. Values are written without texts in between. */
export class Utf8Writer {
  /** Valid until {@link reserve} or {@link take}, which replace it. */
  protected buffer = Buffer.allocUnsafe(INITIAL_SIZE);
  protected size = 0;
  #day = Number.NaN;
  #dayText = '';

  /** The number of bytes written and not yet taken. */
  get length(): number {
    return this.size;
  }

  /** Returns the bytes written so far and starts a new buffer. */
  take(): Buffer {
    const taken = this.written();
    this.buffer = Buffer.allocUnsafe(INITIAL_SIZE);
    this.size = 0;
    return taken;
  }

  /** Returns the bytes written so far. They are valid until the next call of another method. */
  written(): Buffer {
    return this.buffer.subarray(0, this.size);
  }

  /** Discards everything after the first `length` bytes. */
  cutTo(length: number): void {
    this.size = length;
  }

  byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.size++] = byte;
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    for (let index = 0; index < bytes.length; index += 1) this.buffer[this.size++] = bytes[index] as number;
  }

  text(text: string): void {
    this.reserve(text.length * 3); // at most 3 bytes of UTF-8 for a UTF-16 unit
    this.size += this.buffer.write(text, this.size);
  }

  /** Writes text of ASCII characters. */
  ascii(text: string): void {
    this.reserve(text.length);
    for (let index = 0; index < text.length; index += 1) this.buffer[this.size++] = text.charCodeAt(index);
  }

  /**
   * Writes a time as `toISOString` does, for which {@link isTime} is true. The text of the last day
   * is cached: its formatting is slow, and records that follow each other have few days.
   */
  time(milliseconds: number): void {
    const day = Math.floor(milliseconds / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayText = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    }
    const time = milliseconds - day * DAY_MS;
    this.ascii(this.#dayText);
    this.#twoDigits(Math.floor(time / 3_600_000));
    this.byte(COLON);
    this.#twoDigits(Math.floor(time / 60_000) % 60);
    this.byte(COLON);
    this.#twoDigits(Math.floor(time / 1_000) % 60);
    this.byte(DOT);
    this.byte(ZERO + Math.floor((time % 1_000) / 100));
    this.#twoDigits(time % 100);
    this.byte(UTC);
  }

  /** Writes the UUID that begins at `at` in its text form. */
  uuid(source: Uint8Array, at: number): void {
    for (let index = 0; index < UUID_BYTES; index += 1) {
      if (index === 4 || index === 6 || index === 8 || index === 10) this.byte(DASH);
      const byte = source[at + index] as number;
      this.byte(HEX[byte >> 4] as number);
      this.byte(HEX[byte & 15] as number);
    }
  }

  protected reserve(count: number): void {
    if (this.size + count <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.buffer.length, this.size + count));
    this.buffer.copy(larger, 0, 0, this.size);
    this.buffer = larger;
  }

  #twoDigits(number: number): void {
    this.byte(ZERO + Math.floor(number / 10));
    this.byte(ZERO + (number % 10));
  }
}
