import type { AppActivity } from '../apps/app-activity.ts';
import type { AppService, AppState } from '../apps/apps.service.ts';
import { isSameSlots } from '../apps/index-slots.ts';
import { normalizeEmail } from '../core/email.ts';
import { AppError, InvalidInput, Unavailable } from '../core/errors.ts';
import type { Lease, SchemaLeases } from '../schemas/schema-leases.ts';
import { UnknownApp } from '../schemas/schemas.service.ts';
import type { LateWrite, RepairSlots } from '../users/index-slots/slot-repair.ts';
import { slotWrites } from '../users/index-slots/slot-writes.ts';
import type { UserStore } from '../users/user-store.ts';
import { appliedKey } from './store/idempotency-keys.ts';
import { changeSize, growthOf, maxBoundOf, type RecordLimits } from './store/record-limits.ts';
import type { Submission } from './store/submission.ts';
import { OutdatedSchema, type StoredSubmission, type SubmissionStore } from './store/submission-store.ts';

/**
 * How often one submission is checked again because its schema was replaced while it was stored.
 */
const MAX_SCHEMA_CHANGES = 5;

/**
 * A write that fails this long after its submission was accepted was delayed by a suspended
 * process. It may still take effect within `SETTLES_WITHIN_MS`.
 */
const SUSPENDED_MS = 60_000;
const SETTLES_WITHIN_MS = 5_000;

/** The body of a submission (spec 4.1). */
export interface SubmissionInput {
  email: string;
  data?: Record<string, unknown> | undefined;
}

/** How a submission was sent. */
export interface SubmissionOptions {
  /** A repeat with the same key is answered but not applied again. */
  idempotencyKey?: string | undefined;
}

export type SubmissionService = ReturnType<typeof createSubmissionService>;

/** The rules of submissions (spec 2.4 and 4.1). */
export function createSubmissionService(deps: {
  apps: AppService;
  activity: AppActivity;
  leases: SchemaLeases;
  users: Pick<UserStore, 'withdraw'>;
  store: SubmissionStore;
  repairSlots: RepairSlots;
  limits: RecordLimits;
}) {
  const { apps, activity, leases, users, store, repairSlots, limits } = deps;

  return {
    /**
     * Checks a submission against the app's newest schema and stores it exactly once (spec 4.1): it
     * creates the record of that email or changes it. When the promise resolves, the submission is
     * durable.
     *
     * @throws {UnknownApp} when the id names no app
     * @throws {InvalidInput} with all problems of the email and of `data`
     * @throws {Conflict} when an array field would have too many items
     * @throws {TooLarge} when the record would exceed its size limit
     * @throws {KeyReused} when the key was applied with other data
     * @throws {Unavailable} when the submission was not acknowledged; it can be sent again
     */
    async submit(
      sourceAppId: string,
      input: SubmissionInput,
      { idempotencyKey }: SubmissionOptions = {},
    ): Promise<StoredSubmission> {
      for (let attempt = 0; attempt < MAX_SCHEMA_CHANGES; attempt += 1) {
        const lease = await leases.hold(sourceAppId);
        if (!lease) throw new UnknownApp();
        let submission: Submission | undefined;
        try {
          submission = accept(input, lease, limits, idempotencyKey);
          const stored = await store.store(submission);
          if (!lease.isCurrent()) await revalidateLease(lease, submission);
          activity.note(lease.app, stored.updatedAt);
          return stored;
        } catch (error) {
          if (!(error instanceof OutdatedSchema)) {
            if (submission) withdrawLater(submission);
            if (submission && !lease.isCurrent()) repairLater(submission, lease);
            return await answerRepeat(error, input, lease, idempotencyKey);
          }
          leases.forget(sourceAppId);
        }
      }
      throw new Unavailable('The schema of this app is changing; try again shortly', 1);
    },
  };

  /**
   * Returns the response of the submission that was applied under the key; otherwise throws
   * `refusal`. A repeat succeeds although the newest schema or a limit refuses it now (invariant
   * 3).
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
   * For a write that ended after its lease. The app may have been deleted meanwhile, and the record
   * written after the removal of its records; then the record is removed (invariant 5).
   *
   * A new lease of the same app proves that this did not happen: records are removed only when
   * every lease from before the deletion mark has ended. So all slow writes share one read. While
   * an app is only marked as deleting, the last removal is still to come and also counts this
   * record.
   *
   * An app without a lease is looked up by its `_id`. Only a tombstone causes a removal. If the app
   * is missing without a tombstone (renamed or restored by a manual edit), nothing is removed, and
   * the submission is not acknowledged.
   *
   * A revoked lease came from a former primary and may have shown an old schema, although the write
   * went to the new primary. If the schema differs, the submission is not acknowledged (invariant
   * 4).
   */
  async function revalidateLease({ app, schemaId, isRevoked }: Lease, submission: Submission): Promise<void> {
    const current = await leases.hold(app.sourceAppId);
    if (current?.app.id.equals(app.id)) {
      if (isRevoked() && current.schemaId !== schemaId) throw new Unavailable();
      // A build of an index may have passed the record before this write.
      if (!isSameSlots(current.app.slots, app.slots)) await repairSlots(submission, app.slots);
      return;
    }
    const state = await withdrawFromDeleted(submission);
    if (state === 'missing' || (state === 'live' && isRevoked())) throw new Unavailable();
    if (state !== 'live') throw new UnknownApp();
  }

  /**
   * Removes the record that a submission created, if a tombstone names its app. A record that the
   * submission only changed is removed by the deletion itself.
   */
  async function withdrawFromDeleted({ appId, email, now }: Submission): Promise<AppState> {
    const state = await apps.stateOf(appId);
    if (state === 'deleted') await users.withdraw({ appId, email, createdAt: now });
    return state;
  }

  /**
   * For a failed write that was in flight while the process was suspended: it may take effect after
   * the sweeps of app-tombstones.ts have ended.
   */
  function withdrawLater(submission: Submission): void {
    if (Date.now() - submission.now.getTime() < SUSPENDED_MS) return;
    setTimeout(() => void withdrawFromDeleted(submission).catch(() => undefined), SETTLES_WITHIN_MS).unref();
  }

  /**
   * For a failed write that may take effect after its lease, when a build has passed the record.
   */
  function repairLater({ appId, sourceAppId, email, slots }: LateWrite, { app }: Lease): void {
    // Only what is needed, because a database that is away makes many of them.
    const write = { appId, sourceAppId, email, slots };
    const before = app.slots;
    setTimeout(() => void repairSlots(write, before).catch(() => undefined), SETTLES_WITHIN_MS).unref();
  }
}

/** The statuses with which the schema or a limit refuses a submission. */
const REFUSED_BY_RULES = new Set([400, 409, 413]);

/**
 * Checks a submission against the schema of a lease (spec 2.3).
 *
 * @throws {InvalidInput} with all problems
 */
function accept(
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
    applied: idempotencyKey === undefined ? undefined : appliedKey(idempotencyKey, data, now),
  };
}
