import { call } from '../api/call.ts';
import type { ListPlace } from '../users/list/list-place.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

/** A record beside another one. */
interface Neighbour {
  id: string;
  list: ListPlace;
}

/** Whether the list may have a record before (-1) or after (1) this one. */
export function hasNeighbour({ ids, page, next }: ListPlace, id: string, step: -1 | 1): boolean {
  const at = ids.indexOf(id);
  if (ids[at + step] !== undefined && at >= 0) return true;
  return at >= 0 && (step === 1 ? next !== undefined : page > 1);
}

/** Resolves with the record before (-1) or after (1) this one; undefined if there is none. */
export async function neighbourOf(
  scope: Scope,
  list: ListPlace,
  id: string,
  step: -1 | 1,
): Promise<Neighbour | undefined> {
  const beside = list.ids[list.ids.indexOf(id) + step];
  if (beside !== undefined) return { id: beside, list };
  const other = step === 1 ? await pageAfter(scope, list) : await pageBefore(scope, list);
  const found = other.ids.filter((one) => one !== id).at(step === 1 ? 0 : -1);
  return found === undefined ? undefined : { id: found, list: other };
}

/** A search may need several answers for the first record of a page. */
async function pageAfter(scope: Scope, list: ListPlace): Promise<ListPlace> {
  let found: ListPlace = { ...list, page: list.page + 1, ids: [] };
  while (found.ids.length === 0 && found.next !== undefined) {
    found = { ...found, ...(await read(scope, list, { cursor: found.next })) };
  }
  return found;
}

async function pageBefore(scope: Scope, list: ListPlace): Promise<ListPlace> {
  const page = list.page - 1;
  return { ...list, page, ...(await read(scope, list, { skip: (page - 1) * list.size })) };
}

async function read(scope: Scope, { filter, order, size }: ListPlace, start: { cursor: string } | { skip: number }) {
  const query = { ...scopeParameter(scope), ...filter, ...order, ...start, limit: size, total: 'none' };
  const body = await call('GET /auth/users', { query });
  return { ids: body.users.map(({ id }) => id), next: 'next' in body ? body.next : undefined };
}
