import { printable, type Report } from './kind.ts';

/** The driver marks its own types with `_bsontype`; no object of a client may pass for one. */
const RESERVED = new Set(['__proto__', '_bsontype']);

/**
 * Reports property names anywhere inside a value that start with `$`, contain `.` or NUL, or are
 * reserved (spec 2.4). The value is parsed JSON; the body reader has limited its depth.
 */
export function reportUnstorableKeys(value: unknown, report: Report, at = ''): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && isUnstorable(key)) {
      report('reservedName', undefined, at);
      continue;
    }
    if (typeof inner === 'object' && inner !== null) {
      reportUnstorableKeys(inner, report, at === '' ? printable(key) : `${at}.${printable(key)}`);
    }
  }
}

function isUnstorable(key: string): boolean {
  return key.startsWith('$') || key.includes('.') || key.includes('\0') || RESERVED.has(key);
}
