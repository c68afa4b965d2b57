import { Link, useLocation } from 'wouter';
import { BackLink } from '../components/back-link.tsx';
import {
  HeldIcon,
  KeyIcon,
  LockIcon,
  LogIcon,
  PenIcon,
  PersonIcon,
  PlugIcon,
  UsersIcon,
  WebhookIcon,
} from '../components/icons.tsx';
import { useHeldCount } from '../held/queries.ts';
import type { Abilities } from '../session/abilities.tsx';
import { appPath } from '../users/scope.ts';
import classes from './app-links.module.css';

interface AppPage {
  /** The first segment of its path; empty: the schema. */
  id: string;
  name: string;
  Icon: typeof UsersIcon;
  /** What the reader has to be able to do; absent: every reader sees it. */
  needs?: keyof Abilities;
}

/** The pages of an app. The held submissions follow. */
const APP_PAGES: readonly AppPage[] = [
  { id: 'users', name: 'Users', Icon: UsersIcon },
  { id: 'connect', name: 'Connect', Icon: PlugIcon },
  { id: '', name: 'Schema', Icon: PenIcon, needs: 'schema' },
  { id: 'webhooks', name: 'Webhooks', Icon: WebhookIcon, needs: 'webhooks' },
  { id: 'privacy', name: 'Privacy', Icon: LockIcon, needs: 'export' },
  { id: 'keys', name: 'API keys', Icon: KeyIcon, needs: 'manage' },
  { id: 'audit', name: 'Audit log', Icon: LogIcon, needs: 'manage' },
  { id: 'members', name: 'Members', Icon: PersonIcon, needs: 'members' },
];

/** The pages of an app for somebody with these abilities. */
export const pagesFor = (can: Abilities): readonly AppPage[] =>
  APP_PAGES.filter(({ needs }) => needs === undefined || can[needs]);

const HELD: AppPage = { id: 'held', name: 'Held', Icon: HeldIcon };

/** The `id` of the page of an app to which a path belongs; undefined for other paths. */
export function appPageOf(location: string, sourceAppId: string): string | undefined {
  const base = appPath({ sourceAppId });
  if (location !== base && !location.startsWith(`${base}/`)) return undefined;
  const [segment = ''] = location.slice(base.length + 1).split('/');
  if (segment === 'import') return 'users';
  return [...APP_PAGES, HELD].some(({ id }) => id === segment) ? segment : '';
}

/** The links of an admin between the pages of an app. Operators have them in the header. */
export function AppLinks({ sourceAppId }: { sourceAppId: string }) {
  const [location] = useLocation();
  const current = appPageOf(location, sourceAppId);
  const held = useHeldCount({ sourceAppId, asAdmin: true });
  return (
    <nav className={classes.links} aria-label={`Pages of ${sourceAppId}`}>
      <BackLink path="/apps" name="Apps" />
      <strong className={classes.app}>{sourceAppId}</strong>
      <span className={classes.pages}>
        {[...APP_PAGES, HELD].map(({ id, name }) => (
          <Link
            key={id}
            href={appPath({ sourceAppId }, id)}
            className={classes.link ?? ''}
            aria-current={id === current ? 'page' : undefined}
          >
            {name}
            {id === HELD.id && held > 0 && ` (${held.toLocaleString()})`}
          </Link>
        ))}
      </span>
    </nav>
  );
}
