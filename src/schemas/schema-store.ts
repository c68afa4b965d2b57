import { Types } from 'mongoose';
import type { AppOwned } from '../apps/app-owned.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { SchemaCollection } from './schemas.model.ts';

/** A schema as it is answered (SPEC 2.3). */
export interface AppSchema {
  version: number;
  rejectUnknown: boolean;
  fields: FieldDefinition[];
}

/** A version as the history lists it. */
export interface SchemaVersion {
  version: number;
  createdAt: Date;
  /** How many fields it has. */
  fields: number;
}

/** What a new app begins with (DESIGN section 2, "default schema"). */
const DEFAULT_SCHEMA: AppSchema = {
  version: 1,
  rejectUnknown: false,
  fields: [{ key: 'name', label: 'Name', kind: 'text', required: false }],
};

/** The stored schema versions of apps. */
export interface SchemaStore extends AppOwned {
  /** The newest version, or undefined when the app is gone. */
  newest(appId: Types.ObjectId): Promise<AppSchema | undefined>;
  version(appId: Types.ObjectId, version: number): Promise<AppSchema | undefined>;
  /** All versions, newest first, read as they are consumed. */
  history(appId: Types.ObjectId): AsyncIterable<SchemaVersion>;
  /** Adds a version. Rejects with a duplicate-key error when that version exists. */
  add(appId: Types.ObjectId, schema: AppSchema): Promise<void>;
}

export function createSchemaStore(schemas: SchemaCollection): SchemaStore {
  const add = async (appId: Types.ObjectId, schema: AppSchema): Promise<void> => {
    await schemas.insertOne({ _id: new Types.ObjectId(), appId, ...schema, createdAt: new Date() });
  };
  const read = async (filter: { appId: Types.ObjectId; version?: number }): Promise<AppSchema | undefined> => {
    const found = await schemas.findOne(filter, { sort: { version: -1 } });
    return found ? { version: found.version, rejectUnknown: found.rejectUnknown, fields: found.fields } : undefined;
  };
  return {
    prepare: (appId) => add(appId, DEFAULT_SCHEMA),
    removeAll: async (appId) => (await schemas.deleteMany({ appId })).deletedCount,
    newest: (appId) => read({ appId }),
    version: (appId, version) => read({ appId, version }),
    // Served by appId_1_version_-1, like every other read here.
    history: (appId) =>
      schemas
        .find({ appId })
        .project<SchemaVersion>({ _id: 0, version: 1, createdAt: 1, fields: { $size: '$fields' } })
        .sort({ version: -1 }),
    add,
  };
}
