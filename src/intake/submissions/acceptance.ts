import type { ObjectId, UUID } from 'mongodb';
import type { Writer } from '../../fields/base/kind.ts';
import type { FieldStates } from '../../fields/conditions.ts';
import type { CaptchaProvider } from '../../platform/core/config.ts';
import { InvalidInput } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import type { AppliedKey } from '../../records/stored/record.ts';
import type { RecordId } from '../../records/stored/record-id.ts';
import { appliedKey } from '../../records/write/idempotency-keys.ts';
import { prepareSubmission } from '../../records/write/prepare.ts';
import type { RecordLimits } from '../../records/write/record-limits.ts';
import type { RecordParts } from '../../records/write/record-part.ts';
import type { Submission } from '../../records/write/submission.ts';
import { checkSubmission, joinIssues } from '../../schemas/checked-data.ts';
import type { Lease } from '../../schemas/schema-leases.ts';

/** How a submission was sent. */
export interface SubmissionOptions {
  /** A repeat with the same key is answered but not applied again. */
  idempotencyKey?: string | undefined;
  /** The hashes of key and content, if they are known. */
  sentUnder?: Pick<AppliedKey, 'key' | 'content'> | undefined;
  /**
   * `form`: an HTML form, which without JavaScript can neither solve a challenge nor leave out the
   * fields that are not shown. Default: `json`.
   */
  via?: 'json' | 'form';
  /** The solution of a challenge as sent. Empty counts as absent. */
  proof?: string | undefined;
  /** The token of a provider as sent, or the tokens of a form by provider. */
  captcha?: string | Partial<Record<CaptchaProvider, string>> | undefined;
  /** The host of the request, on which the challenge of a provider may be solved. */
  host?: string | undefined;
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
  /** The held submission that it stores: its values name files, not tokens. */
  heldAs?: UUID;
  /** When the person sent it, if it was held. */
  sentAt?: Date;
  /** The record that it changes: it must exist. */
  recordId?: RecordId;
  /** The incarnation of the app whose API key sent it. It needs no proof of work and no token. */
  keyOf?: ObjectId | undefined;
  /** Who sent it: `staff` may set the fields of the staff. Default: `everyone`. */
  writer?: Writer;
}

/** The body of a submission (spec 4.1). */
export interface SubmissionInput {
  email: string;
  data?: Record<string, unknown> | undefined;
  /** Problems that are known before validation, such as texts without a value. */
  problems?: readonly Issue[];
  /** `data` as sent, if it has files in the place of tokens. It identifies a repeat. */
  sentData?: Record<string, unknown>;
  /** The texts of a form from which `data` was made. They identify a repeat under any schema. */
  texts?: string;
}

/** The body, or a function that makes it for the schema of a lease, also for a later one. */
export type SubmissionSource = SubmissionInput | ((lease: Lease) => SubmissionInput | Promise<SubmissionInput>);

/** Validates a submission by the schema of a lease. @throws {InvalidInput} with all problems */
export function accept(
  input: SubmissionInput,
  lease: Lease,
  deps: { limits: RecordLimits; parts: RecordParts },
  options: Pick<SubmissionOptions, 'via' | 'idempotencyKey' | 'sentUnder' | 'sentAt' | 'page' | 'lang' | 'writer'>,
): Submission {
  const { email, data: sent = {}, problems } = input;
  const normalized = normalizeEmail(email);
  const { writer = 'everyone', via, sentAt } = options;
  const { data, issues: found, states } = checkSubmission(sent, lease, writer, via === 'form', sentAt);
  // A form sends texts for fields that are not shown too.
  const known = states ? problems?.filter(({ path }) => isOfShown(path, lease, states)) : problems;
  const issues = known ? joinIssues(known, found) : found;
  if (normalized === undefined) issues.unshift({ path: 'email', ...say('notEmail') });
  if (normalized === undefined || issues.length > 0) throw new InvalidInput('invalidSubmission', issues);

  const now = new Date();
  const { validator } = lease;
  const reset = writer === 'everyone' ? validator.resets : undefined;
  const change = validator.change(data, now, states && validator.hiddenKeys(states), reset);
  const applied = appliedOf(input, options, now);
  const { lang, page } = options;
  return prepareSubmission({ email: normalized, change, now, by: 'person', applied, lang, page }, lease, deps);
}

/** Whether a problem is not of the value of a field that is not shown. */
function isOfShown(path: string, { validator }: Lease, { shown }: FieldStates): boolean {
  // A problem of a file has the number of its place.
  const [, key = ''] = path.split('.');
  return shown.has(key) || !validator.fieldKeys.includes(key);
}

/** The idempotency key of a submission as stored in a record. */
export function appliedOf(
  input: SubmissionInput,
  { idempotencyKey, sentUnder }: Pick<SubmissionOptions, 'idempotencyKey' | 'sentUnder'>,
  now: Date,
): AppliedKey | undefined {
  if (sentUnder) return { ...sentUnder, at: now };
  const { data, sentData = data, texts } = input;
  const sent = { data: sentData, ...(texts !== undefined && { texts }) };
  return idempotencyKey === undefined ? undefined : appliedKey(idempotencyKey, sent, now);
}
