import { useLocation } from 'wouter';
import type { WorkRole } from './abilities.tsx';
import type { Session } from './session.ts';

/** An app that the session of an operator or a member may open. */
export interface OwnApp {
  sourceAppId: string;
  /** Absent for an app without one. */
  name?: string | undefined;
  role: WorkRole;
}

/** What people read for an app. */
export const appLabel = ({ sourceAppId, name }: Pick<OwnApp, 'sourceAppId' | 'name'>): string => name ?? sourceAppId;

/** The apps of a session that is not an admin's. */
export function appsOf({ sourceAppId, name, memberships }: Session): readonly OwnApp[] {
  return sourceAppId === undefined ? memberships : [{ sourceAppId, name, role: 'shared' }];
}

const keyOf = ({ identity }: Session): string => ['app of', identity].join(' ');

/** Keeps the app that is opened first the next time. */
export function rememberApp(session: Session, sourceAppId: string): void {
  if (session.memberships.length > 1) localStorage.setItem(keyOf(session), sourceAppId);
}

/** The app that a session works on: the one of the address, the only one, or the last one. */
export function useCurrentApp(session: Session): OwnApp | undefined {
  const [location] = useLocation();
  const apps = appsOf(session);
  const [, named] = /^\/apps\/([^/]+)/.exec(location) ?? [];
  const find = (name: string | null | undefined) => apps.find(({ sourceAppId }) => sourceAppId === name);
  if (apps.length <= 1) return apps[0];
  return find(named && decodeURIComponent(named)) ?? find(localStorage.getItem(keyOf(session)));
}
