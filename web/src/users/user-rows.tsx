import { type ColumnVisibilityState, flexRender, type Row } from '@tanstack/react-table';
import { memo, type ReactNode, useCallback, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Field, UserRecord } from '../api/endpoints.ts';
import { fieldName } from '../components/form/labels.ts';
import { t } from '../texts/texts.ts';
import type { features, UserColumn } from './columns.tsx';
import { type EditedCell, editableField } from './editing/cell-editor.tsx';
import type { FromList } from './list/list-place.ts';
import { TickBox } from './selection/tick-box.tsx';
import type { Selection } from './selection/use-selection.ts';
import classes from './users-table.module.css';

const isUnread = ({ updatedAt }: UserRecord, lastLook: string | undefined): boolean =>
  lastLook !== undefined && updatedAt > lastLook;

interface UserRowsProps {
  rows: Row<typeof features, UserRecord>[];
  /** Only invalidates the memo: the rows read the visibility from the table. */
  visibility: ColumnVisibilityState;
  newIds: ReadonlySet<string>;
  /** Rows that were changed later are marked. */
  lastLook: string | undefined;
  /** The path of the list; `/<id>` after it is the path of a record. */
  path: string;
  /** The history state of records that are opened. */
  place: FromList;
  /** The fields whose cells open the editor. Undefined: a click opens the record. */
  editableFields: readonly Field[] | undefined;
  onEdit: (cell: EditedCell) => void;
  selection: Selection;
}

/** Memoized and built from plain elements: a page has up to 200 rows and polls often. */
export const UserRows = memo(function UserRows({
  rows,
  newIds,
  lastLook,
  path,
  place,
  editableFields,
  onEdit,
  selection,
}: UserRowsProps) {
  const open = useOpenRecord(path, place);
  const lastTicked = useRef<string>(undefined);
  const tick = (id: string, isSelected: boolean, isRange: boolean): void => {
    const ids = rows.map((row) => row.id);
    const to = ids.indexOf(id);
    const from = isRange && lastTicked.current !== undefined ? ids.indexOf(lastTicked.current) : -1;
    const range = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
    const ticked = rows.slice(range[0], (range[1] ?? to) + 1);
    selection.select(
      ticked.map(({ original }) => original),
      isSelected,
    );
    lastTicked.current = id;
  };
  return (
    <tbody onKeyDown={editableFields ? moveBetweenCells : undefined}>
      {rows.map((row) => (
        <tr
          key={row.id}
          className={`${classes.row} ${newIds.has(row.id) ? classes.isNew : ''} ${editableFields ? '' : classes.opens}`}
          data-selected={selection.emails.has(row.id) || undefined}
          data-unread={isUnread(row.original, lastLook) || undefined}
          onClick={editableFields ? undefined : (event) => open(event, row.id)}
        >
          {row.getVisibleCells().map((cell) => (
            <td key={cell.id} className={classNameOf(cell.column.columnDef as UserColumn)}>
              {cell.column.id === 'email' ? (
                <>
                  <TickBox
                    label={t.users.select(row.original.email)}
                    checked={selection.emails.has(row.id)}
                    disabled={selection.isFull && !selection.emails.has(row.id)}
                    onChange={(isSelected, isRange) => tick(row.id, isSelected, isRange)}
                  />
                  <Link
                    href={`${path}/${row.id}`}
                    state={place}
                    className={classes.email ?? ''}
                    title={row.original.email}
                    aria-description={isUnread(row.original, lastLook) ? t.users.unread : undefined}
                  >
                    {row.original.email}
                  </Link>
                </>
              ) : (
                <Editable
                  user={row.original}
                  field={editableFields && editableField(cell.column.id, editableFields)}
                  onEdit={onEdit}
                >
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                </Editable>
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
});

interface EditableProps extends Omit<EditedCell, 'field'> {
  field: Field | undefined;
  onEdit: (cell: EditedCell) => void;
  children: ReactNode;
}

function Editable({ user, field, onEdit, children }: EditableProps) {
  if (!field) return <>{children}</>;
  return (
    <button type="button" className={classes.edit} onClick={() => onEdit({ user, field })}>
      {children}
      <span className="visually-hidden">{t.users.editCell(fieldName(field), user.email)}</span>
    </button>
  );
}

function classNameOf({ id, isNumber }: UserColumn): string {
  return `${classes.cell} ${id === 'email' ? classes.sticky : ''} ${isNumber ? classes.right : ''}`;
}

const STEPS: Readonly<Record<string, readonly [rows: number, cells: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Moves the focus by an arrow key to the next cell in its direction that has a control. */
function moveBetweenCells(event: React.KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  const cell = event.target instanceof Element && event.target.closest('td');
  if (!step || !cell || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const rows = [...event.currentTarget.querySelectorAll('tr')];
  const here = cell.closest('tr');
  let row = (here ? rows.indexOf(here) : 0) + step[0];
  let column = cell.cellIndex + step[1];
  for (let next = rows[row]?.cells[column]; next; next = rows[row]?.cells[column]) {
    const control = next.querySelector<HTMLElement>('button, a');
    if (control) {
      control.focus();
      return;
    }
    row += step[0];
    column += step[1];
  }
}

/** Opens the record on a click in the row, except on a link or a tick box, or in selected text. */
function useOpenRecord(path: string, place: FromList): (event: React.MouseEvent, id: string) => void {
  const [, navigate] = useLocation();
  return useCallback(
    (event, id) => {
      const onControl = event.target instanceof Element && event.target.closest('a, label') !== null;
      if (onControl || window.getSelection()?.toString()) return;
      navigate(`${path}/${id}`, { state: place });
    },
    [path, place, navigate],
  );
}
