/** The form of a `sourceAppId` (spec 2.2). */
export const APP_ID_PATTERN = /^[a-zA-Z0-9._-]{1,80}$/;

/** The form of a `sourceAppId` for messages. */
export const APP_ID_FORMAT = '1 to 80 letters, digits, dots, underscores or hyphens';

/**
 * Matches the ids that a URL can contain. `.` and `..` have the form of an id, but URL parsers
 * remove them from a path, so `/auth/apps/../schema` never reaches the service. They are refused
 * for new apps only.
 */
export const REACHABLE_APP_ID = /^$|[^.]|\.{3}/;

/** The reason why an id that does not match is refused. */
export const UNREACHABLE_APP_ID = 'must not be "." or "..": clients remove them from URL paths like /auth/apps/..';
