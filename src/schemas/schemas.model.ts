import type { Connection, Types } from 'mongoose';
import { type Collection, createModel, type Model, Schema } from '../database/collections.ts';
import type { FieldDefinition } from '../fields/definition.ts';

/** One version of an app's schema. Each version is an immutable document and stays readable. */
export interface SchemaDocument {
  _id: Types.ObjectId;
  appId: Types.ObjectId;
  version: number;
  rejectUnknown: boolean;
  fields: FieldDefinition[];
  createdAt: Date;
}

const schemaVersionSchema = new Schema(
  {
    appId: { type: Schema.Types.ObjectId, required: true },
    version: { type: Number, required: true },
    rejectUnknown: { type: Boolean, required: true },
    fields: { type: [Schema.Types.Mixed], required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'schema_versions', versionKey: false, minimize: false },
)
  .index({ appId: 1, version: -1 }, { unique: true })
  // For the apps that have indexed fields, or had them (users/index-slots).
  .index({ 'fields.indexed': 1 }, { partialFilterExpression: { 'fields.indexed': true } });

export type SchemaCollection = Collection<SchemaDocument>;

export const createSchemaModel = (connection: Connection): Model<SchemaDocument> =>
  createModel(connection, 'SchemaVersion', schemaVersionSchema);
