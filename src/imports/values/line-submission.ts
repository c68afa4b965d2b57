import { normalizeEmail } from '../../core/email.ts';
import type { Issue } from '../../core/errors.ts';
import type { RecordChange } from '../../fields/compile.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import { changeSize, growthOf, maxBoundOf, type RecordLimits } from '../../submissions/store/record-limits.ts';
import type { Submission } from '../../submissions/store/submission.ts';
import { slotWrites } from '../../users/index-slots/slot-writes.ts';
import type { ImportSettings } from '../imports.model.ts';
import type { LineValues } from './line-values.ts';

/** What a line asks for, or why it is refused. */
export interface CheckedLine {
  /** Normalized; undefined when the line has none that is valid. */
  email: string | undefined;
  submission?: Submission;
  refusal?: string;
}

/**
 * Checks the values of a line as those of a submission (spec 2.3 and 4.7). A line of the mode
 * `update` may lack required fields, because its record has them.
 */
export function checkLine(
  { email: sent, data, problems }: LineValues,
  lease: Lease,
  { mode, arrays }: Pick<ImportSettings, 'mode' | 'arrays'>,
  limits: RecordLimits,
  now: Date,
): CheckedLine {
  const email = problems.some(({ path }) => path === '') ? undefined : normalizeEmail(sent);
  const issues = issuesOf({ email, problems, found: lease.validator.issues(data, mode === 'update') });
  if (email === undefined || issues.length > 0) return { email, refusal: reasonOf(issues) };
  const change = lease.validator.change(data, now.toISOString());
  if (arrays === 'replace') replaceArrays(change);
  const size = changeSize(change);
  const slots = slotWrites(lease.app.slots, change);
  const submission: Submission = {
    appId: lease.app.id,
    sourceAppId: lease.app.sourceAppId,
    email,
    schemaVersion: lease.schema.version,
    fieldKeys: lease.validator.fieldKeys,
    now,
    change,
    size,
    slots,
    growth: growthOf(change, size, limits),
    maxBound: maxBoundOf(limits, slots?.length ?? 0),
    // The history of consents belongs to what people send themselves.
    consents: undefined,
    applied: undefined,
    hasConsumers: lease.app.hasConsumers,
  };
  return { email, submission };
}

/** The items become the values of the fields, instead of being appended to them. */
function replaceArrays(change: RecordChange): void {
  Object.assign(change.set, change.append);
  change.append = {};
}

function issuesOf(checked: {
  email: string | undefined;
  problems: readonly Issue[];
  found: readonly Issue[];
}): Issue[] {
  const { email, problems, found } = checked;
  const unreadable = problems.filter(({ path }) => path === '');
  if (unreadable.length > 0) return unreadable;
  // A field whose text has no value is not also missing.
  const places = new Set(problems.map(({ path }) => path));
  return [
    ...(email === undefined ? [{ path: 'email', message: 'must be an email address' }] : []),
    ...problems,
    ...found.filter(({ path }) => !places.has(path)),
  ];
}

/** The reason of a reject in one text, without values of the line. */
export function reasonOf(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ');
}
