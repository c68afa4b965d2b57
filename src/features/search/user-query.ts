import type { ObjectId } from 'mongodb';
import type { RecordBatches } from '../../core/users/record-json.ts';
import { readId } from '../../platform/bson/documents.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { say } from '../../platform/languages/reasons.ts';
import { type Budget, createBudget, NO_LIMIT, type RecordRanges, type Segment } from '../record-reads/ranges.ts';
import type { RecordPages } from '../record-reads/record-pages.ts';
import { invalidQuery } from './conditions.ts';
import { type FoundPage, type OrderedStart, orderedPage, type SortedStart, sortedPage } from './pages.ts';
import { choosePlan, countSegments, predicateFilter, type Query, type QueryPlan } from './plan.ts';
import type { SlotOf } from './queried-app.ts';

const BUDGET_MS = 1_500;
const PLAIN_BUDGET_MS = 2_200;
const LEAST_COUNT_MS = 100;
/** A narrow part of an index with at most this many keys is sorted in memory. */
const MAX_NARROW = 10_000;
/** The maximum of `skip` in an order without an index (spec 8). */
const MAX_SORTED_SKIP = 10_000;

const EXPORT_STEP = 1_000;

/** Where a page begins; the plan of the first page applies to all. */
export type PageStart = { ordered: OrderedStart } | { sorted: SortedStart };

interface PageOptions {
  limit: number;
  /** Undefined for the first page. */
  start?: PageStart | undefined;
  skip?: number;
  total: 'exact' | 'capped' | 'none';
}

/** A page with the members after its users in the answer. */
export interface AnsweredPage {
  users: RecordBatches;
  rest: { total?: number; totalIs?: string; next?: string; complete: boolean };
}

export type UserQuery = ReturnType<typeof createUserQuery>;

/** Finds records by conditions (spec 4.3), within a time budget where no index serves them. */
export function createUserQuery(deps: {
  ranges: RecordRanges;
  pages: RecordPages;
  budgetMs?: number | undefined;
  plainBudgetMs?: number;
}) {
  const { ranges, pages, budgetMs = BUDGET_MS, plainBudgetMs = PLAIN_BUDGET_MS } = deps;

  /** Decides once per search whether the matches are sorted in memory. */
  async function chooseStart(appId: ObjectId, plan: QueryPlan, skip: number, budget: Budget): Promise<PageStart> {
    const { ordered, unordered } = plan;
    const narrow = ordered && plan.isNarrow ? unordered : undefined;
    const size = narrow && (await countMatches(ranges, appId, narrow.map(withoutFilter), { cap: MAX_NARROW, budget }));
    if (ordered !== undefined && size?.totalIs !== 'exact') return { ordered: { skip } };
    if (ordered === undefined && skip > MAX_SORTED_SKIP) {
      throw invalidQuery('skip', say('skipTooLarge', { max: MAX_SORTED_SKIP }));
    }
    return skip > MAX_SORTED_SKIP ? { ordered: { skip } } : { sorted: { skip } };
  }

  async function readIds(
    appId: ObjectId,
    plan: QueryPlan,
    start: PageStart,
    { limit, budget, isEager }: { limit: number; budget: Budget; isEager: boolean },
  ): Promise<FoundPage<PageStart>> {
    if ('ordered' in start) {
      const options = { start: start.ordered, limit, budget, isEager };
      const page = await orderedPage(ranges, appId, plan.ordered ?? [], options);
      return { ...page, next: page.next && { ordered: page.next } };
    }
    const { sort } = plan;
    const page = await sortedPage(ranges, appId, plan.unordered ?? [], { start: start.sorted, limit, sort, budget });
    return { ...page, next: page.next && { sorted: page.next } };
  }

  return {
    /** @throws {InvalidInput} when `skip` is too large */
    async page(appId: ObjectId, query: Query, slotOf: SlotOf, options: PageOptions) {
      const { limit, skip = 0, total } = options;
      const budget = createBudget(budgetMs);
      const plan = choosePlan(query, slotOf);
      const start = options.start ?? (await chooseStart(appId, plan, skip, budget));
      const isEager = query.search !== undefined && !query.isSorted;
      const found = await readIds(appId, plan, start, { limit, budget, isEager });
      const isAll = options.start === undefined && skip === 0 && found.next === undefined;
      return {
        users: pages.byIds(appId, found.ids),
        total: isAll && total !== 'none' ? { total: found.ids.length, totalIs: 'exact' as const } : await count(),
        next: found.next,
        isComplete: found.isComplete,
      };

      async function count(): Promise<Total | undefined> {
        if (total === 'none') return undefined;
        const least = found.ids.length > 0 ? skip + found.ids.length : 0;
        // During typing, matches are needed soon, and their number is not.
        if (isEager && total === 'capped') return { total: least, totalIs: 'partial' };
        const counted = await countMatches(ranges, appId, countSegments(query, slotOf), {
          cap: total === 'capped' ? COUNT_CAP : Number.POSITIVE_INFINITY,
          budget: createBudget(Math.max(LEAST_COUNT_MS, budget.leftMs())),
        });
        return counted.totalIs === 'partial' ? { ...counted, total: Math.max(counted.total, least) } : counted;
      }
    },

    /** A page after any `skip`, and the number of matches. @throws {Unavailable} if too slow */
    async plainPage(
      appId: ObjectId,
      query: Query,
      slotOf: SlotOf,
      { limit, skip }: { limit: number; skip: number },
    ): Promise<{ total: number; users: RecordBatches }> {
      const budget = createBudget(plainBudgetMs);
      const { total, totalIs } = await countMatches(ranges, appId, countSegments(query, slotOf), { budget });
      if (totalIs !== 'exact') throw takesTooLong();
      const plan = choosePlan(query, slotOf);
      let start: PageStart = plan.ordered ? { ordered: { skip } } : { sorted: {} };
      let left = plan.ordered ? 0 : Math.min(skip, total);
      for (; left > MAX_SORTED_SKIP; left -= MAX_SORTED_SKIP) {
        const step = await readIds(appId, plan, start, { limit: MAX_SORTED_SKIP, budget, isEager: false });
        if (!step.isComplete) throw takesTooLong();
        if (!step.next) return { total, users: pages.byIds(appId, []) };
        start = step.next;
      }
      if ('sorted' in start) start = { sorted: { ...start.sorted, skip: left } };
      const { ids, isComplete } = await readIds(appId, plan, start, { limit, budget, isEager: false });
      if (!isComplete) throw takesTooLong();
      return { total, users: pages.byIds(appId, ids) };
    },

    /** Resolves with all matches in order. @throws {InvalidInput} when they are too many to sort */
    async all(appId: ObjectId, query: Query, slotOf: SlotOf, signal?: AbortSignal): Promise<RecordBatches> {
      // Not in the order of a text search, which is for people.
      const plan = choosePlan({ ...query, isSorted: true }, slotOf);
      const start = await chooseStart(appId, plan, 0, NO_LIMIT);
      if ('ordered' in start) {
        const isNewestFirst = query.sort.target.path === 'createdAt' && query.sort.direction === -1;
        return isNewestFirst && !query.search?.isEmpty
          ? pages.all(appId, predicateFilter(query), signal, query.search?.search)
          : inOrder(appId, plan.ordered ?? [], signal);
      }
      const { sort, unordered = [] } = plan;
      const options = { start: {}, limit: MAX_NARROW, sort, budget: NO_LIMIT };
      const { ids, next } = await sortedPage(ranges, appId, unordered, options);
      if (next) throw invalidQuery('sort', 'notIndexedSort');
      return pages.byIds(appId, ids, { isLong: true });
    },
  };

  async function* inOrder(appId: ObjectId, segments: readonly Segment[], signal?: AbortSignal) {
    for await (const { documents } of ranges.walk(appId, segments, undefined, () => ({ limit: EXPORT_STEP }))) {
      if (signal?.aborted) return;
      yield* pages.byIds(appId, documents.map(readId), { isLong: true });
    }
  }
}

