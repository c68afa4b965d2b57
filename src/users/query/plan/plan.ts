import { allOf, type Filter, filterOf } from '../conditions/filter.ts';
import type { Predicate, Sort } from '../conditions/predicate.ts';
import {
  type Bounds,
  EVERY_ASCENDING,
  EVERY_ID,
  emailPoints,
  emailPrefix,
  idTimes,
  slotIntervals,
  slotPrefix,
  slotTexts,
  WITH_VALUE,
  WITHOUT_VALUE,
} from './bounds.ts';
import type { SlotOf } from './ready-slots.ts';
import type { IndexName, Segment } from './segment.ts';
import type { TextSearch } from './text-search.ts';

/** What an operator asks for, parsed (spec 4.3). */
export interface Query {
  predicates: readonly Predicate[];
  /** Conditions of the parameters `search`, `field` and `value`. */
  others?: Filter;
  search?: TextSearch | undefined;
  sort: Sort;
  /** Whether the request names an order. */
  isSorted: boolean;
}

/**
 * How to find the matches. At least one of `ordered` and `unordered` is set; no segment of a list
 * repeats a record.
 */
export interface Plan {
  /** Yields the matches in the order of the query. */
  ordered?: Segment[];
  /** Yields the matches in another order: they must be read as a whole and sorted. */
  unordered?: Segment[];
  /** Whether `unordered` covers a part of the app's records only, which may be small. */
  isNarrow: boolean;
  sort: Sort;
}

/** A condition that an index serves. */
interface Candidate {
  index: IndexName;
  bounds: Bounds[];
  /** The lower, the fewer records it selects as a rule. */
  rank: number;
  /** Predicates that hold for exactly the keys in the bounds. */
  exact: readonly Predicate[];
}

/** Chooses the indexes for a query. Reads nothing. */
export function planOf(query: Query, slotOf: SlotOf): Plan {
  const { predicates, search, sort } = query;
  if (search && !query.isSorted) {
    return { ordered: search.segments(allOf(filterOf(predicates), query.others ?? {})), isNarrow: false, sort };
  }
  const candidates = candidatesOf(predicates, slotOf).sort((one, other) => one.rank - other.rank);
  const [best] = candidates;
  const residual = (candidate?: Candidate): Filter =>
    allOf(
      filterOf(predicates.filter((predicate) => !candidate?.exact.includes(predicate))),
      query.others ?? {},
      search?.filter ?? {},
    );
  const unordered = (candidate: Candidate | undefined, bounds = candidate?.bounds ?? [EVERY_ID]): Segment[] =>
    bounds.map((part) => segment(candidate?.index ?? 'id', part, false, residual(candidate)));

  const index = orderIndexOf(sort, slotOf);
  const own = candidates.find((candidate) => candidate.index === index) ?? singlePoint(candidates, sort);
  if (own) {
    const ordered = inOrder(own.index, own.bounds, sort, residual(own));
    const isBetter = best !== undefined && best.rank < own.rank;
    return { ordered, ...(isBetter && { unordered: unordered(best) }), isNarrow: isBetter, sort };
  }
  if (index === undefined) return { unordered: unordered(best), isNarrow: best !== undefined, sort };
  const ordered = wholeIndex(index, sort, residual());
  return { ordered, ...(best && { unordered: unordered(best) }), isNarrow: best !== undefined, sort };
}

/** The conditions of a query as one filter. */
export function conditionsOf({ predicates, others = {}, search }: Query): Filter {
  return allOf(filterOf(predicates), others, search?.filter ?? {});
}

/** The best single index for a count; its segments cover the matches in any order. */
export function countSegments(query: Query, slotOf: SlotOf): Segment[] {
  const { predicates, search } = query;
  const [best] = candidatesOf(predicates, slotOf).sort((one, other) => one.rank - other.rank);
  const left = predicates.filter((predicate) => !best?.exact.includes(predicate));
  const filter = allOf(filterOf(left), query.others ?? {}, search?.filter ?? {});
  return (best?.bounds ?? [EVERY_ID]).map((bounds) => segment(best?.index ?? 'id', bounds, false, filter));
}

