import type { Field } from '../../api/endpoints.ts';
import { type ListParameters, orderOf } from './list-parameters.ts';
import type { UserCount } from './use-user-count.ts';

/** In an order that no index has, the service leaves out at most this many records. */
const MAX_SORTED_SKIP = 10_000;

/** The last page that can be opened by its number; 1 while the number of users is unknown. */
export function lastPageOf(parameters: ListParameters, count: UserCount | undefined, fields: readonly Field[]): number {
  if (!count) return 1;
  const pages = Math.ceil(count.total / parameters.size);
  const { sort = 'createdAt' } = orderOf(parameters);
  const isIndexed =
    sort === 'createdAt' ||
    sort === 'email' ||
    fields.some((field) => `data.${field.key}` === sort && 'indexed' in field && field.indexed === true);
  return isIndexed ? pages : Math.min(pages, Math.floor(MAX_SORTED_SKIP / parameters.size) + 1);
}
