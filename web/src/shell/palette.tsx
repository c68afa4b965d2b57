import { Loader, Text, TextInput } from '@mantine/core';
import { useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Problem } from '../components/form/problem.tsx';
import { appLabel, appsOf } from '../session/current-app.ts';
import type { Session } from '../session/session.ts';
import { t } from '../texts/texts.ts';
import { startPath } from '../users/scope.ts';
import { type NamedApp, useApps } from './find-apps.ts';
import type { PageLink } from './place.ts';
import classes from './shortcut-dialogs.module.css';

/** The longest id of an app. */
const MAX_LENGTH = 80;

/** A page to which the palette leads. */
interface Destination {
  href: string;
  name: string;
  /** What it is, beside its name. */
  kind: string;
}

interface PaletteProps {
  session: Session;
  /** The pages that the reader can open from here. */
  pages: readonly PageLink[];
  /** Called when a page is opened. */
  onGo: () => void;
}

/** Finds an app by a part of its id, or a page by a part of its name, and opens it. */
export function Palette({ session, pages, onGo }: PaletteProps) {
  const id = useId();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const apps = useApps(session, text.trim());
  const options = [...somePages(session, pages, text), ...someApps(session, apps.found)];
  const current = Math.min(chosen, options.length - 1);
  const go = ({ href }: Destination): void => {
    onGo();
    navigate(href);
  };
  const press = (event: React.KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && options.length > 0) setChosen((current + step + options.length) % options.length);
    else if (event.key === 'Enter') setEntered(true);
    else return;
    event.preventDefault();
  };
  // Who types fast and presses Enter means the apps that are still loading, too.
  const option = options[current];
  const isReady = isEntered && !apps.isLoading;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when ready
  useEffect(() => {
    if (!isReady) return;
    setEntered(false);
    if (option) go(option);
  }, [isReady]);
  return (
    <>
      <TextInput
        aria-label={t.shell.palette.label}
        placeholder={t.shell.palette.label}
        data-autofocus
        role="combobox"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={options.length > 0 ? `${id}-${current}` : undefined}
        autoComplete="off"
        maxLength={MAX_LENGTH}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
          setEntered(false);
        }}
        onKeyDown={press}
        rightSection={apps.isLoading && <Loader size={16} aria-hidden="true" />}
      />
      <Problem error={apps.error} p="xs" mt="sm" />
      <div id={`${id}-list`} role="listbox" aria-label={t.shell.palette.title} className={classes.options}>
        {options.map((option, index) => (
          <Option
            key={option.href}
            id={`${id}-${index}`}
            option={option}
            isChosen={index === current}
            onPress={() => go(option)}
            onPoint={() => setChosen(index)}
          />
        ))}
      </div>
      <Text c="dimmed" role="status">
        {options.length === 0 && !apps.isLoading && !apps.error && t.shell.palette.nothing}
        {apps.hasMore && t.shell.palette.more}
      </Text>
    </>
  );
}

interface OptionProps {
  id: string;
  option: Destination;
  isChosen: boolean;
  onPress: () => void;
  onPoint: () => void;
}

/** The input keeps the focus, so only a pointer presses it. */
function Option({ id, option: { name, kind }, isChosen, onPress, onPoint }: OptionProps) {
  const intoView = (element: HTMLElement | null): void => {
    if (isChosen) element?.scrollIntoView({ block: 'nearest' });
  };
  return (
    // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: by input
    <div
      ref={intoView}
      id={id}
      role="option"
      aria-selected={isChosen}
      className={classes.option}
      onClick={onPress}
      onMouseMove={onPoint}
    >
      <span>{name}</span>
      <span className={classes.kind}>{kind}</span>
    </div>
  );
}

/** The pages whose names, and the apps of these, have each word. */
function somePages(session: Session, pages: readonly PageLink[], text: string): Destination[] {
  const own = session.account ? [{ href: '/account', name: t.shell.yourAccount }] : [];
  const words = text.toLowerCase().split(/\s+/);
  return [...pages, ...own]
    .filter(({ name, ofApp = '' }: PageLink) => {
      const searched = `${name} ${ofApp}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    })
    .map(({ href, name, ofApp }: PageLink) => ({ href, name, kind: ofApp ?? t.shell.palette.page }));
}

/** The apps to choose from. One app is no choice. */
function someApps(session: Session, apps: readonly NamedApp[]): Destination[] {
  if (session.role !== 'admin' && appsOf(session).length < 2) return [];
  return apps.map((app) => ({ href: startPath(app), name: appLabel(app), kind: t.shell.palette.app }));
}
