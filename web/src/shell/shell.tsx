import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Session } from '../api/endpoints.ts';
import { AppsIcon, HeldIcon, LockIcon, Logo, PlugIcon, UsersIcon } from '../components/icons.tsx';
import { heldCountQuery, MAX_COUNT } from '../held/queries.ts';
import { AccountMenu } from './account-menu.tsx';
import classes from './shell.module.css';

const PAGES = {
  admin: [
    { href: '/apps', name: 'Apps', Icon: AppsIcon },
    { href: '/users', name: 'All users', Icon: UsersIcon },
    { href: '/privacy', name: 'Privacy', Icon: LockIcon },
  ],
  user: [
    { href: '/users', name: 'Users', Icon: UsersIcon },
    { href: '/connect', name: 'Connect', Icon: PlugIcon },
    { href: '/privacy', name: 'Privacy', Icon: LockIcon },
  ],
} as const;

/** The frame of every page: navigation and account menu. */
export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  useFocusOnNewPage(main, location);
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
            {PAGES[session.role].map(({ href, name, Icon }) => (
              <Link
                key={href}
                href={href}
                className={classes.link ?? ''}
                aria-current={location.startsWith(href) ? 'page' : undefined}
              >
                <Icon />
                {name}
              </Link>
            ))}
            {session.role === 'user' && <HeldLink isCurrent={location.startsWith('/held')} />}
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
function HeldLink({ isCurrent }: { isCurrent: boolean }) {
  const { data: held = 0 } = useQuery(heldCountQuery);
  if (held === 0 && !isCurrent) return null;
  const shown = held > MAX_COUNT ? `${MAX_COUNT}+` : held;
  return (
    <Link href="/held" className={classes.link ?? ''} aria-current={isCurrent ? 'page' : undefined}>
      <HeldIcon />
      Held{held > 0 && ` (${shown})`}
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
