import type { Readable } from 'node:stream';
import type { Cursors } from '../api/cursors.ts';
import type { App } from '../apps/app.ts';
import type { AppService } from '../apps/apps.service.ts';
import { NotFound } from '../core/errors.ts';
import type { CsvColumn } from '../exports/csv.ts';
import { columnsOf, type ExportRequest, exportUsers, type FileRequest } from '../exports/export.ts';
import type { DetailedRecord, RecordBatches, UserRecord } from '../records/record-json.ts';
import type { RecentRenames } from '../records/record-moves.ts';
import type { SlotStore } from '../records/slot-store.ts';
import type { UserStore } from '../records/user-store.ts';
import type { AppSchema } from '../schemas/schema-store.ts';
import type { SchemaService } from '../schemas/schemas.service.ts';
import type { Breakdown, UserBreakdown } from './breakdown.ts';
import type { BulkErase } from './bulk-erase.ts';
import type { PeopleRequest, PeopleSearch } from './people-search.ts';
import { NO_SLOTS, readySlots } from './ready-slots.ts';
import type { QueryRequest } from './request.ts';
import { type AnsweredPage, findUsers, type PageRequest, queryOf } from './user-finder.ts';
import type { UserQuery } from './user-query.ts';
import { type FoundUsers, isSortedByField, type UserPage, type UserSearch } from './user-search.ts';

export type UserService = ReturnType<typeof createUserService>;

/** The rules of user records (spec 2.1, 2.4, 4.1 and 4.3). */
export function createUserService(deps: {
  apps: Pick<AppService, 'find'>;
  people: PeopleSearch;
  schemas: SchemaService;
  store: UserStore;
  search: UserSearch;
  query: UserQuery;
  bulkErase: BulkErase;
  breakDown: UserBreakdown;
  slotStore: Pick<SlotStore, 'ofApps'>;
  recentRenames: RecentRenames;
}) {
  const { apps, people, schemas, store, search, query, bulkErase, breakDown, slotStore, recentRenames } = deps;

  async function queried({ id }: Pick<App, 'id'>) {
    // The renames first: when they are done meanwhile, no record is read under an old key.
    const renames = (await recentRenames()).get(id.toHexString());
    const schema = { ...(await schemas.ofApp({ id })), renames };
    const isIndexed = schema.fields.some((field) => 'indexed' in field && field.indexed);
    const [app] = isIndexed ? await slotStore.ofApps([id]) : [];
    return { id, schema, slotOf: app ? readySlots(app.slots, schema) : NO_SLOTS };
  }

  /** The columns that an export asks for. */
  async function columnsIn(
    app: Pick<App, 'sourceAppId'>,
    request: FileRequest,
    schema: AppSchema,
  ): Promise<CsvColumn[]> {
    return columnsOf(request, schema, (await apps.find(app.sourceAppId))?.form?.doubleOptIn);
  }

  return {
    /**
     * All records of an app as BSON, newest first, with back-pressure (spec 4.3).
     *
     * @param signal ends the iteration
     */
    list: (app: Pick<App, 'id'>, signal?: AbortSignal): RecordBatches => store.ofApp(app.id, signal),

    /** All records of an app, decoded, newest first, with back-pressure. */
    each: (app: Pick<App, 'id'>): AsyncIterable<UserRecord> => search.all(app.id),

    /**
     * Resolves with a page of an app's matching records and the total number of matches.
     * @throws {Unavailable} when the search exceeds its time limit
     */
    search: async (app: Pick<App, 'id'>, page: UserPage): Promise<FoundUsers> =>
      isSortedByField(page) ? search.pageByField(await queried(app), page) : search.page(app.id, page),

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
     * Resolves with a page of the records that match a query (spec 4.3).
     * @throws {InvalidInput} for an invalid query or cursor @throws {NotFound}
     */
    async find(app: Pick<App, 'id'>, request: PageRequest, cursors: Cursors): Promise<AnsweredPage> {
      return findUsers(query, cursors, await queried(app), request);
    },

    /**
     * Erases all records that match a query; resolves with their number (spec 4.3).
     *
     * @param options.confirm the number of matches that the caller expects
     * @param options.signal ends the work after the current step
     * @throws {InvalidInput} @throws {Conflict} when `confirm` is not the number of matches
     */
    async eraseMatching(
      app: Pick<App, 'id'>,
      request: QueryRequest,
      options: { confirm: number; signal: AbortSignal },
    ): Promise<number> {
      const { schema, slotOf } = await queried(app);
      return bulkErase(app.id, queryOf(request, schema), slotOf, options);
    },

    /**
     * Resolves with how the records that match a query divide by the values of a field (spec 4.3).
     * @throws {InvalidInput} for an invalid query or field @throws {NotFound}
     */
    async breakdown(app: Pick<App, 'id'>, field: string, request: QueryRequest): Promise<Breakdown> {
      const queriedApp = await queried(app);
      return breakDown(app.id, field, queryOf(request, queriedApp.schema), queriedApp);
    },

    /**
     * Streams an app's matching records as UTF-8 text, newest first or in the order of the query.
     * By default CSV has the columns of the newest schema. The stream fails with the error of the
     * read.
     *
     * @param options.signal ends the iteration
     * @throws {InvalidInput} for an invalid query or column
     * @throws {NotFound} when the app was deleted
     */
    async export(
      app: Pick<App, 'id' | 'sourceAppId'>,
      request: ExportRequest,
      { signal }: { signal?: AbortSignal } = {},
    ): Promise<Readable> {
      const { schema, slotOf } = await queried(app);
      const columns = await columnsIn(app, request, schema);
      const records = await query.all(app.id, queryOf(request, schema), slotOf, signal);
      return fileOf(records, request, schema, columns);
    },

    /**
     * Streams the records of these ids like `export`, newest first (spec 4.3). Ids of which the app
     * has no record are left out.
     * @throws {InvalidInput} for an invalid column @throws {NotFound} when the app was deleted
     */
    async exportSelected(
      app: Pick<App, 'id' | 'sourceAppId'>,
      ids: readonly string[],
      request: FileRequest,
    ): Promise<Readable> {
      const { schema } = await queried(app);
      const columns = await columnsIn(app, request, schema);
      return fileOf(store.byIds(app.id, ids), request, schema, columns);
    },

    /**
     * Resolves with a page of a search across all apps, or in one of them (spec 4.4).
     * @throws {InvalidInput} for an invalid query or cursor
     */
    async findAcrossApps(
      { sourceAppId, ...request }: PeopleRequest & { sourceAppId?: string | undefined },
      cursors: Cursors,
    ): Promise<AnsweredPage> {
      if (sourceAppId === undefined) return people.find(request, cursors);
      const app = await apps.find(sourceAppId);
      if (!app) return { users: noRecords(), rest: { complete: true } };
      return findUsers(query, cursors, await queried(app), { ...request, total: 'none' });
    },

    /** A page of the records of one app, or of all apps, as BSON, newest first (spec 4.4). */
    listAcrossApps: (page: { sourceAppId?: string | undefined; limit: number; skip: number }): RecordBatches =>
      store.page(page.sourceAppId, page.limit, page.skip),
  };
}

function fileOf(
  records: RecordBatches,
  { format, bom }: FileRequest,
  { fields }: Pick<AppSchema, 'fields'>,
  columns: CsvColumn[],
): Readable {
  const keys = fields.map(({ key }) => key);
  return exportUsers(records, format, keys, { bom, columns });
}

async function* noRecords(): AsyncGenerator<Uint8Array[]> {}
