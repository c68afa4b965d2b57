import { ActionIcon, Button, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { Session } from '../api/endpoints.ts';
import { DownIcon, MoonIcon, PersonIcon, SunIcon } from '../components/icons.tsx';
import { useLogOut } from '../session/session.ts';
import classes from './account-menu.module.css';

export function AccountMenu({ session }: { session: Session }) {
  const logOut = useLogOut();
  return (
    <div className={classes.account}>
      <ColorSchemeToggle />
      <Menu>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            leftSection={<PersonIcon />}
            rightSection={<DownIcon size={14} />}
            aria-label={`Account: ${session.sourceAppId}`}
            className={classes.button ?? ''}
          >
            <span className={classes.app}>{session.sourceAppId}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {session.role === 'admin' ? 'Administrator' : 'Operator'}: {session.sourceAppId}
          </Menu.Label>
          <Menu.Item component="a" href="/docs" target="_blank" rel="noreferrer">
            View API documentation
          </Menu.Item>
          <Menu.Item onClick={() => logOut.mutate()}>Log out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

function ColorSchemeToggle() {
  // Without `keepTransitions`, Mantine injects a style element, which the content security policy
  // blocks.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={dark ? 'Switch to light mode' : 'Switch to dark mode'}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  );
}
