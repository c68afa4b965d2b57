import { randomUUID } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import type { Submission } from '../../core/users/submission.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { TooManyRequests } from '../../platform/core/errors.ts';
import type { SharedLimits } from '../../platform/database/shared-limits.ts';
import type { Capacity } from '../bots/admission.ts';
import { type FormSettings, hidesKnown } from '../form-settings/form-settings.ts';
import type { HeldStore } from '../held/held.model.ts';
import type { Records } from '../records/records.ts';
import type { IntakeOptions, TakenSubmission } from './intake-options.ts';

/** The most emails to an address of an app in an hour (spec 4.5.5). */
const CHANGES_PER_HOUR = 3;
const HOUR_MS = 3_600_000;

/** A change that waits for the link in its email. */
export interface PlannedChange {
  appId: ObjectId;
  id: RecordId;
  recordId: RecordId;
  lang?: string | undefined;
}

/** A submission of a person that changed nothing, which has no event of the record. */
export interface UnchangedRecord {
  appId: ObjectId;
  recordId: RecordId;
  /** The same for a repeat of the submission. */
  event: string;
  lang?: string | undefined;
}

type Rules = Pick<FormSettings, 'existing' | 'receipt' | 'maxRecords' | 'doubleOptIn'>;

export type KnownPeopleRules = ReturnType<typeof createKnownPeopleRules>;

/** Whether public submissions to an app may meet one of the rules below. */
export const hasRules = ({ existing, receipt }: Rules): boolean => existing !== undefined || receipt === false;

/**
 * Stores public submissions to apps whose records strangers must not change, or learn about (spec
 * 4.5.5). A new person gets a record. Every way has the same refusals, status and body, and within
 * the answer times (answer-times.ts) the same time.
 */
export function createKnownPeopleRules(deps: {
  records: Pick<Records, 'submissions' | 'knownPeople'>;
  capacity: Pick<Capacity, 'storeAny'>;
  held: Pick<HeldStore, 'hold' | 'remove'>;
  limits: SharedLimits;
  /** Plans the email of a change once. */
  planChange(change: PlannedChange): Promise<void>;
  /** Plans the email that asks a person to confirm the address, once for each event. */
  planConfirmation(kept: UnchangedRecord): Promise<void>;
}) {
  const { records, capacity, held, limits, planChange, planConfirmation } = deps;
  const { submissions, knownPeople } = records;
  const emails = limits.create('changes of known people', CHANGES_PER_HOUR, HOUR_MS);

  /**
   * Holds a change until its person follows the link. Beyond the limits of emails and of the queue
   * the change is dropped, with its files: a refusal would tell that the email is known.
   */
  async function ask(
    submission: Submission,
    recordId: RecordId,
    data: Record<string, unknown>,
    { page, address, lang }: IntakeOptions,
  ): Promise<void> {
    const { appId, email } = submission;
    if ((await emails.take(`${appId.toHexString()} ${email}`)).waitMs > 0) {
      await knownPeople.claimFor(submission, recordId);
      return;
    }
    try {
      const entry = await held.hold(submission, data, { reason: 'confirm', recordId, page, address, lang });
      // An erasure that has removed the changes of the record did not find this one.
      const { record } = await knownPeople.find(submission);
      if (!record?._id.equals(recordId)) return void (await held.remove(entry));
      await planChange({ appId, id: entry._id, recordId, lang });
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      await knownPeople.claimFor(submission, recordId);
    }
  }

  async function store(
    submission: Submission,
    { existing, doubleOptIn }: Rules,
    data: Record<string, unknown>,
    options: IntakeOptions,
  ): Promise<TakenSubmission> {
    if (existing === undefined) return submissions.store(submission);
    for (const again = limitAttempts('submissionsOfRecord', 1); ; again()) {
      const created = await submissions.create(submission);
      if (created) return created;
      const record = existing === 'keep' ? await keep() : await change();
      if (record) return { id: record._id, createdAt: record.createdAt, updatedAt: record.updatedAt };
    }

    /** Who writes again may have lost the email. It is planned before the key is stored. */
    async function keep() {
      const found = await knownPeople.findCompleted(submission);
      const { record, earlier } = found;
      if (doubleOptIn && record && !earlier) {
        const event = `kept:${submission.facts.applied?.key.toString('hex') ?? randomUUID()}`;
        await planConfirmation({ appId: submission.appId, recordId: record._id, event, lang: options.lang });
      }
      return knownPeople.keep(submission, found);
    }

    /** The key is stored last: a repeat after a failure completes the change. */
    async function change() {
      const { record, earlier } = await knownPeople.findCompleted(submission);
      if (!record || earlier) return record;
      await ask(submission, record._id, data, options);
      return submission.facts.applied ? knownPeople.note(submission) : record;
    }
  }

  return {
    /**
     * @param data as sent, under the keys of the schema
     * @throws {Forbidden} when the app is full, also for a known email @throws as the store
     */
    async store(
      submission: Submission,
      rules: Rules,
      data: Record<string, unknown>,
      options: IntakeOptions,
    ): Promise<TakenSubmission> {
      const write = () => store(submission, rules, data, options);
      const { maxRecords } = rules;
      const stored = await (maxRecords === undefined ? write() : capacity.storeAny(submission, maxRecords, write));
      return { ...stored, isHidden: hidesKnown(rules) };
    },
  };
}
