import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { MenuIcon } from './icons.tsx';

/** The menu of what a reader can do with an object of a list, as `Menu.Item`s. */
export function ActionsMenu({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
          <MenuIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
