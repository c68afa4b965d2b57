import type { Readable } from 'node:stream';
import type { AppActivity } from '../apps/app-activity.ts';
import type { App, AppFate, AppService } from '../apps/apps.service.ts';
import { normalizeEmail } from '../core/email.ts';
import { AppError, InvalidInput, NotFound, Unavailable } from '../core/errors.ts';
import type { Lease, SchemaLeases } from '../schemas/schema-leases.ts';
import { UnknownApp } from '../schemas/schemas.service.ts';
import { changeSize, growthOf, type RecordLimits } from '../submissions/store/record-limits.ts';
import type { Submission } from '../submissions/store/submission.ts';
import { OutdatedSchema, type StoredSubmission, type SubmissionStore } from '../submissions/store/submission-store.ts';
import { type ExportFormat, exportUsers } from './export/export.ts';
import { appliedKey } from './idempotency-keys.ts';
import type { RecordBatches } from './record-json.ts';
import type { UserFilter, UserPage, UserSearch } from './user-search.ts';
import type { UserRecord, UserStore } from './user-store.ts';

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

export type UserService = ReturnType<typeof createUserService>;

/** The rules of user records (spec 2.1, 2.4, 4.1 and 4.3). */
export function createUserService(deps: {
  apps: AppService;
  activity: AppActivity;
  leases: SchemaLeases;
  store: UserStore;
  search: UserSearch;
  submissions: SubmissionStore;
  limits: RecordLimits;
}) {
  const { apps, activity, leases, store, search, submissions, limits } = deps;

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
          const stored = await submissions.store(submission);
          if (!lease.isCurrent()) await lookAgain(lease, submission);
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

    /** All records of an app, newest first, read as they are consumed (spec 4.3). @param signal ends the reading early */
    list: (app: Pick<App, 'id'>, signal?: AbortSignal): RecordBatches => store.ofApp(app.id, signal),

    /** The same, one by one and decoded, for whoever looks into them. */
    each: (app: Pick<App, 'id'>): AsyncIterable<UserRecord> => search.all(app.id, {}),

    /** A page of an app's records that match, and how many match in all. @throws {Unavailable} when that takes too long */
    search: (app: App, page: UserPage): Promise<{ total: number; users: RecordBatches }> => search.page(app.id, page),

    /** One record of an app, by its id. @throws {NotFound} also for another app's */
    async get(app: App, id: string): Promise<UserRecord> {
      const user = await store.find(app.id, id);
      if (!user) throw new NotFound('User not found');
      return user;
    },

    /** Erases one record of an app for good. A submission of that person that is in flight may make a new one. @throws {NotFound} also for another app's */
    async erase(app: App, id: string): Promise<void> {
      if (!(await store.erase(app.id, id))) throw new NotFound('User not found');
    },

    /**
     * Streams an app's matching records as a file, newest first. CSV has the columns of the newest schema.
     *
     * @param options.bom whether CSV begins with the UTF-8 byte order mark
     * @param options.signal ends the reading early
     */
    async export(
      app: App,
      filter: UserFilter,
      { format, bom, signal }: { format: ExportFormat; bom?: boolean; signal?: AbortSignal },
    ): Promise<Readable> {
      const lease = await leases.hold(app.sourceAppId);
      if (!lease) throw new NotFound('App not found');
      const keys = lease.schema.fields.map(({ key }) => key);
      return exportUsers(search.all(app.id, filter, signal), format, keys, bom);
    },

    /** A page of the records of all apps, or of one, newest first (spec 4.4). */
    listAcrossApps: (page: { sourceAppId?: string | undefined; limit: number; skip: number }): RecordBatches =>
      store.page(page.sourceAppId, page.limit, page.skip),
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
    const earlier = await submissions.findApplied(app.id, normalized, applied);
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
  async function lookAgain({ app, schemaId, isRevoked }: Lease, submission: Submission): Promise<void> {
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
  async function withdrawFromDeleted({ appId, email, now }: Submission): Promise<AppFate> {
    const fate = await apps.fateOf(appId);
    if (fate === 'deleted') await store.withdraw({ appId, email, createdAt: now });
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
