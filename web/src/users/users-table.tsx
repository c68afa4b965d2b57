import { useTable } from '@tanstack/react-table';
import type { UserRecord } from '../api/endpoints.ts';
import { count } from '../components/count.ts';
import { DownIcon, UpIcon } from '../components/icons.tsx';
import { features, type UserColumn, type UserColumns } from './columns.tsx';
import { type ChangeList, isNewestFirst, type ListParameters } from './list/list-parameters.ts';
import { useNewIds } from './list/new-ids.ts';
import { UserRows } from './user-rows.tsx';
import classes from './users-table.module.css';

interface UsersTableProps {
  users: UserRecord[];
  columns: UserColumns;
  parameters: ListParameters;
  change: ChangeList;
  /** The path of the list. */
  path: string;
  /** Whether the previous page is shown while the next one is loading. */
  stale: boolean;
}

export function UsersTable({ users, columns, parameters, change, path, stale }: UsersTableProps) {
  const table = useTable({
    features,
    columns: columns.all,
    data: users,
    getRowId: ({ id }) => id,
    state: { columnVisibility: columns.visibility },
  });
  const newIds = useNewIds(users, parameters);
  const shown = columns.all.filter(({ id }) => columns.visibility[id] !== false);
  const width = shown.reduce((sum, column) => sum + column.width, 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={classes.scroll} tabIndex={0} aria-label="Table of users" aria-busy={stale}>
      <table className={`${classes.table} ${stale ? classes.stale : ''}`} style={{ minWidth: width }}>
        <colgroup>
          {shown.map((column) => (
            // The emails stay in view: on a phone they leave room for the other columns.
            <col
              key={column.id}
              style={{ width: column.id === 'email' ? `min(${column.width}px, 45vw)` : column.width }}
            />
          ))}
        </colgroup>
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
        <UserRows rows={table.getRowModel().rows} visibility={columns.visibility} newIds={newIds} path={path} />
      </table>
      <p className="visually-hidden" role="status">
        {newIds.size > 0 && count(newIds.size, 'new user')}
      </p>
    </section>
  );
}

function SortHeader({
  column: { id, header, isNumber },
  parameters,
  change,
}: {
  column: UserColumn;
  parameters: ListParameters;
  change: ChangeList;
}) {
  const sorted = parameters.sort === id || (id === 'createdAt' && isNewestFirst(parameters));
  const ascending = parameters.order === 'asc' && parameters.sort !== '';
  const next = sorted ? !ascending : !id.endsWith('At');
  return (
    <th
      aria-sort={sorted ? (ascending ? 'ascending' : 'descending') : 'none'}
      className={`${classes.head} ${id === 'email' ? classes.sticky : ''} ${isNumber ? classes.right : ''}`}
    >
      <button
        type="button"
        className={classes.sort}
        title={header}
        onClick={() => change({ sort: id, order: next ? 'asc' : 'desc' })}
      >
        <span className={classes.name}>{header}</span>
        <span className={sorted ? classes.sorted : classes.unsorted}>
          {sorted && ascending ? <UpIcon size={14} /> : <DownIcon size={14} />}
        </span>
      </button>
    </th>
  );
}
