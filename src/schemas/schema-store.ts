import { Types } from 'mongoose';
import type { AppOwned } from '../apps/app-owned.ts';
import { isDuplicateKey } from '../database/failures.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { SchemaCollection, SchemaDocument } from './schemas.model.ts';

/** A schema as it is answered (spec 2.3). */
export interface AppSchema {
  version: number;
  rejectUnknown: boolean;
  fields: FieldDefinition[];
}

/**
 * A schema with the id of its document. A version number can stand for two schemas, when one of them
 * was rolled back by a change of primary; the id cannot.
 */
export interface StoredSchema {
  id: Types.ObjectId;
  schema: AppSchema;
}

/** A version as the history lists it. */
export interface SchemaVersion {
  version: number;
  createdAt: Date;
  /** How many fields it has. */
  fields: number;
}

/** What a new app begins with (spec 2.3). */
const DEFAULT_SCHEMA: AppSchema = {
  version: 1,
  rejectUnknown: false,
  fields: [{ key: 'name', label: 'Name', kind: 'text', required: false }],
};

/** The stored schema versions of apps. */
export interface SchemaStore extends AppOwned {
  /** The newest version, or undefined when the app is gone. */
  newest(appId: Types.ObjectId, readConcern?: 'local' | 'majority'): Promise<StoredSchema | undefined>;
  version(appId: Types.ObjectId, version: number): Promise<StoredSchema | undefined>;
  /** All versions, newest first, read as they are consumed. */
  history(appId: Types.ObjectId): AsyncIterable<SchemaVersion>;
  /**
   * Adds a version and resolves with the id of its document. Rejects with a duplicate-key error when
   * that version exists.
   */
  add(appId: Types.ObjectId, schema: AppSchema): Promise<Types.ObjectId>;
  /** Removes the document of that id. */
  remove(id: Types.ObjectId): Promise<void>;
}

export function createSchemaStore(schemas: SchemaCollection): SchemaStore {
  const add = async (appId: Types.ObjectId, schema: AppSchema): Promise<Types.ObjectId> => {
    const _id = new Types.ObjectId();
    await schemas.insertOne({ _id, appId, ...schema, createdAt: new Date() });
    return _id;
  };
  const read = async (
    filter: Pick<SchemaDocument, 'appId'> & { version?: number },
    readConcern: 'local' | 'majority' = 'local',
  ): Promise<StoredSchema | undefined> => {
    const found = await schemas.findOne(filter, { sort: { version: -1 }, readConcern });
    if (!found) return undefined;
    const { _id, version, rejectUnknown, fields } = found;
    return { id: _id, schema: { version, rejectUnknown, fields } };
  };
  return {
    async prepare(appId) {
      try {
        await add(appId, DEFAULT_SCHEMA);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error; // an earlier attempt stored it
      }
    },
    removeAll: async (appId, since) =>
      (await schemas.deleteMany({ appId, ...(since && { createdAt: { $gte: since } }) })).deletedCount,
    has: async (appId, made, time) =>
      (await schemas.findOne({ appId, createdAt: { [made === 'before' ? '$lt' : '$gte']: time } })) !== null,
    newest: (appId, readConcern) => read({ appId }, readConcern),
    version: (appId, version) => read({ appId, version }),
    // Served by appId_1_version_-1, like every other read here.
    history: (appId) =>
      schemas
        .find({ appId })
        .project<SchemaVersion>({ _id: 0, version: 1, createdAt: 1, fields: { $size: '$fields' } })
        .sort({ version: -1 }),
    add,
    async remove(_id) {
      await schemas.deleteOne({ _id });
    },
  };
}
