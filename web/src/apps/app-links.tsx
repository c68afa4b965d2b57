import { Link, useLocation } from 'wouter';
import {
  HeldIcon,
  InboxIcon,
  KeyIcon,
  LockIcon,
  LogIcon,
  PenIcon,
  PersonIcon,
  PlugIcon,
  UsersIcon,
  WebhookIcon,
} from '../components/icons.tsx';
import { BackLink } from '../components/page/back-link.tsx';
import { useHeldCount } from '../held/queries.ts';
import { useKeepsSubmissions } from '../inbox/queries.ts';
import type { Abilities } from '../session/abilities.tsx';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
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
  { id: 'users', name: t.apps.pages.users, Icon: UsersIcon },
  { id: 'connect', name: t.apps.pages.connect, Icon: PlugIcon },
  { id: '', name: t.apps.pages.schema, Icon: PenIcon, needs: 'schema' },
  { id: 'webhooks', name: t.apps.pages.webhooks, Icon: WebhookIcon, needs: 'webhooks' },
  { id: 'privacy', name: t.apps.pages.privacy, Icon: LockIcon, needs: 'export' },
  { id: 'keys', name: t.apps.pages.keys, Icon: KeyIcon, needs: 'manage' },
  { id: 'audit', name: t.apps.pages.audit, Icon: LogIcon, needs: 'manage' },
  { id: 'members', name: t.apps.pages.members, Icon: PersonIcon, needs: 'members' },
];

/** The pages of an app for somebody with these abilities. */
export const pagesFor = (can: Abilities): readonly AppPage[] =>
  APP_PAGES.filter(({ needs }) => needs === undefined || can[needs]);

/** The first page of an app that keeps submissions. */
const INBOX: AppPage = { id: 'inbox', name: t.apps.pages.inbox, Icon: InboxIcon };

/** The pages of an app that keeps submissions begin with its inbox. */
export const withInbox = (pages: readonly AppPage[], keeps: boolean | undefined): readonly AppPage[] =>
  keeps ? [INBOX, ...pages] : pages;

const HELD: AppPage = { id: 'held', name: t.shell.held(''), Icon: HeldIcon };

/** The `id` of the page of an app to which a path belongs; undefined for other paths. */
export function appPageOf(location: string, sourceAppId: string): string | undefined {
  const base = appPath({ sourceAppId });
  if (location !== base && !location.startsWith(`${base}/`)) return undefined;
  const [segment = ''] = location.slice(base.length + 1).split('/');
  if (segment === 'import') return 'users';
  return [...APP_PAGES, INBOX, HELD].some(({ id }) => id === segment) ? segment : '';
}

/** The links of an admin between the pages of an app. Operators have them in the header. */
export function AppLinks({ sourceAppId }: { sourceAppId: string }) {
  const [location] = useLocation();
  const current = appPageOf(location, sourceAppId);
  const held = useHeldCount({ sourceAppId, asAdmin: true });
  const keeps = useKeepsSubmissions(sourceAppId);
  return (
    <nav className={classes.links} aria-label={t.apps.pagesOf(sourceAppId)}>
      <BackLink path="/apps" name={t.apps.title} />
      <strong className={classes.app}>{sourceAppId}</strong>
      <span className={classes.pages}>
        {[...withInbox(APP_PAGES, keeps || current === INBOX.id), HELD].map(({ id, name }) => (
          <Link
            key={id}
            href={appPath({ sourceAppId }, id)}
            className={classes.link ?? ''}
            aria-current={id === current ? 'page' : undefined}
          >
            {id === HELD.id && held > 0 ? t.shell.held(formatNumber(held)) : name}
          </Link>
        ))}
      </span>
    </nav>
  );
}
