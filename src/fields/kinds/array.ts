import { defineKind } from '../kind.ts';
import { reportUnstorableKeys } from '../stored-json.ts';

/** A growing list: the items sent are appended to those stored, each with the time it came (SPEC 2.4). Items have any shape. */
export const array = defineKind({
  kind: 'array',
  options: {},
  compile: () => (value, report) => {
    if (!Array.isArray(value)) return report('must be an array');
    reportUnstorableKeys(value, report);
  },
});

/**
 * An array item as it is stored (SPEC 2.4 and DESIGN section 2, "array items"): a plain object keeps its properties, anything else becomes
 * `{ value }`; the service's `timestamp` (ISO 8601) is added and wins over a sent one.
 */
export function storedItem(item: unknown, timestamp: string): Record<string, unknown> {
  const plain = typeof item === 'object' && item !== null && !Array.isArray(item);
  return plain ? { ...item, timestamp } : { value: item, timestamp };
}
