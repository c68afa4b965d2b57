import { printable, type Report } from './kind.ts';

/** `_bsontype` is how the database driver marks its own types; a client's object must not pass for one. */
const RESERVED = new Set(['__proto__', '_bsontype']);

/**
 * Reports keys anywhere inside a value that the database could misread: beginning with `$`, containing `.` or NUL, or reserved
 * (DESIGN section 2, "array items"). The value is parsed JSON, so it has no cycles; its depth was bounded when it was read.
 */
export function reportUnstorableKeys(value: unknown, report: Report, at = ''): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && isUnstorable(key)) {
      report(
        'has a property whose name is not allowed: names may not begin with $, contain a dot or NUL, or be reserved',
        at,
      );
      continue;
    }
    if (typeof inner === 'object' && inner !== null)
      reportUnstorableKeys(inner, report, at === '' ? printable(key) : `${at}.${printable(key)}`);
  }
}

function isUnstorable(key: string): boolean {
  return key.startsWith('$') || key.includes('.') || key.includes('\0') || RESERVED.has(key);
}
