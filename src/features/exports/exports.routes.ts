import type { Readable } from 'node:stream';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import { Download } from '../../platform/http/reply.ts';
import { code } from '../../platform/languages/problems.ts';
import { orderParameter, queryParameters, SINGLE_TEXT, sortParameter } from '../search/parameters.ts';
import { User } from '../search/users.routes.ts';
import { EXPORT_DELIMITERS, type ExportDelimiter } from './csv.ts';
import { type ExportFormat, type ExportService, exportFormats } from './exports.service.ts';

const MAX_SELECTED = 1_000;

const CSV_PARAMETERS = ['bom', 'columns', 'headers', 'delimiter'] as const;

const SelectedId = z.uuid(code('notRecordId')).meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' });

/** The format of the file (spec 4.3). */
const fileMembers = {
  format: z
    .enum(exportFormats, code('notExportFormat'))
    .default('csv')
    .meta({ description: 'Default: `csv`', example: 'csv' }),
  columns: z.string(SINGLE_TEXT).max(16_000, code('tooLongText')).optional().meta({
    description: 'The columns of a CSV file, separated by commas. Default: all',
    example: 'email,data.name',
  }),
  headers: z.enum(['labels', 'paths'], code('notHeaderKind')).optional().meta({
    description: 'The first row of a CSV file: paths such as `data.name` (default), or the labels of the fields',
    example: 'labels',
  }),
  delimiter: z
    .enum(Object.keys(EXPORT_DELIMITERS) as [ExportDelimiter, ...ExportDelimiter[]], code('notExportDelimiter'))
    .optional()
    .meta({ description: 'What separates the cells of a CSV file. Default: a comma', example: ';' }),
};
const bomMeta = <Value>(example: Value) => ({
  description:
    'Begins a CSV file with the UTF-8 byte order mark, without which some spreadsheets misread non-ASCII text',
  example,
});
const exportDefaults = {
  path: '/auth/users/export',
  auth: 'session or key',
  load: 'long',
  scope: 'export',
  scoped: true,
  audit: 'users.exported',
  tag: 'Users',
  // A filter with few matches may read many records before the first byte is sent.
  slow: true,
  response: z.array(User),
  downloads: ['text/csv', 'application/x-ndjson', 'application/zip'],
  responseHeaders: { 'Content-Disposition': 'An attachment, named after the app and the date' },
  errors: [429],
} as const;

/** The endpoints of exports (spec 4.3). */
export const exportEndpoints = {
  exportUsers: {
    ...exportDefaults,
    method: 'get',
    summary: "The session's users as a file",
    description:
      "The users of the session's app, or those that match, newest first, streamed. `csv` has a column for each field of the newest schema and one for the other keys of `data`; `ndjson` has one user per line; `zip` has `users.csv`, the files that the users name, and `manifest.json`, which lists them.",
    query: z
      .strictObject({
        ...fileMembers,
        bom: z.literal('true', code('mustBeTrue')).optional().meta(bomMeta('true')),
        ...queryParameters,
        sort: sortParameter,
        order: orderParameter,
      })
      .superRefine(checkCsv),
  },
  exportSelectedUsers: {
    ...exportDefaults,
    method: 'post',
    summary: "Some of the session's users as a file",
    description:
      'The users that the body names by their ids, newest first, streamed, in the formats of `GET /auth/users/export`. Ids of which the app has no user are left out.',
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    body: jsonBody(
      z
        .strictObject({
          ids: z
            .array(SelectedId)
            .min(1, code('empty'))
            .max(MAX_SELECTED, code('tooLarge', { max: MAX_SELECTED })),
          ...fileMembers,
          bom: z.literal(true, code('mustBeTrue')).optional().meta(bomMeta(true)),
        })
        .superRefine(checkCsv),
    ),
  },
} as const satisfies Endpoints;

function checkCsv(
  query: { format: string } & { [Name in (typeof CSV_PARAMETERS)[number]]?: string | true | undefined },
  context: z.RefinementCtx,
) {
  if (query.format === 'csv' || query.format === 'zip') return;
  for (const name of CSV_PARAMETERS) {
    if (query[name] !== undefined) context.addIssue({ code: 'custom', path: [name], message: code('forCsvOnly') });
  }
}

export const exportRoutes = (exports: ExportService): Route[] =>
  routes(exportEndpoints, {
    exportUsers: async ({ app, query: request, closed, audit }) => {
      const { format, bom } = request;
      audit({ detail: { format } });
      const content = await exports.matching(app, { ...request, bom: bom !== undefined }, { signal: closed() });
      return createDownload(app.sourceAppId, format, content);
    },

    exportSelectedUsers: async ({ app, body: { ids, ...request }, audit }) => {
      audit({ detail: { format: request.format } });
      return createDownload(app.sourceAppId, request.format, await exports.selected(app, ids, request));
    },
  });

const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  zip: 'application/zip',
};

/** The file of an export, named after the app and the date. */
export function createDownload(sourceAppId: string, format: ExportFormat, content: Readable): Download {
  const date = new Date().toISOString().slice(0, 10);
  return new Download(`${sourceAppId}-${date}.${format}`, MEDIA_TYPES[format], content);
}
