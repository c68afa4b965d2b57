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
