import type { Connection, Types } from 'mongoose';
import { type Collection, createModel, type Model, Schema } from '../database/collections.ts';

export type Role = 'user' | 'admin';

/**
 * One app. `_id` stands for this life of it: an app that is deleted and created again has another, and everything that belongs to an app
 * refers to `_id`, so that a new app can never see what an old one of the same name left.
 */
export interface AppDocument {
  _id: Types.ObjectId;
  sourceAppId: string;
  role: Role;
  passwordHash: string;
  /** Changes with the password; a session made under another one is over. */
  credentialId: string;
  createdAt: Date;
  /** Set while the app is being created or deleted: it takes no submission, log-in or session. */
  deletingSince?: Date;
  /**
   * Set beside `deletingSince` until the creation is confirmed (app-creation.ts). Two fields, so that
   * every filter on live apps needs one of them only.
   */
  creating?: true;
  /** Not to the second: see app-activity.ts. */
  lastSubmissionAt?: Date;
}

const appSchema = new Schema(
  {
    sourceAppId: { type: String, required: true, unique: true },
    role: { type: String, required: true, enum: ['user', 'admin'] satisfies Role[] },
    passwordHash: { type: String, required: true },
    credentialId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    deletingSince: { type: Date, index: true, sparse: true },
    creating: { type: Boolean },
    lastSubmissionAt: { type: Date },
  },
  { collection: 'apps', versionKey: false },
);

/**
 * The tombstone of a deleted app: the only ground on which records without an app are removed
 * (docs/decisions/0014-tombstones.md). It outlives the sweeps, for servers that were stopped meanwhile.
 */
export interface DeletedAppDocument {
  _id: Types.ObjectId;
  deletedAt: Date;
  /** When the app was marked as being deleted. Absent in tombstones of earlier releases. */
  begunAt?: Date;
  /** When MongoDB removes the tombstone. */
  forgetAt: Date;
  /** When a sweep first found documents that were written after the deletion, by MongoDB's clock. */
  lateSince?: Date;
}

const deletedAppSchema = new Schema(
  {
    deletedAt: { type: Date, required: true },
    begunAt: { type: Date },
    forgetAt: { type: Date, required: true, expires: 0 },
    lateSince: { type: Date, index: true, sparse: true },
  },
  { collection: 'deleted_apps', versionKey: false },
);

/** What every change of an app or a schema renews: see app-changes.ts. */
export interface RevisionDocument {
  _id: string;
  stamp: Types.ObjectId;
}

const revisionSchema = new Schema(
  { _id: { type: String, required: true }, stamp: { type: Schema.Types.ObjectId, required: true } },
  { collection: 'change_stamps', versionKey: false },
);

export type AppCollection = Collection<AppDocument>;
export type DeletedAppCollection = Collection<DeletedAppDocument>;

export type RevisionCollection = Collection<RevisionDocument>;

export const createAppModel = (connection: Connection): Model<AppDocument> => createModel(connection, 'App', appSchema);

export const createDeletedAppModel = (connection: Connection): Model<DeletedAppDocument> =>
  createModel(connection, 'DeletedApp', deletedAppSchema);

export const createRevisionModel = (connection: Connection): Model<RevisionDocument> =>
  createModel(connection, 'ChangeStamp', revisionSchema);
