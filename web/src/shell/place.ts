import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { endpointQuery } from '../api/queries.ts';
import { useMailFailure } from '../emails/queries.ts';
import { useHeldCount } from '../held/queries.ts';
import { useKeepsSubmissions } from '../inbox/queries.ts';
import { ABILITIES } from '../session/abilities.tsx';
import { type OwnApp, useCurrentApp } from '../session/current-app.ts';
import type { Session } from '../session/session.ts';
import { formatNumber } from '../texts/format.ts';
import { appPath } from '../users/scope.ts';
import { isOfSection, pagesOfAllApps, pathInApp, type Section, sectionsFor } from './navigation.ts';

/** An entry of the sidebar. */
interface SidebarLink {
  href: string;
  name: string;
  Icon: Section['Icon'];
  isCurrent: boolean;
  /** A number of things that wait there. */
  count?: string;
  /** What fails there, in words. */
  failure?: string;
}

/** A page that the reader can open. */
export interface PageLink {
  href: string;
  name: string;
  /** Its app, where the reader has the pages of several. */
  ofApp?: string;
}

/** Where the reader is, and what the sidebar shows there. */
interface Place {
  /** Undefined on the pages that concern all apps. */
  app: OwnApp | undefined;
  links: readonly SidebarLink[];
  /** All pages that the reader can open from here, those of the app first. */
  pages: readonly PageLink[];
  /** The section of the page. */
  section: Section | undefined;
  /** The path of the page below that of its app. */
  path: string;
  /** What fails, in words, by the path of a page of the app. */
  failures: Readonly<Record<string, string>>;
}

/** The most apps whose names have the same id as a part. */
const SAME_PART = 20;

/** The id of the app of an address. That of an app that was just created is a parameter. */
function appIn(location: string, search: string): string | undefined {
  if (location === '/new-form') return new URLSearchParams(search).get('app') || undefined;
  const [, encoded] = /^\/apps\/([^/]+)/.exec(location) ?? [];
  return encoded === undefined ? undefined : decodeURIComponent(encoded);
}

/** The app of the address, for an admin, with its display name. */
function useAppOfAddress(isEnabled: boolean): OwnApp | undefined {
  const [location] = useLocation();
  const search = useSearch();
  const sourceAppId = isEnabled ? appIn(location, search) : undefined;
  const { data } = useQuery({
    ...endpointQuery(['apps', 'named', sourceAppId], 'GET /auth/apps', {
      query: { q: sourceAppId ?? '', limit: SAME_PART },
    }),
    enabled: sourceAppId !== undefined,
  });
  if (sourceAppId === undefined) return undefined;
  const name = data?.apps.find((app) => app.sourceAppId === sourceAppId)?.name;
  return { sourceAppId, name, role: 'admin' };
}

export function usePlace(session: Session): Place {
  const [location] = useLocation();
  const isAdmin = session.role === 'admin';
  const named = useAppOfAddress(isAdmin);
  const own = useCurrentApp(session);
  const app = isAdmin ? named : own;
  const keeps = useKeepsSubmissions(app?.sourceAppId) ?? false;
  const held = useHeldCount(app && { sourceAppId: app.sourceAppId, asAdmin: isAdmin });
  const mailFailure = useMailFailure(app && ABILITIES[app.role].manage ? app : undefined);
  const failures = mailFailure === undefined ? {} : { emails: mailFailure };
  if (!app) {
    const pages = isAdmin ? pagesOfAllApps() : [];
    const isWithin = (href: string): boolean => location === href || location.startsWith(`${href}/`);
    const links = pages.map((page) => ({ ...page, isCurrent: isWithin(page.href) }));
    return { app, links, pages: links, section: undefined, path: '', failures };
  }
  const path = pathInApp(location, app.sourceAppId) ?? '';
  const [segment] = path.split('/');
  const has = { keeps: keeps || segment === 'inbox', holds: held > 0 || segment === 'held' };
  const sections = sectionsFor(ABILITIES[app.role], has);
  const links = sections.map((section) => ({
    href: appPath(app, section.pages[0]?.path),
    name: section.name,
    Icon: section.Icon,
    isCurrent: isOfSection(section, path),
    ...(held > 0 && isOfSection(section, 'held') && { count: formatNumber(held) }),
    ...(mailFailure !== undefined && isOfSection(section, 'emails') && { failure: mailFailure }),
  }));
  const current = sections.find((section) => isOfSection(section, path));
  const pages = sections.flatMap((section) =>
    section.pages.map(({ path: page, name }) => ({
      href: appPath(app, page),
      name,
      ...(isAdmin && { ofApp: app.sourceAppId }),
    })),
  );
  return { app, links, pages: isAdmin ? [...pages, ...pagesOfAllApps()] : pages, section: current, path, failures };
}
