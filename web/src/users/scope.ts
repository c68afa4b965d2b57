/** The app whose users a page shows. */
export interface Scope {
  sourceAppId: string;
  /** Whether an admin looks at the app, which is another one than that of the session. */
  asAdmin: boolean;
}

/** The query parameter that names the app in requests of an admin. */
export function scopeParameter({ sourceAppId, asAdmin }: Scope): { sourceAppId?: string } {
  return asAdmin ? { sourceAppId } : {};
}

/** The path of the page that imports users. */
export function importPath({ sourceAppId, asAdmin }: Scope): string {
  return asAdmin ? `/apps/${sourceAppId}/import` : '/import';
}

/** The path of the list of users; `/<id>` after it is the path of a record. */
export function usersPath({ sourceAppId, asAdmin }: Scope): string {
  return asAdmin ? `/apps/${sourceAppId}/users` : '/users';
}
