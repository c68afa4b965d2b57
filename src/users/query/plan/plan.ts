import { allOf, type Filter, filterOf } from '../conditions/filter.ts';
import type { Predicate, Sort } from '../conditions/predicate.ts';
import { type Bounds, EVERY_ASCENDING, EVERY_ID, WITH_VALUE, WITHOUT_VALUE } from './bounds.ts';
import { type Candidate, candidatesOf, isPoint } from './candidates.ts';
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
  /** Whether a condition on the email among `others` is known to hold for few records. */
  isOfFewEmails?: boolean;
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

/** Chooses the indexes for a query. Reads nothing. */
export function planOf(query: Query, slotOf: SlotOf): Plan {
  const { predicates, search, sort } = query;
  if (search && !query.isSorted) {
    return { ordered: search.segments(allOf(filterOf(predicates), query.others ?? {})), isNarrow: false, sort };
  }
  if (query.isOfFewEmails) return { unordered: segmentsOf(query, EVERY_EMAIL), isNarrow: true, sort };
  const candidates = candidatesOf(predicates, slotOf);
  const [best] = candidates;
  const index = orderIndexOf(sort, slotOf);
  const own = candidates.find((candidate) => candidate.index === index) ?? singlePoint(candidates, sort);
  if (own) {
    const ordered = inOrder(own.index, own.bounds, sort, residual(query, own));
    const isBetter = best !== undefined && best.rank < own.rank;
    return { ordered, ...(isBetter && { unordered: segmentsOf(query, best) }), isNarrow: isBetter, sort };
  }
  if (index === undefined) return { unordered: segmentsOf(query, best), isNarrow: best !== undefined, sort };
  const ordered = wholeIndex(index, sort, residual(query));
  return { ordered, ...(best && { unordered: segmentsOf(query, best) }), isNarrow: best !== undefined, sort };
}

/** The conditions of a query as one filter. */
export function conditionsOf({ predicates, others = {}, search }: Query): Filter {
  return allOf(filterOf(predicates), others, search?.filter ?? {});
}

/** The best single index for a count; its segments cover the matches in any order. */
export function countSegments(query: Query, slotOf: SlotOf): Segment[] {
  const [best] = candidatesOf(query.predicates, slotOf);
  return segmentsOf(query, best);
}

/** The index on emails alone decides which of its records are read for a condition on the email. */
const EVERY_EMAIL: Candidate = { index: 'email', bounds: [EVERY_ASCENDING], rank: 0, exact: [] };

/** The segments of the best index, or of all records. */
function segmentsOf(query: Query, candidate: Candidate | undefined): Segment[] {
  const { index, bounds } = candidate ?? { index: 'id', bounds: [EVERY_ID] };
  const filter = residual(query, candidate);
  return bounds.map((part) => segment(index, part, false, filter));
}

type ResidualFilter = Pick<Segment, 'filter' | 'isOfKeys'>;

/** What the matches of a query must fulfil besides the bounds of an index. */
function residual({ predicates, others = {}, search }: Query, candidate?: Candidate): ResidualFilter {
  const { exact = [], keys = {} } = candidate ?? {};
  const left = filterOf(predicates.filter((predicate) => !exact.includes(predicate)));
  const ofRecords = allOf(left, others, search?.filter ?? {});
  return { filter: allOf(keys, ofRecords), isOfKeys: Object.keys(ofRecords).length === 0 };
}

function segment(index: IndexName, bounds: Bounds, isReversed: boolean, filter: ResidualFilter): Segment {
  return { index, bounds, isReversed, ...filter };
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

function inOrder(index: IndexName, bounds: readonly Bounds[], { direction }: Sort, filter: ResidualFilter): Segment[] {
  const isReversed = isAgainst(index, direction);
  const parts = isReversed ? [...bounds].reverse() : bounds;
  return parts.map((part) => segment(index, part, isReversed, filter));
}

/** All records in the order of an index; those without a value come last in both directions. */
function wholeIndex(index: IndexName, { direction }: Sort, filter: ResidualFilter): Segment[] {
  const parts = index === 'id' ? [EVERY_ID] : index === 'email' ? [EVERY_ASCENDING] : [WITH_VALUE, WITHOUT_VALUE];
  return parts.map((part) => segment(index, part, isAgainst(index, direction), filter));
}

/** The index on ids has the newest first. */
const isAgainst = (index: IndexName, direction: 1 | -1): boolean =>
  index === 'id' ? direction === 1 : direction === -1;
