import type { UUID } from 'mongodb';
import type { SubmissionOptions } from '../../core/users/acceptance.ts';
import type { StoredSubmission } from '../../core/users/submission-writes.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import type { CaptchaProvider } from '../../platform/core/config.ts';
import type { HoldReason } from '../held/held.model.ts';
import type { AppliedKey } from '../idempotency/idempotency-keys.ts';

declare module '../../core/users/acceptance.ts' {
  interface SubmissionOptions {
    /** A repeat with the same key is answered but not applied again. */
    idempotencyKey?: string | undefined;
    /** The hashes of key and content, if they are known. */
    sentUnder?: Pick<AppliedKey, 'key' | 'content'> | undefined;
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
    /** An operator allowed it: without a proof, also after closing. */
    isApproved?: true;
    /** It has an API key of the app. It needs no proof of work and no token. */
    hasKey?: boolean;
    /** The held submission that it stores: its values name files, not tokens. */
    heldAs?: UUID;
    /** The record that it changes: it must exist. */
    recordId?: RecordId;
  }

  interface SubmissionInput {
    /** `data` as sent, if it has files in the place of tokens. It identifies a repeat. */
    sentData?: Record<string, unknown>;
    /** The texts of a form from which `data` was made. They identify a repeat under any schema. */
    texts?: string;
  }
}

declare module '../../core/users/submission-writes.ts' {
  interface StoredSubmission {
    /** It waits for an operator (spec 4.5); `id` is that of the held entry. */
    held?: true;
    heldFor?: HoldReason;
    /** The answer must not tell whether the email was known (spec 4.5.5). */
    isHidden?: boolean;
  }
}

/** The options of a submission, with those of its intake. */
export type IntakeOptions = SubmissionOptions;

/** A submission that the intake took. */
export type TakenSubmission = StoredSubmission;
