import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import { AppError } from '../../platform/core/errors.ts';
import { isCompressed } from '../../platform/http/request-bytes.ts';
import { component, parseTags, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { FILE_TYPE_NAMES, FILE_TYPES } from '../../platform/text/file-types.ts';
import { fileNameOf } from '../form-bodies/file-name.ts';
import { authorOf } from '../people/editing.ts';
import { recordEtag } from '../records/record-edit.ts';
import { RECORD_ETAG, UserPath } from '../search/users.routes.ts';
import type { FileService } from './files.service.ts';
import type { StaffUploads } from './staff-uploads.ts';

/** An id that is not a UUID is a 404 like any other unknown id. */
const FilePath = z.object({ id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }) });
const LinkPath = z.object({
  token: z.string().meta({ description: 'From the URL of the link', example: 'AZUT-LSqfsW2' }),
});

const Inline = z
  .literal('1', code('notCount', { count: 1 }))
  .optional()
  .meta({
    description: 'Lets a browser show a png, jpeg, gif or webp instead of saving it',
    example: '1',
  });

const reading = {
  method: 'get',
  load: 'long',
  audit: 'file.read',
  tag: 'Users',
  headers: z.object({
    range: z.string().optional().meta({ description: 'One range of bytes', example: 'bytes=0-1023' }),
    'if-range': z.string().optional().meta({ description: 'The ETag of the other bytes', example: '"9f86d081"' }),
    'if-none-match': z.string().optional().meta({ description: 'ETags that the client has', example: '"9f86d081"' }),
  }),
  response: z.string(),
  isFile: true,
  downloads: [...new Set(Object.values(FILE_TYPES).map(({ mediaType }) => mediaType))],
  responseHeaders: {
    ETag: 'The SHA-256 of the file',
    'Accept-Ranges': '`bytes`',
    'Content-Disposition': 'Its name',
    'Content-Security-Policy': "`sandbox; default-src 'none'`",
    'Cache-Control': '`private, no-store`',
  },
  conditional: true,
} as const;

const FileValue = component('FileValue', {
  id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }),
  name: z.string().meta({ example: 'cv.pdf' }),
  type: z.enum(FILE_TYPE_NAMES).meta({ example: 'pdf' }),
  size: z.int().nonnegative().meta({ example: 48_213 }),
  sha256: z.string().meta({ example: '5d3b1f52b5c0a3b0b1c9f1d2b4a7f3f0e9d8c7b6a5948372615049382716a5b4' }),
  infected: z.literal(true).optional().meta({ description: 'The virus scanner found malware in it' }),
});

/** The endpoints of files for operators (spec 4.14.2 and 4.14.6). */
export const fileEndpoints = {
  getFile: {
    ...reading,
    path: '/auth/files/:id',
    auth: 'session or key',
    scope: 'users:read',
    scoped: true,
    summary: 'A file of a record or of a held submission',
    description: 'Whole, or one range of its bytes; several ranges count as none.',
    params: FilePath,
    query: z.strictObject({ inline: Inline, sourceAppId: ScopeParameter }),
    errors: [409, 410, 416],
  },
  linkFile: {
    method: 'post',
    path: '/auth/files/:id/link',
    auth: 'session or key',
    load: 'light',
    scope: 'users:read',
    scoped: true,
    audit: 'file.linked',
    tag: 'Users',
    summary: 'Create a link to a file that needs no session',
    params: FilePath,
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    response: z.strictObject({
      url: z.string().meta({ example: 'https://forms.example.com/files/AZUT-LSqfsW2' }),
      expiresAt: Timestamp,
    }),
    errors: [409, 410],
  },
  addFile: {
    method: 'post',
    path: '/auth/users/:id/files',
    auth: 'session or key',
    scope: 'users:write',
    scoped: true,
    audit: 'user.changed',
    tag: 'Users',
    summary: "Add a file to one of the session's users",
    description:
      'The body is the file; its name is in `Content-Disposition` or in `name`. It is added to the list of the field in one atomic change, as `PATCH` makes it. With `If-Match` it takes place only if the record is in that state.',
    params: UserPath,
    query: z.strictObject({
      field: z.string().meta({ description: 'The key of a field of the kind `file`', example: 'cv' }),
      name: z.string().max(2_000).optional().meta({ example: 'cv.pdf' }),
      sourceAppId: ScopeParameter,
    }),
    headers: z.object({
      'content-disposition': z.string().max(4_000).optional().meta({ example: 'attachment; filename="cv.pdf"' }),
      'if-match': z.string().optional().meta({ description: 'The ETag of the record', example: '"9f86d081"' }),
    }),
    upload: ['*/*'],
    slow: true,
    status: 201,
    response: z.strictObject({ value: z.array(FileValue).meta({ description: 'The new list of the field' }) }),
    responseHeaders: RECORD_ETAG,
    errors: [409, 412],
  },
  getLinkedFile: {
    ...reading,
    path: '/files/:token',
    auth: 'none',
    summary: 'The file of a link',
    description: 'For 15 minutes after the link was created, while the record or the held submission names it.',
    params: LinkPath,
    query: z.strictObject({ inline: Inline }),
    errors: [404, 409, 410, 416, 429, 503],
  },
} as const satisfies Endpoints;

/** @param publicUrl the origin of links; undefined: that of the request */
export const fileRoutes = (files: FileService, uploads: StaffUploads, publicUrl: string | undefined): Route[] =>
  routes(fileEndpoints, {
    addFile: async ({ app, principal, params, query, headers, req, res, leftMs, recheck }) => {
      if (isCompressed(req)) throw new AppError(415, 'fileCompressed');
      const { field, name = fileNameOf(headers['content-disposition']) } = query;
      const length = req.headers['content-length'];
      const declared = length === undefined ? undefined : Number(length);
      const [by, tags] = [authorOf(principal, 'edit'), parseTags(headers['if-match'])];
      req.mayBeSlow = true;
      // A refusal has to reach a client that still sends.
      const source: AsyncIterable<Buffer> = req.iterator({ destroyOnReturn: false });
      const addition = { field, name, declared, by, tags, leftMs, recheck };
      const record = await uploads.add(app, params.id, addition, source);
      res.status(201).setHeader('ETag', recordEtag(record));
      return { value: record.data[field] as z.input<typeof FileValue>[] };
    },

    getFile: async ({ app, params, query, audit }) => {
      const { file, owner } = await files.open(app, params.id, query.inline !== undefined);
      audit({ detail: owner });
      return file;
    },

    linkFile: async ({ app, params, req, audit }) => {
      const origin = publicUrl ?? `${req.protocol}://${req.headers.host ?? 'localhost'}`;
      const { path, expiresAt, owner } = await files.link(app, params.id);
      audit({ detail: owner });
      return { url: origin + path, expiresAt: expiresAt.toISOString() };
    },

    getLinkedFile: async ({ params, query, audit, res }) => {
      // A refusal is for this moment, too.
      res.setHeader('Cache-Control', 'private, no-store');
      const { app, id, file, owner } = await files.openLink(params.token, query.inline !== undefined);
      audit({ app, target: id, detail: owner });
      return file;
    },
  });
