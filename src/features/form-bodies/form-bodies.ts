import type { Request } from 'express';
import { z } from 'zod';
import type { BodySpec } from '../../core/api/endpoint.ts';
import { InvalidInput } from '../../platform/core/errors.ts';
import type { BodyPart } from '../../platform/http/body-readers.ts';
import type { ReadBody } from '../../platform/http/json-body.ts';
import type { ReadBytes } from '../../platform/http/request-bytes.ts';
import type { PlainCode } from '../../platform/languages/reasons.ts';
import { createUrlencodedReader, FormEntries } from './form-body.ts';
import { createMultipartReader, type FileSink } from './multipart.ts';

declare global {
  namespace Express {
    interface Request {
      /** The entries of the form in the body, once it was read. */
      form?: FormEntries;
    }
  }
}

/** The largest form in bytes, also where JSON may be larger: one turn decodes it, in 10 ms. */
const MAX_FORM_BYTES = 1024 * 1024;

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** A JSON body, or the entries of an HTML form as {@link FormEntries}, which no schema checks. */
export function jsonOrFormBody<Schema extends z.ZodType>(
  schema: Schema,
  refusal: PlainCode = 'invalidBody',
): BodySpec<Schema, FormEntries> {
  const isOther = (body: unknown): body is FormEntries => body instanceof FormEntries;
  return { schema, refusal, types: ['application/json', URLENCODED, MULTIPART], isOther };
}

/** The entries of an HTML form on a page of the service; undefined without a body. */
export const formBody: BodySpec<z.ZodOptional<z.ZodNever>, FormEntries> = {
  schema: z.never().optional(),
  refusal: 'notFormData',
  types: [URLENCODED, MULTIPART],
  isOther: (body): body is FormEntries => body instanceof FormEntries,
};

/**
 * Creates the readers of HTML forms.
 * @param fileSink takes the files of a form of an app; undefined: it has no field of files
 */
export function createFormBodies(
  fileSink: (sourceAppId: string, req: Request) => Promise<FileSink | undefined>,
): BodyPart {
  return (readBytes, limit) => {
    const formLimit = Math.min(limit, MAX_FORM_BYTES);
    const readForm: ReadBytes = (req, deadline) => readBytes(req, deadline, formLimit);
    const multipart = createMultipartReader(readForm, formLimit);
    return {
      [URLENCODED]: keepingForm(createUrlencodedReader(readForm)),
      [MULTIPART]: keepingForm(async (req, deadline, sourceAppId) =>
        multipart(req, deadline, sourceAppId === undefined ? undefined : await fileSink(sourceAppId, req)),
      ),
    };
  };
}

/** A page shows the entries again, also next to a refused file. */
function keepingForm(read: (...body: Parameters<ReadBody>) => Promise<FormEntries>): ReadBody {
  return async (req, ...options) => {
    const entries = await read(req, ...options);
    req.form = entries;
    if (entries.files.length > 0) throw new InvalidInput('filesRefused');
    return entries;
  };
}
