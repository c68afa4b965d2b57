import type { ObjectId } from 'mongodb';
import { keepsWords } from '../apps/index-slots.ts';
import { InvalidInput, type Issue } from '../core/errors.ts';
import { normalizeEmail } from '../core/identifiers.ts';
import { oldKeyIssues, underNewKeys } from '../fields/renames.ts';
import { say } from '../languages/catalogue.ts';
import { sentConsents } from '../records/consents.ts';
import { submissionEntry } from '../records/history-entries.ts';
import { appliedKey } from '../records/idempotency-keys.ts';
import type { AppliedKey } from '../records/record.ts';
import { boundGrowth, changeSize, type RecordLimits, sizeBoundLimit } from '../records/record-limits.ts';
import { changeWords } from '../records/record-words.ts';
import { slotWrites } from '../records/slot-records.ts';
import type { Submission } from '../records/submission.ts';
import type { Lease } from '../schemas/schema-leases.ts';

/** How a submission was sent. */
export interface SubmissionOptions {
  /** A repeat with the same key is answered but not applied again. */
  idempotencyKey?: string | undefined;
  /** The hashes of key and content, if they are known. */
  sentUnder?: Pick<AppliedKey, 'key' | 'content'> | undefined;
  /** `form`: an HTML form, which cannot solve a challenge without JavaScript. Default: `json`. */
  via?: 'json' | 'form';
  /** The solution of a challenge as sent. Empty counts as absent. */
  proof?: string | undefined;
  /** A field that people do not see was filled. */
  isTrapped?: boolean;
  /** The address of the client, if it came by HTTP. */
  address?: string | undefined;
  /** The URL of the page that sent it, if known. */
  page?: string | undefined;
  /** The language of the person, for the email that asks to confirm the address. */
  lang?: string | undefined;
  /** The incarnation of the app whose operator allowed it: without a proof, also after closing. */
  approvedFor?: ObjectId;
  /** The incarnation of the app whose API key sent it. It needs no proof of work. */
  keyOf?: ObjectId | undefined;
}

/** The body of a submission (spec 4.1). */
export interface SubmissionInput {
  email: string;
  data?: Record<string, unknown> | undefined;
  /** Problems that are known before validation, such as texts without a value. */
  problems?: readonly Issue[];
  /** The texts of a form from which `data` was made. They identify a repeat under any schema. */
  texts?: string;
}

/** The body, or a function that makes it for the schema of a lease, also for a later one. */
export type SubmissionSource = SubmissionInput | ((lease: Lease) => SubmissionInput | Promise<SubmissionInput>);

/** Validates a submission by the schema of a lease. @throws {InvalidInput} with all problems */
export function accept(
  input: SubmissionInput,
  lease: Lease,
  limits: RecordLimits,
  options: Pick<SubmissionOptions, 'idempotencyKey' | 'sentUnder' | 'page' | 'lang'>,
): Submission {
  const { email, data: sent = {}, problems } = input;
  const normalized = normalizeEmail(email);
  const { data, issues: found } = checkData(sent, lease);
  const issues = problems ? joinIssues(problems, found) : found;
  if (normalized === undefined) issues.unshift({ path: 'email', ...say('notEmail') });
  if (normalized === undefined || issues.length > 0) throw new InvalidInput('Invalid submission', issues);

  const now = new Date();
  const change = lease.validator.change(data, now);
  return {
    ...checkSubmission({ email: normalized, change, now }, lease, limits),
    consents: sentConsents(lease, data, now, options),
    applied: appliedOf(input, options, now),
    entry: lease.app.keepsSubmissions ? submissionEntry(change, now, lease.schema.version, limits.maxEntry) : undefined,
    lang: options.lang,
  };
}

/** Returns `data` under the new keys while values are being moved to them (decision 22). */
export function dataUnderNewKeys(sent: Record<string, unknown>, { renames, schema }: Lease): Record<string, unknown> {
  return renames && !schema.rejectUnknown ? underNewKeys(sent, renames) : sent;
}

/** Returns the problems of `data`, and `data` under the new keys (decision 22). */
export function checkData(sent: Record<string, unknown>, lease: Lease, isPartial = false) {
  const { renames, validator } = lease;
  const data = dataUnderNewKeys(sent, lease);
  const issues = validator.issues(data, isPartial);
  // No record has an old key and the new one.
  if (renames && issues.length === 0) issues.push(...oldKeyIssues(data, renames));
  return { data, issues };
}

/** Returns the submission of a change that is valid under a lease, without consents and key. */
export function checkSubmission(
  { email, change, now }: Pick<Submission, 'email' | 'change' | 'now'>,
  lease: Lease,
  limits: RecordLimits,
): Submission {
  const size = changeSize(change);
  const slots = slotWrites(lease.app.slots, change);
  const words = keepsWords(lease.app) ? changeWords(email, change) : undefined;
  return {
    appId: lease.app.id,
    sourceAppId: lease.app.sourceAppId,
    email,
    schemaVersion: lease.schema.version,
    fieldKeys: lease.validator.fieldKeys,
    now,
    change,
    size,
    slots,
    words,
    slotEpoch: lease.app.slotEpoch,
    growth: boundGrowth(change, size, limits),
    maxBound: sizeBoundLimit(limits, slots?.length ?? 0, words !== undefined),
    ...(lease.renames && { renames: lease.renames }),
    consents: undefined,
    applied: undefined,
    // All members from the start: a copy that adds some is slow.
    entry: undefined,
    lang: undefined,
    hasConsumers: lease.app.hasConsumers,
  };
}

/** The idempotency key of a submission as stored in a record. */
export function appliedOf(
  input: SubmissionInput,
  { idempotencyKey, sentUnder }: Pick<SubmissionOptions, 'idempotencyKey' | 'sentUnder'>,
  now: Date,
): AppliedKey | undefined {
  if (sentUnder) return { ...sentUnder, at: now };
  return idempotencyKey === undefined ? undefined : appliedKey(idempotencyKey, input, now);
}

/** A field whose text has no value is not also missing. */
export function joinIssues(problems: readonly Issue[], found: readonly Issue[]): Issue[] {
  const places = new Set(problems.map(({ path }) => path));
  return [...problems, ...found.filter(({ path }) => !places.has(path))];
}
