/** The form of a `sourceAppId` (spec 2.2). */
export const APP_ID_PATTERN = /^[a-zA-Z0-9._-]{1,80}$/;

export const APP_ID_FORMAT = '1 to 80 letters, digits, dots, underscores or hyphens';

/**
 * Matches the ids that a URL can contain. `.` and `..` have the form of an id, but URL parsers
 * remove them from a path, so `/auth/apps/../schema` never reaches the service. No app has them.
 */
export const REACHABLE_APP_ID = /^$|[^.]|\.{3}/;

export const UNREACHABLE_APP_ID = 'must not be "." or "..": clients remove them from URL paths like /auth/apps/..';

const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;

// The local part consists of atoms separated by dots; a domain of at least two labels of letters,
// digits and inner hyphens.
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * Returns the stored form of an email, trimmed and in lower case (spec 4.1), or undefined for an
 * invalid one. Only ASCII is accepted, and checked before lower-casing: U+212A (the Kelvin sign)
 * becomes `k`, which would give access to another person's record.
 */
export function normalizeEmail(input: string): string | undefined {
  const email = input.trim();
  if (email.length > MAX_LENGTH) return undefined;
  const at = email.lastIndexOf('@');
  const local = email.slice(0, Math.max(at, 0));
  const domain = email.slice(at + 1);
  if (local.length > MAX_LOCAL_LENGTH || !LOCAL.test(local) || !DOMAIN.test(domain)) return undefined;
  // A domain that ends in a number is an IP address without brackets.
  // biome-ignore lint/plugin: of at most 255 characters
  if (/\.\d+$/.test(domain)) return undefined;
  return email.toLowerCase();
}

/** Returns the canonical form of an IANA time zone name, in any case; undefined for other texts. */
export function canonicalTimeZone(name: string): string | undefined {
  // Newer versions of Node also take offsets such as +01:00.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
