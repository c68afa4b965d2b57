import type { Filter } from './condition-filters.ts';
import { parseSort, parseWhere, type QuerySchema } from './conditions.ts';
import type { Query } from './plan.ts';
import type { ReadySlot, SlotOf } from './ready-slots.ts';
import { textSearch } from './text-search.ts';

/** The parameters that select and order records, as a request has them (spec 4.3). */
export interface QueryRequest {
  where?: readonly string[] | undefined;
  q?: string | undefined;
  sort?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
}

/**
 * Parses a query with the newest schema of its app.
 *
 * @param others conditions of older parameters
 * @throws {InvalidInput}
 */
export function parseQuery(request: QueryRequest, schema: QuerySchema, others: Filter = {}): Query {
  const { where = [], q, sort, order } = request;
  return {
    predicates: parseWhere(where, schema),
    others,
    search: q === undefined ? undefined : textSearch(q),
    sort: parseSort(sort, order, schema),
    isSorted: sort !== undefined || order !== undefined,
  };
}

/** The slots of the fields that a query names, by key. A cursor keeps them. */
export function slotsUsed({ predicates, sort }: Query, slotOf: SlotOf): Record<string, ReadySlot> {
  const keys = [sort.target.key, ...predicates.map(({ target }) => target.key)];
  const entries = keys.flatMap((key) => {
    const slot = key === undefined ? undefined : slotOf(key);
    return slot === undefined ? [] : [[key, slot] as const];
  });
  return Object.fromEntries(entries);
}
