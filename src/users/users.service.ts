import type { Readable } from 'node:stream';
import type { App } from '../apps/apps.service.ts';
import { NotFound } from '../core/errors.ts';
import type { SchemaService } from '../schemas/schemas.service.ts';
import { type ExportFormat, exportUsers } from './export/export.ts';
import type { RecordBatches } from './record-json.ts';
import type { UserFilter, UserPage, UserSearch } from './user-search.ts';
import type { UserStore } from './user-store.ts';
import type { DetailedRecord, UserRecord } from './users.presenter.ts';

export type UserService = ReturnType<typeof createUserService>;

/** The rules of user records (spec 2.1, 2.4, 4.1 and 4.3). */
export function createUserService(deps: { schemas: SchemaService; store: UserStore; search: UserSearch }) {
  const { schemas, store, search } = deps;

  return {
    /**
     * All records of an app as BSON, newest first, with back-pressure (spec 4.3).
     *
     * @param signal ends the iteration
     */
    list: (app: Pick<App, 'id'>, signal?: AbortSignal): RecordBatches => store.ofApp(app.id, signal),

    /** All records of an app, decoded, newest first, with back-pressure. */
    each: (app: Pick<App, 'id'>): AsyncIterable<UserRecord> => search.all(app.id, {}),

    /**
     * Resolves with a page of an app's matching records and the total number of matches.
     * @throws {Unavailable} when the search exceeds its time limit
     */
    search: (app: Pick<App, 'id'>, page: UserPage): Promise<{ total: number; users: RecordBatches }> =>
      search.page(app.id, page),

    /** Resolves with one record of an app. @throws {NotFound} when the app has none of this id */
    async get(app: Pick<App, 'id'>, id: string): Promise<DetailedRecord> {
      const user = await store.find(app.id, id);
      if (!user) throw new NotFound('User not found');
      return user;
    },

    /**
     * Deletes one record of an app permanently. A submission in flight may create a new one.
     * @throws {NotFound} when the app has none of this id
     */
    async erase(app: Pick<App, 'id'>, id: string): Promise<void> {
      if (!(await store.erase(app.id, id))) throw new NotFound('User not found');
    },

    /**
     * Streams an app's matching records as UTF-8 text, newest first. CSV has the columns of the
     * newest schema. The stream fails with the error of the read.
     *
     * @param options.bom whether CSV begins with the UTF-8 byte order mark
     * @param options.signal ends the iteration
     * @throws {NotFound} when the app was deleted
     */
    async export(
      app: Pick<App, 'id'>,
      filter: UserFilter,
      { format, bom, signal }: { format: ExportFormat; bom?: boolean; signal?: AbortSignal },
    ): Promise<Readable> {
      const { fields } = await schemas.ofApp(app);
      const keys = fields.map(({ key }) => key);
      return exportUsers(search.all(app.id, filter, signal), format, keys, bom);
    },

    /** A page of the records of one app, or of all apps, as BSON, newest first (spec 4.4). */
    listAcrossApps: (page: { sourceAppId?: string | undefined; limit: number; skip: number }): RecordBatches =>
      store.page(page.sourceAppId, page.limit, page.skip),
  };
}
