import { Link } from 'wouter';
import { LeftIcon } from '../icons.tsx';
import classes from './back-link.module.css';

/** History state that marks a page as opened from the list to which its link leads. */
export const FROM_LIST = { fromList: true };

/** Links to a list. Goes back in history if the list was open before, which keeps its page. */
export function BackLink({ path, name }: { path: string; name: string }) {
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
      <LeftIcon size={16} /> {name}
    </Link>
  );
}

/** Links to the page above. */
export function UpLink({ path, name }: { path: string; name: string }) {
  return (
    <Link href={path} className={`${classes.back} ${classes.up}`}>
      <LeftIcon size={16} /> {name}
    </Link>
  );
}
