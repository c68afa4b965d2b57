import { Link } from 'wouter';
import { LeftIcon } from '../components/icons.tsx';
import classes from './back-link.module.css';

/** History state that marks a record page as opened from the list. */
export const FROM_LIST = { fromList: true };

/**
 * Links to the list. Goes back in history if the list was open before, which keeps its search and
 * page.
 */
export function BackLink({ path = '/users' }: { path?: string }) {
  return (
    <Link
      href={path}
      className={classes.back ?? ''}
      onClick={(event) => {
        const before = window.history.state as { fromList?: boolean } | null;
        if (before?.fromList !== true) return;
        event.preventDefault();
        window.history.back();
      }}
    >
      <LeftIcon size={16} /> Users
    </Link>
  );
}
