import type { Readable } from 'node:stream';
import type { App } from '../apps/app.ts';
import type { AppService } from '../apps/apps.service.ts';
import type { RecordBatches } from '../records/record-json.ts';
import type { UserStore } from '../records/user-store.ts';
import type { ReadQueriedApp } from '../search/queried-app.ts';
import { parseQuery } from '../search/user-finder.ts';
import type { UserQuery } from '../search/user-query.ts';
import { columnsOf, type ExportRequest, exportUsers, type FileRequest } from './export.ts';

export type ExportService = ReturnType<typeof createExportService>;

type ExportedApp = Pick<App, 'id' | 'sourceAppId'>;

/** The files of an app's records (spec 4.3). */
export function createExportService(deps: {
  apps: Pick<AppService, 'find'>;
  queried: ReadQueriedApp;
  query: Pick<UserQuery, 'all'>;
  store: Pick<UserStore, 'byIds'>;
}) {
  const { apps, queried, query, store } = deps;

  /** @param read reads the records, once the columns are known to exist */
  async function fileOf(
    app: ExportedApp,
    request: FileRequest,
    read: (queriedApp: Awaited<ReturnType<ReadQueriedApp>>) => Promise<RecordBatches> | RecordBatches,
  ): Promise<Readable> {
    const queriedApp = await queried(app);
    const { schema } = queriedApp;
    const columns = columnsOf(request, schema, (await apps.find(app.sourceAppId))?.form?.doubleOptIn);
    const keys = schema.fields.map(({ key }) => key);
    return exportUsers(await read(queriedApp), request.format, keys, { bom: request.bom, columns });
  }

  return {
    /**
     * Streams an app's matching records as UTF-8 text, newest first or in the order of the query.
     * By default CSV has the columns of the newest schema. The stream fails with the error of the
     * read.
     *
     * @param options.signal ends the iteration
     * @throws {InvalidInput} for an invalid query or column
     * @throws {NotFound} when the app was deleted
     */
    matching: (
      app: ExportedApp,
      request: ExportRequest,
      { signal }: { signal?: AbortSignal } = {},
    ): Promise<Readable> =>
      fileOf(app, request, ({ schema, slotOf }) => query.all(app.id, parseQuery(request, schema), slotOf, signal)),

    /**
     * Streams the records of these ids like `matching`, newest first (spec 4.3). Ids of which the
     * app has no record are left out.
     * @throws {InvalidInput} for an invalid column @throws {NotFound} when the app was deleted
     */
    selected: (app: ExportedApp, ids: readonly string[], request: FileRequest): Promise<Readable> =>
      fileOf(app, request, () => store.byIds(app.id, ids)),
  };
}
