const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** No byte of valid UTF-8. It represents a lone surrogate, so that its line is not valid. */
const INVALID = Buffer.of(0xff);
const LONE_SURROGATE = /(\p{Surrogate})/u;

/** By the byte order mark, else UTF-16 if the first character is ASCII in it, else UTF-8. */
export function detectEncoding(first: Uint8Array): { encoding: Encoding; bom: number } {
  const [a, b, c] = first;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', bom: 3 };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', bom: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', bom: 2 };
  if (a !== undefined && a !== 0 && b === 0) return { encoding: 'utf-16le', bom: 0 };
  if (a === 0 && b !== undefined && b !== 0) return { encoding: 'utf-16be', bom: 0 };
  return { encoding: 'utf-8', bom: 0 };
}

/** Converts a file to UTF-8 by blocks. Invalid bytes stay invalid: their line is rejected. */
export interface BlockDecoder {
  /** Some bytes may be kept until the next call. */
  decode(bytes: Buffer): Buffer;
  end(): Buffer;
  lengthInFile(converted: Buffer): number;
}

export function createBlockDecoder(encoding: Encoding): BlockDecoder {
  if (encoding === 'utf-8') {
    return { decode: (bytes) => bytes, end: () => Buffer.alloc(0), lengthInFile: ({ length }) => length };
  }
  let rest: Buffer = Buffer.alloc(0);
  return {
    decode(bytes) {
      const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
      let end = all.length - (all.length % 2);
      if (end >= 2 && isHighSurrogate(all, end - 2, encoding)) end -= 2;
      rest = Buffer.from(all.subarray(end));
      return toUtf8(all.subarray(0, end), encoding);
    },
    end() {
      const even = rest.length - (rest.length % 2);
      const last = toUtf8(rest.subarray(0, even), encoding);
      return even === rest.length ? last : Buffer.concat([last, INVALID]);
    },
    // Each invalid byte represents one unit, and is decoded to one.
    lengthInFile: (converted) => converted.toString().length * 2,
  };
}

function isHighSurrogate(bytes: Buffer, at: number, encoding: Encoding): boolean {
  const unit = encoding === 'utf-16le' ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  return unit >= 0xd800 && unit <= 0xdbff;
}

function toUtf8(bytes: Buffer, encoding: Encoding): Buffer {
  const text = (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
  if (text.isWellFormed()) return Buffer.from(text);
  return Buffer.concat(text.split(LONE_SURROGATE).map((part) => (part.isWellFormed() ? Buffer.from(part) : INVALID)));
}
