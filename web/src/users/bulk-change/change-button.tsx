import { Button } from '@mantine/core';
import { PenIcon } from '../../components/icons.tsx';
import { t } from '../../texts/texts.ts';
import type { UserFilter } from '../list/list-parameters.ts';

/** The users to change: those that match, or those that are selected, by id. */
export type ChangedUsers = { filter: UserFilter } | { selected: ReadonlyMap<string, string> };

/** Opens the dialog, which the page shows: the list and its buttons change with the users. */
export function ChangeButton({ onOpen }: { onOpen: () => void }) {
  return (
    <Button variant="subtle" size="compact-sm" leftSection={<PenIcon size={14} />} onClick={onOpen}>
      {t.users.change.open}
    </Button>
  );
}
