import type { mongo, Types } from 'mongoose';
import { Unavailable } from '../core/errors.ts';
import { decode, literal } from '../database/collections.ts';
import { isOverTime } from '../database/failures.ts';
import type { PendingRenames } from '../fields/renames.ts';
import { createReadQueues, type ReadQueues } from '../records/read-queues.ts';
import type { UserCollection, UserDocument } from '../records/record.ts';
import type { RecordBatches, UserRecord } from '../records/record-json.ts';
import { NO_RENAMES, type RecentRenames } from '../records/record-moves.ts';
import { createRecordPages, type RecordPages } from '../records/record-pages.ts';
import type { OpenSlice } from '../records/record-slice.ts';
import { eitherPlace } from './condition-filters.ts';
import type { QuerySchema } from './conditions.ts';
import type { SlotOf } from './ready-slots.ts';
import { parseQuery } from './request.ts';
import { createUserQuery, type UserQuery } from './user-query.ts';

/**
 * Bounds the load on the database. Below the deadline of a request, so that the refusal states the
 * reason.
 */
const SEARCH_TIME_MS = 2_200;

const BY_EMAIL = { appId: 1, email: 1 } as const;
/** Up to this many matches are read through the email index and sorted. */
const MAX_SORTED_MATCHES = 1_000;

/** Records that are decoded in one turn of the event loop. */
const RECORDS_PER_TURN = 50;

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Selects records of an app; without any member all of them. */
export interface UserFilter {
  /** A part of the email as literal text, case-insensitive. */
  search?: string | undefined;
  /**
   * A key of `data`. Its value must equal `value`, as text or as the number or boolean that it
   * spells.
   */
  field?: string | undefined;
  value?: string | undefined;
}

/** One page of the matches, in the given order. */
export interface UserPage extends UserFilter {
  /** `createdAt`, `updatedAt`, `email` or `data.<key>`. */
  sort?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  limit: number;
  skip: number;
}

/** A page of records and the total number of matches. */
export interface FoundUsers {
  total: number;
  users: RecordBatches;
}

export type UserSearch = ReturnType<typeof createUserSearch>;

/** An app whose records are sorted by a field, with its newest schema and its indexes. */
interface SortedApp {
  id: Types.ObjectId;
  schema: QuerySchema;
  slotOf: SlotOf;
}

/**
 * Finds records of one app for its operators. No index exists for searches alone, because every
 * submission would write it. Each query scans the app's part of an existing index:
 *
 * - `search` matches keys of `appId_1_email_1` and reads no record.
 * - The order by `createdAt` is that of `appId_1__id_-1`; the order by `email` is that of
 *   `appId_1_email_1`.
 * - Values of `data`, and orders by `updatedAt`, read every record of the app. So do orders by a
 *   field without an index. The time limit bounds that.
 *
 * Measured on two busy cores with an app of 500,000 records: a page takes 0.4 s, mostly for the
 * total; a search by values of `data`, or in their order, is refused.
 *
 * @param options.timeLimitMs the time limit of one search
 */
