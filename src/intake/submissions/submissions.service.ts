import type { UUID } from 'mongodb';
import type { AppActivity } from '../../apps/activity.ts';
import { hidesKnown } from '../../apps/form-settings.ts';
import { AppError, Unavailable } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { type FileClaims, type FileRequest, filesAddedBy } from '../../records/files/file-claims.ts';
import { OutdatedSchema } from '../../records/write/conflict.ts';
import { submissionHash } from '../../records/write/idempotency-keys.ts';
import { RecordHasTooManyKeys, type RecordLimits } from '../../records/write/record-limits.ts';
import type { RecordParts } from '../../records/write/record-part.ts';
import type { Revalidation } from '../../records/write/revalidation.ts';
import type { HoldReason, Submission } from '../../records/write/submission.ts';
import type { StoredSubmission, SubmissionStore } from '../../records/write/submission-writes.ts';
import { countedData, dataUnderNewKeys } from '../../schemas/checked-data.ts';
import type { Lease, SchemaLeases } from '../../schemas/schema-leases.ts';
import { UnknownApp } from '../../schemas/schemas.service.ts';
import type { Capacity, CheckAdmission } from '../bots/admission.ts';
import type { HeldStore } from '../held/held.model.ts';
import {
  accept,
  appliedOf,
  type SubmissionInput,
  type SubmissionOptions,
  type SubmissionSource,
} from './acceptance.ts';
import type { AnswerTime, AnswerTimes } from './answer-times.ts';
import { hasRules, type KnownPeopleRules } from './known-people.ts';

/** How often one submission is validated again because its schema was replaced meanwhile. */
const MAX_SCHEMA_CHANGES = 5;

export type SubmissionService = ReturnType<typeof createSubmissionService>;

