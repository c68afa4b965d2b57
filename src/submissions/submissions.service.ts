import type { AppActivity } from '../apps/app-activity.ts';
import type { AppService, AppState } from '../apps/apps.service.ts';
import { normalizeEmail } from '../core/email.ts';
import { AppError, InvalidInput, Unavailable } from '../core/errors.ts';
import type { Lease, SchemaLeases } from '../schemas/schema-leases.ts';
import { UnknownApp } from '../schemas/schemas.service.ts';
import type { UserStore } from '../users/user-store.ts';
import { appliedKey } from './store/idempotency-keys.ts';
import { changeSize, growthOf, type RecordLimits } from './store/record-limits.ts';
import type { Submission } from './store/submission.ts';
import { OutdatedSchema, type StoredSubmission, type SubmissionStore } from './store/submission-store.ts';

/** A schema that is replaced again and again while one submission is stored; each time the submission is checked anew. */
const MAX_SCHEMA_CHANGES = 5;

/**
 * A write that fails this long after its submission was accepted was held up by a process that was
 * suspended, and may still be under way for `SETTLES_WITHIN_MS`.
 */
const SUSPENDED_MS = 60_000;
const SETTLES_WITHIN_MS = 5_000;

/** What a client submits (spec 4.1). */
export interface SubmissionInput {
  email: string;
  data?: Record<string, unknown> | undefined;
}

export type SubmissionService = ReturnType<typeof createSubmissionService>;

/** The rules of submissions (spec 2.4 and 4.1). */
export function createSubmissionService(deps: {
  apps: AppService;
  activity: AppActivity;
  leases: SchemaLeases;
  users: Pick<UserStore, 'withdraw'>;
  store: SubmissionStore;
  limits: RecordLimits;
}) {
  const { apps, activity, leases, users, store, limits } = deps;

  return {
    /**
     * Checks a submission against the app's newest schema and stores it exactly once: it creates the record of that email or changes it. When it
     * resolves, the submission is durable.
     *
     * @param idempotencyKey a repeat with the same key is answered without being applied again
     * @throws {UnknownApp} @throws {InvalidInput} with every problem @throws {Conflict} when an array is full
     * @throws {KeyReused} when the key came with other data before @throws {Unavailable}
     */
    async submit(sourceAppId: string, input: SubmissionInput, idempotencyKey?: string): Promise<StoredSubmission> {
      for (let attempt = 0; attempt < MAX_SCHEMA_CHANGES; attempt += 1) {
        const lease = await leases.hold(sourceAppId);
        if (!lease) throw new UnknownApp();
        let submission: Submission | undefined;
        try {
          submission = checked(input, lease, limits, idempotencyKey);
          const stored = await store.store(submission);
          if (!lease.isCurrent()) await revalidateLease(lease, submission);
          activity.note(lease.app, stored.updatedAt);
          return stored;
        } catch (error) {
          if (!(error instanceof OutdatedSchema)) {
            if (submission) withdrawLater(submission);
            return await answerRepeat(error, input, lease, idempotencyKey);
          }
          leases.forget(sourceAppId);
        }
      }
      throw new Unavailable('The schema of this app is changing; try again shortly', 1);
    },
  };

  /**
   * A submission that was applied once stays applied, also when the newest schema or a limit would refuse it now. So a
   * refusal of a submission with a key looks for the key before it is thrown.
   */
  async function answerRepeat(
    refusal: unknown,
    { email, data = {} }: SubmissionInput,
    { app }: Lease,
    idempotencyKey: string | undefined,
  ): Promise<StoredSubmission> {
    const normalized = normalizeEmail(email);
    const mayBeRepeat = refusal instanceof AppError && REFUSED_BY_RULES.has(refusal.status);
    if (!mayBeRepeat || idempotencyKey === undefined || normalized === undefined) throw refusal;
    const applied = appliedKey(idempotencyKey, data, new Date());
    const earlier = await store.findApplied(app.id, normalized, applied);
    if (!earlier) throw refusal;
    return earlier;
  }

  /**
   * The write took longer than the lease, so the app may have been deleted meanwhile, and this record have come after its removal. Then nothing of it
   * may stay (invariant 5). A lease that holds now is enough to tell: a removal comes later than a lease after its mark. So all writes that were
   * slow share one read. While the app is only marked as going, the deletion has its last removal before it, which also counts the record.
   *
   * An app that is not found under its name is looked up by its `_id`. Only a tombstone takes the record
   * back. When nothing says what became of the app (renamed or restored by hand), nothing is removed, and
   * the submission is not acknowledged.
   *
   * A lease from a primary that is none any more may have shown an old schema, and the write have gone to the new primary all the same: then the submission is not acknowledged.
   */
  async function revalidateLease({ app, schemaId, isRevoked }: Lease, submission: Submission): Promise<void> {
    const current = await leases.hold(app.sourceAppId);
    if (current?.app.id.equals(app.id)) {
      if (isRevoked() && current.schemaId !== schemaId) throw new Unavailable();
      return;
    }
    const fate = await withdrawFromDeleted(submission);
    if (fate === 'missing' || (fate === 'live' && isRevoked())) throw new Unavailable();
    if (fate !== 'live') throw new UnknownApp();
  }

  /** Removes the record that a submission created, if a tombstone names its app. What it added to another goes with that. */
  async function withdrawFromDeleted({ appId, email, now }: Submission): Promise<AppState> {
    const fate = await apps.stateOf(appId);
    if (fate === 'deleted') await users.withdraw({ appId, email, createdAt: now });
    return fate;
  }

  /**
   * For a write that failed: after a suspension it may come to the database later than the sweeps of
   * app-tombstones.ts look for it. Only submissions that were in flight during one get here.
   */
  function withdrawLater(submission: Submission): void {
    if (Date.now() - submission.now.getTime() < SUSPENDED_MS) return;
    setTimeout(() => void withdrawFromDeleted(submission).catch(() => undefined), SETTLES_WITHIN_MS).unref();
  }
}

/** The schema or a limit refused the submission; the database had no say in it. */
const REFUSED_BY_RULES = new Set([400, 409, 413]);

/** The submission, checked against the schema of a lease. @throws {InvalidInput} with every problem */
function checked(
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
