import { useTable } from '@tanstack/react-table';
import type { UserRecord } from '../api/endpoints.ts';
import { count } from '../components/count.ts';
import { DownIcon, UpIcon } from '../components/icons.tsx';
import { features, type UserColumn, type UserColumns } from './columns.tsx';
import type { ListParameters } from './list-parameters.ts';
import { useNewIds } from './new-ids.ts';
import { UserRows } from './user-rows.tsx';
import classes from './users-table.module.css';

interface UsersTableProps {
  users: UserRecord[];
  columns: UserColumns;
  parameters: ListParameters;
  change: (part: Partial<ListParameters>) => void;
  /** Whether the previous page is shown while the next one is loading. */
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
  const newIds = useNewIds(users, parameters);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={classes.scroll} tabIndex={0} aria-label="Table of users" aria-busy={stale}>
      <table className={`${classes.table} ${stale ? classes.stale : ''}`}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map(({ column }) => (
                <SortHeader
                  key={column.id}
                  column={column.columnDef as UserColumn}
                  parameters={parameters}
                  change={change}
                />
              ))}
            </tr>
          ))}
        </thead>
        <UserRows rows={table.getRowModel().rows} visibility={columns.visibility} newIds={newIds} />
      </table>
      <p className="visually-hidden" role="status">
        {newIds.size > 0 && count(newIds.size, 'new user')}
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
    <th aria-sort={sorted ? (ascending ? 'ascending' : 'descending') : 'none'} className={classes.head}>
      <button type="button" className={classes.sort} onClick={() => change({ sort: id, order: next ? 'asc' : 'desc' })}>
        {header}
        <span className={sorted ? classes.sorted : classes.unsorted}>
          {sorted && ascending ? <UpIcon size={14} /> : <DownIcon size={14} />}
        </span>
      </button>
    </th>
  );
}
