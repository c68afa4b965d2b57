import type { RecordFilter } from '../../core/users/users.model.ts';
import { beginsPattern, isShortText } from '../../platform/text/index-value.ts';
import {
  type Bounds,
  EVERY_ASCENDING,
  EVERY_ID,
  type IndexName,
  type Segment,
  WITH_VALUE,
  WITHOUT_VALUE,
} from '../record-reads/ranges.ts';
import { allOf, recordFilter } from '../record-reads/record-filters.ts';
import { buildFilter, caseless, type Predicate, type Sort } from './condition-filters.ts';
import { emailPoints, emailPrefix, idTimes, slotIntervals, slotPrefix, slotTexts } from './index-bounds.ts';
import type { SlotOf } from './queried-app.ts';
import type { TextSearch } from './text-search.ts';

/** The request of an operator, parsed (spec 4.3). */
export interface Query {
  predicates: readonly Predicate[];
  search?: TextSearch | undefined;
  sort: Sort;
  isSorted: boolean;
}

/** At least one of `ordered` and `unordered` is set; no segment of a list repeats a record. */
export interface QueryPlan {
  ordered?: Segment[];
  /** In another order: the matches must be read as a whole and sorted. */
  unordered?: Segment[];
  /** Whether `unordered` covers only a part of the app's records, which may be small. */
  isNarrow: boolean;
  sort: Sort;
}

/** Chooses the indexes for a query. Reads nothing. */
export function choosePlan(query: Query, slotOf: SlotOf): QueryPlan {
  const { predicates, search, sort } = query;
  if (search && (search.isEmpty || !query.isSorted)) {
    return { ordered: search.segments(buildFilter(predicates)), isNarrow: false, sort };
  }
  const candidates = findCandidates(query, slotOf);
  const [best] = candidates;
  const index = findOrderIndex(sort, slotOf);
  const own = candidates.find((candidate) => candidate.index === index) ?? singlePoint(candidates, sort);
  const isNarrow = best !== undefined && (own === undefined || best.rank < own.rank);
  const unordered = listSegments(query, best);
  if (own) {
    const ordered = inOrder(own.index, own.bounds, sort, residual(query, own));
    return { ordered, ...(isNarrow && { unordered }), isNarrow, sort };
  }
  if (index === undefined) return { unordered, isNarrow, sort };
  return { ordered: wholeIndex(index, sort, residual(query)), ...(isNarrow && { unordered }), isNarrow, sort };
}

/** The conditions of a query as one filter, without `search`, which no filter expresses. */
export const predicateFilter = ({ predicates }: Query): RecordFilter => buildFilter(predicates);

/** The segments of the best single index for a count, in any order. */
export function countSegments(query: Query, slotOf: SlotOf): Segment[] {
  if (query.search?.isEmpty) return [];
  const [best] = findCandidates(query, slotOf);
  return listSegments(query, best);
}

function listSegments(query: Query, candidate: Candidate | undefined): Segment[] {
  const { index, bounds } = candidate ?? { index: 'id', bounds: [EVERY_ID] };
  const filter = residual(query, candidate);
  return bounds.map((part) => ({ index, bounds: part, isReversed: false, ...filter }));
}

type ResidualFilter = Pick<Segment, 'filter' | 'isOfKeys' | 'search'>;

/** The conditions of a query that the bounds of an index do not cover. */
function residual({ predicates, search }: Query, candidate?: Candidate): ResidualFilter {
  const { exact = [], keys = {} } = candidate ?? {};
  const left = buildFilter(predicates.filter((predicate) => !exact.includes(predicate)));
  const isOfKeys = !search && Object.keys(left).length === 0;
  return { filter: allOf(keys, left), isOfKeys, ...(search && { search: search.search }) };
}

function findOrderIndex({ target }: Sort, slotOf: SlotOf): IndexName | undefined {
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
  return parts.map((part) => ({ index, bounds: part, isReversed, ...filter }));
}

/** Records without a value are last in both directions. */
function wholeIndex(index: IndexName, { direction }: Sort, filter: ResidualFilter): Segment[] {
  const parts = index === 'id' ? [EVERY_ID] : index === 'email' ? [EVERY_ASCENDING] : [WITH_VALUE, WITHOUT_VALUE];
  return parts.map((part) => ({ index, bounds: part, isReversed: isAgainst(index, direction), ...filter }));
}

