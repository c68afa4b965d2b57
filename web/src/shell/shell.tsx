import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Logo } from '../components/icons.tsx';
import type { Session } from '../session/session.ts';
import { t } from '../texts/texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { AppSwitcher } from './app-switcher.tsx';
import { usePlace } from './place.ts';
import { SectionTabs } from './section-tabs.tsx';
import classes from './shell.module.css';
import { type ShortcutDialog, Shortcuts } from './shortcuts.tsx';
import { SidebarNav } from './sidebar-nav.tsx';

/** The frame of every page: sidebar with the app, its sections and the account. */
export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  useFocusOnNewPage(main, location);
  const [dialog, setDialog] = useState<ShortcutDialog>();
  const { app, links, pages, section, path, failures } = usePlace(session);
  return (
    <div className={classes.house}>
      <a className={classes.skip} href="#main">
        {t.shell.skip}
      </a>
      <header className={classes.sidebar}>
        <Link href="/" className={classes.brand} aria-label={t.shell.startPage}>
          <Logo />
          <span className={classes.name}>User Collection</span>
        </Link>
        <AppSwitcher session={session} app={app} />
        <SidebarNav links={links} />
        <AccountMenu session={session} onShowKeys={() => setDialog('keys')} />
      </header>
      <Shortcuts session={session} pages={pages} opened={dialog} onOpen={setDialog} />
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        {app && section && <SectionTabs app={app} section={section} path={path} failures={failures} />}
        {children}
        <div id="menus" />
      </main>
    </div>
  );
}

/** Moves the focus to the content after a navigation, as a full page load would. */
function useFocusOnNewPage(main: React.RefObject<HTMLElement | null>, location: string): void {
  const previous = useRef(location);
  useEffect(() => {
    if (previous.current === location) return;
    previous.current = location;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [main, location]);
}
