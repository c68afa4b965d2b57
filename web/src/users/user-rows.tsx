import { type ColumnVisibilityState, flexRender, type Row } from '@tanstack/react-table';
import { memo, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { UserRecord } from '../api/endpoints.ts';
import { FROM_LIST } from '../record/back.tsx';
import type { features } from './columns.tsx';
import classes from './users-table.module.css';

interface UserRowsProps {
  rows: Row<typeof features, UserRecord>[];
  /** What the rows look up themselves; here so that a change of it is seen. */
  visibility: ColumnVisibilityState;
  fresh: ReadonlySet<string>;
}

/** The rows are drawn anew only when they changed: there may be hundreds, and the page looks for news every few seconds. Their elements are plain for the same reason. */
export const UserRows = memo(function UserRows({ rows, fresh }: UserRowsProps) {
  const open = useOpenRecord();
  return (
    <tbody>
      {rows.map((row) => (
        <tr
          key={row.id}
          className={`${classes.row} ${fresh.has(row.id) ? classes.fresh : ''}`}
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

/** The whole row leads to the record, for the mouse; who selects text or follows the link means something else. */
function useOpenRecord(): (event: React.MouseEvent, id: string) => void {
  const [, navigate] = useLocation();
  const open = useRef((event: React.MouseEvent, id: string) => {
    const onLink = event.target instanceof Element && event.target.closest('a') !== null;
    if (onLink || window.getSelection()?.toString()) return;
    navigate(`/users/${id}`, { state: FROM_LIST });
  });
  return open.current;
}
