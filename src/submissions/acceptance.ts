import { normalizeEmail } from '../core/email.ts';
import { InvalidInput } from '../core/errors.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import { appliedKey } from './store/idempotency-keys.ts';
import { changeSize, growthOf, type RecordLimits } from './store/record-limits.ts';
import type { Submission } from './store/submission.ts';

/** The body of a submission (spec 4.1). */
export interface SubmissionInput {
  email: string;
  data?: Record<string, unknown> | undefined;
}

/**
 * Checks a submission against the schema of a lease (spec 2.3).
 *
 * @throws {InvalidInput} with all problems
 */
export function accept(
  { email, data = {} }: SubmissionInput,
  lease: Lease,
  limits: RecordLimits,
  idempotencyKey: string | undefined,
): Submission {
  const normalized = normalizeEmail(email);
  const issues = lease.validator.issues(data);
  if (normalized === undefined) issues.unshift({ path: 'email', message: 'must be an email address' });
  if (normalized === undefined || issues.length > 0) throw new InvalidInput('Invalid submission', issues);

  const now = new Date();
  const change = lease.validator.change(data, now.toISOString());
  const size = changeSize(change);
  return {
    appId: lease.app.id,
    sourceAppId: lease.app.sourceAppId,
    email: normalized,
    schemaVersion: lease.schema.version,
    fieldKeys: lease.validator.fieldKeys,
    now,
    change,
    size,
    growth: growthOf(change, size, limits),
    maxBound: limits.max,
    applied: idempotencyKey === undefined ? undefined : appliedKey(idempotencyKey, data, now),
  };
}
