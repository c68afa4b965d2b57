import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../texts/first-texts.ts';
import { MenuIcon } from '../icons.tsx';

interface ActionsMenuProps {
  name: string;
  /** Whether the menu is in a popover, which closes when something outside of it is pressed. */
  isNested?: boolean;
  children: ReactNode;
}

/** The menu of what a reader can do with an object of a list, as `Menu.Item`s. */
export function ActionsMenu({ name, isNested = false, children }: ActionsMenuProps) {
  return (
    <Menu withinPortal={!isNested} floatingStrategy={isNested ? 'fixed' : 'absolute'}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t.components.actionsFor(name)}>
          <MenuIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
