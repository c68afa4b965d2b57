import type { Types } from 'mongoose';
import type { Cursors } from '../api/cursors.ts';
import { InvalidInput } from '../core/errors.ts';
import type { RecordBatches } from '../records/record-json.ts';
import type { QuerySchema } from './conditions.ts';
import type { Query } from './plan.ts';
import type { ReadySlot, SlotOf } from './ready-slots.ts';
import { parseQuery, type QueryRequest, slotsUsed } from './request.ts';
import type { PageStart, QueryPage, UserQuery } from './user-query.ts';
import { conditionsOf as olderConditions, type UserFilter } from './user-search.ts';

/** The parameters of a page (spec 4.3). */
export interface PageRequest extends QueryRequest, UserFilter {
  limit: number;
  skip?: number | undefined;
  cursor?: string | undefined;
  total?: 'exact' | 'capped' | 'none' | undefined;
}

/** A page with the members that follow its users in the answer. */
export interface AnsweredPage {
  users: RecordBatches;
  rest: { total?: number; totalIs?: string; next?: string; complete: boolean };
}

/** What a cursor holds: the position, and the index slots that its plan relies on. */
interface SignedPosition {
  start: PageStart;
  slots: Record<string, ReadySlot>;
}

interface QueryApp {
  id: Types.ObjectId;
  schema: QuerySchema;
  slotOf: SlotOf;
}

/** Parses the conditions of a request. @throws {InvalidInput} */
export function queryOf(request: QueryRequest & UserFilter, schema: QuerySchema): Query {
  const { search, field, value } = request;
  return parseQuery(request, schema, olderConditions({ search, field, value }, schema));
}

/**
 * Resolves with a page of an app's records (spec 4.3).
 * @throws {InvalidInput} for invalid conditions, and for a cursor that is not of this query
 */
export async function findUsers(
  query: UserQuery,
  cursors: Cursors,
  app: QueryApp,
  request: PageRequest,
): Promise<AnsweredPage> {
  const { cursor, limit, skip = 0, total = cursor === undefined ? 'capped' : 'none' } = request;
  const parsed = queryOf(request, app.schema);
  const bound = boundTo(app.id, request);
  const signed = cursor === undefined ? undefined : cursors.read<SignedPosition>(cursor, bound);
  const slots = signed?.slots ?? slotsUsed(parsed, app.slotOf);
  for (const [key, { use }] of Object.entries(slots)) if (app.slotOf(key)?.use !== use) throw outdated();
  const page = await query.page(app.id, parsed, (key) => (Object.hasOwn(slots, key) ? slots[key] : undefined), {
    ...{ limit, skip, total },
    start: signed?.start,
  });
  const next = page.next && { next: cursors.write({ start: page.next, slots } satisfies SignedPosition, bound) };
  return { users: page.users, rest: { ...totalOf(page), ...next, complete: page.isComplete } };
}

function totalOf({ total }: QueryPage) {
  return total && { total: total.total, totalIs: total.totalIs };
}

/** The parts of a request to which its cursors belong. */
function boundTo(appId: Types.ObjectId, { where = [], q, search, field, value, sort, order }: PageRequest): unknown {
  return ['users', appId.toHexString(), [...where].sort(), q, search, field, value, sort, order];
}

function outdated(): InvalidInput {
  const message = 'belongs to an index that was changed; search again';
  return new InvalidInput('Invalid query parameters', [{ path: 'cursor', message }]);
}
