import { normalizeEmail } from '../core/email.ts';
import { InvalidInput, type Issue } from '../core/errors.ts';
import { oldKeyIssues, underNewKeys } from '../fields/renames.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import { slotWrites } from '../users/index-slots/slot-writes.ts';
import type { AppliedKey } from '../users/users.model.ts';
import { sentConsents } from './store/consents.ts';
import { appliedKey } from './store/idempotency-keys.ts';
import { changeSize, growthOf, maxBoundOf, type RecordLimits } from './store/record-limits.ts';
import type { Submission } from './store/submission.ts';
import type { SubmissionOptions } from './submission-options.ts';

/** The body of a submission (spec 4.1). */
export interface SubmissionInput {
  email: string;
  data?: Record<string, unknown> | undefined;
  /** Problems that are known before validation, such as texts of a form that have no value. */
  problems?: readonly Issue[];
  /** The texts of a form from which `data` was made. They identify a repeat under any schema. */
  texts?: string;
}

/**
 * The body, or a function that makes it for the schema that it is checked against. That is called
 * again when the schema is replaced meanwhile.
 */
export type SubmissionSource = SubmissionInput | ((lease: Lease) => SubmissionInput);

/**
 * Checks a submission against the schema of a lease (spec 2.3).
 *
 * @throws {InvalidInput} with all problems
 */
export function accept(
  input: SubmissionInput,
  lease: Lease,
  limits: RecordLimits,
  options: Pick<SubmissionOptions, 'idempotencyKey' | 'sentUnder' | 'page'>,
): Submission {
  const { email, data: sent = {}, problems } = input;
  const { renames, schema } = lease;
  const normalized = normalizeEmail(email);
  const data = renames && !schema.rejectUnknown ? underNewKeys(sent, renames) : sent;
  const found = lease.validator.issues(data);
  // No record has an old key and the new one.
  if (renames && found.length === 0) found.push(...oldKeyIssues(data, renames));
  const issues = problems ? joinIssues(problems, found) : found;
  if (normalized === undefined) issues.unshift({ path: 'email', message: 'must be an email address' });
  if (normalized === undefined || issues.length > 0) throw new InvalidInput('Invalid submission', issues);

  const now = new Date();
  const change = lease.validator.change(data, now.toISOString());
  const size = changeSize(change);
  const slots = slotWrites(lease.app.slots, change);
  return {
    appId: lease.app.id,
    sourceAppId: lease.app.sourceAppId,
    email: normalized,
    schemaVersion: lease.schema.version,
    fieldKeys: lease.validator.fieldKeys,
    now,
    change,
    size,
    slots,
    growth: growthOf(change, size, limits),
    maxBound: maxBoundOf(limits, slots?.length ?? 0),
    ...(renames && { renames }),
    consents: sentConsents(lease, data, now, options.page),
    applied: appliedOf(input, options, now),
    hasConsumers: lease.app.hasConsumers,
  };
}

/** The idempotency key of a submission as a record keeps it, if it has one. */
export function appliedOf(
  input: SubmissionInput,
  { idempotencyKey, sentUnder }: Pick<SubmissionOptions, 'idempotencyKey' | 'sentUnder'>,
  now: Date,
): AppliedKey | undefined {
  if (sentUnder) return { ...sentUnder, at: now };
  return idempotencyKey === undefined ? undefined : appliedKey(idempotencyKey, input, now);
}

/** A field whose text has no value is not also missing. */
function joinIssues(problems: readonly Issue[], found: readonly Issue[]): Issue[] {
  const places = new Set(problems.map(({ path }) => path));
  return [...problems, ...found.filter(({ path }) => !places.has(path))];
}