const takesTooLong = () => new Unavailable('searchTooLong');

/** A search by words in their index is itself what makes a part narrow. */
function withoutFilter({ search, ...segment }: Segment): Segment {
  return { ...segment, filter: {}, isOfKeys: !search?.index, ...(search?.index && { search }) };
}

/** The maximum of a capped count (spec 8). */
const COUNT_CAP = 10_000;

/** `capped`: there are more; the count ended at its cap. `partial`: there may be more. */
interface Total {
  total: number;
  totalIs: 'exact' | 'capped' | 'partial';
}

const STEP_LIMIT = 10_000;

/** Counts the matches up to `cap`. The budget limits a count that must read records. */
async function countMatches(
  ranges: RecordRanges,
  appId: ObjectId,
  segments: readonly Segment[],
  { cap = Number.POSITIVE_INFINITY, budget = NO_LIMIT }: { cap?: number; budget?: Budget },
): Promise<Total> {
  let total = 0;
  for (const segment of segments) {
    const counted = await countSegment(segment, cap - total);
    total += counted.total;
    if (total > cap) return { total: cap, totalIs: 'capped' };
    if (!counted.isWhole) return { total, totalIs: 'partial' };
  }
  return { total, totalIs: 'exact' };

  async function countSegment(segment: Segment, most: number): Promise<{ total: number; isWhole: boolean }> {
    const keys = await ranges.countKeys(appId, segment, most, budget);
    if (keys !== undefined) return { total: keys, isWhole: true };
    let counted = 0;
    let isWhole = false;
    const reading = () => ({ limit: Math.min(STEP_LIMIT, most + 1 - counted) });
    for await (const step of ranges.walk(appId, [segment], undefined, reading, { budget, isOptional: true })) {
      counted += step.documents.length;
      isWhole = step.next === undefined;
      if (counted > most) break;
    }
    return { total: counted, isWhole };
  }
}
