import { Link } from 'wouter';
import { LeftIcon } from '../components/icons.tsx';
import classes from './webhooks.module.css';

/** Links to the page above. */
export function BackLink({ path, name }: { path: string; name: string }) {
  return (
    <Link href={path} className={classes.back ?? ''}>
      <LeftIcon size={16} /> {name}
    </Link>
  );
}
