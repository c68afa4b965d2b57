import { Table } from '@mantine/core';
import { useTable } from '@tanstack/react-table';
import { useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { UserRecord } from '../api/endpoints.ts';
import { DownIcon, UpIcon } from '../components/icons.tsx';
import { FROM_LIST } from '../record/back.tsx';
import { features, type UserColumn, type UserColumns } from './columns.tsx';
import { useFreshIds } from './fresh-ids.ts';
import type { ListParameters } from './list-parameters.ts';
import classes from './users-table.module.css';

interface UsersTableProps {
  users: UserRecord[];
  columns: UserColumns;
  parameters: ListParameters;
  change: (part: Partial<ListParameters>) => void;
  /** The page before is still shown, while the next is on its way. */
  stale: boolean;
}

export function UsersTable({ users, columns, parameters, change, stale }: UsersTableProps) {
  const table = useTable({
    features,
    columns: columns.all,
    data: users,
    getRowId: ({ id }) => id,
    state: { columnVisibility: columns.visibility },
  });
  const fresh = useFreshIds(users, parameters);
  const open = useOpenRecord();
  return (
    // A region that scrolls has to be reached by key.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes.scroll} tabIndex={0} aria-label="Table of users" aria-busy={stale}>
      <Table verticalSpacing="sm" horizontalSpacing="md" className={stale ? classes.stale : ''}>
        <Table.Thead>
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id}>
              {group.headers.map(({ column }) => (
                <SortHeader
                  key={column.id}
                  column={column.columnDef as UserColumn}
                  parameters={parameters}
                  change={change}
                />
              ))}
            </Table.Tr>
          ))}
        </Table.Thead>
        <Table.Tbody>
          {table.getRowModel().rows.map((row) => (
            <Table.Tr
              key={row.id}
              className={`${classes.row} ${fresh.has(row.id) ? classes.fresh : ''}`}
              onClick={(event) => open(event, row.id)}
            >
              {row.getVisibleCells().map((cell) => (
                <Table.Td key={cell.id} className={classes.cell ?? ''}>
                  {cell.column.id === 'email' ? (
                    <Link href={`/users/${row.id}`} state={FROM_LIST} className={classes.email ?? ''}>
                      {row.original.email}
                    </Link>
                  ) : (
                    <table.FlexRender cell={cell} />
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <p className="unseen" role="status">
        {fresh.size > 0 && `${fresh.size} new ${fresh.size === 1 ? 'user' : 'users'}`}
      </p>
    </section>
  );
}

function SortHeader({
  column: { id, header },
  parameters,
  change,
}: {
  column: UserColumn;
  parameters: ListParameters;
  change: (part: Partial<ListParameters>) => void;
}) {
  const sorted = parameters.sort === id;
  const ascending = parameters.order === 'asc';
  const next = sorted ? !ascending : !id.endsWith('At');
  return (
    <Table.Th aria-sort={sorted ? (ascending ? 'ascending' : 'descending') : 'none'} className={classes.head ?? ''}>
      <button type="button" className={classes.sort} onClick={() => change({ sort: id, order: next ? 'asc' : 'desc' })}>
        {header}
        <span className={sorted ? classes.sorted : classes.unsorted}>
          {sorted && ascending ? <UpIcon size={14} /> : <DownIcon size={14} />}
        </span>
      </button>
    </Table.Th>
  );
}

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
