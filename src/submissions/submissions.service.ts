import type { AppActivity } from '../apps/app-activity.ts';
import type { AppService, AppState } from '../apps/apps.service.ts';
import { normalizeEmail } from '../core/email.ts';
import { AppError, InvalidInput, type Issue, Unavailable } from '../core/errors.ts';
import type { Lease, SchemaLeases } from '../schemas/schema-leases.ts';
import { UnknownApp } from '../schemas/schemas.service.ts';
import type { UserStore } from '../users/user-store.ts';
import { appliedKey } from './store/idempotency-keys.ts';
import { changeSize, growthOf, type RecordLimits } from './store/record-limits.ts';
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

/** How a submission was sent. */
export interface SubmissionOptions {
  /** A repeat with the same key is answered but not applied again. */
  idempotencyKey?: string | undefined;
  /**
   * `form`: an HTML form, whose sender cannot solve a challenge without JavaScript. Default:
   * `json`.
   */
  via?: 'json' | 'form';
  /** The solution of a challenge, as it was sent. Empty counts as absent. */
  proof?: string | undefined;
  /** A field that people do not see was filled. */
  isTrapped?: boolean;
  /** The URL of the page that sent it, if known. */
  page?: string | undefined;
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
      source: SubmissionSource,
      { idempotencyKey }: SubmissionOptions = {},
    ): Promise<StoredSubmission> {
      for (let attempt = 0; attempt < MAX_SCHEMA_CHANGES; attempt += 1) {
        const lease = await leases.hold(sourceAppId);
        if (!lease) throw new UnknownApp();
        const input = typeof source === 'function' ? source(lease) : source;
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
    input: SubmissionInput,
    { app }: Lease,
    idempotencyKey: string | undefined,
  ): Promise<StoredSubmission> {
    const normalized = normalizeEmail(input.email);
    const mayBeRepeat = refusal instanceof AppError && REFUSED_BY_RULES.has(refusal.status);
    if (!mayBeRepeat || idempotencyKey === undefined || normalized === undefined) throw refusal;
    const applied = appliedKey(idempotencyKey, input, new Date());
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
}

/** The statuses with which the schema or a limit refuses a submission. */
const REFUSED_BY_RULES = new Set([400, 409, 413]);

/**
 * Checks a submission against the schema of a lease (spec 2.3).
 *
 * @throws {InvalidInput} with all problems
 */
function accept(
  input: SubmissionInput,
  lease: Lease,
  limits: RecordLimits,
  idempotencyKey: string | undefined,
): Submission {
  const { email, data = {}, problems } = input;
  const normalized = normalizeEmail(email);
  const found = lease.validator.issues(data);
  const issues = problems ? joinIssues(problems, found) : found;
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
    applied: idempotencyKey === undefined ? undefined : appliedKey(idempotencyKey, input, now),
  };
}

/** A field whose text has no value is not also missing. */
function joinIssues(problems: readonly Issue[], found: readonly Issue[]): Issue[] {
  const places = new Set(problems.map(({ path }) => path));
  return [...problems, ...found.filter(({ path }) => !places.has(path))];
}
