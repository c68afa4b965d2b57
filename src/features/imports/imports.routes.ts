import type { Readable } from 'node:stream';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import { AppError, InvalidInput } from '../../platform/core/errors.ts';
import { Download } from '../../platform/http/reply.ts';
import { isCompressed } from '../../platform/http/request-bytes.ts';
import { component, Ok, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import { authorOf } from '../people/editing.ts';
import { Settings } from './import-settings.ts';
import { IMPORT_STATES, type ImportDocument, processedBytes, UNDO_STATES } from './imports.model.ts';
import type { ImportService } from './imports.service.ts';

const EXAMPLE_ID = '6923f1c05d2e4b7a9c1f0e11';

const ImportPath = z.object({ id: z.string().meta({ example: EXAMPLE_ID }) });

const Count = z.int().nonnegative();
const Import = component('Import', {
  id: z.string().meta({ example: EXAMPLE_ID }),
  state: z.enum(IMPORT_STATES).meta({ example: 'running' }),
  read: Count.meta({ description: 'The lines that were processed', example: 4 }),
  created: Count.meta({ example: 2 }),
  updated: Count.meta({ example: 1 }),
  unchanged: Count.meta({ example: 0 }),
  rejected: Count.meta({ example: 1 }),
  omitted: Count.optional().meta({ description: 'The values that lines were applied without', example: 1 }),
  errors: z
    .array(z.strictObject({ line: z.int().positive(), message: z.string() }))
    .meta({ description: 'The first 20 rejected lines' }),
  omissions: z
    .array(z.strictObject({ line: z.int().positive(), path: z.string(), message: z.string() }))
    .optional()
    .meta({ description: 'The first 20 values that were left out' }),
  received: Count.meta({ description: 'The bytes of the file that were received', example: 1024 }),
  position: Count.meta({ description: 'The bytes of the file that were processed', example: 512 }),
  settings: Settings,
  undo: z
    .strictObject({
      state: z.enum(UNDO_STATES).meta({ example: 'completed' }),
      done: Count.meta({ description: 'The records of the import that were processed', example: 3 }),
      restored: Count.meta({ description: 'Records that have values of before again', example: 1 }),
      erased: Count.meta({ description: 'Records that the import created', example: 1 }),
      kept: Count.meta({ description: 'Records that stay as they are', example: 1 }),
    })
    .optional()
    .meta({ description: 'What an undo did' }),
  failure: z.string().optional(),
  createdAt: Timestamp,
  startedAt: Timestamp.optional(),
  endedAt: Timestamp.optional(),
});

const Received = z.strictObject({ received: Count.meta({ example: 1024 }) });

const shared = {
  auth: 'session or key',
  scope: 'import',
  scoped: true,
  tag: 'Imports',
  query: z.strictObject({ sourceAppId: ScopeParameter }),
} as const;

const ofImport = { ...shared, params: ImportPath } as const;
const listOfLines = {
  ...ofImport,
  method: 'get',
  load: 'long',
  slow: true,
  response: z.string(),
  downloads: ['text/csv'],
  responseHeaders: { 'Content-Disposition': 'An attachment' },
  errors: [429],
} as const;

/** Spec 4.7. */
export const importEndpoints = {
  createImport: {
    ...shared,
    audit: 'import.created',
    method: 'post',
    path: '/auth/imports',
    load: 'light',
    summary: 'Prepare an import of records',
    description: 'Then send the file to `/auth/imports/:id/content`, and start the import.',
    body: jsonBody(Settings, 'invalidImport'),
    response: z.strictObject({ id: z.string().meta({ example: EXAMPLE_ID }) }),
    errors: [409],
  },
  listImports: {
    ...shared,
    method: 'get',
    path: '/auth/imports',
    summary: 'The newest imports of the app',
    response: z.strictObject({ imports: z.array(Import) }),
  },
  sendImportContent: {
    ...ofImport,
    audit: 'import.uploaded',
    method: 'put',
    path: '/auth/imports/:id/content',
    summary: 'Send the file of an import, whole or in parts',
    description:
      'Without `Content-Range` the body is the whole file. With it, the body continues the file: its first byte must be the number of bytes received so far (416 otherwise). What arrived before a connection ended is kept.',
    headers: z.object({
      'content-range': z
        .string()
        .regex(/^bytes \d{1,15}-\d{1,15}\/(?:\d{1,15}|\*)$/, code('notContentRange'))
        .optional()
        .meta({ example: 'bytes 0-1023/4096' }),
    }),
    upload: ['text/csv', 'application/x-ndjson', 'application/zip', 'application/octet-stream'],
    slow: true,
    response: Received,
    errors: [409, 416],
  },
  startImport: {
    ...ofImport,
    audit: 'import.started',
    method: 'post',
    path: '/auth/imports/:id/start',
    load: 'light',
    summary: 'Start an import',
    description: 'Checks that the file has the columns of `map`. Imports of an app run one after the other.',
    response: Ok,
    errors: [400, 409],
  },
  getImport: {
    ...ofImport,
    method: 'get',
    path: '/auth/imports/:id',
    load: 'light',
    summary: 'The progress of an import',
    response: Import,
  },
  getImportRejects: {
    ...listOfLines,
    audit: 'import.rejects.exported',
    path: '/auth/imports/:id/rejects.csv',
    summary: 'The rejected lines of an import',
    description: 'CSV with the number of each line, the reason, and the columns of the file.',
  },
  getImportOmissions: {
    ...listOfLines,
    audit: 'import.omissions.exported',
    path: '/auth/imports/:id/omissions.csv',
    summary: 'The values that an import left out',
    description: 'CSV with the number of the line, the path and the reason of each.',
  },
  undoImport: {
    ...ofImport,
    audit: 'import.undone',
    method: 'post',
    path: '/auth/imports/:id/undo',
    load: 'light',
    summary: 'Undo an import',
    description:
      'Erases the records that the import created and nobody has changed since, and restores the values before where those of the import are still stored, in the background. Other records are kept. Once, within 30 days after the end of the import.',
    response: Import,
    errors: [409],
  },
  deleteImport: {
    ...ofImport,
    audit: 'import.deleted',
    method: 'delete',
    path: '/auth/imports/:id',
    load: 'light',
    summary: 'Stop and delete an import',
    description: 'Records that it created or changed stay. A batch in progress may still be applied.',
    response: Ok,
  },
} as const satisfies Endpoints;

export const importRoutes = (service: ImportService): Route[] =>
  routes(importEndpoints, {
    createImport: async ({ app, body, audit }) => {
      const id = await service.create(app, body);
      audit({ target: id });
      return { id };
    },

    listImports: async ({ app }) => ({ imports: (await service.list(app)).map(present) }),

    sendImportContent: async ({ app, params, headers, req, recheck }) => {
      if (isCompressed(req)) throw new AppError(415, 'fileCompressed');
      req.mayBeSlow = true;
      const from = firstByte(headers['content-range']);
      const size = Number(req.headers['content-length'] ?? 0);
      return { received: await service.receive(app, params.id, from, req, { size, recheck }) };
    },

    startImport: ({ app, params }) => service.start(app, params.id),

    getImport: async ({ app, params }) => present(await service.get(app, params.id)),

    getImportRejects: async ({ app, params }) =>
      csv(`${app.sourceAppId}-rejects.csv`, await service.rejectsOf(app, params.id)),

    getImportOmissions: async ({ app, params }) =>
      csv(`${app.sourceAppId}-omissions.csv`, await service.omissionsOf(app, params.id)),

    undoImport: async ({ app, principal, params, until }) =>
      present(await service.undo(app, params.id, authorOf(principal, 'revert'), until)),

    deleteImport: ({ app, params }) => service.remove(app, params.id),
  });

const csv = (name: string, lines: Readable): Download => new Download(name, 'text/csv; charset=utf-8', lines);

/** @throws {InvalidInput} when the text is not a range */
function firstByte(contentRange: string | undefined): number | undefined {
  if (contentRange === undefined) return undefined;
  const [first = 0, last = 0, total] = contentRange.match(/\d+/g)?.map(Number) ?? [];
  if (last < first || (total !== undefined && total <= last)) {
    throw new InvalidInput('invalidHeaders', [{ path: 'content-range', ...say('notContentRange') }]);
  }
  return first;
}

/** The chunks, runs and hashes of an import are internal. */
export function present(one: ImportDocument) {
  const { settings, counters, firstErrors, firstOmissions, received, undo, failure, createdAt, startedAt, endedAt } =
    one;
  const { map, columns, ...rest } = settings;
  const { omitted = 0, ...counts } = counters;
  const omits = settings.invalidValues === 'omit';
  return {
    id: one._id.toHexString(),
    state: one.state as Exclude<ImportDocument['state'], 'deleting'>,
    ...counts,
    ...(omits && { omitted }),
    errors: firstErrors,
    ...(omits && { omissions: firstOmissions ?? [] }),
    received,
    position: processedBytes(one),
    settings: {
      ...rest,
      ...(map && { map: Object.fromEntries(map) }),
      ...(columns && { columns: Object.fromEntries(columns.map(({ column, ...own }) => [column, own])) }),
    },
    ...(undo && { undo: presentUndo(undo) }),
    ...(failure !== undefined && { failure }),
    createdAt: createdAt.toISOString(),
    ...(startedAt && { startedAt: startedAt.toISOString() }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  };
}

function presentUndo({ state, restored, erased, kept }: NonNullable<ImportDocument['undo']>) {
  return { state, done: restored + erased + kept, restored, erased, kept };
}
