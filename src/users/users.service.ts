import type { Readable } from 'node:stream';
import type { App } from '../apps/apps.service.ts';
import { NotFound } from '../core/errors.ts';
import type { SchemaService } from '../schemas/schemas.service.ts';
import { type ExportFormat, exportUsers } from './export/export.ts';
import type { RecordBatches } from './record-json.ts';
import type { UserFilter, UserPage, UserSearch } from './user-search.ts';
import type { UserStore } from './user-store.ts';
import type { UserRecord } from './users.presenter.ts';

export type UserService = ReturnType<typeof createUserService>;

/** The rules of user records (spec 2.1, 2.4, 4.1 and 4.3). */
export function createUserService(deps: { schemas: SchemaService; store: UserStore; search: UserSearch }) {
  const { schemas, store, search } = deps;

  return {
    /** All records of an app, newest first, read as they are consumed (spec 4.3). @param signal ends the reading early */
    list: (app: Pick<App, 'id'>, signal?: AbortSignal): RecordBatches => store.ofApp(app.id, signal),

    /** The same, one by one and decoded, for whoever looks into them. */
    each: (app: Pick<App, 'id'>): AsyncIterable<UserRecord> => search.all(app.id, {}),

    /** A page of an app's records that match, and how many match in all. @throws {Unavailable} when that takes too long */
    search: (app: App, page: UserPage): Promise<{ total: number; users: RecordBatches }> => search.page(app.id, page),

    /** One record of an app, by its id. @throws {NotFound} also for another app's */
    async get(app: App, id: string): Promise<UserRecord> {
      const user = await store.find(app.id, id);
      if (!user) throw new NotFound('User not found');
      return user;
    },

    /** Erases one record of an app for good. A submission of that person that is in flight may make a new one. @throws {NotFound} also for another app's */
    async erase(app: App, id: string): Promise<void> {
      if (!(await store.erase(app.id, id))) throw new NotFound('User not found');
    },

    /**
     * Streams an app's matching records as a file, newest first. CSV has the columns of the newest schema.
     *
     * @param options.bom whether CSV begins with the UTF-8 byte order mark
     * @param options.signal ends the reading early
     */
    async export(
      app: App,
      filter: UserFilter,
      { format, bom, signal }: { format: ExportFormat; bom?: boolean; signal?: AbortSignal },
    ): Promise<Readable> {
      const { fields } = await schemas.ofApp(app);
      const keys = fields.map(({ key }) => key);
      return exportUsers(search.all(app.id, filter, signal), format, keys, bom);
    },

    /** A page of the records of all apps, or of one, newest first (spec 4.4). */
    listAcrossApps: (page: { sourceAppId?: string | undefined; limit: number; skip: number }): RecordBatches =>
      store.page(page.sourceAppId, page.limit, page.skip),
  };
}
