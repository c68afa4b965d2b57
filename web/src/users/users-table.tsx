import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Field, UserRecord } from '../api/endpoints.ts';
import { SortHeader } from '../components/table/sort-header.tsx';
import { t } from '../texts/texts.ts';
import type { UserColumn, UserColumns } from './columns.tsx';
import { CellEditor, type EditedCell } from './editing/cell-editor.tsx';
import { type ChangeList, isNewestFirst, type ListParameters } from './list/list-parameters.ts';
import { placeState } from './list/list-place.ts';
import type { Scope } from './scope.ts';
import { SelectPage } from './selection/tick-box.tsx';
import type { Selection } from './selection/use-selection.ts';
import { UserRows } from './user-rows.tsx';
import classes from './users-table.module.css';

interface UsersTableProps {
  users: UserRecord[];
  columns: UserColumns;
  parameters: ListParameters;
  change: ChangeList;
  /** The path of the list. */
  path: string;
  /** Undefined: a click opens the record. */
  editing: { scope: Scope; fields: readonly Field[] } | undefined;
  selection: Selection;
  /** The cursor of the next page. */
  next: string | undefined;
  /** Users that were changed later are marked; undefined: none. */
  lastLook: string | undefined;
  /** Whether the previous page is shown while the next one is loading. */
  stale: boolean;
}

/** Columns are narrowed by up to this factor before the table scrolls sideways. */
const LEAST_WIDTH = 0.9;

export function UsersTable(props: UsersTableProps) {
  const { users, columns, parameters, change, path, editing, selection, next, stale, lastLook } = props;
  const view = JSON.stringify(parameters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `parameters` are new in each render
  const place = useMemo(() => placeState(parameters, users, next), [view, users, next]);
  const [edited, setEdited] = useState<EditedCell>();
  const newIds = useNewIds(stale ? undefined : users, parameters);
  const { all, visibility } = columns;
  const shown = useMemo(() => all.filter(({ id }) => visibility[id] !== false), [all, visibility]);
  const wanted = shown.reduce((sum, column) => sum + column.width, 0);
  const { ref, width: room } = useElementSize();
  const narrowed = room / wanted;
  const factor = narrowed >= LEAST_WIDTH && narrowed < 1 ? narrowed : 1;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable */}
      <section ref={ref} className={classes.scroll} tabIndex={0} aria-label={t.users.table} aria-busy={stale}>
        <table
          className={`${classes.table} ${stale ? classes.stale : ''}`}
          style={{ minWidth: Math.floor(wanted * factor) }}
        >
          <colgroup>
            {shown.map((column) => (
              // The emails stay in view: on a phone they leave room for the other columns.
              <col key={column.id} style={{ width: widthOf(column, factor) }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {shown.map((column) => (
                <ColumnHeader key={column.id} column={column} parameters={parameters} change={change}>
                  {column.id === 'email' && <SelectPage users={users} selection={selection} />}
                </ColumnHeader>
              ))}
            </tr>
          </thead>
          <UserRows
            users={users}
            columns={shown}
            newIds={newIds}
            lastLook={lastLook}
            path={path}
            place={place}
            editableFields={editing?.fields}
            onEdit={setEdited}
            selection={selection}
          />
        </table>
      </section>
      {editing && <CellEditor scope={editing.scope} cell={edited} onClose={() => setEdited(undefined)} />}
      {/* Outside of the region, which would scroll by its height. */}
      <p className="visually-hidden" role="status">
        {newIds.size > 0 && t.users.newUsers(newIds.size)}
      </p>
    </>
  );
}

function widthOf({ id, width }: UserColumn, factor: number): string {
  const pixels = `${Math.floor(width * factor)}px`;
  return id === 'email' ? `min(${pixels}, calc(45vw + 26px))` : pixels;
}

interface ColumnHeaderProps {
  column: UserColumn;
  parameters: ListParameters;
  change: ChangeList;
  children: ReactNode;
}

function ColumnHeader({ column: { id, header, isNumber }, parameters, change, children }: ColumnHeaderProps) {
  const isSorted = parameters.sort === id || (id === 'createdAt' && isNewestFirst(parameters));
  const order = parameters.sort === '' ? 'desc' : parameters.order;
  return (
    <SortHeader
      name={header}
      sorted={isSorted ? order : undefined}
      first={id.endsWith('At') ? 'desc' : 'asc'}
      isRight={isNumber}
      className={`${classes.head} ${id === 'email' ? classes.sticky : ''}`}
      onSort={(next) => change({ sort: id, order: next })}
    >
      {children}
    </SortHeader>
  );
}

const NONE: ReadonlySet<string> = new Set();

/** The ids of the users that were created while the same view was open. */
function useNewIds(users: readonly UserRecord[] | undefined, parameters: ListParameters): ReadonlySet<string> {
  const view = JSON.stringify(parameters);
  const canShowNew = parameters.page === 1 && isNewestFirst(parameters);
  const seen = useRef<{ view: string; ids: Set<string> }>(undefined);
  const [newIds, setNewIds] = useState(NONE);
  useEffect(() => {
    // The list of the filter before says nothing about this one.
    if (!users) return;
    const ids = new Set(users.map(({ id }) => id));
    const before = seen.current;
    if (before && before.view === view && canShowNew) {
      const added = users.filter(({ id }) => !before.ids.has(id)).map(({ id }) => id);
      if (added.length > 0) setNewIds(new Set(added));
      for (const id of before.ids) ids.add(id);
    } else {
      setNewIds(NONE);
    }
    seen.current = { view, ids };
  }, [users, view, canShowNew]);
  return newIds;
}
