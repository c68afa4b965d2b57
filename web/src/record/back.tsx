import { Link } from 'wouter';
import { LeftIcon } from '../components/icons.tsx';
import classes from './back.module.css';

/** What the list leaves in the browser's history when it leads to a record. */
export const FROM_LIST = { fromList: true };

/** The way to the list: as it was, with its search and page, for who came from it. */
export function Back() {
  return (
    <Link
      href="/users"
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
