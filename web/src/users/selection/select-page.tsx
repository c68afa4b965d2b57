import type { UserRecord } from '../../api/endpoints.ts';
import { t } from '../../texts/texts.ts';
import { TickBox } from './tick-box.tsx';
import type { Selection } from './use-selection.ts';

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
