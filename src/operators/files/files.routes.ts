import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../api/endpoint.ts';
import { ScopeParameter } from '../../api/parameters.ts';
import { Timestamp } from '../../api/validation.ts';
import { FILE_TYPES } from '../../fields/base/file-types.ts';
import { code } from '../../platform/languages/problems.ts';
import type { FileService } from './files.service.ts';

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

/** The endpoints that read files (spec 4.14.2). */
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
    errors: [404, 409, 410, 416],
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
    errors: [404, 409, 410],
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
export const fileRoutes = (files: FileService, publicUrl: string | undefined): Route[] =>
  routes(fileEndpoints, {
    getFile: ({ app, params, query }) => files.open(app, params.id, query.inline !== undefined),

    linkFile: async ({ app, params, req }) => {
      const origin = publicUrl ?? `${req.protocol}://${req.headers.host ?? 'localhost'}`;
      const { path, expiresAt } = await files.link(app, params.id);
      return { url: origin + path, expiresAt: expiresAt.toISOString() };
    },

    getLinkedFile: async ({ params, query, audit, res }) => {
      // A refusal is for this moment, too.
      res.setHeader('Cache-Control', 'private, no-store');
      const { app, id, file } = await files.openLink(params.token, query.inline !== undefined);
      audit({ app, target: id });
      return file;
    },
  });
