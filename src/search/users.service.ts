import type { Cursors } from '../api/cursors.ts';
import type { App } from '../apps/app.ts';
import type { AppService } from '../apps/apps.service.ts';
import { NotFound } from '../core/errors.ts';
import type { RecordEraser } from '../records/erasure.ts';
import { parseRecordId } from '../records/record-id.ts';
import type { DetailedRecord, RecordBatches } from '../records/record-json.ts';
import type { RecordPages } from '../records/record-pages.ts';
import type { RecordReader } from '../records/record-reader.ts';
import type { Breakdown, UserBreakdown } from './breakdown.ts';
import type { BulkErase } from './bulk-erase.ts';
import type { PeopleRequest, PeopleSearch } from './people-search.ts';
import type { ReadQueriedApp } from './queried-app.ts';
import {
  type AnsweredPage,
  findUsers,
  type PageRequest,
  type PlainPageRequest,
  parseQuery,
  plainPage,
  type QueryRequest,
} from './user-finder.ts';
import type { UserQuery } from './user-query.ts';

export type UserService = ReturnType<typeof createUserService>;

/** The rules of user records (spec 2.1, 2.4, 4.1 and 4.3). */
export function createUserService(deps: {
  apps: Pick<AppService, 'find'>;
  people: PeopleSearch;
  queried: ReadQueriedApp;
  query: UserQuery;
  pages: Pick<RecordPages, 'all' | 'slice'>;
  reader: Pick<RecordReader, 'findDetails'>;
  erase: RecordEraser;
  bulkErase: BulkErase;
  breakDown: UserBreakdown;
}) {
  const { apps, people, queried, query, pages, reader, erase, bulkErase, breakDown } = deps;

  return {
    /** All records of an app as BSON, newest first (spec 4.3). */
    list: (app: Pick<App, 'id'>, signal?: AbortSignal): RecordBatches => pages.all(app.id, {}, signal),

    /** @throws {Unavailable} when this exceeds its time limit */
    page: async (app: Pick<App, 'id'>, request: PlainPageRequest) => plainPage(query, await queried(app), request),

    /** @throws {NotFound} */
    async get(app: Pick<App, 'id'>, id: string): Promise<DetailedRecord> {
      const user = await reader.findDetails(app.id, id);
      if (!user) throw new NotFound('User not found');
      return user;
    },

    /** A submission in flight may create a new record. @throws {NotFound} */
    async erase(app: Pick<App, 'id'>, id: string): Promise<void> {
      const _id = parseRecordId(id);
      if (!_id || (await erase(app.id, [_id])) === 0) throw new NotFound('User not found');
    },

    /** Resolves with a page of matches (spec 4.3). @throws {InvalidInput} @throws {NotFound} */
    async find(app: Pick<App, 'id'>, request: PageRequest, cursors: Cursors): Promise<AnsweredPage> {
      return findUsers(query, cursors, await queried(app, request), request);
    },

    /** Erases all matches if `confirm` is their number. @throws {InvalidInput | Conflict} */
    async eraseMatching(
      app: Pick<App, 'id'>,
      request: QueryRequest,
      options: { confirm: number; signal: AbortSignal },
    ): Promise<number> {
      const { schema, slotOf } = await queried(app, request);
      return bulkErase(app.id, parseQuery(request, schema), slotOf, options);
    },

    /** @throws {InvalidInput} for an invalid query or field @throws {NotFound} */
    async breakdown(app: Pick<App, 'id'>, field: string, request: QueryRequest): Promise<Breakdown> {
      const queriedApp = await queried(app, request);
      return breakDown(app.id, field, parseQuery(request, queriedApp.schema), queriedApp);
    },

    /** A search across apps, or in one of them (spec 4.4). @throws {InvalidInput} */
    async findAcrossApps(
      { sourceAppId, ...request }: PeopleRequest & { sourceAppId?: string | undefined },
      cursors: Cursors,
    ): Promise<AnsweredPage> {
      if (sourceAppId === undefined) return people.find(request, cursors);
      const app = await apps.find(sourceAppId);
      if (!app) return { users: noRecords(), rest: { complete: true } };
      return findUsers(query, cursors, await queried(app, request), { ...request, total: 'none' });
    },

    /** A page of one app, or of all apps, as BSON, newest first (spec 4.4). */
    async *listAcrossApps(page: { sourceAppId?: string | undefined; limit: number; skip: number }): RecordBatches {
      const { sourceAppId } = page;
      const app = sourceAppId === undefined ? undefined : await apps.find(sourceAppId);
      if (sourceAppId === undefined || app) yield* pages.slice(app?.id, page);
    },
  };
}

async function* noRecords(): AsyncGenerator<Uint8Array[]> {}