function segment(index: IndexName, bounds: Bounds, isReversed: boolean, filter: Filter): Segment {
  return { index, bounds, isReversed, filter };
}

/** The index whose order is that of the query. */
function orderIndexOf({ target }: Sort, slotOf: SlotOf): IndexName | undefined {
  if (target.path === 'createdAt') return 'id';
  if (target.path === 'email') return 'email';
  return target.key === undefined ? undefined : slotOf(target.key)?.slot;
}

/** Records with one value in a slot are in the order of their ids, which is that of creation. */
function singlePoint(candidates: readonly Candidate[], { target }: Sort): Candidate | undefined {
  if (target.path !== 'createdAt') return undefined;
  return candidates.find(
    ({ index, bounds }) => index !== 'email' && bounds.length === 1 && isPoint(bounds[0] as Bounds),
  );
}

function isPoint({ low, high }: Bounds): boolean {
  return low.length === 2 && String(low[0]) === String(high[0]) && typeof low[0] === typeof high[0];
}

function inOrder(index: IndexName, bounds: readonly Bounds[], { direction }: Sort, filter: Filter): Segment[] {
  const isReversed = isAgainst(index, direction);
  const parts = isReversed ? [...bounds].reverse() : bounds;
  return parts.map((part) => segment(index, part, isReversed, filter));
}

/** All records in the order of an index; those without a value come last in both directions. */
function wholeIndex(index: IndexName, { direction }: Sort, filter: Filter): Segment[] {
  const parts = index === 'id' ? [EVERY_ID] : index === 'email' ? [EVERY_ASCENDING] : [WITH_VALUE, WITHOUT_VALUE];
  return parts.map((part) => segment(index, part, isAgainst(index, direction), filter));
}

/** The index on ids has the newest first. */
const isAgainst = (index: IndexName, direction: 1 | -1): boolean =>
  index === 'id' ? direction === 1 : direction === -1;

function candidatesOf(predicates: readonly Predicate[], slotOf: SlotOf): Candidate[] {
  const positive = predicates.filter(({ isNot }) => !isNot);
  const byPath = new Map<string, Predicate[]>();
  for (const predicate of positive) {
    const { path } = predicate.target;
    byPath.set(path, [...(byPath.get(path) ?? []), predicate]);
  }
  return [...byPath.values()].flatMap((list) => candidateOf(list, slotOf) ?? []);
}

function candidateOf(predicates: readonly Predicate[], slotOf: SlotOf): Candidate | undefined {
  const { target } = predicates[0] as Predicate;
  const slot = target.key === undefined ? undefined : slotOf(target.key)?.slot;
  const ranged = predicates.filter(({ test }) => test.is === 'within');
  if (target.path === 'createdAt') {
    return ranged.length > 0 ? { index: 'id', bounds: idTimes(ranged), rank: 4, exact: [] } : undefined;
  }
  if (target.type === 'email') return textCandidate(predicates, 'email', emailPoints, emailPrefix, [0, 2]);
  if (slot === undefined) return undefined;
  if (target.type === 'text') return textCandidate(predicates, slot, slotTexts, slotPrefix, [1, 3]);
  if (ranged.length === 0 || target.type === 'array' || target.type === 'time') return undefined;
  const lists = ranged.map(({ test }) => (test.is === 'within' ? test.intervals : []));
  const bounds = slotIntervals(target.type, lists);
  return { index: slot, bounds, rank: bounds.every(isPoint) ? 1 : 3, exact: ranged };
}

function textCandidate(
  predicates: readonly Predicate[],
  index: IndexName,
  pointsOf: (texts: readonly string[]) => Bounds[],
  prefixOf: (prefix: string) => Bounds[],
  [pointRank, prefixRank]: readonly [number, number],
): Candidate | undefined {
  for (const { test } of predicates) {
    if (test.is === 'equal') return { index, bounds: pointsOf(test.texts), rank: pointRank, exact: [] };
  }
  for (const { test } of predicates) {
    if (test.is === 'prefix') return { index, bounds: prefixOf(test.text), rank: prefixRank, exact: [] };
  }
  return undefined;
}
