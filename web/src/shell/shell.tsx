import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Session } from '../api/endpoints.ts';
import { appPageOf, OPERATOR_PAGES } from '../apps/app-links.tsx';
import { AppsIcon, HeldIcon, LockIcon, LogIcon, Logo, UsersIcon } from '../components/icons.tsx';
import { useHeldCount } from '../held/queries.ts';
import { appPath } from '../users/scope.ts';
import { AccountMenu } from './account-menu.tsx';
import classes from './shell.module.css';

/** The pages of an administrator that concern all apps. */
const ADMIN_PAGES = [
  { href: '/apps', name: 'Apps', Icon: AppsIcon },
  { href: '/users', name: 'All users', Icon: UsersIcon },
  { href: '/privacy', name: 'Privacy', Icon: LockIcon },
  { href: '/audit', name: 'Audit log', Icon: LogIcon },
];

/** The frame of every page: navigation and account menu. */
export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  useFocusOnNewPage(main, location);
  const current = appPageOf(location, session.sourceAppId);
  const links =
    session.role === 'admin'
      ? ADMIN_PAGES.map((page) => ({ ...page, isCurrent: location.startsWith(page.href) }))
      : OPERATOR_PAGES.map(({ id, ...page }) => ({ ...page, href: appPath(session, id), isCurrent: id === current }));
  return (
    <>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className={classes.header}>
        <div className={classes.bar}>
          <Link href="/" className={classes.brand} aria-label="User Collection start page">
            <Logo />
            <span className={classes.name}>User Collection</span>
          </Link>
          <nav className={classes.nav} aria-label="Main">
            {links.map(({ href, name, Icon, isCurrent }) => (
              <Link key={href} href={href} className={classes.link ?? ''} aria-current={isCurrent ? 'page' : undefined}>
                <Icon />
                {name}
              </Link>
            ))}
            {session.role === 'user' && <HeldLink sourceAppId={session.sourceAppId} isCurrent={current === 'held'} />}
          </nav>
          <AccountMenu session={session} />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        {children}
      </main>
    </>
  );
}

/** Links the held submissions while there are any. */
function HeldLink({ sourceAppId, isCurrent }: { sourceAppId: string; isCurrent: boolean }) {
  const held = useHeldCount({ sourceAppId, asAdmin: false });
  if (held === 0 && !isCurrent) return null;
  return (
    <Link
      href={appPath({ sourceAppId }, 'held')}
      className={classes.link ?? ''}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <HeldIcon />
      Held{held > 0 && ` (${held.toLocaleString()})`}
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
