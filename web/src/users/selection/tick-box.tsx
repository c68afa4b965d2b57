import { useEffect, useRef } from 'react';
import type { UserRecord } from '../../api/endpoints.ts';
import { useAbilities } from '../../session/abilities.tsx';
import { t } from '../../texts/texts.ts';
import classes from './selection.module.css';
import type { Selection } from './use-selection.ts';

interface TickBoxProps {
  label: string;
  checked: boolean;
  /** Whether only a part of the rows is selected. */
  isPartial?: boolean;
  disabled?: boolean;
  id?: string;
  /** `isRange`: with the Shift key, which selects all rows since the last one. */
  onChange: (isChecked: boolean, isRange: boolean) => void;
}

/**
 * A box that selects one row, or all rows of the page, for readers who may do something with them.
 * A plain element: a page has up to 201. A press with the Shift key selects no text.
 */
export function TickBox({ label, checked, isPartial = false, disabled = false, id, onChange }: TickBoxProps) {
  const can = useAbilities();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = isPartial;
  }, [isPartial]);
  if (!can.edit && !can.export) return null;
  return (
    <label className={classes.tick} onMouseDown={(event) => event.shiftKey && event.preventDefault()}>
      <input
        ref={input}
        type="checkbox"
        id={id}
        aria-label={label}
        checked={checked}
        onChange={({ currentTarget, nativeEvent }) =>
          onChange(currentTarget.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
        }
        disabled={disabled}
      />
    </label>
  );
}

const ID = 'select-page';

/** The box in the header of the table: selects all users of the page. */
export function SelectPage({ users, selection }: { users: readonly UserRecord[]; selection: Selection }) {
  const selected = users.filter(({ id }) => selection.emails.has(id)).length;
  return (
    <TickBox
      id={ID}
      label={t.users.selection.selectAll}
      checked={users.length > 0 && selected === users.length}
      isPartial={selected > 0 && selected < users.length}
      disabled={selection.isFull && selected === 0}
      onChange={(isChecked) => selection.select(users, isChecked && !selection.isFull)}
    />
  );
}

/** Moves the focus to that box, when the focused element is removed with the selection. */
export function focusSelectPage(): void {
  document.getElementById(ID)?.focus();
}
