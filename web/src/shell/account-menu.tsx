import { ActionIcon, Button, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { Session } from '../api/endpoints.ts';
import { DownIcon, MoonIcon, PersonIcon, SunIcon } from '../components/icons.tsx';
import { useLogOut } from '../session/session.ts';
import classes from './account-menu.module.css';

export function AccountMenu({ session }: { session: Session }) {
  const logOut = useLogOut();
  return (
    <div className={classes.account}>
      <SchemeSwitch />
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
            {session.role === 'admin' ? 'Administrator' : 'Operator'} of {session.sourceAppId}
          </Menu.Label>
          <Menu.Item component="a" href="/docs" target="_blank" rel="noreferrer">
            API documentation
          </Menu.Item>
          <Menu.Item onClick={() => logOut.mutate()}>Log out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

function SchemeSwitch() {
  // Keeping transitions spares a style element, which the policy forbids.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={dark ? 'Use light colours' : 'Use dark colours'}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  );
}
