import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { appPageOf, pagesFor, withInbox } from '../apps/app-links.tsx';
import { AppsIcon, HeldIcon, LockIcon, LogIcon, Logo, PersonIcon, UsersIcon } from '../components/icons.tsx';
import { useHeldCount } from '../held/queries.ts';
import { useKeepsSubmissions } from '../inbox/queries.ts';
import { ABILITIES } from '../session/abilities.tsx';
import { type OwnApp, useCurrentApp } from '../session/current-app.ts';
import type { Session } from '../session/session.ts';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { appPath } from '../users/scope.ts';
import { AccountMenu } from './account-menu.tsx';
import classes from './shell.module.css';
import { type ShortcutDialog, Shortcuts } from './shortcuts.tsx';

/** The pages of an administrator that concern all apps. */
const ADMIN_PAGES = [
  { href: '/apps', name: t.shell.apps, Icon: AppsIcon },
  { href: '/users', name: t.shell.allUsers, Icon: UsersIcon },
  { href: '/privacy', name: t.shell.privacy, Icon: LockIcon },
  { href: '/audit', name: t.shell.auditLog, Icon: LogIcon },
  { href: '/accounts', name: t.shell.accounts, Icon: PersonIcon },
];

/** A page of the navigation. */
export interface PageLink {
  href: string;
  name: string;
}

/** The frame of every page: navigation and account menu. */
export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  useFocusOnNewPage(main, location);
  const [dialog, setDialog] = useState<ShortcutDialog>();
  const own = useCurrentApp(session);
  const app = session.role === 'admin' ? undefined : own;
  const current = app && appPageOf(location, app.sourceAppId);
  const keeps = useKeepsSubmissions(app?.sourceAppId);
  const links = app
    ? withInbox(pagesOfApp(app), keeps || current === 'inbox').map(({ id, ...page }) => ({
        ...page,
        href: appPath(app, id),
        isCurrent: id === current,
      }))
    : session.role === 'admin'
      ? ADMIN_PAGES.map((page) => ({ ...page, isCurrent: isWithin(location, page.href) }))
      : [];
  return (
    <>
      <a className={classes.skip} href="#main">
        {t.shell.skip}
      </a>
      <header className={classes.header}>
        <div className={classes.bar}>
          <Link href="/" className={classes.brand} aria-label={t.shell.startPage}>
            <Logo />
            <span className={classes.name}>User Collection</span>
          </Link>
          <nav className={classes.nav} aria-label={t.shell.mainNavigation} data-many={links.length > 7 || undefined}>
            {links.map(({ href, name, Icon, isCurrent }) => (
              <Link key={href} href={href} className={classes.link ?? ''} aria-current={isCurrent ? 'page' : undefined}>
                <Icon />
                {name}
              </Link>
            ))}
            {app && <HeldLink sourceAppId={app.sourceAppId} isCurrent={current === 'held'} />}
          </nav>
          <AccountMenu session={session} onShowKeys={() => setDialog('keys')} />
        </div>
      </header>
      <Shortcuts session={session} pages={links} opened={dialog} onOpen={setDialog} />
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        {children}
        <div id="menus" />
      </main>
    </>
  );
}

const pagesOfApp = ({ role }: OwnApp) => pagesFor(ABILITIES[role]);

const isWithin = (location: string, path: string): boolean => location === path || location.startsWith(`${path}/`);

interface HeldLinkProps {
  sourceAppId: string;
  isCurrent: boolean;
}

/** Links the held submissions while there are any. */
function HeldLink({ sourceAppId, isCurrent }: HeldLinkProps) {
  const held = useHeldCount({ sourceAppId, asAdmin: false });
  if (held === 0 && !isCurrent) return null;
  return (
    <Link
      href={appPath({ sourceAppId }, 'held')}
      className={classes.link ?? ''}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <HeldIcon />
      {t.shell.held(held > 0 ? formatNumber(held) : '')}
    </Link>
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
