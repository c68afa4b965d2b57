import { Suspense, useState } from 'react';
import { TrashIcon } from '../components/icons.tsx';
import { loadLater } from '../components/page/load-later.tsx';
import { t } from '../texts/texts.ts';
import type { UserFilter } from './list/list-parameters.ts';
import { ListAction } from './list-action.tsx';
import type { Scope } from './scope.ts';

const dialog = loadLater(() => import('./erase-dialog.tsx').then(({ EraseDialog }) => EraseDialog));

export interface EraseMatchingProps {
  scope: Scope;
  filter: UserFilter;
}

/** Erases all users that match, after the operator typed their number. */
export function EraseMatching({ scope, filter }: EraseMatchingProps) {
  const [opened, setOpened] = useState(false);
  dialog.usePreload();
  return (
    <>
      <ListAction Icon={TrashIcon} isDangerous onClick={() => setOpened(true)}>
        {t.users.erasure.open}
      </ListAction>
      {opened && (
        <Suspense>
          <dialog.Part scope={scope} filter={filter} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}
