import { type ColumnVisibilityState, flexRender, type Row } from '@tanstack/react-table';
import { memo, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { UserRecord } from '../api/endpoints.ts';
import { FROM_LIST } from '../record/back-link.tsx';
import type { features } from './columns.tsx';
import classes from './users-table.module.css';

interface UserRowsProps {
  rows: Row<typeof features, UserRecord>[];
  /** Only invalidates the memo: the rows read the visibility from the table. */
  visibility: ColumnVisibilityState;
  newIds: ReadonlySet<string>;
}

/**
 * Memoized and built from plain elements, because a page has up to 200 rows and polls every few
 * seconds.
 */
export const UserRows = memo(function UserRows({ rows, newIds }: UserRowsProps) {
  const open = useOpenRecord();
  return (
    <tbody>
      {rows.map((row) => (
        <tr
          key={row.id}
          className={`${classes.row} ${newIds.has(row.id) ? classes.isNew : ''}`}
          onClick={(event) => open(event, row.id)}
        >
          {row.getVisibleCells().map((cell) => (
            <td key={cell.id} className={classes.cell}>
              {cell.column.id === 'email' ? (
                <Link href={`/users/${row.id}`} state={FROM_LIST} className={classes.email ?? ''}>
                  {row.original.email}
                </Link>
              ) : (
                flexRender(cell.column.columnDef.cell, cell.getContext())
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
});

/** Opens the record on a click anywhere in the row, except on a link or while text is selected. */
function useOpenRecord(): (event: React.MouseEvent, id: string) => void {
  const [, navigate] = useLocation();
  const open = useRef((event: React.MouseEvent, id: string) => {
    const onLink = event.target instanceof Element && event.target.closest('a') !== null;
    if (onLink || window.getSelection()?.toString()) return;
    navigate(`/users/${id}`, { state: FROM_LIST });
  });
  return open.current;
}
