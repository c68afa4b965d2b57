import type { mongo, Types } from 'mongoose';
import { Unavailable } from '../core/errors.ts';
import { decode } from '../database/collections.ts';
import { isOverTime } from '../database/failures.ts';
import type { RecordBatches } from './record-json.ts';
import { createRecordPages, type RecordPages } from './record-pages.ts';
import type { OpenSlice } from './record-slice.ts';
import type { UserCollection, UserDocument } from './users.model.ts';
import type { UserRecord } from './users.presenter.ts';

/** What a search may cost the database; more would be felt by submissions. Below the deadline of a request, so that the answer says why. */
const SEARCH_TIME_MS = 2_200;

const BY_EMAIL = { appId: 1, email: 1 } as const;
/** So many matches are read and sorted in no time. */
const FEW = 1_000;

/** Records that are decoded and written in one turn of the event loop; some 60 us each as CSV. */
const PER_TURN = 50;

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Which of an app's records are meant; without any member all of them. */
export interface UserFilter {
  /** A part of the email, as literal text, in any case. */
  search?: string | undefined;
  /** A key of `data` whose value must equal `value`: the text, or the number or boolean that it spells. */
  field?: string | undefined;
  value?: string | undefined;
}

export interface UserPage extends UserFilter {
  /** `createdAt`, `updatedAt`, `email` or `data.<key>`. */
  sort?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  limit: number;
  skip: number;
}

export type UserSearch = ReturnType<typeof createUserSearch>;

/**
 * Finds records of one app for its operators. No index exists for this alone, because each would be written with every submission. Every query walks the app's part of an index that
 * is there anyway: a part of the email is looked for in the keys of `appId_1_email_1` without reading records; `createdAt` is the order of `appId_1__id_-1`, `email` that of
 * `appId_1_email_1`. Values of `data`, and orders by them or by `updatedAt`, read each record of the app (never of others); the time limit bounds that. (Measured on two busy cores with an app
 * of 500,000 records: a page 0.4 s, most of it the total; by values of `data`, or in their order, refused.)
 *
 * @param timeLimitMs how long one search may take
 */
export function createUserSearch(
  users: UserCollection,
  timeLimitMs = SEARCH_TIME_MS,
  pages: RecordPages = createRecordPages(users),
) {
  return {
    /**
     * A page of the matches, and how many there are in all.
     * @throws {Unavailable} when it would take longer than the time limit
     */
    async page(appId: Types.ObjectId, page: UserPage): Promise<{ total: number; users: RecordBatches }> {
      const giveUpAt = performance.now() + timeLimitMs;
      const timeLimit = () => ({ maxTimeMS: Math.max(1, Math.ceil(giveUpAt - performance.now())) });
      const filter = filterOf(appId, page);
      try {
        // Unless a field is asked for, this counts keys and reads no record.
        const total = await users.countDocuments(filter, { ...timeLimit(), hint: BY_EMAIL });
        if (total <= page.skip) return { total, users: nobody() };
        return { total, users: await pages.slice(opener(filter, page, total, timeLimit), page, appId) };
      } catch (error) {
        if (isOverTime(error)) throw new Unavailable('This search takes too long; narrow it down');
        throw error;
      }
    },

    /** All matches, newest first, read as they are consumed. @param signal ends the reading early */
    async *all(appId: Types.ObjectId, filter: UserFilter, signal?: AbortSignal): AsyncGenerator<UserRecord> {
      const { appId: _, ...matching } = filterOf(appId, filter);
      for await (const page of pages.all(appId, matching, signal)) {
        for (let index = 0; index < page.length; index += 1) {
          if (index > 0 && index % PER_TURN === 0) await pages.turn();
          yield decode<UserRecord>(page[index] as Uint8Array);
        }
      }
    },
  };

  function opener(
    filter: mongo.Filter<UserDocument>,
    page: UserPage,
    total: number,
    timeLimit: () => { maxTimeMS: number },
  ): OpenSlice {
    return ({ skip, limit }, idsOnly) => {
      const options = { raw: true, allowDiskUse: true, batchSize: limit, skip, limit, ...timeLimit() };
      const found = users.find<Uint8Array>(filter, { ...options, ...(idsOnly && { projection: { _id: 1 } }) });
      found.sort(sortOf(page));
      // The database cannot know that few emails match, and might read every record in the order asked for to find them.
      return page.search && total <= FEW ? found.hint(BY_EMAIL) : found;
    };
  }
}

async function* nobody(): AsyncGenerator<Uint8Array[]> {}

function filterOf(appId: Types.ObjectId, { search = '', field, value }: UserFilter): mongo.Filter<UserDocument> {
  const filter: Record<string, unknown> = { appId };
  if (search !== '') filter.email = { $regex: literal(search.toLowerCase()) }; // stored emails are lower-case
  if (field !== undefined && value !== undefined) {
    // MongoDB would also match an array that holds the value among others.
    filter[`data.${field}`] = { $in: readings(value), $not: { $type: 'array' } };
  }
  return filter as mongo.Filter<UserDocument>;
}

/** A pattern that matches this text and nothing else. As a pattern cannot hold NUL and much else is special, all but letters and digits go by number. */
function literal(text: string): string {
  return text.replace(/[^a-z0-9]/gu, (character) => `\\x{${character.codePointAt(0)?.toString(16)}}`);
}

/** What a text from a query may stand for in `data`. */
function readings(value: string): (string | number | boolean)[] {
  if (value === 'true' || value === 'false') return [value, value === 'true'];
  const number = JSON_NUMBER.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? [value, number] : [value];
}

/** Ties are broken by id. Ids are in order of creation, so `createdAt` needs no more than them. */
function sortOf({ sort = 'createdAt', order }: UserPage): mongo.Sort {
  const newestFirst = sort === 'createdAt' || sort === 'updatedAt';
  const direction = (order ?? (newestFirst ? 'desc' : 'asc')) === 'desc' ? -1 : 1;
  if (sort === 'createdAt') return { _id: direction };
  if (sort === 'email') return { email: direction }; // unique within the app
  return { [sort]: direction, _id: direction };
}
