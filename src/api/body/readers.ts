import type { MediaType } from '../endpoint.ts';
import { createJsonReader, type ReadBody } from './json-body.ts';
import { createMultipartReader } from './multipart-body.ts';
import { createBytesReader } from './request-bytes.ts';
import { createUrlencodedReader } from './urlencoded-body.ts';

/** The reader of each media type. */
export type BodyReaders = Record<MediaType, ReadBody>;

/**
 * Creates the readers of one server, which share their limits.
 * @param limit the largest body after decompression, in bytes
 */
export function createBodyReaders(limit: number): BodyReaders {
  const readBytes = createBytesReader(limit);
  return {
    'application/json': createJsonReader(readBytes),
    'application/x-www-form-urlencoded': createUrlencodedReader(readBytes),
    'multipart/form-data': createMultipartReader(readBytes),
  };
}
