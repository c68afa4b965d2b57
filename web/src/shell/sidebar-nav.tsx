import { useEffect, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { CrossIcon, MenuIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import { FailureMark } from './failure-mark.tsx';
import type { usePlace } from './place.ts';
import classes from './shell.module.css';

/** How many entries a phone shows in its bar. The others are behind a button. */
const IN_BAR = 4;

/**
 * The entries of the sidebar. On a phone, the first of them are a bar at the bottom, and all are in
 * a sheet above it.
 */
export function SidebarNav({ links }: { links: ReturnType<typeof usePlace>['links'] }) {
  const id = useId();
  const [location] = useLocation();
  const [openedAt, setOpenedAt] = useState<string>();
  // A page that was chosen closes the sheet.
  const isOpen = openedAt === location;
  useEffect(() => {
    if (!isOpen) return;
    const press = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') setOpenedAt(undefined);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [isOpen]);
  if (links.length === 0) return <div className={classes.nav} />;
  const behind = links.slice(IN_BAR);
  const failure = behind.find((link) => link.failure !== undefined)?.failure;
  return (
    <nav className={classes.nav} aria-label={t.shell.mainNavigation} data-open={isOpen || undefined}>
      <ul id={id} className={classes.links}>
        {links.map(({ href, name, Icon, isCurrent, count, failure }) => (
          <li key={href} className={classes.item}>
            <Link href={href} className={classes.link ?? ''} aria-current={isCurrent ? 'page' : undefined}>
              <Icon />
              <span className={classes.label}>{name}</span>
              {count && (
                <>
                  <span className={classes.count} aria-hidden="true">
                    {count}
                  </span>
                  <span className="visually-hidden">({count})</span>
                </>
              )}
              {failure !== undefined && <FailureMark failure={failure} className={classes.count} />}
            </Link>
          </li>
        ))}
      </ul>
      {links.length > IN_BAR && (
        <button
          type="button"
          className={classes.more}
          aria-expanded={isOpen}
          aria-controls={id}
          data-current={behind.some(({ isCurrent }) => isCurrent) || undefined}
          onClick={() => setOpenedAt(isOpen ? undefined : location)}
        >
          {isOpen ? <CrossIcon /> : <MenuIcon />}
          {t.shell.more}
          {failure !== undefined && !isOpen && <FailureMark failure={failure} className={classes.count} />}
        </button>
      )}
    </nav>
  );
}
