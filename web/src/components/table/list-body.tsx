import type { ReactNode } from 'react';
import { TableSkeleton } from './table-skeleton.tsx';

interface ListBodyProps<Item> {
  /** Undefined while they are loading. */
  items: readonly Item[] | undefined;
  /** The error of the page. */
  error: Error | null;
  /** The rows of the placeholder. */
  rows: number;
  /** Shown instead of an empty list. */
  empty: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}

/** A list, with placeholders while it is loading or empty. */
export function ListBody<Item>({ items, error, rows, empty, children }: ListBodyProps<Item>) {
  if (!items) return error ? null : <TableSkeleton rows={rows} />;
  return items.length > 0 ? children(items) : empty;
}
