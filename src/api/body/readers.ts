import { IMAGE_BYTES } from '../../fields/theme.ts';
import type { MediaType } from '../endpoint.ts';
import { createUrlencodedReader } from './form-body.ts';
import { createJsonReader, type ReadBody } from './json-body.ts';
import { createMultipartReader, type ReadMultipart } from './multipart.ts';
import { createBytesReader, type ReadBytes } from './request-bytes.ts';

/** What the images of a theme add to a body, in base64. */
const IMAGES_BYTES = Math.ceil((4 / 3) * (IMAGE_BYTES.logo + IMAGE_BYTES.cover)) + 100;

/** The largest form in bytes, also where JSON may be larger: one turn decodes it, in 10 ms. */
const MAX_FORM_BYTES = 1024 * 1024;

export type BodyReaders = Record<Exclude<MediaType, 'multipart/form-data'>, ReadBody> & {
  'multipart/form-data': ReadMultipart;
  /** JSON that may be larger by {@link IMAGES_BYTES}. */
  jsonWithImages: ReadBody;
};

/** Memory for JSON bodies with images that are being received, in bytes. */
const IMAGE_MEMORY = 16 * 1024 * 1024;

/** Creates the readers of one server, which share their limits. @param limit in bytes */
export function createBodyReaders(limit: number): BodyReaders {
  const readBytes = createBytesReader(limit);
  const formLimit = Math.min(limit, MAX_FORM_BYTES);
  const readForm: ReadBytes = (req, deadline) => readBytes(req, deadline, formLimit);
  return {
    'application/json': createJsonReader(readBytes),
    jsonWithImages: createJsonReader(createBytesReader(limit + IMAGES_BYTES, IMAGE_MEMORY)),
    'application/x-www-form-urlencoded': createUrlencodedReader(readForm),
    'multipart/form-data': createMultipartReader(readForm, formLimit),
  };
}