/** The rules of submissions (spec 2.4 and 4.1). */
export function createSubmissionService(deps: {
  activity: AppActivity;
  leases: SchemaLeases;
  revalidation: Revalidation;
  store: SubmissionStore;
  limits: RecordLimits;
  parts: RecordParts;
  checkAdmission: CheckAdmission;
  capacity: Capacity;
  held: Pick<HeldStore, 'hold' | 'remove' | 'isOf'>;
  files: FileClaims;
  knownPeople: KnownPeopleRules;
  answerTimes: AnswerTimes;
}) {
  const { activity, leases, revalidation, store, checkAdmission, capacity, held } = deps;
  const { knownPeople, files, answerTimes } = deps;

  return {
    /**
     * Validates a submission by the app's newest schema and stores it durably, exactly once (spec
     * 4.1). One that bot protection holds is put into the queue instead, with `held: true`.
     *
     * @throws {Forbidden} when the form is closed or full, or a proof is missing or invalid
     * @throws {TooManyRequests} when it would be held and the queue is full
     * @throws {UnknownApp} when the id names no app
     * @throws {InvalidInput} with all problems of the email and of `data`
     * @throws {Conflict} when an array field would have too many items
     * @throws {TooLarge} when the record would exceed its size limit
     * @throws {KeyReused} when the key was applied with other data
     * @throws {Unavailable} when the submission was not acknowledged; it can be sent again
     */
    submit: (
      sourceAppId: string,
      source: SubmissionSource,
      options: SubmissionOptions = {},
    ): Promise<StoredSubmission> => submit(sourceAppId, source, options),
  };

  /** @param time that of an answer that must not tell whether the email is known, once begun */
  async function submit(
    sourceAppId: string,
    source: SubmissionSource,
    options: SubmissionOptions,
    time?: AnswerTime,
  ): Promise<StoredSubmission> {
    const { idempotencyKey } = options;
    let isProved = false;
    let proofHold: HoldReason | undefined;
    let request: FileRequest | undefined;
    let isWithoutUnknown = false;
    for (let attempt = 0; attempt < MAX_SCHEMA_CHANGES; attempt += 1) {
      const lease = await leases.hold(sourceAppId);
      if (!lease || !isFor(lease, options)) throw new UnknownApp();
      const rules = rulesFor(lease, options);
      const isHidden = rules !== undefined && hidesKnown(rules);
      if (isHidden && !time) return submitInTime(sourceAppId, source, options);
      const made = typeof source === 'function' ? source(lease) : source;
      const sent = made instanceof Promise ? await (time?.outside(made) ?? made) : made;
      const { validator } = lease;
      const fileKeys = options.writer === 'staff' ? validator.fileKeys : validator.publicFileKeys;
      let input = sent;
      let submission: Submission | undefined;
      try {
        const checked = checkAdmission(lease.app, options);
        const admission = checked instanceof Promise ? await (time?.outside(checked) ?? checked) : checked;
        if (isWithoutUnknown) input = withoutUnknown(sent, lease);
        if (fileKeys) {
          request ??= files.request(lease.app.id, fileRequest(sent, lease, options));
          input = await withFiles(input, lease, fileKeys, request);
        }
        submission = accept(input, lease, deps, options);
        if (fileKeys && request) submission.claim = files.of(request, filesAddedBy(submission.change, fileKeys));
        if (admission.prove && !isProved) {
          const proved = admission.prove(submission.email, idempotencyKey);
          proofHold = await (time?.outside(proved) ?? proved);
          isProved = true;
        }
        const reason = admission.hold ?? proofHold;
        if (reason) {
          const heldAs = await hold(submission, lease, input, options, reason);
          return rules ? { ...heldAs, isHidden } : heldAs;
        }
        const stored = await (rules
          ? knownPeople.store(submission, rules, waitingData(input, lease, options), options)
          : storeWithin(lease.app.form?.maxRecords, submission, options));
        if (!lease.isCurrent()) await revalidation.revalidate(lease, submission);
        activity.note(lease.app, stored.updatedAt);
        return stored;
      } catch (error) {
        // The refusal would tell that the email has a record.
        if (error instanceof RecordHasTooManyKeys && isHidden && !isWithoutUnknown) {
          isWithoutUnknown = true;
          continue;
        }
        if (!(error instanceof OutdatedSchema)) {
          if (submission) revalidation.scheduleRepair(submission, lease);
          // After a refusal no write of it can follow.
          if (error instanceof AppError && error.status < 500) await submission?.claim?.giveBack();
          const earlier = await answerRepeat(error, input, lease, options);
          return rules ? { ...earlier, isHidden } : earlier;
        }
        leases.forget(sourceAppId);
      }
    }
    throw new Unavailable('schemaChanging', 1);
  }

  /** Submits; the answer leaves when it does not tell whether the email is known (spec 4.5.5). */
  async function submitInTime(
    sourceAppId: string,
    source: SubmissionSource,
    options: SubmissionOptions,
  ): Promise<StoredSubmission> {
    const time = answerTimes.begin();
    try {
      return await submit(sourceAppId, source, options, time);
    } finally {
      await time.end();
    }
  }

  /** What may use the files of a submission: its tokens, or the entry that holds it. */
  function fileRequest(input: SubmissionInput, lease: Lease, options: SubmissionOptions) {
    const { app } = lease;
    const rules = rulesFor(lease, options);
    const email = normalizeEmail(input.email);
    const applied = appliedOf(input, options, new Date());
    return {
      heldAs: options.heldAs,
      usesAtOnce: rules !== undefined && hidesKnown(rules),
      isHeldAs: async (id: UUID) => email !== undefined && !!applied && held.isOf(app.id, id, email, applied),
      submission: email !== undefined && applied ? submissionHash(email, applied) : undefined,
    };
  }

  /** Puts files in the place of the tokens of a submission. */
  async function withFiles(
    sent: SubmissionInput,
    lease: Lease,
    fileKeys: ReadonlySet<string>,
    request: FileRequest,
  ): Promise<SubmissionInput> {
    const { data: given = {}, sentData = given, problems: known = [] } = sent;
    const { data, problems } = await files.resolve(request, fileKeys, dataUnderNewKeys(given, lease));
    return { ...sent, data, sentData, problems: [...known, ...problems] };
  }

  /** Stores a submission; an app with `maxRecords` takes a new person only if it has room. */
  function storeWithin(
    maxRecords: number | undefined,
    submission: Submission,
    { recordId }: SubmissionOptions,
  ): Promise<StoredSubmission> {
    if (recordId) return store.store({ ...submission, requiresRecord: true });
    if (maxRecords === undefined) return store.store(submission);
    return capacity.store(submission, maxRecords, (requiresRecord) => store.store({ ...submission, requiresRecord }));
  }

  /** Holds a submission, unless it repeats a stored one or the app was deleted (invariant 5). */
  async function hold(
    submission: Submission,
    lease: Lease,
    input: SubmissionInput,
    options: SubmissionOptions,
    reason: HoldReason,
  ): Promise<StoredSubmission> {
    const { appId, email, applied } = submission;
    const earlier = applied && (await store.findApplied(appId, email, applied));
    if (earlier) return earlier;
    const { page, address, lang } = options;
    const data = waitingData(input, lease, options);
    const entry = await held.hold(submission, data, { reason, page, address, lang });
    const { _id: id, at } = entry;
    if (!lease.isCurrent()) {
      await revalidation.revalidate(lease, submission, () => held.remove(entry));
    }
    return { id, createdAt: at, updatedAt: at, held: true, heldFor: reason };
  }

  /**
   * Returns the response of the submission that was applied under the key; otherwise throws
   * `refusal`. A repeat succeeds although the schema or a limit refuses it now (invariant 3). A key
   * whose submission is not stored yet is not applied: nothing is left that could store it.
   */
  async function answerRepeat(
    refusal: unknown,
    input: SubmissionInput,
    { app }: Lease,
    options: SubmissionOptions,
  ): Promise<StoredSubmission> {
    const normalized = normalizeEmail(input.email);
    const mayBeRepeat =
      refusal instanceof AppError && (REFUSED_BY_RULES.has(refusal.status) || refusal.code === 'captchaAway');
    const applied = mayBeRepeat ? appliedOf(input, options, new Date()) : undefined;
    if (!applied || normalized === undefined) throw refusal;
    const earlier = await store.findApplied(app.id, normalized, applied);
    if (!earlier) throw refusal;
    return earlier;
  }
}

