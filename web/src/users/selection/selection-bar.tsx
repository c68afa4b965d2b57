import { Text } from '@mantine/core';
import { type ReactNode, Suspense, useState } from 'react';
import { CrossIcon, PenIcon, TrashIcon } from '../../components/icons.tsx';
import { loadLater } from '../../components/page/load-later.tsx';
import { useAbilities } from '../../session/abilities.tsx';
import { t } from '../../texts/texts.ts';
import type { UserColumns } from '../columns.tsx';
import { ExportSelected } from '../export/export-menu.tsx';
import { ListAction } from '../list-action.tsx';
import type { Scope } from '../scope.ts';
import classes from './selection.module.css';
import { focusSelectPage } from './tick-box.tsx';
import { MAX_SELECTED, type Selection } from './use-selection.ts';

const erasure = loadLater(() => import('./erase-selected.tsx').then(({ EraseSelected }) => EraseSelected));

interface SelectionBarProps {
  scope: Scope;
  selection: Selection;
  columns: UserColumns;
  /** Whether there are users to select. */
  hasUsers: boolean;
  /** Opens the change of a field of the selected users. */
  onChange: () => void;
  /** The content while no users are selected. */
  children: ReactNode;
}

/** The number of selected users and actions on them. Hidden, it keeps its place. */
export function SelectionBar({ scope, selection, columns, hasUsers, onChange, children }: SelectionBarProps) {
  erasure.usePreload();
  const can = useAbilities();
  const [erasing, setErasing] = useState(false);
  const { emails, isFull, clear } = selection;
  const isShown = emails.size > 0;
  const words = t.users.selection.selected(emails.size);
  return (
    <div className={classes.stack}>
      <div className={isShown ? classes.hidden : ''}>{children}</div>
      {(hasUsers || isShown) && (
        <div className={`${classes.bar} icons-on-phone ${isShown ? '' : classes.hidden}`}>
          <Text fw={600}>{isFull ? t.users.selection.selectedMost(emails.size, MAX_SELECTED) : words}</Text>
          <ListAction
            Icon={CrossIcon}
            onClick={() => {
              clear();
              focusSelectPage();
            }}
          >
            {t.users.selection.clear}
          </ListAction>
          <span className={classes.space} />
          {can.export && <ExportSelected scope={scope} ids={[...emails.keys()]} columns={columns} />}
          {can.edit && isShown && (
            <ListAction Icon={PenIcon} onClick={onChange}>
              {t.users.change.open}
            </ListAction>
          )}
          {can.edit && (
            <ListAction Icon={TrashIcon} isDangerous onClick={() => setErasing(true)}>
              {t.users.selection.erase}
            </ListAction>
          )}
        </div>
      )}
      <p className="visually-hidden" role="status">
        {isShown && words}
      </p>
      {erasing && (
        <Suspense>
          <erasure.Part
            scope={scope}
            selection={selection}
            onClose={() => {
              setErasing(false);
              focusSelectPage();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
