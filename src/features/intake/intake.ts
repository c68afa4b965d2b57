import type { ObjectId, UUID } from 'mongodb';
import { applyRules, shownSubmission } from '../../core/schemas/checked-data.ts';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import type { SubmissionInput, SubmissionSource } from '../../core/users/acceptance.ts';
import { RecordHasTooManyKeys } from '../../core/users/record-limits.ts';
import type { Revalidation } from '../../core/users/revalidation.ts';
import type { Submission, SubmissionFacts } from '../../core/users/submission.ts';
import { answerOf, type StoredSubmission, type SubmissionStore } from '../../core/users/submission-writes.ts';
import type { Handling } from '../../core/users/submissions.service.ts';
import type { RefusingRecord } from '../../core/users/write-part.ts';
import { AppError } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import type { AppActivity } from '../activity/activity.ts';
import type { Admission, Capacity, CheckAdmission } from '../bots/admission.ts';
import { type FileClaims, type FileRequest, filesAddedBy } from '../files/file-claims.ts';
import { hidesKnown } from '../form-settings/form-settings.ts';
import type { HeldStore, HoldReason } from '../held/held.model.ts';
import type { FormerEmails } from '../idempotency/former-emails.ts';
import { type AppliedKey, appliedKey, submissionHash } from '../idempotency/idempotency-keys.ts';
import type { RecordEraser } from '../records/erasure.ts';
import type { AnswerTime, AnswerTimes } from './answer-times.ts';
import type { IntakeOptions } from './intake-options.ts';
import { hasRules, type KnownPeopleRules } from './known-people.ts';

interface IntakeDeps {
  activity: AppActivity;
  /** Finds the record to which a submission with a key was applied. */
  findApplied(appId: ObjectId, email: string, applied: AppliedKey): Promise<RefusingRecord | undefined>;
  formerEmails: Pick<FormerEmails, 'claimOf' | 'find' | 'hasAny'>;
  erase: RecordEraser;
  leases: Pick<SchemaLeases, 'hold'>;
  revalidation: Revalidation;
  store: SubmissionStore;
  checkAdmission: CheckAdmission;
  capacity: Capacity;
  held: Pick<HeldStore, 'hold' | 'remove' | 'isOf'>;
  files: FileClaims;
  knownPeople: KnownPeopleRules;
  answerTimes: AnswerTimes;
}

/**
 * The intake of one submission: bot protection and the queue of what it holds (spec 4.5), files,
 * `maxRecords`, and the rules for people who are known (4.5.5).
 */
export class Intake implements Handling {
  readonly #deps: IntakeDeps;
  readonly #options: IntakeOptions;
  #admission: Admission = {};
  #isProved = false;
  #proofHold: HoldReason | undefined;
  #fileKeys: ReadonlySet<string> | undefined;
  #request: FileRequest | undefined;
  /** Of an answer that must not tell whether the email is known. */
  #time: AnswerTime | undefined;
  #isWithoutUnknown = false;

