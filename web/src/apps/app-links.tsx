import { Link } from 'wouter';
import { BackLink } from '../components/back-link.tsx';
import { useHeldCount } from '../held/queries.ts';
import classes from './app-links.module.css';

const PAGES = [
  { id: 'users', path: '/users', name: 'Users' },
  { id: 'held', path: '/held', name: 'Held' },
  { id: 'privacy', path: '/privacy', name: 'Privacy' },
  { id: 'connect', path: '/connect', name: 'Connect' },
  { id: 'schema', path: '', name: 'Schema' },
] as const;

interface AppLinksProps {
  sourceAppId: string;
  current: (typeof PAGES)[number]['id'];
}

/** The way of an admin from one page of an app to the others. */
export function AppLinks({ sourceAppId, current }: AppLinksProps) {
  const held = useHeldCount({ sourceAppId, asAdmin: true });
  return (
    <nav className={classes.links} aria-label={`Pages of ${sourceAppId}`}>
      <BackLink path="/apps" name="Apps" />
      <strong className={classes.app}>{sourceAppId}</strong>
      {PAGES.map(({ id, path, name }) => (
        <Link
          key={id}
          href={`/apps/${sourceAppId}${path}`}
          className={classes.link ?? ''}
          aria-current={id === current ? 'page' : undefined}
        >
          {name}
          {id === 'held' && held > 0 && ` (${held.toLocaleString()})`}
        </Link>
      ))}
    </nav>
  );
}
