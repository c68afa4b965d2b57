import { beginsPattern, isShortText } from '../../../fields/index-value.ts';
import { caseless } from '../conditions/caseless.ts';
import type { Filter } from '../conditions/filter.ts';
import type { Predicate } from '../conditions/predicate.ts';
import { type Bounds, emailPoints, emailPrefix, idTimes, slotIntervals, slotPrefix, slotTexts } from './bounds.ts';
import type { SlotOf } from './ready-slots.ts';
import type { IndexName } from './segment.ts';

/** A condition that an index serves. */
export interface Candidate {
  index: IndexName;
  bounds: Bounds[];
  /** The lower, the fewer records it selects as a rule. */
  rank: number;
  /** Predicates that hold for exactly the keys in the bounds that fulfil `keys`. */
  exact: readonly Predicate[];
  /** A condition on the keys of the index. */
  keys?: Filter;
}

/** The conditions of a query that an index serves, the best first. */
export function candidatesOf(predicates: readonly Predicate[], slotOf: SlotOf): Candidate[] {
  const positive = predicates.filter(({ isNot }) => !isNot);
  const byPath = new Map<string, Predicate[]>();
  for (const predicate of positive) {
    const { path } = predicate.target;
    byPath.set(path, [...(byPath.get(path) ?? []), predicate]);
  }
  return [...byPath.values()]
    .flatMap((list) => candidateOf(list, slotOf) ?? [])
    .sort((one, other) => one.rank - other.rank);
}

/** Whether the bounds hold one value. */
export function isPoint({ low, high }: Bounds): boolean {
  return low.length === 2 && String(low[0]) === String(high[0]) && typeof low[0] === typeof high[0];
}

function candidateOf(predicates: readonly Predicate[], slotOf: SlotOf): Candidate | undefined {
  const { target } = predicates[0] as Predicate;
  const slot = target.key === undefined ? undefined : slotOf(target.key)?.slot;
  const ranged = predicates.filter(({ test }) => test.is === 'within');
  if (target.path === 'createdAt') {
    return ranged.length > 0 ? { index: 'id', bounds: idTimes(ranged), rank: 4, exact: [] } : undefined;
  }
  if (target.type === 'email') return textCandidate(predicates, 'email', EMAIL_TEXTS);
  if (slot === undefined) return undefined;
  if (target.type === 'text') return textCandidate(predicates, slot, SLOT_TEXTS);
  if (ranged.length === 0 || target.type === 'array' || target.type === 'time') return undefined;
  const lists = ranged.map(({ test }) => (test.is === 'within' ? test.intervals : []));
  const bounds = slotIntervals(target.type, lists);
  return { index: slot, bounds, rank: bounds.every(isPoint) ? 1 : 3, exact: ranged };
}

/** How an index finds texts. */
interface TextIndex {
  pointsOf(texts: readonly string[]): Bounds[];
  prefixOf(prefix: string): Bounds[];
  ranks: { point: number; prefix: number };
  /** Whether its keys alone tell which texts are equal to this one, or begin with it. */
  isExact(text: string): boolean;
  /** A condition on the keys of texts that begin with this one. */
  begins(index: IndexName, prefix: string): Filter;
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
  begins: (slot, prefix) => ({ [slot]: { $regex: beginsPattern(caseless(prefix)) } }) as Filter,
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