const isAgainst = (index: IndexName, direction: 1 | -1): boolean =>
  index === 'id' ? direction === 1 : direction === -1;

interface Candidate {
  index: IndexName;
  bounds: Bounds[];
  /** A lower rank usually selects fewer records. */
  rank: number;
  /** Predicates that hold for exactly the keys in the bounds that match `keys`. */
  exact: readonly Predicate[];
  keys?: RecordFilter;
}

/** Words usually select fewer records than ranges, and more than equal values. */
const WORDS_RANK = 2;

/** The best is first. */
function findCandidates({ predicates, search }: Query, slotOf: SlotOf): Candidate[] {
  const positive = predicates.filter(({ isNot }) => !isNot);
  const byPath = new Map<string, Predicate[]>();
  for (const predicate of positive) {
    const { path } = predicate.target;
    byPath.set(path, [...(byPath.get(path) ?? []), predicate]);
  }
  const byWords: Candidate[] = search?.search.index
    ? [{ index: 'id', bounds: [EVERY_ID], rank: WORDS_RANK, exact: [] }]
    : [];
  return [...byPath.values()]
    .flatMap((list) => findCandidate(list, slotOf) ?? [])
    .concat(byWords)
    .sort((one, other) => one.rank - other.rank);
}

function isPoint({ low, high }: Bounds): boolean {
  return low.length === 2 && String(low[0]) === String(high[0]) && typeof low[0] === typeof high[0];
}

function findCandidate(predicates: readonly Predicate[], slotOf: SlotOf): Candidate | undefined {
  const { target } = predicates[0] as Predicate;
  const slot = target.key === undefined ? undefined : slotOf(target.key)?.slot;
  const ranged = predicates.filter(({ test }) => test.is === 'within');
  if (target.path === 'createdAt') {
    return ranged.length > 0 ? { index: 'id', bounds: idTimes(ranged), rank: 4, exact: [] } : undefined;
  }
  if (target.path === 'email' && target.key === undefined) return textCandidate(predicates, 'email', EMAIL_TEXTS);
  if (slot === undefined) return undefined;
  // In the index of a member itself, the keys without a value are those of its absence.
  const absence = target.path === slot && predicates.find(({ test }) => test.is === 'absent');
  if (absence) return { index: slot, bounds: [WITHOUT_VALUE], rank: 4, exact: [absence] };
  const { indexBound } = target.values;
  if (ranged.length === 0 || !indexBound) return textCandidate(predicates, slot, SLOT_TEXTS);
  const bounds = slotIntervals(indexBound, ranged);
  return { index: slot, bounds, rank: bounds.every(isPoint) ? 1 : 3, exact: ranged };
}

interface TextIndex {
  pointsOf(texts: readonly string[]): Bounds[];
  prefixOf(prefix: string): Bounds[];
  ranks: { point: number; prefix: number };
  /** Whether its keys alone show which texts are equal to this one, or begin with it. */
  isExact(text: string): boolean;
  begins(index: IndexName, prefix: string): RecordFilter;
}

const EMAIL_TEXTS: TextIndex = {
  pointsOf: emailPoints,
  prefixOf: emailPrefix,
  ranks: { point: 0, prefix: 2 },
  isExact: () => true,
  begins: () => ({}),
};
const SLOT_TEXTS: TextIndex = {
  pointsOf: slotTexts,
  prefixOf: slotPrefix,
  ranks: { point: 1, prefix: 3 },
  isExact: isShortText,
  begins: (slot, prefix) => recordFilter({ [slot]: { $regex: beginsPattern(caseless(prefix)) } }),
};

function textCandidate(predicates: readonly Predicate[], index: IndexName, texts: TextIndex): Candidate | undefined {
  const { pointsOf, prefixOf, ranks, isExact, begins } = texts;
  for (const predicate of predicates) {
    const { test } = predicate;
    if (test.is !== 'equal') continue;
    const exact = test.texts.every(isExact) ? [predicate] : [];
    return { index, bounds: pointsOf(test.texts), rank: ranks.point, exact };
  }
  for (const predicate of predicates) {
    const { test } = predicate;
    if (test.is !== 'prefix') continue;
    const found = { index, bounds: prefixOf(test.text), rank: ranks.prefix };
    return isExact(test.text)
      ? { ...found, exact: [predicate], keys: begins(index, test.text) }
      : { ...found, exact: [] };
  }
  return undefined;
}
