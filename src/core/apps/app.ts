import { ObjectId } from 'mongodb';
import { type MembersOf, only } from '../../platform/database/mongoose.ts';

export type Role = 'user' | 'admin';

/** The members of an app without features. */
export const CORE_MEMBERS = {
  _id: { type: ObjectId, required: true },
  sourceAppId: { type: String, required: true },
  role: { type: only<Role>(String), required: true },
  passwordHash: { type: String, required: true },
  /** Replaced with the password; sessions with another value are invalid. */
  credentialId: { type: String, required: true },
  createdAt: { type: Date, required: true },
  /** Set during creation and deletion: the app accepts no submission, login or session. */
  deletingSince: Date,
  /** Set with `deletingSince`, which filters on live apps test, until the confirmation. */
  creating: only<true>(Boolean),
} as const;

/**
 * One app (spec 2.2). `_id` identifies one incarnation, and all data of an app refers to it, so
 * that a new app never reads data of an earlier one with the same `sourceAppId` (decision 14).
 * Features add their members (decision 53).
 */
export interface AppDocument extends MembersOf<typeof CORE_MEMBERS> {}

/** An app without its password hash (spec 2.2). Features add what they read of it. */
export interface App extends Pick<AppDocument, 'sourceAppId' | 'role' | 'credentialId' | 'createdAt'> {
  id: ObjectId;
  /** What people call it. */
  name?: string | undefined;
  /** Its own limit of submissions, per minute and client network. */
  submitPerMinute?: number | undefined;
  /** The IANA time zone in which it counts days. Default: UTC. */
  timeZone?: string | undefined;
}
