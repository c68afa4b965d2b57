import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import { AppError, InvalidInput } from '../../platform/core/errors.ts';
import { isCompressed } from '../../platform/http/request-bytes.ts';
import { component, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import { FILE_TYPE_NAMES } from '../../platform/text/file-types.ts';
import type { ArrivedFile, UploadPart } from '../files/incoming.ts';
import { fileNameOf } from '../form-bodies/file-name.ts';
import type { Uploads } from './uploads.service.ts';

const Token = z.string().meta({ example: 'dGhlIHRva2VuIG9mIGEgZmlsZSB0aGF0IHdhcyBzZW4' });

const UploadedFile = component('UploadedFile', {
  token: Token,
  name: z.string().meta({ example: 'cv.pdf' }),
  type: z.enum(FILE_TYPE_NAMES).meta({ example: 'pdf' }),
  size: z.int().positive().meta({ example: 48_213 }),
  sha256: z.string().meta({ example: '5d3b1f52b5c0a3b0b1c9f1d2b4a7f3f0e9d8c7b6a5948372615049382716a5b4' }),
  expiresAt: Timestamp,
});

const Received = z
  .strictObject({ token: Token, received: z.int().nonnegative().meta({ example: 1_000_000 }) })
  .meta({ description: 'The file goes on at this byte' });

const CONTENT_RANGE = /^bytes \d{1,15}-\d{1,15}\/(?:\d{1,15}|\*)$/;

const uploadEndpoints = {
  uploadFile: {
    method: 'post',
    path: '/v1/forms/:sourceAppId/files',
    auth: 'form',
    scope: 'submit',
    tag: 'Public',
    summary: 'Send a file for a field of a form',
    description:
      'The body is the file, or with `Content-Range` a part of it. Its name is in `Content-Disposition` or in `name`. The token names the file in one submission to this app, for an hour. Each part but the last is answered with 202; the next parts name its token. 416 has `received`, the byte at which the file goes on.',
    params: AppPath,
    query: z.strictObject({
      field: z.string().meta({ description: 'The key of a field of the kind `file`', example: 'cv' }),
      name: z.string().max(2_000).optional().meta({ example: 'cv.pdf' }),
      token: z.string().max(100).optional(),
      lang: z
        .string()
        .max(100)
        .optional()
        .meta({ description: 'The language of a refusal; also as `_lang`', example: 'de' }),
      _lang: z.string().max(100).optional(),
    }),
    headers: z.object({
      'content-range': z
        .string()
        .regex(CONTENT_RANGE, code('notContentRange'))
        .optional()
        .meta({ example: 'bytes 0-1023/4096' }),
      'content-disposition': z.string().max(4_000).optional().meta({ example: 'attachment; filename="cv.pdf"' }),
    }),
    upload: ['*/*'],
    slow: true,
    status: 201,
    response: UploadedFile,
    accepted: Received,
    errors: [404, 409, 416, 429],
  },
} as const satisfies Endpoints;

export const uploadRoutes = (uploads: Uploads): Route[] =>
  routes(uploadEndpoints, {
    uploadFile: async ({ principal, query, headers, req, res }) => {
      const { field, token } = query;
      const lease = await uploads.leaseOn(principal.sourceAppId);
      uploads.limit(lease, req.ip ?? '', token !== undefined);
      if (isCompressed(req)) throw new AppError(415, 'fileCompressed');
      const length = req.headers['content-length'];
      const declared = length === undefined ? undefined : Number(length);
      const name = query.name ?? fileNameOf(headers['content-disposition']);
      const upload = { lease, field, name, network: req.ip ?? '' };
      req.mayBeSlow = true;
      // A refusal has to reach a client that still sends.
      const source: AsyncIterable<Buffer> = req.iterator({ destroyOnReturn: false });
      const part = partOf(headers['content-range'], token, declared);
      const result = part
        ? await uploads.receivePart(upload, part, source)
        : await uploads.receive({ ...upload, declared }, source);
      res.setHeader('Cache-Control', 'no-store');
      res.status('received' in result ? 202 : 201);
      return 'received' in result ? result : presentUpload(result);
    },
  });

function presentUpload({ id: _, expiresAt, ...file }: ArrivedFile) {
  return { ...file, expiresAt: expiresAt.toISOString() };
}

/** @throws {InvalidInput} when the text is no range, or not that of the body */
function partOf(
  range: string | undefined,
  token: string | undefined,
  length: number | undefined,
): UploadPart | undefined {
  if (range === undefined) {
    if (token === undefined) return undefined;
    throw rangeError();
  }
  const [first = 0, last = 0, total] = range.match(/\d+/g)?.map(Number) ?? [];
  if (last < first || (total !== undefined && total <= last)) throw rangeError();
  if (length !== undefined && length !== last + 1 - first) throw rangeError();
  return { token, first, last, total };
}

const rangeError = () => new InvalidInput('invalidHeaders', [{ path: 'content-range', ...say('notContentRange') }]);
