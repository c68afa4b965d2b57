import type { ReactNode } from 'react';
import { DownIcon, UpIcon } from '../icons.tsx';
import classes from './sort-header.module.css';

interface SortHeaderProps {
  name: string;
  /** Undefined: the table is in another order. */
  sorted: 'asc' | 'desc' | undefined;
  /** The order of the first click. */
  first: 'asc' | 'desc';
  isRight?: boolean | undefined;
  className?: string | undefined;
  onSort: (order: 'asc' | 'desc') => void;
  /** Content before the name. */
  children?: ReactNode;
}

/** The header of a sortable column. Another click reverses the order. */
export function SortHeader({ name, sorted, first, isRight = false, className, onSort, children }: SortHeaderProps) {
  const next = sorted === undefined ? first : sorted === 'asc' ? 'desc' : 'asc';
  return (
    <th
      aria-sort={sorted === undefined ? 'none' : sorted === 'asc' ? 'ascending' : 'descending'}
      // Not that of the controls in it.
      aria-label={children ? name : undefined}
      className={`${classes.head} ${className ?? ''}`}
    >
      {children}
      <button
        type="button"
        className={`${classes.sort} ${isRight ? classes.right : ''}`}
        title={name}
        onClick={() => onSort(next)}
      >
        <span className={classes.name}>{name}</span>
        <span className={sorted ? classes.sorted : classes.unsorted}>
          {sorted === 'asc' ? <UpIcon size={14} /> : <DownIcon size={14} />}
        </span>
      </button>
    </th>
  );
}
