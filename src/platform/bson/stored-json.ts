import type { z } from 'zod';
import { problem } from '../languages/problems.ts';
import { MAX_ISSUES } from '../languages/reasons.ts';

/** The driver marks its own types with `_bsontype`; no object of a client may pass for one. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['__proto__', '_bsontype']);

/**
 * A check of a schema: reports property names anywhere inside a value that start with `$`, contain
 * `.` or NUL, or are reserved (spec 2.4), at most 20. The value is parsed JSON; the body reader has
 * limited its depth.
 */
export function checkStorable({ value, issues }: z.core.ParsePayload): void {
  const path: string[] = [];
  const visit = (within: unknown): void => {
    if (typeof within !== 'object' || within === null) return;
    for (const [key, inner] of Object.entries(within)) {
      if (issues.length >= MAX_ISSUES) return;
      if (!Array.isArray(within) && isUnstorable(key)) {
        issues.push(problem('reservedName', undefined, path));
      } else if (typeof inner === 'object' && inner !== null) {
        path.push(key);
        visit(inner);
        path.pop();
      }
    }
  };
  visit(value);
}

/** The reference to what `checkStorable` accepts in a JSON Schema (features/schemas). */
export const STORABLE = { $ref: '#/$defs/storable' };

function isUnstorable(key: string): boolean {
  return key.startsWith('$') || key.includes('.') || key.includes('\0') || RESERVED_NAMES.has(key);
}
