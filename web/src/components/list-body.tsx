import type { ReactNode } from 'react';
import { TableSkeleton } from './table-skeleton.tsx';

interface ListBodyProps<Item> {
  /** Undefined while they are loading. */
  items: readonly Item[] | undefined;
  /** Why they could not be loaded; the page shows it. */
  error: Error | null;
  /** The rows of the placeholder. */
  rows: number;
  /** Shown instead of an empty list. */
  empty: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}

/** A list, or what is shown while it is loading or when it is empty. */
export function ListBody<Item>({ items, error, rows, empty, children }: ListBodyProps<Item>) {
  if (!items) return error ? null : <TableSkeleton rows={rows} />;
  return items.length > 0 ? children(items) : empty;
}
