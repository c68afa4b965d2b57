import { FROM_LIST } from '../../components/page/back-link.tsx';
import { type ListParameters, orderOf, type UserFilter } from './list-parameters.ts';

/** The page of a list that opened a record. The history state of the record keeps it. */
export interface ListPlace {
  filter: UserFilter;
  order: ReturnType<typeof orderOf>;
  /** From 1. */
  page: number;
  size: number;
  /** The users of the page, in their order. */
  ids: readonly string[];
  /** The cursor of the next page. */
  next?: string | undefined;
}

/** The history state of a record that a list opened. */
export type FromList = typeof FROM_LIST & { list?: ListPlace };

/** The history state of the records of a page of a list. */
export function placeState(
  { q, where, page, size, ...order }: ListParameters,
  users: readonly { id: string }[],
  next: string | undefined,
): FromList {
  const ids = users.map(({ id }) => id);
  return { ...FROM_LIST, list: { filter: { q, where }, order: orderOf(order), page, size, ids, next } };
}
