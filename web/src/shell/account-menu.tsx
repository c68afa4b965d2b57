import { ActionIcon, Button, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Link } from 'wouter';
import { CheckIcon, DownIcon, MoonIcon, PersonIcon, SunIcon } from '../components/icons.tsx';
import { type Session, useLogOut } from '../session/session.ts';
import { changeLanguage, LANGUAGES, type Language, language } from '../texts/language.ts';
import { t } from '../texts/texts.ts';
import classes from './account-menu.module.css';

export function AccountMenu({ session, onShowKeys }: { session: Session; onShowKeys: () => void }) {
  const logOut = useLogOut();
  const { account } = session;
  const name = account?.name ?? session.name ?? session.sourceAppId ?? '';
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
            aria-label={t.shell.account(name)}
            className={classes.button ?? ''}
          >
            <span className={classes.app}>{name}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu ?? ''}>
          {account ? (
            <>
              <Menu.Label className="breaks">
                {account.name}
                <br />
                {account.email}
              </Menu.Label>
              <Menu.Item component={Link} href="/account">
                {t.shell.yourAccount}
              </Menu.Item>
            </>
          ) : (
            <Menu.Label>{session.role === 'admin' ? t.shell.administrator(name) : t.shell.operator(name)}</Menu.Label>
          )}
          <Menu.Item component="a" href="/docs" target="_blank" rel="noreferrer">
            {t.shell.apiDocumentation}
          </Menu.Item>
          <Menu.Item onClick={onShowKeys}>{t.shell.keys.title}</Menu.Item>
          <Menu.Item onClick={() => logOut.mutate()}>{t.shell.logOut}</Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t.components.language}</Menu.Label>
          <LanguageItems />
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

function LanguageItems() {
  return (Object.keys(LANGUAGES) as Language[]).map((tag) => (
    <Menu.Item
      key={tag}
      lang={tag}
      aria-current={tag === language || undefined}
      rightSection={tag === language && <CheckIcon size={14} />}
      onClick={() => changeLanguage(tag)}
    >
      {LANGUAGES[tag]}
    </Menu.Item>
  ));
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
      aria-label={dark ? t.shell.lightMode : t.shell.darkMode}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  );
}
