import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter, UserId } from '../../core/api/parameters.ts';
import type { RecordBatches } from '../../core/users/record-json.ts';
import { component, JsonObject, PageLimit, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { parseInstant } from '../../platform/text/iso-date.ts';
import { type CsvColumn, recordsAsCsv } from '../exports/csv.ts';
import { createDownload } from '../exports/exports.routes.ts';
import { BYTES, choiceColumns } from '../exports/exports.service.ts';
import { Cursor, SearchText, SINGLE_TEXT, Where } from '../search/parameters.ts';
import { type InboxService, present } from './inbox.service.ts';

/** A time in a query: a date, or a date-time with its zone. */
const Time = (description: string) =>
  z
    .string(SINGLE_TEXT)
    .refine((text) => parseInstant(text) !== undefined, code('notDay'))
    .transform((text) => new Date(parseInstant(text) as number))
    .optional()
    .meta({
      override: { type: 'string', format: 'date-time' },
      description,
      example: '2026-01-31T08:30:00Z',
    });

const filters = {
  from: Time('Only submissions at this time or later'),
  to: Time('Only submissions before this time'),
  where: Where,
  q: SearchText,
  done: z
    .enum(['true', 'false'], code('notBooleanValue'))
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'Only those that are done, or only those that are open', example: 'false' }),
  sourceAppId: ScopeParameter,
};

const KeptSubmission = component('KeptSubmission', {
  id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }),
  userId: UserId,
  email: z.string().meta({ example: 'ada@example.com' }),
  at: Timestamp,
  revision: z.int().nonnegative().meta({
    description: 'The number of the event among those of the user; 0 before the first one',
    example: 1,
  }),
  schemaVersion: z.int().positive().meta({ example: 1 }),
  data: JsonObject.meta({ description: 'As it came, under the present keys', example: { message: 'Hello' } }),
  created: z.boolean().meta({ description: 'Whether it created the user' }),
  page: z.string().optional().meta({
    description: 'The page that sent it, without query and fragment, if known',
    example: 'https://example.com/contact',
  }),
  lang: z.string().optional().meta({ description: 'The language of the person', example: 'de' }),
  done: z.literal(true).optional().meta({ description: 'The operators have finished with it. Absent: it is open' }),
});

/** The path of one submission. An id that is not a UUID is a 404 like any other unknown id. */
const SubmissionPath = z.object({ id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }) });

const SubmissionChange = component('SubmissionChange', { done: z.boolean(code('notBoolean')).meta({ example: true }) });

const shared = {
  auth: 'session or key',
  scoped: true,
  tag: 'Users',
} as const;

/** The endpoints of kept submissions (spec 4.3.7). */
export const inboxEndpoints = {
  listSubmissions: {
    ...shared,
    method: 'get',
    path: '/auth/submissions',
    scope: 'users:read',
    audit: 'submissions.listed',
    tool: true,
    summary: 'The accepted submissions of an app that keeps them',
    description:
      'Newest first, each as it came. `next` is the cursor of the next page; a page with it may be short, or empty, when the search takes long. 409 when the app keeps no submissions.',
    query: z.strictObject({ limit: PageLimit, cursor: Cursor, ...filters }),
    response: z.strictObject({
      submissions: z.array(KeptSubmission),
      next: z.string().optional().meta({ example: 'AbC123' }),
    }),
    errors: [409],
  },
  exportSubmissions: {
    ...shared,
    method: 'get',
    path: '/auth/submissions/export',
    load: 'long',
    scope: 'export',
    audit: 'submissions.exported',
    summary: 'The submissions of an app as a file',
    description:
      'Those that match, newest first, streamed, one in each line. `csv` has a column for each field of the newest schema and one for the other keys of `data`.',
    query: z.strictObject({
      format: z
        .enum(['csv', 'ndjson'], code('notImportFormat'))
        .default('csv')
        .meta({ description: 'Default: `csv`', example: 'csv' }),
      ...filters,
    }),
    // A filter with few matches may read many submissions before the first byte is sent.
    slow: true,
    response: KeptSubmission,
    downloads: ['text/csv', 'application/x-ndjson'],
    responseHeaders: { 'Content-Disposition': 'An attachment, named after the app and the date' },
    errors: [409, 429],
  },
  changeSubmission: {
    ...shared,
    method: 'patch',
    path: '/auth/submissions/:id',
    load: 'light',
    scope: 'users:write',
    audit: 'submission.changed',
    summary: 'Mark a submission as done, or as open',
    description:
      'Changes nothing else: no record, no history, and it sends nothing to webhooks. 409 when the app keeps no submissions.',
    params: SubmissionPath,
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    body: jsonBody(SubmissionChange, 'invalidChange'),
    response: KeptSubmission,
    errors: [409],
  },
} as const satisfies Endpoints;

/** The columns before those of `data`. `createdAt` is the stored name of the time. */
const OWN_COLUMNS: readonly CsvColumn[] = [
  ...['id', 'userId', 'email'].map((name) => ({ name, header: name })),
  { name: 'createdAt', header: 'at' },
  ...['revision', 'schemaVersion', 'created', 'page', 'lang', 'done'].map((name) => ({ name, header: name })),
];

export const inboxRoutes = (inbox: InboxService): Route[] =>
  routes(inboxEndpoints, {
    listSubmissions: ({ app, query: { sourceAppId: _, ...request } }) => inbox.page(app, request),

    exportSubmissions: async ({ app, query: { format, ...request }, closed, audit }) => {
      audit({ detail: { format } });
      const { submissions, schema } = await inbox.all(app, request, closed());
      const keys = schema.fields.map(({ key }) => key);
      const columns = [...OWN_COLUMNS, ...choiceColumns(schema.fields), { name: 'other', header: 'other' }];
      const file = format === 'csv' ? recordsAsCsv(submissions, { columns, keys, bom: false }) : asLines(submissions);
      return createDownload(`${app.sourceAppId}-submissions`, format, Readable.from(file, BYTES));
    },

    changeSubmission: async ({ app, params, body, audit, until }) => {
      audit({ detail: { done: body.done } });
      const changed = await inbox.change(app, params.id, body, until);
      audit({ detail: { done: body.done, record: changed.userId } });
      return changed;
    },
  });

async function* asLines(submissions: RecordBatches): AsyncGenerator<string> {
  for await (const batch of submissions) {
    if (batch.length > 0) yield batch.map((bytes) => `${JSON.stringify(present(bytes))}\n`).join('');
  }
}