  constructor(deps: IntakeDeps, options: IntakeOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  read(source: SubmissionSource, lease: Lease): SubmissionInput | Promise<SubmissionInput> {
    if (this.#isHidden(lease)) this.#time ??= this.#deps.answerTimes.begin();
    const read = typeof source === 'function' ? source(lease) : source;
    return read instanceof Promise ? this.#outside(read) : read;
  }

  admit(sent: SubmissionInput, lease: Lease): SubmissionInput | Promise<SubmissionInput> {
    const { validator } = lease;
    this.#fileKeys = this.#options.writer === 'staff' ? validator.fileKeys : validator.publicFileKeys;
    const checked = this.#deps.checkAdmission(lease.app, this.#options);
    if (!(checked instanceof Promise)) return this.#complete(checked, sent, lease);
    return this.#outside(checked).then((admission) => this.#complete(admission, sent, lease));
  }

  #complete(admission: Admission, sent: SubmissionInput, lease: Lease): SubmissionInput | Promise<SubmissionInput> {
    this.#admission = admission;
    const input = this.#isWithoutUnknown ? withoutUnknown(sent, lease) : sent;
    return this.#fileKeys ? this.#withFiles(input, lease, this.#fileKeys) : input;
  }

  /** Puts files in the place of the tokens of a submission. */
  async #withFiles(input: SubmissionInput, lease: Lease, fileKeys: ReadonlySet<string>): Promise<SubmissionInput> {
    const { files } = this.#deps;
    this.#request ??= files.request(lease.app.id, this.#fileRequest(input, lease));
    const { data: given = {}, sentData = given, problems: known = [] } = input;
    const { data, problems } = await files.resolve(this.#request, fileKeys, applyRules(given, lease));
    return { ...input, data, sentData, problems: [...known, ...problems] };
  }

  /** What may use the files of a submission: its tokens, or the entry that holds it. */
  #fileRequest(input: SubmissionInput, lease: Lease) {
    const { held } = this.#deps;
    const { id } = lease.app;
    const email = normalizeEmail(input.email);
    const applied = appliedOf(input, this.#options, new Date());
    return {
      heldAs: this.#options.heldAs,
      usesAtOnce: this.#isHidden(lease),
      isHeldAs: async (entry: UUID) => email !== undefined && !!applied && held.isOf(id, entry, email, applied),
      submission: email !== undefined && applied ? submissionHash(email, applied) : undefined,
    };
  }

  facts(input: SubmissionInput, { app }: Lease, now: Date): SubmissionFacts {
    const { lang, page } = this.#options;
    return { applied: appliedOf(input, this.#options, now), lang, page, isKept: app.keepsSubmissions === true };
  }

  hold(
    submission: Submission,
    input: SubmissionInput,
    lease: Lease,
  ): Promise<StoredSubmission | undefined> | undefined {
    if (this.#fileKeys && this.#request) {
      submission.claim = this.#deps.files.of(this.#request, filesAddedBy(submission.change, this.#fileKeys));
    }
    const { hold, prove } = this.#admission;
    return hold || prove ? this.#holdFor(submission, input, lease) : undefined;
  }

  /** Uses up the proof, and holds a submission for the reason that there is. */
  async #holdFor(submission: Submission, input: SubmissionInput, lease: Lease): Promise<StoredSubmission | undefined> {
    const { hold, prove } = this.#admission;
    if (prove && !this.#isProved) {
      this.#proofHold = await this.#outside(prove(submission.email, this.#options.idempotencyKey));
      this.#isProved = true;
    }
    const reason = hold ?? this.#proofHold;
    return reason && this.#answer(await this.#held(submission, input, lease, reason), lease);
  }

  /** Holds a submission, unless it repeats a stored one or the app was deleted (invariant 5). */
  async #held(
    submission: Submission,
    input: SubmissionInput,
    lease: Lease,
    reason: HoldReason,
  ): Promise<StoredSubmission> {
    const { findApplied, held, revalidation } = this.#deps;
    const { appId, email, facts } = submission;
    const earlier = facts.applied && (await findApplied(appId, email, facts.applied));
    if (earlier) return answerOf(earlier);
    const { page, address, lang } = this.#options;
    const entry = await held.hold(submission, this.#waitingData(input, lease), { reason, page, address, lang });
    const { _id: id, at } = entry;
    if (!lease.isCurrent()) {
      await revalidation.revalidate(lease, submission, () => held.remove(entry));
    }
    return { id, createdAt: at, updatedAt: at, held: true, heldFor: reason };
  }

  /** Stores a submission; an app with `maxRecords` takes a new person only if it has room. */
  store(submission: Submission, input: SubmissionInput, lease: Lease): Promise<StoredSubmission> {
    const { formerEmails } = this.#deps;
    submission.claim = formerEmails.claimOf(submission, lease.app);
    const storing = this.#store(submission, input, lease);
    if (!submission.facts.applied) return storing;
    return storing.then((stored) => (lease.isCurrent() ? stored : this.#withdrawRepeat(submission, stored, lease)));
  }

  #store(submission: Submission, input: SubmissionInput, lease: Lease): Promise<StoredSubmission> {
    const { store, knownPeople, capacity } = this.#deps;
    const rules = this.#rulesOf(lease);
    if (rules) return knownPeople.store(submission, rules, this.#waitingData(input, lease), this.#options);
    if (this.#options.recordId) return store.store({ ...submission, requiresRecord: true });
    const maxRecords = lease.app.form?.maxRecords;
    if (maxRecords === undefined) return store.store(submission);
    return capacity.store(submission, maxRecords, (requiresRecord) => store.store({ ...submission, requiresRecord }));
  }

  /**
   * For a write that its lease did not cover: the email of the record that has the submission may
   * have been changed just before it. Erases the record that a repeat has created, unless something
   * else has changed it. Resolves with the answer.
   *
   * A new lease, whose read all late writes share, shows whether an email of the app was changed:
   * a change marks the app first, and waits until no server has a lease from before the mark. When
   * there is no lease, the record is looked for, because the write is stored.
   */
  async #withdrawRepeat(submission: Submission, stored: StoredSubmission, lease: Lease): Promise<StoredSubmission> {
    const { formerEmails, erase, leases } = this.#deps;
    const { appId, email, now, facts } = submission;
    const current = await leases.hold(lease.app.sourceAppId).catch(() => undefined);
    if (current?.app.id.equals(appId) && !current.isRevoked() && !formerEmails.hasAny(current.app)) return stored;
    const before = facts.applied && (await formerEmails.find(appId, email, facts.applied));
    if (!before || before.record._id.equals(stored.id)) return stored;
    const { isHidden } = stored;
    await erase(appId, [stored.id], { createdAt: now, updatedAt: now });
    return { ...answerOf(before.record), ...(isHidden !== undefined && { isHidden }) };
  }

  stored({ updatedAt }: StoredSubmission, { app }: Lease): void {
    this.#deps.activity.note(app, updatedAt);
  }

  /**
   * Answers as the submission that was applied under the key, if there is one. A repeat succeeds
   * although the schema or a limit refuses it now (invariant 3). A key whose submission is not
   * stored yet is not applied: nothing is left that could store it.
   */
  async refuse(refusal: unknown, input: SubmissionInput, lease: Lease): Promise<StoredSubmission | undefined> {
    // The refusal would tell that the email has a record.
    if (refusal instanceof RecordHasTooManyKeys && this.#isHidden(lease) && !this.#isWithoutUnknown) {
      this.#isWithoutUnknown = true;
      return undefined;
    }
    const email = normalizeEmail(input.email);
    const mayBeRepeat =
      refusal instanceof AppError && (REFUSED_BY_RULES.has(refusal.status) || refusal.code === 'captchaAway');
    const applied = mayBeRepeat ? appliedOf(input, this.#options, new Date()) : undefined;
    if (!applied || email === undefined) throw refusal;
    const earlier = await this.#deps.findApplied(lease.app.id, email, applied);
    if (!earlier) throw refusal;
    return this.#answer(answerOf(earlier), lease);
  }

  end(): Promise<void> | undefined {
    return this.#time?.end();
  }

  /** The rules of an app for known people, unless staff sent the submission or allowed it. */
  #rulesOf({ app: { form } }: Lease) {
    const { writer, isApproved } = this.#options;
    return form && hasRules(form) && writer !== 'staff' && !isApproved ? form : undefined;
  }

  #isHidden(lease: Lease): boolean {
    const rules = this.#rulesOf(lease);
    return rules !== undefined && hidesKnown(rules);
  }

  #answer(stored: StoredSubmission, lease: Lease): StoredSubmission {
    return this.#rulesOf(lease) ? { ...stored, isHidden: this.#isHidden(lease) } : stored;
  }

  /** Settles like `work`, whose time is the same for every email. */
  #outside<T>(work: Promise<T>): Promise<T> {
    return this.#time?.outside(work) ?? work;
  }

  #waitingData({ data = {} }: SubmissionInput, lease: Lease): Record<string, unknown> {
    return shownSubmission(data, lease, this.#options.via === 'form').data;
  }
}

/** A submission without the values of keys that are no fields of the schema. */
function withoutUnknown(sent: SubmissionInput, lease: Lease): SubmissionInput {
  const { data: sentData = {} } = sent;
  const fields = new Set(lease.validator.fieldKeys);
  const entries = Object.entries(applyRules(sentData, lease)).filter(([key]) => fields.has(key));
  return { ...sent, data: Object.fromEntries(entries), sentData };
}

/** The statuses with which the settings, the schema or a limit refuse a submission. */
const REFUSED_BY_RULES = new Set([400, 403, 409, 413]);

/** The idempotency key of a submission as stored in a record. */
function appliedOf(
  input: SubmissionInput,
  { idempotencyKey, sentUnder }: Pick<IntakeOptions, 'idempotencyKey' | 'sentUnder'>,
  now: Date,
): AppliedKey | undefined {
  if (sentUnder) return { ...sentUnder, at: now };
  const { data, sentData = data, texts } = input;
  const sent = { data: sentData, ...(texts !== undefined && { texts }) };
  return idempotencyKey === undefined ? undefined : appliedKey(idempotencyKey, sent, now);
}
