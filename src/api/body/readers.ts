import type { MediaType } from '../endpoint.ts';
import { createUrlencodedReader } from './form-body.ts';
import { createJsonReader, type ReadBody } from './json-body.ts';
import { createMultipartReader, type ReadMultipart } from './multipart.ts';
import { createBytesReader, type ReadBytes } from './request-bytes.ts';

/** The largest form in bytes, also where JSON may be larger: one turn decodes it, in 10 ms. */
const MAX_FORM_BYTES = 1024 * 1024;

export type BodyReaders = Record<Exclude<MediaType, 'multipart/form-data'>, ReadBody> & {
  'multipart/form-data': ReadMultipart;
};

/** Creates the readers of one server, which share their limits. @param limit in bytes */
export function createBodyReaders(limit: number): BodyReaders {
  const readBytes = createBytesReader(limit);
  const formLimit = Math.min(limit, MAX_FORM_BYTES);
  const readForm: ReadBytes = (req, deadline) => readBytes(req, deadline, formLimit);
  return {
    'application/json': createJsonReader(readBytes),
    'application/x-www-form-urlencoded': createUrlencodedReader(readForm),
    'multipart/form-data': createMultipartReader(readForm, formLimit),
  };
}
