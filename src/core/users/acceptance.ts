import type { ObjectId } from 'mongodb';
import { InvalidInput } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import type { Writer } from '../fields/base/kind.ts';
import type { FieldStates } from '../fields/conditions.ts';
import { checkSubmission, joinIssues } from '../schemas/checked-data.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import { prepareSubmission } from './prepare.ts';
import type { RecordLimits } from './record-limits.ts';
import type { RecordParts } from './record-part.ts';
import type { Submission, SubmissionFacts } from './submission.ts';

/** How a submission was sent. Features add options. */
export interface SubmissionOptions {
  /**
   * `form`: an HTML form, which without JavaScript can neither solve a challenge nor leave out the
   * fields that are not shown. Default: `json`.
   */
  via?: 'json' | 'form';
  /** When the person sent it, if it was held. */
  sentAt?: Date;
  /** The only incarnation of the app that may take it. */
  ofApp?: ObjectId | undefined;
  /** Who sent it: `staff` may set the fields of the staff. Default: `everyone`. */
  writer?: Writer;
}

/** The body of a submission (spec 4.1). Features add members. */
export interface SubmissionInput {
  email: string;
  data?: Record<string, unknown> | undefined;
  /** Problems that are known before validation, such as texts without a value. */
  problems?: readonly Issue[];
}

/** The body, or a function that makes it for the schema of a lease, also for a later one. */
export type SubmissionSource = SubmissionInput | ((lease: Lease) => SubmissionInput | Promise<SubmissionInput>);

/**
 * Validates a submission by the schema of a lease.
 * @param factsAt returns what features know of it @throws {InvalidInput} with all problems
 */
export function accept(
  input: SubmissionInput,
  lease: Lease,
  deps: { limits: RecordLimits; parts: RecordParts },
  { writer = 'everyone', via, sentAt }: Pick<SubmissionOptions, 'via' | 'sentAt' | 'writer'>,
  factsAt: (now: Date) => SubmissionFacts = () => ({}),
): Submission {
  const { email, data: sent = {}, problems } = input;
  const normalized = normalizeEmail(email);
  const { data, issues: found, states } = checkSubmission(sent, lease, writer, via === 'form', sentAt);
  // A form sends texts for fields that are not shown too.
  const known = states ? problems?.filter(({ path }) => isOfShown(path, lease, states)) : problems;
  const issues = known ? joinIssues(known, found) : found;
  if (normalized === undefined) issues.unshift({ path: 'email', ...say('notEmail') });
  if (normalized === undefined || issues.length > 0) throw new InvalidInput('invalidSubmission', issues);

  const now = new Date();
  const { validator } = lease;
  const reset = writer === 'everyone' ? validator.resets : undefined;
  const change = validator.change(data, now, states && validator.hiddenKeys(states), reset);
  return prepareSubmission({ email: normalized, change, now, by: 'person', facts: factsAt(now) }, lease, deps);
}

/** Whether a problem is not of the value of a field that is not shown. */
function isOfShown(path: string, { validator }: Lease, { shown }: FieldStates): boolean {
  // A problem of a file has the number of its place.
  const [, key = ''] = path.split('.');
  return shown.has(key) || !validator.fieldKeys.includes(key);
}
