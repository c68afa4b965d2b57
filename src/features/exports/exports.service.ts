import { Readable } from 'node:stream';
import type { App } from '../../core/apps/app.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import { OWN_MEMBERS, type RecordBatches, recordsAsJson } from '../../core/users/record-json.ts';
import { say } from '../../platform/languages/reasons.ts';
import { plainLabel } from '../display/marks.ts';
import type { RecordPages } from '../record-reads/record-pages.ts';
import { CONFIRMATION_MEMBERS } from '../records/confirmations.ts';
import { findTarget, invalidQuery } from '../search/conditions.ts';
import type { ReadQueriedApp } from '../search/queried-app.ts';
import type { UserQuery } from '../search/user-query.ts';
import { parseQuery, type QueryRequest } from '../search/users.service.ts';
import { type CsvColumn, type ExportDelimiter, recordsAsCsv } from './csv.ts';
import { zipOf } from './zip.ts';
import { type ExportedFiles, zipEntries } from './zip-export.ts';

export const exportFormats = ['csv', 'ndjson', 'json', 'zip'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Members that only some records have. */
const listed = Object.keys(CONFIRMATION_MEMBERS);

const OWN_COLUMNS: readonly string[] = OWN_MEMBERS.filter((member) => member !== 'data');

/** Object streams would buffer 16 pieces. */
export const BYTES = { objectMode: false, highWaterMark: 64 * 1024 };

interface CsvOptions {
  bom?: boolean | undefined;
  delimiter?: ExportDelimiter | undefined;
  /** Default: the record's own columns, one for each field of the newest schema, and `other`. */
  columns?: readonly CsvColumn[] | undefined;
}

/**
 * Streams records as UTF-8 text with back-pressure, so memory use does not depend on their number
 * (invariant 6). `csv` follows RFC 4180, with `keys` of the newest schema. The stream fails when
 * `records` fails, and closes `records` when it is destroyed.
 */
export function exportUsers(
  records: RecordBatches,
  format: Exclude<ExportFormat, 'zip'>,
  keys: readonly string[],
  { bom = false, columns = defaultColumns(keys), delimiter }: CsvOptions = {},
): Readable {
  if (format === 'csv') return Readable.from(recordsAsCsv(records, { columns, keys, bom, delimiter }), BYTES);
  if (format === 'ndjson')
    return Readable.from(recordsAsJson(records, OWN_MEMBERS, { listed, after: '}\n', between: '' }), BYTES);
  return Readable.from(toArray(records), BYTES);
}

/** The columns of a CSV file, with their names as headers, and `optional` members of records. */
export function defaultColumns(keys: readonly string[], optional: readonly string[] = []): CsvColumn[] {
  return [...OWN_COLUMNS, ...optional, ...keys.map((key) => `data.${key}`), 'other'].map((name) => ({
    name,
    header: name,
  }));
}

async function* toArray(records: RecordBatches): AsyncGenerator<Uint8Array | string> {
  let isEmpty = true;
  for await (const piece of recordsAsJson(records, OWN_MEMBERS, { listed, between: ',\n' })) {
    if (isEmpty) yield '[\n';
    isEmpty = false;
    yield piece;
  }
  yield isEmpty ? '[]\n' : '\n]\n';
}

/** The columns of the fields; lists of choices are written as texts. */
export function choiceColumns(fields: readonly Pick<FieldDefinition, 'key' | 'kind'>[]): CsvColumn[] {
  return fields.map(({ key, kind }) => ({
    name: `data.${key}`,
    header: `data.${key}`,
    ...(getKind(kind).cell === 'choices' && { hasChoices: true }),
  }));
}

interface FileRequest {
  format: ExportFormat;
  bom?: boolean | undefined;
  delimiter?: ExportDelimiter | undefined;
  /** Comma-separated. */
  columns?: string | undefined;
  headers?: 'labels' | 'paths' | undefined;
}

/** The most columns that a request may name: all fields of a schema, and extra keys. */
const MAX_COLUMNS = 300;

/** @throws {InvalidInput} when the app has no such column, or one is named twice */
function exportColumns(
  { columns, headers }: Pick<FileRequest, 'columns' | 'headers'>,
  schema: { fields: readonly FieldDefinition[]; rejectUnknown: boolean },
  asksToConfirm = false,
): CsvColumn[] {
  const keys = schema.fields.map(({ key }) => key);
  const all = defaultColumns(keys, asksToConfirm ? listed : []);
  const names = columns?.split(',') ?? all.map(({ name }) => name);
  const isKnown = (name: string): boolean =>
    name.startsWith('data.')
      ? findTarget(name, schema) !== undefined
      : [...OWN_COLUMNS, ...listed, 'other'].includes(name);
  if (!names.every(isKnown)) throw invalidQuery('columns', 'notColumns');
  if (new Set(names).size !== names.length) throw invalidQuery('columns', 'columnTwice');
  if (names.length > MAX_COLUMNS) throw invalidQuery('columns', say('tooManyColumns', { max: MAX_COLUMNS }));
  const choices = new Set(choiceColumns(schema.fields).flatMap(({ name, hasChoices }) => (hasChoices ? [name] : [])));
  const labels = new Map(
    headers === 'labels' ? schema.fields.map((field) => [`data.${field.key}`, plainLabel(field)]) : [],
  );
  return names.map((name) => ({
    name,
    header: labels.get(name) ?? name,
    ...(choices.has(name) && { hasChoices: true }),
  }));
}

export type ExportService = ReturnType<typeof createExportService>;

type ExportedApp = Pick<App, 'id' | 'sourceAppId'>;

/** The files of an app's records (spec 4.3). */
export function createExportService(deps: {
  apps: Pick<AppService, 'find'>;
  queried: ReadQueriedApp;
  query: Pick<UserQuery, 'all'>;
  pages: Pick<RecordPages, 'named'>;
  files: ExportedFiles['files'];
}) {
  const { apps, queried, query, pages, files } = deps;

  /** @param read reads the records, once the columns are valid */
  async function fileOf(
    app: ExportedApp,
    request: FileRequest & Pick<QueryRequest, 'q'>,
    read: (queriedApp: Awaited<ReturnType<ReadQueriedApp>>) => Promise<RecordBatches> | RecordBatches,
  ): Promise<Readable> {
    const queriedApp = await queried(app, request);
    const { schema } = queriedApp;
    const columns = exportColumns(request, schema, (await apps.find(app.sourceAppId))?.form?.doubleOptIn);
    const keys = schema.fields.map(({ key }) => key);
    const { format, bom, delimiter } = request;
    const records = await read(queriedApp);
    if (format !== 'zip') return exportUsers(records, format, keys, { bom, columns, delimiter });
    const csvOf = (all: RecordBatches) => recordsAsCsv(all, { columns, keys, bom: bom ?? false, delimiter });
    return zipOf(zipEntries(records, schema.fields, csvOf, { appId: app.id, files }));
  }

  return {
    /**
     * Streams an app's matching records until `signal` aborts; fails with the error of the read.
     * @throws {InvalidInput} for an invalid query or column @throws {NotFound} for a deleted app
     */
    matching: (
      app: ExportedApp,
      request: QueryRequest & FileRequest,
      { signal }: { signal?: AbortSignal } = {},
    ): Promise<Readable> =>
      fileOf(app, request, ({ schema, slotOf }) => query.all(app.id, parseQuery(request, schema), slotOf, signal)),

    /** Like `matching`, for ids, newest first; omits unknown ids (spec 4.3). Throws likewise. */
    selected: (app: ExportedApp, ids: readonly string[], request: FileRequest): Promise<Readable> =>
      fileOf(app, request, () => pages.named(app.id, ids)),
  };
}
