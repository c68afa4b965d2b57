import type { Types } from 'mongoose';
import type { Cursors } from '../api/cursors.ts';
import { InvalidInput } from '../core/errors.ts';
import type { DocumentId } from '../database/bson/documents.ts';
import { isOverTime } from '../database/failures.ts';
import type { ReadQueues } from '../records/read-queues.ts';
import type { UserCollection } from '../records/record.ts';
import type { RecordPages } from '../records/record-pages.ts';
import { allOf, type Filter, filterOf } from './condition-filters.ts';
import { NO_FIELDS, parseWhere } from './conditions.ts';
import { BY_EMAIL } from './index-range.ts';
import { type OrderedStart, orderedPage } from './pages.ts';
import { textSearch } from './text-search.ts';
import type { AnsweredPage } from './user-finder.ts';
import { type Budget, createBudget, type Walker } from './walk.ts';

/** The parameters of a search across apps (spec 4.4). */
export interface PeopleRequest {
  q?: string | undefined;
  where?: readonly string[] | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** Where a page begins: after an email of an app, or in the search of the data. */
interface PeopleStart {
  after?: { appId: Types.ObjectId; email?: string } | undefined;
  data?: OrderedStart;
}

interface FoundPerson {
  _id: DocumentId;
  appId: Types.ObjectId;
  email: string;
}

/** The time in which a page reads; below the deadline of a request. */
const BUDGET_MS = 1_500;
const APPS_TIME_MS = 700;
/** Apps whose emails one query compares. Fewer after a query that took too long. */
const MAX_APPS = 500;
/** Records of one app that one query compares, when the emails of the app take too long. */
const ONE_APP = 1;

/** Yields the ids of apps in ascending order, after `after`. */
type AppIds = (after: Types.ObjectId | undefined, count: number) => Promise<Types.ObjectId[]>;

export type PeopleSearch = ReturnType<typeof createPeopleSearch>;

/**
 * Creates the search for a person across all apps (spec 4.4). There is no index on emails alone,
 * because every submission would write it: each query names some apps and seeks in the part of the
 * index on emails that each has.
 */
export function createPeopleSearch(deps: {
  users: UserCollection;
  pages: RecordPages;
  walker: Walker;
  appIds: AppIds;
  queues: ReadQueues;
  budgetMs?: number;
}) {
  const { users, pages, walker, appIds, queues, budgetMs = BUDGET_MS } = deps;

  /** Reads the emails of some apps in the order of the index. */
  function emailsOf(appId: Filter, conditions: Filter, limit: number): Promise<FoundPerson[]> {
    return queues.scan(undefined, () =>
      users
        .find<FoundPerson>(allOf(appId, conditions), {
          ...{ projection: { _id: 1, appId: 1, email: 1 }, hint: BY_EMAIL.hint, sort: BY_EMAIL.hint },
          ...{ limit, maxTimeMS: APPS_TIME_MS },
        })
        .toArray(),
    );
  }

  /** Collects matches by email, app by app. Resolves with where to go on; undefined at the end. */
  async function byEmail(
    found: DocumentId[],
    conditions: Filter,
    { start, limit, budget }: { start: PeopleStart['after']; limit: number; budget: Budget },
  ): Promise<PeopleStart['after'] | 'end'> {
    let after = start;
    let count = MAX_APPS;
    do {
      const own = after?.email === undefined ? undefined : after;
      const ids = own ? [own.appId] : await appIds(after?.appId, count);
      const last = ids.at(-1);
      if (!last) return 'end';
      const scope = { appId: { $in: ids }, ...(own && { email: { $gt: own.email } }) } as Filter;
      try {
        const page = await emailsOf(scope, conditions, limit - found.length);
        found.push(...page.map(({ _id }) => _id));
        const end = page.at(-1);
        const isFull = found.length === limit && end !== undefined;
        after = isFull ? { appId: end.appId, email: end.email } : { appId: last };
      } catch (error) {
        if (!isOverTime(error)) throw error;
        if (ids.length > ONE_APP) count = Math.max(ONE_APP, Math.floor(count / 8));
        else after = await withinApp(found, conditions, { appId: last, email: own?.email, limit });
      }
    } while (found.length < limit && budget.leftMs() > 0);
    return after;
  }

  /** One step in an app with too many emails for one query. */
  async function withinApp(
    found: DocumentId[],
    conditions: Filter,
    { appId, email, limit }: { appId: Types.ObjectId; email: string | undefined; limit: number },
  ): Promise<PeopleStart['after']> {
    const ends = await users
      .find({ appId, ...(email !== undefined && { email: { $gt: email } }) })
      .project<{ email: string }>({ _id: 0, email: 1 })
      .hint(BY_EMAIL.hint)
      .sort(BY_EMAIL.hint)
      .skip(RANGE)
      .limit(1)
      .toArray();
    const end = ends[0]?.email;
    const range = {
      appId,
      email: { ...(email !== undefined && { $gt: email }), ...(end !== undefined && { $lte: end }) },
    };
    const scope = (Object.keys(range.email).length > 0 ? range : { appId }) as Filter;
    const page = await emailsOf(scope, conditions, limit - found.length);
    found.push(...page.map(({ _id }) => _id));
    if (found.length === limit) return { appId, email: page.at(-1)?.email ?? end ?? '' };
    return end === undefined ? { appId } : { appId, email: end };
  }

  return {
    /** Resolves with a page of matches. @throws {InvalidInput} for other paths than `email` */
    async find(request: PeopleRequest, cursors: Cursors): Promise<AnsweredPage> {
      const { q, where = [], limit, cursor } = request;
      const bound = ['people', q, [...where].sort()];
      const budget = createBudget(budgetMs);
      const predicates = parseWhere(where, NO_FIELDS);
      if (predicates.some(({ target }) => target.type !== 'email')) throw onlyEmails();
      const search = q === undefined ? undefined : textSearch(q);
      const start = cursor === undefined ? {} : cursors.read<PeopleStart>(cursor, bound);
      const ids: DocumentId[] = [];
      let next: PeopleStart | undefined = start;
      if (!start.data) {
        const conditions = allOf(search?.inEmail ?? {}, filterOf(predicates));
        const after = await byEmail(ids, conditions, { start: start.after, limit, budget });
        next = after !== 'end' ? { after } : search ? { data: {} } : undefined;
      }
      let isFull = ids.length === limit;
      if (next?.data && search && !isFull) {
        const segments = search.acrossApps(filterOf(predicates));
        const options = { start: next.data, limit: limit - ids.length, budget, isEager: ids.length > 0 };
        const found = await orderedPage(walker, undefined, segments, options);
        ids.push(...found.ids);
        isFull = ids.length === limit;
        next = found.next && { data: found.next };
      }
      return {
        users: pages.byIds(undefined, ids),
        rest: { ...(next && { next: cursors.write(next, bound) }), complete: isFull || next === undefined },
      };
    },
  };
}

/** Emails that one query compares in a large app. */
const RANGE = 20_000;

function onlyEmails(): InvalidInput {
  return new InvalidInput('Invalid query parameters', [{ path: 'where', message: 'must have the path email here' }]);
}
