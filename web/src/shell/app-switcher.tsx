import { ActionIcon, Popover, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { Problem } from '../components/form/problem.tsx';
import { AppsIcon, DownIcon, PlusIcon, StarIcon } from '../components/icons.tsx';
import { appLabel, appsOf, type OwnApp } from '../session/current-app.ts';
import type { Session } from '../session/session.ts';
import { t } from '../texts/texts.ts';
import { startPath } from '../users/scope.ts';
import classes from './app-switcher.module.css';
import { useFavourites } from './favourites.ts';
import { type NamedApp, useApps } from './find-apps.ts';

/** From how many apps on they can be searched. */
const SEARCHED = 6;
const MAX_LENGTH = 80;

interface AppSwitcherProps {
  session: Session;
  /** The app that is open. */
  app: OwnApp | undefined;
}

/** Shows the app that is open, and opens another one. Somebody with one app sees its name. */
export function AppSwitcher({ session, app }: AppSwitcherProps) {
  const [opened, setOpened] = useState(false);
  const isAdmin = session.role === 'admin';
  if (!isAdmin && appsOf(session).length < 2) {
    return app ? (
      <div className={classes.only}>
        <AppName app={app} />
      </div>
    ) : null;
  }
  const nowhere = isAdmin ? t.shell.allApps : t.shell.chooseApp;
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus width={300}>
      <Popover.Target>
        <UnstyledButton
          className={classes.switcher ?? ''}
          aria-label={app ? t.shell.app(appLabel(app)) : nowhere}
          onClick={() => setOpened(!opened)}
        >
          {app ? (
            <AppName app={app} />
          ) : (
            <>
              <span className={classes.mark}>
                <AppsIcon size={16} />
              </span>
              <span className={classes.name}>{nowhere}</span>
            </>
          )}
          <DownIcon size={14} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label={t.shell.yourApps}>
        <Choice session={session} current={app} onGo={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface ChoiceProps {
  session: Session;
  current: OwnApp | undefined;
  onGo: () => void;
}

function Choice({ session, current, onGo }: ChoiceProps) {
  const isAdmin = session.role === 'admin';
  const [text, setText] = useState('');
  const { favourites, isFavourite, toggle } = useFavourites(session);
  const { found, error, hasMore, isLoading } = useApps(session, text.trim());
  const own = appsOf(session);
  // A favourite that the session may no longer open is not offered.
  const first = favourites.filter((one) => isAdmin || own.some(({ sourceAppId }) => sourceAppId === one.sourceAppId));
  const shown = text.trim() === '' ? [...first, ...found.filter((app) => !isFavourite(app))] : found;
  return (
    <>
      {(isAdmin || own.length > SEARCHED) && (
        <TextInput
          aria-label={t.apps.search}
          placeholder={t.apps.search}
          data-autofocus
          autoComplete="off"
          maxLength={MAX_LENGTH}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          mb={6}
        />
      )}
      <Problem error={error} p="xs" />
      <ul className={classes.list} aria-label={t.shell.yourApps}>
        {shown.map((app) => (
          <li key={app.sourceAppId} className={classes.row}>
            <Link
              href={startPath(app)}
              className={classes.app ?? ''}
              aria-current={app.sourceAppId === current?.sourceAppId || undefined}
              onClick={onGo}
            >
              <AppName app={app} note={roleOf(own, app)} />
            </Link>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-pressed={isFavourite(app)}
              aria-label={t.shell.favourite(appLabel(app))}
              className={classes.star ?? ''}
              onClick={() => toggle(app)}
            >
              <StarIcon size={16} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <Text c="dimmed" size="xs" px={8} role="status">
        {shown.length === 0 && !isLoading && !error && t.apps.noMatch}
        {hasMore && t.shell.palette.more}
      </Text>
      {isAdmin && (
        <div className={classes.ends}>
          <Link href="/apps" className={classes.app ?? ''} onClick={onGo}>
            <AppsIcon size={16} /> {t.shell.allApps}
          </Link>
          <Link href="/new-form" className={classes.app ?? ''} onClick={onGo}>
            <PlusIcon size={16} /> {t.apps.newFromTemplate}
          </Link>
        </div>
      )}
    </>
  );
}

function roleOf(own: readonly OwnApp[], { sourceAppId }: NamedApp): string | undefined {
  const role = own.find((app) => app.sourceAppId === sourceAppId)?.role;
  return role && t.members.roles[role];
}

/** The mark of an app and its name. Below: what it is to the reader, or its id beside a name. */
function AppName({ app, note = app.name && app.sourceAppId }: { app: NamedApp; note?: string | undefined }) {
  const label = appLabel(app);
  return (
    <>
      <span
        className={classes.mark}
        data-color={colorOf(app.sourceAppId)}
        data-letter={label.slice(0, 1).toUpperCase()}
      />
      <span className={classes.name}>
        {label}
        {note && <span className={classes.note}>{note}</span>}
      </span>
    </>
  );
}

const COLORS = 6;

/** An app keeps its colour, in each browser. */
function colorOf(sourceAppId: string): number {
  let sum = 0;
  for (const letter of sourceAppId) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return sum % COLORS;
}
