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
  /** Set while the app is being deleted: it takes no submission, log-in or session any more. */
  deletingSince?: Date;
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
    lastSubmissionAt: { type: Date },
  },
  { collection: 'apps', versionKey: false },
);

/** An app that is gone, remembered for an hour so that writes which a stalled database applied late are found and removed. */
export interface DeletedAppDocument {
  _id: Types.ObjectId;
  deletedAt: Date;
}

const deletedAppSchema = new Schema(
  { deletedAt: { type: Date, required: true, expires: 3600 } },
  { collection: 'deleted_apps', versionKey: false },
);

/** What every change of an app or a schema renews: see app-changes.ts. */
export interface ChangeStampDocument {
  _id: string;
  stamp: Types.ObjectId;
}

const changeStampSchema = new Schema(
  { _id: { type: String, required: true }, stamp: { type: Schema.Types.ObjectId, required: true } },
  { collection: 'change_stamps', versionKey: false },
);

export type AppCollection = Collection<AppDocument>;
export type DeletedAppCollection = Collection<DeletedAppDocument>;

export type ChangeStampCollection = Collection<ChangeStampDocument>;

export const createAppModel = (connection: Connection): Model<AppDocument> => createModel(connection, 'App', appSchema);

export const createDeletedAppModel = (connection: Connection): Model<DeletedAppDocument> =>
  createModel(connection, 'DeletedApp', deletedAppSchema);

export const createChangeStampModel = (connection: Connection): Model<ChangeStampDocument> =>
  createModel(connection, 'ChangeStamp', changeStampSchema);
