import type { Issue } from '../../platform/languages/reasons.ts';
import type { Moment } from '../../platform/text/iso-date.ts';
import type { Writer } from '../fields/base/kind.ts';
import type { Data, Lease } from './schema-leases.ts';

/** Returns the `data` that counts by the rules of features. */
export const applyRules = (sent: Data, { rules }: Pick<Lease, 'rules'>): Data =>
  rules.reduce((data, rule) => rule.read(data), sent);

/**
 * Returns the problems of imported `data`, and the `data` that counts. Conditions of fields do not
 * count.
 */
export function checkImported(sent: Data, lease: Lease, isPartial: boolean) {
  const data = applyRules(sent, lease);
  return {
    data,
    issues: withRules(lease.validator.issues(data, 'staff', isPartial, undefined, momentIn(lease)), data, lease),
  };
}

/**
 * Returns the problems of submitted `data`, and the `data` that counts.
 * @param writer who sends it: `staff` may set the fields of the staff
 * @param isForm whether values of fields that are not shown are left out of `data`, not refused
 * @param sentAt whose day is `today`; by default now
 */
export function checkSubmission(sent: Data, lease: Lease, writer: Writer, isForm: boolean, sentAt?: Date) {
  const { data, states } = shownSubmission(sent, lease, isForm);
  const issues = withRules(lease.validator.issues(data, writer, false, states, momentIn(lease, sentAt)), data, lease);
  return { data, issues, states };
}

/**
 * Returns the submitted `data` that counts: of a form without values of fields that it does not
 * show.
 */
export function shownSubmission(sent: Data, lease: Lease, isForm: boolean) {
  const { validator } = lease;
  const given = applyRules(sent, lease);
  const states = validator.states(given, isForm);
  return { data: states && isForm ? validator.shownData(given, states) : given, states };
}

/** Returns the moment whose day is `today` in the form's time zone. */
export const momentIn = ({ app }: Pick<Lease, 'app'>, at?: Date): Moment => ({ at, timeZone: app.timeZone });

function withRules(issues: Issue[], data: Data, { rules }: Lease): Issue[] {
  return issues.length > 0 ? issues : rules.flatMap((rule) => rule.issues(data));
}

/** A field whose text has no value, or whose file cannot be used, is not also missing. */
export function joinIssues(problems: readonly Issue[], found: readonly Issue[]): Issue[] {
  const fieldOf = ({ path }: Issue): string => path.split('.', 2).join('.');
  const places = new Set(problems.map(fieldOf));
  return [...problems, ...found.filter((one) => !places.has(fieldOf(one)))];
}
