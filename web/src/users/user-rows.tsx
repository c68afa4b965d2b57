import { type ColumnVisibilityState, flexRender, type Row } from '@tanstack/react-table';
import { memo, useCallback } from 'react';
import { Link, useLocation } from 'wouter';
import type { UserRecord } from '../api/endpoints.ts';
import { FROM_LIST } from '../record/back-link.tsx';
import type { features, UserColumn } from './columns.tsx';
import classes from './users-table.module.css';

interface UserRowsProps {
  rows: Row<typeof features, UserRecord>[];
  /** Only invalidates the memo: the rows read the visibility from the table. */
  visibility: ColumnVisibilityState;
  newIds: ReadonlySet<string>;
  /** The path of the list; `/<id>` after it is the path of a record. */
  path: string;
}

/**
 * Memoized and built from plain elements, because a page has up to 200 rows and polls every few
 * seconds.
 */
export const UserRows = memo(function UserRows({ rows, newIds, path }: UserRowsProps) {
  const open = useOpenRecord(path);
  return (
    <tbody>
      {rows.map((row) => (
        <tr
          key={row.id}
          className={`${classes.row} ${newIds.has(row.id) ? classes.isNew : ''}`}
          onClick={(event) => open(event, row.id)}
        >
          {row.getVisibleCells().map((cell) => (
            <td key={cell.id} className={classNameOf(cell.column.columnDef as UserColumn)}>
              {cell.column.id === 'email' ? (
                <Link
                  href={`${path}/${row.id}`}
                  state={FROM_LIST}
                  className={classes.email ?? ''}
                  title={row.original.email}
                >
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

function classNameOf({ id, isNumber }: UserColumn): string {
  return `${classes.cell} ${id === 'email' ? classes.sticky : ''} ${isNumber ? classes.right : ''}`;
}

/** Opens the record on a click anywhere in the row, except on a link or while text is selected. */
function useOpenRecord(path: string): (event: React.MouseEvent, id: string) => void {
  const [, navigate] = useLocation();
  return useCallback(
    (event, id) => {
      const onLink = event.target instanceof Element && event.target.closest('a') !== null;
      if (onLink || window.getSelection()?.toString()) return;
      navigate(`${path}/${id}`, { state: FROM_LIST });
    },
    [path, navigate],
  );
}
