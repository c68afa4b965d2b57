import { ObjectId } from 'mongodb';
import type { Connection } from '../../platform/database/client.ts';
import {
  createModel,
  type Definition,
  type DocumentOf,
  type Model,
  schema,
  schemaOf,
} from '../../platform/database/mongoose.ts';
import type { AppDocument } from './app.ts';
import type { AppParts } from './app-part.ts';

/** Matches apps that are neither being created nor being deleted. */
export const NOT_BEING_DELETED = { deletingSince: { $exists: false } };

const appSchema = ({ members, indexes }: Pick<AppParts, 'members' | 'indexes'>) => {
  const declared = schemaOf<AppDocument>(members as Definition<AppDocument>, {
    collection: 'apps',
    placement: 'one document for each app; the name is unique over all apps',
  })
    .index({ sourceAppId: 1 }, { unique: true })
    .index({ deletingSince: 1 }, { sparse: true });
  for (const [keys, options] of indexes) declared.index(keys, options);
  return declared;
};

/**
 * The tombstone of a deleted app. Only records whose app has one are removed as records without an
 * app (invariant 8, decision 14). It outlives the suspension of a server.
 */
const deletedAppSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    deletedAt: { type: Date, required: true },
    /** When the app was marked. */
    begunAt: { type: Date, required: true },
    forgetAt: { type: Date, required: true },
    /** When a sweep first found late documents, by MongoDB's clock. */
    lateSince: Date,
  },
  { collection: 'deleted_apps', placement: 'one document for each deleted app' },
)
  .index({ forgetAt: 1 }, { expireAfterSeconds: 0 })
  .index({ lateSince: 1 }, { sparse: true });
export type DeletedAppDocument = DocumentOf<typeof deletedAppSchema>;

/** See revision.ts. */
const revisionSchema = schema(
  {
    _id: { type: String, required: true },
    value: { type: ObjectId, required: true },
  },
  { collection: 'revisions', placement: 'one document' },
);

export type AppModel = Model<AppDocument>;
export type DeletedAppModel = Model<DeletedAppDocument>;
export type RevisionModel = Model<DocumentOf<typeof revisionSchema>>;

/** The model of `apps`, with the members and indexes of parts (app-part.ts). */
export const createAppModel = (connection: Connection, parts: Pick<AppParts, 'members' | 'indexes'>): AppModel =>
  createModel(connection, appSchema(parts));

export const createDeletedAppModel = (connection: Connection): DeletedAppModel =>
  createModel(connection, deletedAppSchema);

export const createRevisionModel = (connection: Connection): RevisionModel => createModel(connection, revisionSchema);
