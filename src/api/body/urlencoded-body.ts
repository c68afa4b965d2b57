import { InvalidInput } from '../../core/errors.ts';
import { checkEntryCount, countEntries, FormEntries, nameOf, textOf } from './form-entries.ts';
import type { ReadBody } from './json-body.ts';
import { checkCharset, type ReadBytes } from './request-bytes.ts';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/** The value of each hexadecimal digit by its character code; -1 for all other codes. */
const HEX = Int8Array.from({ length: 256 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

/**
 * Creates a reader of `application/x-www-form-urlencoded` bodies in UTF-8, whose result is a
 * {@link FormEntries}. Unlike `URLSearchParams` it refuses what it would have to alter: invalid
 * UTF-8, and a `%` without two hexadecimal digits.
 */
export function createUrlencodedReader(readBytes: ReadBytes): ReadBody {
  return async (req, deadline) => {
    checkCharset(req.headers['content-type'] ?? '');
    const sent = readBytes(req, deadline);
    const bytes = sent instanceof Promise ? await sent : sent;
    checkEntryCount(countEntries(bytes, '&') + 1);
    return new FormEntries(new PairDecoder(bytes).decode());
  };
}

/** Decodes `name=value` pairs. */
class PairDecoder {
  readonly #entries: [name: string, value: string][] = [];
  readonly #source: Buffer;
  readonly #target: Buffer;
  #from = 0;
  #to = 0;
  /** Where the current pair begins in `#target`. */
  #start = 0;
  /** Where its value begins in `#target`; -1 before the first `=`. */
  #value = -1;

  constructor(source: Buffer) {
    this.#source = source;
    this.#target = Buffer.allocUnsafe(source.length);
  }

  /** @throws {InvalidInput} */
  decode(): [name: string, value: string][] {
    const source = this.#source;
    while (this.#from < source.length) {
      const byte = source[this.#from] as number;
      this.#from += 1;
      if (byte === AMPERSAND) this.#endPair();
      else if (byte === EQUALS && this.#value < 0) this.#value = this.#to;
      else if (byte === PERCENT) this.#push(this.#escaped());
      else this.#push(byte === PLUS ? SPACE : byte);
    }
    this.#endPair();
    return this.#entries;
  }

  #push(byte: number): void {
    this.#target[this.#to] = byte;
    this.#to += 1;
  }

  #escaped(): number {
    const high = HEX[this.#source[this.#from] ?? 0] as number;
    const low = HEX[this.#source[this.#from + 1] ?? 0] as number;
    if (high < 0 || low < 0) throw new InvalidInput('The request body is not valid form data');
    this.#from += 2;
    return high * 16 + low;
  }

  #endPair(): void {
    const end = this.#to;
    const value = this.#value < 0 ? end : this.#value;
    const isEmpty = this.#start === end && this.#value < 0;
    if (!isEmpty) {
      const name = nameOf(this.#target.subarray(this.#start, value));
      this.#entries.push([name, textOf(this.#target.subarray(value, end))]);
    }
    this.#start = end;
    this.#value = -1;
  }
}
