import type { ConnectedApp } from './queries.ts';

type Which = Pick<ConnectedApp, 'sourceAppId' | 'asAdmin'>;

/** The path of the Connect page of an app, or of one of its tabs. */
export function connectPath({ sourceAppId, asAdmin }: Which, tab = ''): string {
  const base = asAdmin ? `/apps/${sourceAppId}/connect` : '/connect';
  return tab === '' ? base : `${base}/${tab}`;
}

/** The path of the page that lists the users of an app. */
export function usersPath({ sourceAppId, asAdmin }: Which): string {
  return asAdmin ? `/users?sourceAppId=${encodeURIComponent(sourceAppId)}` : '/users';
}

/** The path of the page that shows a record, or the list for administrators. */
export function recordPath(app: Which, id: string): string {
  return app.asAdmin ? usersPath(app) : `/users/${id}`;
}