/** The data of a submission that waits. */
const waitingData = ({ data = {} }: SubmissionInput, lease: Lease, { via }: SubmissionOptions) =>
  countedData(data, lease, via === 'form').data;

/** A submission without the values of keys that are no fields of the schema. */
function withoutUnknown(sent: SubmissionInput, lease: Lease): SubmissionInput {
  const { data: sentData = {} } = sent;
  const fields = new Set(lease.validator.fieldKeys);
  const entries = Object.entries(dataUnderNewKeys(sentData, lease)).filter(([key]) => fields.has(key));
  return { ...sent, data: Object.fromEntries(entries), sentData };
}

/** The rules of an app for known people, unless staff sent the submission or allowed it. */
function rulesFor({ app: { form } }: Lease, { writer, approvedFor }: SubmissionOptions) {
  return form && hasRules(form) && writer !== 'staff' && approvedFor === undefined ? form : undefined;
}

/** The statuses with which the settings, the schema or a limit refuse a submission. */
const REFUSED_BY_RULES = new Set([400, 403, 409, 413]);

/** Whether a lease is on the incarnation of the app that allowed the submission. */
function isFor({ app }: Lease, { approvedFor, keyOf = approvedFor }: SubmissionOptions): boolean {
  return keyOf === undefined || app.id.equals(keyOf);
}

/** The results by status. Any other error is an unavailable database. */
const REFUSALS: Record<number, string> = {
  400: 'invalid',
  403: 'forbidden',
  409: 'conflict',
  413: 'too_large',
  422: 'key_reused',
  429: 'limited',
};

/** Returns the service with a counter of submissions by result. */
export function countSubmissions(service: SubmissionService, metrics: Metrics): SubmissionService {
  if (!metrics.isOn) return service;
  const help = 'Submissions whose body was read, by result';
  const count = metrics.counter('submissions_total', { help, labels: ['result'] });
  return {
    async submit(...submission) {
      try {
        const stored = await service.submit(...submission);
        count({ result: stored.held ? 'held' : 'stored' });
        return stored;
      } catch (error) {
        count({ result: (error instanceof AppError && REFUSALS[error.status]) || 'unavailable' });
        throw error;
      }
    },
  };
}
