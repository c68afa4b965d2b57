/**
 * Ids that a URL can name. `.` and `..` match the form of an app id (spec 2.2), but every client's URL
 * parser removes them from a path, so `/auth/apps/../schema` never reaches the service. They are refused
 * for new apps only.
 */
export const REACHABLE_APP_ID = /^$|[^.]|\.{3}/;

/** Why an id that does not match is refused. */
export const UNREACHABLE_APP_ID = 'must not be "." or "..": clients remove them from URL paths like /auth/apps/..';
