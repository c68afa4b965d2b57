import { normalizeEmail } from '../../core/email.ts';
import type { Issue } from '../../core/errors.ts';
import type { RecordChange } from '../../fields/compile.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import { checkData, submissionOf } from '../../submissions/acceptance.ts';
import type { RecordLimits } from '../../submissions/store/record-limits.ts';
import type { Submission } from '../../submissions/store/submission.ts';
import type { ImportSettings } from '../imports.model.ts';
import { columnPath } from './columns.ts';
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
  { email: sent, data: sentData, problems, columns }: LineValues,
  lease: Lease,
  { mode, arrays }: Pick<ImportSettings, 'mode' | 'arrays'>,
  limits: RecordLimits,
  now: Date,
): CheckedLine {
  const email = problems.some(({ path }) => path === '') ? undefined : normalizeEmail(sent);
  const { data, issues: found } = checkData(sentData, lease, mode === 'update');
  const issues = issuesOf({ email, problems, found });
  if (email === undefined || issues.length > 0) return { email, refusal: reasonOf(issues, columns) };
  const change = lease.validator.change(data, now.toISOString());
  if (arrays === 'replace') replaceArrays(change);
  // Without consents: their history belongs to what people send themselves.
  return { email, submission: submissionOf({ email, change, now }, lease, limits) };
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

/**
 * The reason of a reject in one text, without values of the line. It names the columns of the file,
 * and paths of which the file has no column.
 */
function reasonOf(issues: readonly Issue[], columns: LineValues['columns']): string {
  return issues
    .map(({ path, message }) => (path === '' ? message : `${columnPath(path, columns)} ${message}`))
    .join('; ');
}
