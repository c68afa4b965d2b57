/** The app whose users a page shows. */
export interface Scope {
  sourceAppId: string;
  /** Whether the app is another one than that of the session. */
  asAdmin: boolean;
  /** Whether requests name the app: an account may be a member of several. */
  isNamed?: boolean;
}

/** The query parameter that names the app in requests of admins and accounts. */
export function scopeParameter({ sourceAppId, asAdmin, isNamed = false }: Scope): { sourceAppId?: string } {
  return asAdmin || isNamed ? { sourceAppId } : {};
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
