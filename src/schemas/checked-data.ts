import type { Writer } from '../fields/base/kind.ts';
import { oldKeyIssues, underNewKeys } from '../fields/renames.ts';
import type { Issue } from '../platform/languages/reasons.ts';
import type { Lease } from './schema-leases.ts';

/** Returns `data` under the new keys while values are being moved to them (decision 22). */
export function dataUnderNewKeys(sent: Record<string, unknown>, { renames, schema }: Lease): Record<string, unknown> {
  return renames && !schema.rejectUnknown ? underNewKeys(sent, renames) : sent;
}

/**
 * Returns the problems of `data`, and `data` under the new keys (decision 22).
 * @param writer who sends it: `staff` may set the fields of the staff
 */
export function checkData(sent: Record<string, unknown>, lease: Lease, writer: Writer, isPartial = false) {
  const { renames, validator } = lease;
  const data = dataUnderNewKeys(sent, lease);
  const issues = validator.issues(data, writer, isPartial);
  // No record has an old key and the new one.
  if (renames && issues.length === 0) issues.push(...oldKeyIssues(data, renames));
  return { data, issues };
}

/** A field whose text has no value is not also missing. */
export function joinIssues(problems: readonly Issue[], found: readonly Issue[]): Issue[] {
  const places = new Set(problems.map(({ path }) => path));
  return [...problems, ...found.filter(({ path }) => !places.has(path))];
}
