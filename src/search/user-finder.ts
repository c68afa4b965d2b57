import type { ObjectId } from 'mongodb';
import type { Cursors } from '../api/cursors.ts';
import { InvalidInput } from '../core/errors.ts';
import type { RecordBatches } from '../records/record-json.ts';
import { parseSort, parseWhere, type QuerySchema } from './conditions.ts';
import type { Query } from './plan.ts';
import type { ReadySlot, SlotOf } from './queried-app.ts';
import { textSearch } from './text-search.ts';
import type { PageStart, QueryPage, UserQuery } from './user-query.ts';

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

/** A page with the members after its users in the answer. */
export interface AnsweredPage {
  users: RecordBatches;
  rest: { total?: number; totalIs?: string; next?: string; complete: boolean };
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
  const signed = cursor === undefined ? undefined : cursors.read<SignedPosition>(cursor, bound);
  const slots = signed?.slots ?? slotsUsed(parsed, app.slotOf);
  for (const [key, { use }] of Object.entries(slots)) if (app.slotOf(key)?.use !== use) throw outdated();
  const page = await query.page(app.id, parsed, (key) => (Object.hasOwn(slots, key) ? slots[key] : undefined), {
    ...{ limit, skip, total },
    start: signed?.start,
  });
  const next = page.next && { next: cursors.write({ start: page.next, slots } satisfies SignedPosition, bound) };
  return { users: page.users, rest: { ...totalMembers(page), ...next, complete: page.isComplete } };
}

export interface PlainPageRequest extends Pick<QueryRequest, 'sort' | 'order'> {
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

function totalMembers({ total }: QueryPage) {
  return total && { total: total.total, totalIs: total.totalIs };
}

/** The parts of a request to which its cursors belong. */
function boundTo(appId: ObjectId, { where = [], q, sort, order }: PageRequest): unknown {
  return ['users', appId.toHexString(), [...where].sort(), q, sort, order];
}

function outdated(): InvalidInput {
  const message = 'belongs to an index that was changed; search again';
  return new InvalidInput('Invalid query parameters', [{ path: 'cursor', message }]);
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
