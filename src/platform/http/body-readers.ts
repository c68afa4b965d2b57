import { createJsonReader, type ReadBody } from './json-body.ts';
import { createBytesReader, type ReadBytes } from './request-bytes.ts';

/** Memory for bodies that may be larger than others, while they are being received, in bytes. */
const LARGE_MEMORY = 16 * 1024 * 1024;

/**
 * What a feature adds: the readers of other media types, by type.
 * @param limit of a body, in bytes
 */
export type BodyPart = (readBytes: ReadBytes, limit: number) => Readonly<Record<string, ReadBody>>;

export type BodyReaders = ReturnType<typeof createBodyReaders>;

/** Creates the readers of one server, which share their limits. @param limit in bytes */
export function createBodyReaders(limit: number, parts: readonly BodyPart[] = []) {
  const readBytes = createBytesReader(limit);
  const json = createJsonReader(readBytes);
  const larger = new Map<number, ReadBody>();
  return {
    /** Returns the reader of JSON that may be larger by some bytes. */
    json(extraBytes = 0): ReadBody {
      if (extraBytes === 0) return json;
      const known = larger.get(extraBytes);
      if (known) return known;
      const reader = createJsonReader(createBytesReader(limit + extraBytes, LARGE_MEMORY));
      larger.set(extraBytes, reader);
      return reader;
    },

    /** By media type. */
    others: Object.assign({}, ...parts.map((part) => part(readBytes, limit))) as Readonly<Record<string, ReadBody>>,
  };
}
