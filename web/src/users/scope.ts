/** The app whose users a page shows. */
export interface Scope {
  sourceAppId: string;
  /** Whether the app is another one than that of the session. */
  asAdmin: boolean;
}

/**
 * The query parameter that names the app. Each request has it: another window may have begun a
 * session of another app, which the service then refuses to use here.
 */
export function scopeParameter({ sourceAppId }: Pick<Scope, 'sourceAppId'>): { sourceAppId: string } {
  return { sourceAppId };
}

/** The path of a page of an app, the same for its operators and for admins. */
export function appPath({ sourceAppId }: Pick<Scope, 'sourceAppId'>, page = ''): string {
  return page === '' ? `/apps/${sourceAppId}` : `/apps/${sourceAppId}/${page}`;
}

/** The path of the first page of an app. */
export const startPath = (app: Pick<Scope, 'sourceAppId'>): string => appPath(app, 'start');

/** The path of the list of users. */
export const usersPath = (app: Pick<Scope, 'sourceAppId'>): string => appPath(app, 'users');

/** The path of the page that shows a record. */
export const recordPath = (app: Pick<Scope, 'sourceAppId'>, id: string): string => `${usersPath(app)}/${id}`;
