import type { ObjectId } from 'mongodb';
import type { App } from '../../core/apps/app.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import { NotFound } from '../../platform/core/errors.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import type { DetailedRecord } from '../record-reads/record-details.ts';
import type { FindDetails } from '../record-reads/record-reader.ts';

import type { RecordEraser } from '../records/erasure.ts';
import type { Breakdown, UserBreakdown } from './breakdown.ts';
import type { BulkErase } from './bulk-erase.ts';
import { invalidQuery, parseSort, parseWhere, type QuerySchema } from './conditions.ts';
import type { PeopleRequest, PeopleSearch } from './people-search.ts';
import type { Query } from './plan.ts';
import type { ReadQueriedApp, ReadySlot, SlotOf } from './queried-app.ts';
import { textSearch } from './text-search.ts';
import type { AnsweredPage, PageStart, UserQuery } from './user-query.ts';

export interface QueryRequest {
  where?: readonly string[] | undefined;
  q?: string | undefined;
  sort?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
}

export interface PageRequest extends QueryRequest {
  limit: number;
  skip?: number | undefined;
  cursor?: string | undefined;
  total?: 'exact' | 'capped' | 'none' | undefined;
}

/** The content of a cursor: the position, and the index slots of its plan. */
interface SignedPosition {
  start: PageStart;
  slots: Record<string, ReadySlot>;
}

interface QueryApp {
  id: ObjectId;
  schema: QuerySchema;
  slotOf: SlotOf;
}

export type UserService = ReturnType<typeof createUserService>;

/** The rules of user records (spec 2.1, 2.4, 4.1 and 4.3). */
export function createUserService(deps: {
  apps: Pick<AppService, 'find'>;
  findPeople: PeopleSearch;
  queried: ReadQueriedApp;
  query: UserQuery;
  findDetails: FindDetails;
  erase: RecordEraser;
  bulkErase: BulkErase;
  breakDown: UserBreakdown;
}) {
  const { apps, findPeople, queried, query, findDetails, erase, bulkErase, breakDown } = deps;

  return {
    /** @throws {Unavailable} when this exceeds its time limit */
    page: async (app: Pick<App, 'id'>, request: PlainPageRequest) => plainPage(query, await queried(app), request),

    /** @throws {NotFound} */
    async get(app: Pick<App, 'id'>, id: string): Promise<DetailedRecord> {
      const user = await findDetails(app.id, id);
      if (!user) throw new NotFound('userNotFound');
      return user;
    },

    /** A submission in flight may create a new record. @throws {NotFound} */
    async erase(app: Pick<App, 'id'>, id: string): Promise<void> {
      const _id = parseUuid(id);
      if (!_id || (await erase(app.id, [_id])) === 0) throw new NotFound('userNotFound');
    },

    /** Resolves with a page of matches (spec 4.3). @throws {InvalidInput} @throws {NotFound} */
    async find(app: Pick<App, 'id'>, request: PageRequest, cursors: Cursors): Promise<AnsweredPage> {
      return findUsers(query, cursors, await queried(app, request), request);
    },

    /** Erases all matches if `confirm` is their number. @throws {InvalidInput | Conflict} */
    async eraseMatching(
      app: Pick<App, 'id'>,
      request: QueryRequest,
      options: Parameters<BulkErase>[3],
    ): Promise<number> {
      const { schema, slotOf } = await queried(app, request);
      return bulkErase(app.id, parseQuery(request, schema), slotOf, options);
    },

    /** @throws {InvalidInput} for an invalid query or field @throws {NotFound} */
    async breakdown(
      app: Pick<App, 'id'>,
      { field, timeZone, ...request }: QueryRequest & { field: string; timeZone: string },
    ): Promise<Breakdown> {
      const queriedApp = await queried(app, request);
      return breakDown(app.id, field, parseQuery(request, queriedApp.schema), { ...queriedApp, timeZone });
    },

    /** A search across apps, or in one of them (spec 4.4). @throws {InvalidInput} */
    async findAcrossApps(
      { sourceAppId, ...request }: PeopleRequest & { sourceAppId?: string | undefined },
      cursors: Cursors,
    ): Promise<AnsweredPage> {
      if (sourceAppId === undefined) return findPeople(request, cursors);
      const app = await apps.find(sourceAppId);
      if (!app) return { users: noRecords(), rest: { complete: true } };
      return findUsers(query, cursors, await queried(app, request), { ...request, total: 'none' });
    },
  };
}

/** Parses a query with the newest schema of its app. @throws {InvalidInput} */
export function parseQuery(request: QueryRequest, schema: QuerySchema): Query {
  const { where = [], q, sort, order } = request;
  return {
    predicates: parseWhere(where, schema),
    search: q === undefined ? undefined : textSearch(q, schema.isSearchReady),
    sort: parseSort(sort, order, schema),
    isSorted: sort !== undefined || order !== undefined,
  };
}

/** @throws {InvalidInput} for invalid conditions, and for a cursor of another query (spec 4.3) */
export async function findUsers(
  query: UserQuery,
  cursors: Cursors,
  app: QueryApp,
  request: PageRequest,
): Promise<AnsweredPage> {
  const { cursor, limit, skip = 0, total = cursor === undefined ? 'capped' : 'none' } = request;
  const parsed = parseQuery(request, app.schema);
  const bound = boundTo(app.id, request);
  const signed = cursors.read<SignedPosition>(cursor, bound);
  const slots = signed?.slots ?? slotsUsed(parsed, app.slotOf);
  for (const [key, { use }] of Object.entries(slots))
    if (app.slotOf(key)?.use !== use) throw invalidQuery('cursor', 'indexChanged');
  const page = await query.page(app.id, parsed, (key) => (Object.hasOwn(slots, key) ? slots[key] : undefined), {
    limit,
    skip,
    total,
    start: signed?.start,
  });
  const next = page.next && { next: cursors.write({ start: page.next, slots } satisfies SignedPosition, bound) };
  return { users: page.users, rest: { ...page.total, ...next, complete: page.isComplete } };
}

interface PlainPageRequest extends Pick<QueryRequest, 'sort' | 'order'> {
  limit: number;
  skip: number;
}

/** A page and the number of all records. @throws {Unavailable} when this takes too long */
export function plainPage(query: UserQuery, { id, schema, slotOf }: QueryApp, request: PlainPageRequest) {
  const { sort, order, limit, skip } = request;
  // An unknown key is compared as text, also when the app does not accept it.
  const parsed = parseQuery({ sort, order }, { ...schema, rejectUnknown: false });
  return query.plainPage(id, parsed, slotOf, { limit, skip });
}

/** The parts of a request to which its cursors belong. */
function boundTo(appId: ObjectId, { where = [], q, sort, order }: PageRequest): unknown {
  return ['users', appId.toHexString(), [...where].sort(), q, sort, order];
}

/** By key. A cursor keeps them. */
function slotsUsed({ predicates, sort }: Query, slotOf: SlotOf): Record<string, ReadySlot> {
  const keys = [sort.target.key, ...predicates.map(({ target }) => target.key)];
  const entries = keys.flatMap((key) => {
    const slot = key === undefined ? undefined : slotOf(key);
    return slot === undefined ? [] : [[key, slot] as const];
  });
  return Object.fromEntries(entries);
}

async function* noRecords(): AsyncGenerator<Uint8Array[]> {}
