import { z } from 'zod';
import type { Endpoints } from '../../api/endpoint.ts';
import { queryParameters } from '../query/query-parameters.ts';
import {
  checkFieldAndValue,
  filterParameters,
  orderParameter,
  SINGLE_TEXT,
  sortParameter,
} from '../user-parameters.ts';
import { User } from '../users.contract.ts';
import { exportFormats } from './export.ts';

/** The parameters that only a CSV file has. */
const CSV_PARAMETERS = ['bom', 'columns', 'headers'] as const;

/** The endpoint for exports of user records (spec 4.3). */
export const exportEndpoints = {
  exportUsers: {
    method: 'get',
    path: '/auth/users/export',
    auth: 'session or key',
    scope: 'export',
    audit: 'users.exported',
    tag: 'Users',
    summary: "The session's users as a file",
    description:
      "The users of the session's app, or those that match, newest first, streamed. `csv` has a column for each field of the newest schema and one for the other keys of `data`; `ndjson` has one user per line.",
    query: z
      .strictObject({
        format: z
          .enum(exportFormats, 'must be csv, ndjson or json')
          .default('csv')
          .meta({ description: 'Default: `csv`', example: 'csv' }),
        bom: z.literal('true', 'must be true').optional().meta({
          description:
            'Begins a CSV file with the UTF-8 byte order mark, without which some spreadsheets misread non-ASCII text',
          example: 'true',
        }),
        columns: z.string(SINGLE_TEXT).max(16_000, 'is too long').optional().meta({
          description: 'The columns of a CSV file, separated by commas. Default: all',
          example: 'email,data.name',
        }),
        headers: z.enum(['labels', 'paths'], 'must be labels or paths').optional().meta({
          description: 'The first row of a CSV file: paths such as `data.name` (default), or the labels of the fields',
          example: 'labels',
        }),
        ...filterParameters,
        ...queryParameters,
        sort: sortParameter,
        order: orderParameter,
      })
      .superRefine(checkFieldAndValue)
      .superRefine(checkCsv),
    // A filter with few matches may read many records before the first byte is sent.
    slow: true,
    response: z.array(User),
    downloads: ['text/csv', 'application/x-ndjson'],
    responseHeaders: { 'Content-Disposition': 'An attachment, named after the app and the date' },
    errors: [404, 429],
  },
} as const satisfies Endpoints;

function checkCsv(
  query: { format: string } & { [Name in (typeof CSV_PARAMETERS)[number]]?: string | undefined },
  context: z.RefinementCtx,
) {
  if (query.format === 'csv') return;
  for (const name of CSV_PARAMETERS) {
    if (query[name] !== undefined) context.addIssue({ code: 'custom', path: [name], message: 'is for csv only' });
  }
}
