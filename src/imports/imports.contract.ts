import { z } from 'zod';
import { type Endpoints, jsonBody } from '../api/endpoint.ts';
import { Ok, Timestamp } from '../api/validation.ts';
import { canonicalTimeZone } from '../core/identifiers.ts';
import { ScopeParameter } from '../search/parameters.ts';
import { DELIMITERS } from './csv-cells.ts';
import { compileDateFormat, DATE_FORMAT_HELP, FILE_NAME } from './date-format.ts';

/** `running` includes waiting for an earlier import; `aborted`: by a rejected line. */
export const IMPORT_STATES = ['uploading', 'running', 'completed', 'aborted', 'failed'] as const;

/** All fields of a schema, and extra keys. */
const MAX_MAPPED_COLUMNS = 300;
const MAX_COLUMN_LENGTH = 200;

const EXAMPLE_ID = '6923f1c05d2e4b7a9c1f0e11';

const ImportPath = z.object({ id: z.string().meta({ example: EXAMPLE_ID }) });

const ColumnMap = z
  .custom<Record<string, string>>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(
        ([column, path]) => column.length <= MAX_COLUMN_LENGTH && typeof path === 'string' && path.length <= 100,
      ) &&
      Object.keys(value).length <= MAX_MAPPED_COLUMNS,
    `must be an object of at most ${MAX_MAPPED_COLUMNS} columns with the path of each`,
  )
  .meta({
    override: { type: 'object', additionalProperties: { type: 'string' } },
    description:
      'The path of each column: `email`, `data.<key>`, or `other` for a JSON object of further keys. Default: columns that are named like their path',
    example: { 'E-mail': 'email', 'Full name': 'data.name' },
  });

const Settings = z
  .strictObject({
    format: z.enum(['csv', 'ndjson'], 'must be csv or ndjson').default('csv').meta({ example: 'csv' }),
    mode: z
      .enum(['upsert', 'insert', 'update'], 'must be upsert, insert or update')
      .default('upsert')
      .meta({ example: 'upsert' }),
    arrays: z.enum(['append', 'replace'], 'must be append or replace').default('append').meta({ example: 'append' }),
    invalid: z.enum(['skip', 'abort'], 'must be skip or abort').default('skip').meta({ example: 'skip' }),
    map: ColumnMap.optional(),
    delimiter: z
      .enum(DELIMITERS, 'must be a comma, a semicolon, a tab or |')
      .optional()
      .meta({ description: 'Of CSV. Default: the one that the header has most often', example: ';' }),
    decimal: z.enum(['.', ','], 'must be . or ,').default('.').meta({ example: '.' }),
    dateFormat: z
      .string('must be a string')
      .max(40, 'is too long')
      .refine((format) => compileDateFormat(format) !== undefined, DATE_FORMAT_HELP)
      .optional()
      .meta({ description: 'Of date fields. Default: ISO 8601', example: 'DD/MM/YYYY' }),
    timeZone: z
      .string('must be a string')
      .max(100, 'is too long')
      .refine((name) => canonicalTimeZone(name) !== undefined, 'must be an IANA time zone like Europe/Berlin')
      .optional()
      .meta({ description: 'Of times without a zone. Default: that of the app', example: 'Europe/Berlin' }),
    dryRun: z.boolean('must be true or false').default(false).meta({ example: false }),
    fileName: z
      .string('must be a string')
      .regex(FILE_NAME, 'must have 1 to 200 characters, without @ and control characters')
      .optional()
      .meta({ description: 'The name of the file, which lists of imports show', example: 'people.csv' }),
  })
  .meta({ id: 'ImportSettings' });
export type ImportRequest = z.output<typeof Settings>;

