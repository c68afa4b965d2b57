import type { Connection, mongo, Types } from 'mongoose';
import { type Collection, createModel, type Model, Schema } from '../database/collections.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { PendingRenames, Rename } from '../fields/renames.ts';

/** How far the job has moved the values of renamed fields (users/renames/rename-job.ts). */
export interface MoveProgress {
  /** When every server knew of the renames, by MongoDB's clock. Absent while that is not sure. */
  knownAt?: Date;
  /** The records from the newest one to this id were visited in this pass. */
  position?: mongo.UUID;
  /** Whether this pass began when no write of an earlier version was in flight any more. */
  isFinal?: boolean;
  /** The records that were moved in this pass. */
  moved?: number;
  /** The visited records of the first pass, and those that there were when it began. */
  done: number;
  total: number;
}

/**
 * One version of an app's schema. It stays readable and does not change, except that `moving`,
 * `progress` and `check` end.
 */
export interface SchemaDocument {
  _id: Types.ObjectId;
  appId: Types.ObjectId;
  version: number;
  rejectUnknown: boolean;
  fields: FieldDefinition[];
  createdAt: Date;
  /** The app whose session stored it, or "command line". Absent in the first version. */
  author?: string;
  /** The fields that this version renamed. */
  renames?: Rename[];
  /**
   * The renames whose values are being moved. Versions that follow meanwhile have them too. One
   * document holds the schema and its renames, so both take effect at once.
   */
  moving?: PendingRenames;
  /** In the version that named the renames in `moving`. */
  progress?: MoveProgress;
  /** In a version whose renames have ended: the next search for values under the old keys. */
  check?: RenameCheck;
}

/** A search for late writes under the old keys of renamed fields. */
export interface RenameCheck {
  /** When it begins, by MongoDB's clock. */
  at: Date;
  /** The number of those that are done. */
  done: number;
  /** The records from the newest one to this id were visited. */
  position?: mongo.UUID;
}

const schemaVersionSchema = new Schema(
  {
    appId: { type: Schema.Types.ObjectId, required: true },
    version: { type: Number, required: true },
    rejectUnknown: { type: Boolean, required: true },
    fields: { type: [Schema.Types.Mixed], required: true },
    createdAt: { type: Date, required: true },
    author: { type: String },
    renames: { type: [Schema.Types.Mixed], default: undefined },
    moving: { type: Schema.Types.Mixed },
    progress: { type: Schema.Types.Mixed },
    check: { type: Schema.Types.Mixed },
  },
  { collection: 'schema_versions', versionKey: false, minimize: false },
)
  .index({ appId: 1, version: -1 }, { unique: true })
  // For the apps that have indexed fields, or had them (users/index-slots).
  .index({ 'fields.indexed': 1 }, { partialFilterExpression: { 'fields.indexed': true } })
  // For the apps whose renames are in progress: none, as a rule.
  .index({ 'moving.version': 1 }, { sparse: true })
  .index({ 'check.at': 1 }, { sparse: true });

export type SchemaCollection = Collection<SchemaDocument>;

export const createSchemaModel = (connection: Connection): Model<SchemaDocument> =>
  createModel(connection, 'SchemaVersion', schemaVersionSchema);
