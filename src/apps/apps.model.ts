import { type Connection, type InferSchemaType, type Model, Schema, type Types } from 'mongoose';

export type Role = 'user' | 'admin';

/**
 * One app. `_id` stands for this life of it: an app that is deleted and created again has another, and everything that belongs to an app
 * refers to `_id`, so that a new app can never see what an old one of the same name left.
 */
const appSchema = new Schema(
  {
    sourceAppId: { type: String, required: true, unique: true },
    role: { type: String, required: true, enum: ['user', 'admin'] satisfies Role[] },
    passwordHash: { type: String, required: true },
    /** Changes with the password; a session made under another one is over. */
    credentialId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    /** Set while the app is being deleted: it takes no submission, log-in or session any more. */
    deletingSince: { type: Date, index: true, sparse: true },
    /** Not to the second: see app-activity.ts. */
    lastSubmissionAt: { type: Date },
  },
  { collection: 'apps', versionKey: false },
);

/** An app that is gone, remembered for an hour so that writes which a stalled database applied late are found and removed. */
const deletedAppSchema = new Schema(
  { deletedAt: { type: Date, required: true, expires: 3600 } },
  { collection: 'deleted_apps', versionKey: false },
);

export type AppDocument = InferSchemaType<typeof appSchema> & { _id: Types.ObjectId; role: Role };
export type AppModel = Model<AppDocument>;
export type DeletedAppModel = Model<InferSchemaType<typeof deletedAppSchema>>;

export function createAppModel(connection: Connection): AppModel {
  return connection.model('App', appSchema) as unknown as AppModel;
}

export function createDeletedAppModel(connection: Connection): DeletedAppModel {
  return connection.model('DeletedApp', deletedAppSchema) as unknown as DeletedAppModel;
}