const Count = z.int().nonnegative();
const Import = z
  .strictObject({
    id: z.string().meta({ example: EXAMPLE_ID }),
    state: z.enum(IMPORT_STATES).meta({ example: 'running' }),
    read: Count.meta({ description: 'The lines that were processed', example: 4 }),
    created: Count.meta({ example: 2 }),
    updated: Count.meta({ example: 1 }),
    unchanged: Count.meta({ example: 0 }),
    rejected: Count.meta({ example: 1 }),
    errors: z
      .array(z.strictObject({ line: z.int().positive(), message: z.string() }))
      .meta({ description: 'The first 20 rejected lines' }),
    received: Count.meta({ description: 'The bytes of the file that were received', example: 1024 }),
    position: Count.meta({ description: 'The bytes of the file that were processed', example: 512 }),
    settings: Settings,
    failure: z.string().optional(),
    createdAt: Timestamp,
    startedAt: Timestamp.optional(),
    endedAt: Timestamp.optional(),
  })
  .meta({ id: 'Import' });

const Received = z.strictObject({ received: Count.meta({ example: 1024 }) });

const shared = {
  auth: 'session or key',
  scope: 'import',
  tag: 'Imports',
  query: z.strictObject({ sourceAppId: ScopeParameter }),
  errors: [404],
} as const;

/** Spec 4.7. */
export const importEndpoints = {
  createImport: {
    ...shared,
    scoped: true,
    audit: 'import.created',
    method: 'post',
    path: '/auth/imports',
    load: 'light',
    summary: 'Prepare an import of records',
    description: 'Then send the file to `/auth/imports/:id/content`, and start the import.',
    body: jsonBody(Settings, 'Invalid import'),
    response: z.strictObject({ id: z.string().meta({ example: EXAMPLE_ID }) }),
    errors: [404, 409],
  },
  listImports: {
    ...shared,
    method: 'get',
    path: '/auth/imports',
    scoped: true,
    summary: 'The newest imports of the app',
    response: z.strictObject({ imports: z.array(Import) }),
  },
  sendImportContent: {
    ...shared,
    scoped: true,
    audit: 'import.uploaded',
    method: 'put',
    path: '/auth/imports/:id/content',
    summary: 'Send the file of an import, whole or in parts',
    description:
      'Without `Content-Range` the body is the whole file. With it, the body continues the file: its first byte must be the number of bytes received so far (416 otherwise). What arrived before a connection ended is kept.',
    params: ImportPath,
    headers: z.object({
      'content-range': z
        .string()
        .regex(/^bytes \d{1,15}-\d{1,15}\/(?:\d{1,15}|\*)$/, 'must be like bytes 0-1023/*')
        .optional()
        .meta({ example: 'bytes 0-1023/4096' }),
    }),
    upload: ['text/csv', 'application/x-ndjson', 'application/octet-stream'],
    slow: true,
    response: Received,
    errors: [404, 409, 416],
  },
  startImport: {
    ...shared,
    scoped: true,
    audit: 'import.started',
    method: 'post',
    path: '/auth/imports/:id/start',
    load: 'light',
    summary: 'Start an import',
    description: 'Checks that the file has the columns of `map`. Imports of an app run one after the other.',
    params: ImportPath,
    response: Ok,
    errors: [400, 404, 409],
  },
  getImport: {
    ...shared,
    method: 'get',
    path: '/auth/imports/:id',
    scoped: true,
    load: 'light',
    summary: 'The progress of an import',
    params: ImportPath,
    response: Import,
  },
  getImportRejects: {
    ...shared,
    scoped: true,
    audit: 'import.rejects.exported',
    method: 'get',
    path: '/auth/imports/:id/rejects.csv',
    load: 'long',
    summary: 'The rejected lines of an import',
    description: 'CSV with the number of each line, the reason, and the columns of the file.',
    params: ImportPath,
    slow: true,
    response: z.string(),
    downloads: ['text/csv'],
    responseHeaders: { 'Content-Disposition': 'An attachment' },
    errors: [404, 429],
  },
  deleteImport: {
    ...shared,
    scoped: true,
    audit: 'import.deleted',
    method: 'delete',
    path: '/auth/imports/:id',
    load: 'light',
    summary: 'Stop and delete an import',
    description: 'Records that it created or changed stay. A batch in progress may still be applied.',
    params: ImportPath,
    response: Ok,
  },
} as const satisfies Endpoints;
