import { memo, type ReactNode, useCallback, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Field, UserRecord } from '../api/endpoints.ts';
import { Email } from '../components/content/addresses.tsx';
import { fieldName } from '../components/form/labels.ts';
import { t } from '../texts/texts.ts';
import type { UserColumn } from './columns.tsx';
import { type EditedCell, editableField } from './editing/cell-editor.tsx';
import type { FromList } from './list/list-place.ts';
import { TickBox } from './selection/tick-box.tsx';
import type { Selection } from './selection/use-selection.ts';
import classes from './users-table.module.css';

const isUnread = ({ updatedAt }: UserRecord, lastLook: string | undefined): boolean =>
  lastLook !== undefined && updatedAt > lastLook;

interface UserRowsProps {
  users: readonly UserRecord[];
  columns: readonly UserColumn[];
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
  users,
  columns,
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
    const ids = users.map((user) => user.id);
    const to = ids.indexOf(id);
    const from = isRange && lastTicked.current !== undefined ? ids.indexOf(lastTicked.current) : -1;
    const range = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
    selection.select(users.slice(range[0], (range[1] ?? to) + 1), isSelected);
    lastTicked.current = id;
  };
  return (
    <tbody onKeyDown={editableFields ? moveBetweenCells : undefined}>
      {users.map((user) => (
        <tr
          key={user.id}
          className={`${classes.row} ${newIds.has(user.id) ? classes.isNew : ''} ${editableFields ? '' : classes.opens}`}
          data-selected={selection.emails.has(user.id) || undefined}
          data-unread={isUnread(user, lastLook) || undefined}
          onClick={editableFields ? undefined : (event) => open(event, user.id)}
        >
          {columns.map((column) => (
            <td key={column.id} className={classNameOf(column)}>
              {column.id === 'email' ? (
                <>
                  <TickBox
                    label={t.users.select(user.email)}
                    checked={selection.emails.has(user.id)}
                    disabled={selection.isFull && !selection.emails.has(user.id)}
                    onChange={(isSelected, isRange) => tick(user.id, isSelected, isRange)}
                  />
                  <Link
                    href={`${path}/${user.id}`}
                    state={place}
                    className={classes.email ?? ''}
                    aria-description={isUnread(user, lastLook) ? t.users.unread : undefined}
                  >
                    <Email isLine>{user.email}</Email>
                  </Link>
                </>
              ) : (
                <Editable
                  user={user}
                  field={editableFields && editableField(column.id, editableFields)}
                  onEdit={onEdit}
                >
                  {column.cell(user)}
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
