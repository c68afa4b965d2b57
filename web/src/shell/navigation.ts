import {
  AppsIcon,
  FlowIcon,
  HeldIcon,
  InboxIcon,
  LockIcon,
  LogIcon,
  OverviewIcon,
  PenIcon,
  PersonIcon,
  SettingsIcon,
  ShareIcon,
  UsersIcon,
} from '../components/icons.tsx';
import type { Abilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import { appPath } from '../users/scope.ts';

/** A page of an app. */
interface AppPage {
  /** Its path below that of the app. */
  path: string;
  name: string;
  /** What the reader has to be able to do; absent: every reader sees it. */
  needs?: keyof Abilities;
  /** Whether it stands in a menu, behind the pages that are used daily. */
  isRare?: boolean;
}

/** An entry of the sidebar within an app: one page, or several that are tabs of each other. */
export interface Section {
  name: string;
  Icon: typeof UsersIcon;
  pages: readonly AppPage[];
  /** The first segments of other paths that belong to it. */
  also?: readonly string[];
}

const one = (path: string, name: string, needs?: keyof Abilities): AppPage[] => [
  { path, name, ...(needs && { needs }) },
];

const inbox = (): Section => ({ name: t.apps.pages.inbox, Icon: InboxIcon, pages: one('inbox', t.apps.pages.inbox) });
const held = (): Section => ({ name: t.apps.pages.held, Icon: HeldIcon, pages: one('held', t.apps.pages.held) });

const overview = (): Section => ({
  name: t.overview.title,
  Icon: OverviewIcon,
  pages: one('overview', t.overview.title),
});

/** The sections of each app. Its inbox and its held submissions follow from what it has. */
const sectionsOfAll = (): readonly Section[] => [
  { name: t.apps.pages.users, Icon: UsersIcon, pages: one('users', t.apps.pages.users), also: ['import'] },
  {
    name: t.apps.pages.form,
    Icon: PenIcon,
    pages: [
      { path: 'form', name: t.apps.pages.fields, needs: 'schema' },
      { path: 'form/texts', name: t.apps.pages.texts, needs: 'manage' },
      { path: 'form/design', name: t.apps.pages.design, needs: 'manage' },
      { path: 'form/json', name: 'JSON', needs: 'schema', isRare: true },
      { path: 'form/versions', name: t.apps.pages.versions, needs: 'schema', isRare: true },
    ],
  },
  {
    name: t.apps.pages.share,
    Icon: ShareIcon,
    pages: [
      { path: 'share', name: t.apps.pages.connect },
      { path: 'share/import', name: t.apps.pages.importForm, needs: 'manage' },
    ],
  },
  {
    name: t.apps.pages.automation,
    Icon: FlowIcon,
    pages: [
      { path: 'webhooks', name: t.apps.pages.webhooks, needs: 'webhooks' },
      { path: 'keys', name: t.apps.pages.keys, needs: 'manage' },
      { path: 'emails', name: t.apps.pages.emails, needs: 'manage' },
    ],
  },
  { name: t.apps.pages.privacy, Icon: LockIcon, pages: one('privacy', t.apps.pages.privacy, 'export') },
  {
    name: t.apps.pages.team,
    Icon: PersonIcon,
    pages: [
      { path: 'members', name: t.apps.pages.members, needs: 'members' },
      { path: 'audit', name: t.apps.pages.audit, needs: 'manage' },
    ],
  },
  { name: t.apps.pages.settings, Icon: SettingsIcon, pages: one('settings', t.apps.pages.settings, 'manage') },
];

/** The pages of an administrator that concern all apps. */
export const pagesOfAllApps = () => [
  { href: '/overview', name: t.overview.title, Icon: OverviewIcon },
  { href: '/apps', name: t.shell.apps, Icon: AppsIcon },
  { href: '/users', name: t.shell.allUsers, Icon: UsersIcon },
  { href: '/privacy', name: t.shell.privacy, Icon: LockIcon },
  { href: '/audit', name: t.shell.auditLog, Icon: LogIcon },
  { href: '/accounts', name: t.shell.accounts, Icon: PersonIcon },
];

/** Whether an app has submissions that are kept, and some that are held. */
interface Contents {
  keeps: boolean;
  holds: boolean;
}

/** The sections of an app, with the pages that somebody with these abilities may see. */
export function sectionsFor(can: Abilities, { keeps, holds }: Contents): readonly Section[] {
  return [overview(), ...(keeps ? [inbox()] : []), ...(holds ? [held()] : []), ...sectionsOfAll()]
    .map((section) => ({ ...section, pages: section.pages.filter(({ needs }) => needs === undefined || can[needs]) }))
    .filter(({ pages }) => pages.length > 0);
}

/** The path of a location below that of an app; undefined: it is not of this app. */
export function pathInApp(location: string, sourceAppId: string): string | undefined {
  const base = appPath({ sourceAppId });
  if (location === base) return '';
  return location.startsWith(`${base}/`) ? location.slice(base.length + 1) : undefined;
}

/** Whether a path within an app belongs to a section. */
export function isOfSection({ pages, also = [] }: Section, path: string): boolean {
  const [segment = ''] = path.split('/');
  return also.includes(segment) || pages.some((page) => page.path.split('/')[0] === segment);
}
