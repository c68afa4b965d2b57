import { useEffect, useRef } from 'react';
import { useAbilities } from '../../session/abilities.tsx';
import classes from './selection.module.css';

interface TickBoxProps {
  label: string;
  checked: boolean;
  /** Whether only a part of the rows is selected. */
  isPartial?: boolean;
  disabled?: boolean;
  id?: string;
  onChange: (isChecked: boolean) => void;
}

/**
 * A box that selects one row, or all rows of the page, for readers who may do something with them.
 * A plain element: a page has up to 201.
 */
export function TickBox({ label, checked, isPartial = false, disabled = false, id, onChange }: TickBoxProps) {
  const can = useAbilities();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = isPartial;
  }, [isPartial]);
  if (!can.edit && !can.export) return null;
  return (
    <label className={classes.tick}>
      <input
        ref={input}
        type="checkbox"
        id={id}
        aria-label={label}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  );
}
