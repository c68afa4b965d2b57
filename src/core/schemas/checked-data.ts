import type { Issue } from '../../platform/languages/reasons.ts';
import type { Moment } from '../../platform/text/iso-date.ts';
import type { Writer } from '../fields/base/kind.ts';
import { oldKeyIssues, underNewKeys } from '../fields/renames.ts';
import type { Lease } from './schema-leases.ts';

/** Returns `data` under the new keys while values are being moved to them (decision 22). */
export function dataUnderNewKeys(sent: Record<string, unknown>, { renames, schema }: Lease): Record<string, unknown> {
  return renames && !schema.rejectUnknown ? underNewKeys(sent, renames) : sent;
}

/**
 * Returns the problems of imported `data`, and `data` under the new keys (decision 22). Conditions
 * of fields do not count.
 */
export function checkData(sent: Record<string, unknown>, lease: Lease, isPartial: boolean) {
  const data = dataUnderNewKeys(sent, lease);
  return {
    data,
    issues: withOldKeys(lease.validator.issues(data, 'staff', isPartial, undefined, momentIn(lease)), data, lease),
  };
}

/**
 * Returns the problems of submitted `data`, and `data` under the new keys (decision 22).
 * @param writer who sends it: `staff` may set the fields of the staff
 * @param isForm whether values of fields that are not shown are left out of `data`, not refused
 * @param sentAt whose day is `today`; by default now
 */
export function checkSubmission(
  sent: Record<string, unknown>,
  lease: Lease,
  writer: Writer,
  isForm: boolean,
  sentAt?: Date,
) {
  const { data, states } = countedData(sent, lease, isForm);
  const issues = withOldKeys(lease.validator.issues(data, writer, false, states, momentIn(lease, sentAt)), data, lease);
  return { data, issues, states };
}

/**
 * Returns the submitted `data` that counts, under the new keys: of a form without values of fields
 * that it does not show.
 */
export function countedData(sent: Record<string, unknown>, lease: Lease, isForm: boolean) {
  const { validator } = lease;
  const given = dataUnderNewKeys(sent, lease);
  const states = validator.states(given, isForm);
  return { data: states && isForm ? validator.shownData(given, states) : given, states };
}

/** Returns the moment whose day is `today` in the form's time zone. */
export const momentIn = ({ app }: Pick<Lease, 'app'>, at?: Date): Moment => ({ at, timeZone: app.timeZone });

/** No record has an old key and the new one. */
function withOldKeys(issues: Issue[], data: Record<string, unknown>, { renames }: Lease): Issue[] {
  if (renames && issues.length === 0) issues.push(...oldKeyIssues(data, renames));
  return issues;
}

/** A field whose text has no value, or whose file cannot be used, is not also missing. */
export function joinIssues(problems: readonly Issue[], found: readonly Issue[]): Issue[] {
  const fieldOf = ({ path }: Issue): string => path.split('.', 2).join('.');
  const places = new Set(problems.map(fieldOf));
  return [...problems, ...found.filter((one) => !places.has(fieldOf(one)))];
}
