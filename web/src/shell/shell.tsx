import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Session } from '../api/endpoints.ts';
import {
  AppsIcon,
  HeldIcon,
  KeyIcon,
  LockIcon,
  LogIcon,
  Logo,
  PlugIcon,
  UsersIcon,
  WebhookIcon,
} from '../components/icons.tsx';
import { useHeldCount } from '../held/queries.ts';
import { AccountMenu } from './account-menu.tsx';
import classes from './shell.module.css';

const PAGES = {
  admin: [
    { href: '/apps', name: 'Apps', Icon: AppsIcon },
    { href: '/users', name: 'All users', Icon: UsersIcon },
    { href: '/privacy', name: 'Privacy', Icon: LockIcon },
    { href: '/audit', name: 'Audit log', Icon: LogIcon },
  ],
  user: [
    { href: '/users', name: 'Users', Icon: UsersIcon },
    { href: '/connect', name: 'Connect', Icon: PlugIcon },
    { href: '/webhooks', name: 'Webhooks', Icon: WebhookIcon },
    { href: '/privacy', name: 'Privacy', Icon: LockIcon },
    { href: '/keys', name: 'API keys', Icon: KeyIcon },
    { href: '/audit', name: 'Audit log', Icon: LogIcon },
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
            {session.role === 'user' && (
              <HeldLink sourceAppId={session.sourceAppId} isCurrent={location.startsWith('/held')} />
            )}
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
    <Link href="/held" className={classes.link ?? ''} aria-current={isCurrent ? 'page' : undefined}>
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
