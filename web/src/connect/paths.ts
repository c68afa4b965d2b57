import { appPath, usersPath } from '../users/scope.ts';
import type { ConnectedApp } from './queries.ts';

type Which = Pick<ConnectedApp, 'sourceAppId'>;

/** The path of the Connect page of an app, or of one of its tabs. */
export function connectPath(app: Which, tab = ''): string {
  const base = appPath(app, 'connect');
  return tab === '' ? base : `${base}/${tab}`;
}

/** The path of the page that shows a record. */
export function recordPath(app: Which, id: string): string {
  return `${usersPath(app)}/${id}`;
}