export function createUserSearch(
  users: UserCollection,
  {
    timeLimitMs = SEARCH_TIME_MS,
    pages = createRecordPages(users),
    recentRenames = NO_RENAMES,
    queues = createReadQueues(),
    query = createUserQuery(users, pages),
  }: {
    timeLimitMs?: number;
    pages?: RecordPages;
    recentRenames?: RecentRenames;
    queues?: ReadQueues;
    query?: UserQuery;
  } = {},
) {
  /** Counts keys and reads no record, except with `field`. */
  async function count(appId: Types.ObjectId, page: UserPage, endsAt: number) {
    const filter = { appId, ...conditionsOf(page, { renames: (await recentRenames()).get(appId.toHexString()) }) };
    const total = await queues.scan(appId, () =>
      users.countDocuments(filter, { ...timeUntil(endsAt), hint: BY_EMAIL }),
    );
    return { filter, total };
  }

  return {
    /**
     * Resolves with one page of the matches, in the order of a member of the record, and the total
     * number of matches.
     * @throws {Unavailable} when the search exceeds the time limit
     */
    page: (appId: Types.ObjectId, page: UserPage): Promise<FoundUsers> =>
      inTime(async () => {
        const endsAt = performance.now() + timeLimitMs;
        const { filter, total } = await count(appId, page, endsAt);
        if (total <= page.skip) return { total, users: noRecords() };
        return { total, users: await pages.slice(opener(filter, page, total, endsAt), page, appId) };
      }),

    /**
     * Like `page`, in the order of a key of `data`, which is that of a query (spec 4.3, rule 6).
     * @throws {Unavailable} when the search exceeds the time limit
     */
    pageByField: ({ id, schema, slotOf }: SortedApp, page: UserPage): Promise<FoundUsers> =>
      inTime(async () => {
        const endsAt = performance.now() + timeLimitMs;
        const { total } = await count(id, page, endsAt);
        if (total <= page.skip) return { total, users: noRecords() };
        const { sort, order } = page;
        // A key that is no field is compared as a text, also when the app does not accept it.
        const parsed = parseQuery({ sort, order }, { ...schema, rejectUnknown: false }, conditionsOf(page, schema));
        const isOfFewEmails = page.search !== undefined && total <= MAX_SORTED_MATCHES;
        const budget = { leftMs: () => endsAt - performance.now() };
        const found = await query.pageAt(id, { ...parsed, isOfFewEmails }, slotOf, { ...page, budget });
        if (!found) throw takesTooLong();
        return { total, users: found };
      }),

    /** Yields all records, decoded, newest first, with back-pressure. */
    async *all(appId: Types.ObjectId): AsyncGenerator<UserRecord> {
      for await (const page of pages.all(appId)) {
        for (let index = 0; index < page.length; index += 1) {
          if (index > 0 && index % RECORDS_PER_TURN === 0) await pages.turn();
          yield decode<UserRecord>(page[index] as Uint8Array);
        }
      }
    },
  };

  /** Opens slices of one page of the matches, in the order of the page. */
  function opener(filter: mongo.Filter<UserDocument>, page: UserPage, total: number, endsAt: number): OpenSlice {
    return ({ skip, limit }, idsOnly) => {
      const options = { raw: true, allowDiskUse: true, batchSize: limit, skip, limit, ...timeUntil(endsAt) };
      const found = users.find<Uint8Array>(filter, { ...options, ...(idsOnly && { projection: { _id: 1 } }) });
      found.sort(sortOf(page));
      // The query planner does not know that few emails match, and may scan all records in the sort
      // order.
      return page.search && total <= MAX_SORTED_MATCHES ? found.hint(BY_EMAIL) : found;
    };
  }
}

/** Whether the order of a page is that of a key of `data`. */
export const isSortedByField = ({ sort = '' }: Pick<UserPage, 'sort'>): boolean => sort.startsWith('data.');

const timeUntil = (endsAt: number) => ({ maxTimeMS: Math.max(1, Math.ceil(endsAt - performance.now())) });

const takesTooLong = () => new Unavailable('This search takes too long; narrow it down');

async function inTime<T>(search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (error) {
    throw isOverTime(error) ? takesTooLong() : error;
  }
}

async function* noRecords(): AsyncGenerator<Uint8Array[]> {}

/** The conditions of these parameters. */
export function conditionsOf(
  { search = '', field, value }: UserFilter,
  { renames }: { renames?: PendingRenames | undefined } = {},
): mongo.Filter<UserDocument> {
  const filter: Record<string, unknown> = {};
  // Stored emails are lower-case.
  if (search !== '') filter.email = { $regex: literal(search.toLowerCase()) };
  if (field !== undefined && value !== undefined) {
    // Without `$not`, MongoDB also matches an array that contains the value.
    const equals = { $in: valuesOf(value), $not: { $type: 'array' } };
    const path = `data.${field}`;
    const former = formerOf(path, renames);
    if (!former) filter[path] = equals;
    else Object.assign(filter, eitherPlace(former, { [path]: equals }, { [former.path]: equals }));
  }
  return filter as mongo.Filter<UserDocument>;
}

/** The values of `data` that a text from a query matches. */
function valuesOf(value: string): (string | number | boolean)[] {
  if (value === 'true' || value === 'false') return [value, value === 'true'];
  const number = JSON_NUMBER.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? [value, number] : [value];
}

/** Where the value of a path is in records whose renamed fields are still to be moved. */
function formerOf(path: string, renames: PendingRenames | undefined) {
  const pair = renames?.pairs.find(({ to }) => `data.${to}` === path);
  if (!pair || !renames) return undefined;
  return { path: `data.${pair.from}`, key: pair.from, below: renames.version };
}

/** Ties are broken by id. The order of ids is that of `createdAt`. */
function sortOf({ sort = 'createdAt', order }: UserPage): mongo.Sort {
  const newestFirst = sort === 'createdAt' || sort === 'updatedAt';
  const direction = (order ?? (newestFirst ? 'desc' : 'asc')) === 'desc' ? -1 : 1;
  if (sort === 'createdAt') return { _id: direction };
  if (sort === 'email') return { email: direction }; // unique within the app
  return { [sort]: direction, _id: direction };
}
