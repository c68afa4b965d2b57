import type { Types } from 'mongoose';
import type { AppliedKey } from '../users/users.model.ts';

/** How a submission was sent. */
export interface SubmissionOptions {
  /** A repeat with the same key is answered but not applied again. */
  idempotencyKey?: string | undefined;
  /** The hashes of the key and of the content, when they were computed before. */
  sentUnder?: Pick<AppliedKey, 'key' | 'content'> | undefined;
  /**
   * `form`: an HTML form, whose sender cannot solve a challenge without JavaScript. Default:
   * `json`.
   */
  via?: 'json' | 'form';
  /** The solution of a challenge, as it was sent. Empty counts as absent. */
  proof?: string | undefined;
  /** A field that people do not see was filled. */
  isTrapped?: boolean;
  /** The address of the client, if it came by HTTP. */
  address?: string | undefined;
  /** The URL of the page that sent it, if known. */
  page?: string | undefined;
  /**
   * The incarnation of the app whose operator allowed the submission. It passes without a proof,
   * also after the form has closed, and into no other incarnation.
   */
  approvedFor?: Types.ObjectId;
  /**
   * The incarnation of the app whose API key sent the submission. It needs no proof of work, and
   * passes into no other incarnation.
   */
  keyOf?: Types.ObjectId | undefined;
}
