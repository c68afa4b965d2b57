import { Types } from 'mongoose';
import type { AppOwned } from '../apps/app-owned.ts';
import { isDuplicateKey } from '../database/failures.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { PendingRenames, Rename } from '../fields/renames.ts';
import type { SchemaCollection, SchemaDocument } from './schemas.model.ts';

/** A schema as responses contain it (spec 2.3). */
export interface AppSchema {
  version: number;
  rejectUnknown: boolean;
  fields: FieldDefinition[];
}

/**
 * A schema with the id of its document. A version number can identify two schemas when a change of
 * primary rolled one of them back; the id identifies one.
 */
export interface StoredSchema {
  id: Types.ObjectId;
  schema: AppSchema;
  /** The renames whose values are being moved, if any. */
  moving?: PendingRenames | undefined;
}

/** What a version has besides its schema. */
export interface VersionDetails {
  author?: string | undefined;
  /** The fields that it renames. */
  renames?: readonly Rename[] | undefined;
  /** The renames whose values are being moved, its own included. */
  moving?: PendingRenames | undefined;
}

/** The newest version of an app for the job that builds indexes. */
export interface NewestFields {
  version: number;
  fields: FieldDefinition[];
  moving?: PendingRenames | undefined;
}

/** An entry of the version history. */
export interface SchemaVersion {
  version: number;
  createdAt: Date;
  /** The number of fields. */
  fields: number;
  /** The app whose session stored it, or "command line". */
  author?: string;
  /** The fields that it renamed. */
  renames?: Rename[];
}

/** The schema of a new app (spec 2.3). */
const DEFAULT_SCHEMA: AppSchema = {
  version: 1,
  rejectUnknown: false,
  fields: [{ key: 'name', label: 'Name', kind: 'text', required: false }],
};

/** The stored schema versions of apps. */
export interface SchemaStore extends AppOwned {
  /** Resolves with the newest version, or undefined when the app is deleted. */
  newest(appId: Types.ObjectId, readConcern?: 'local' | 'majority'): Promise<StoredSchema | undefined>;
  /** Resolves with that version, or undefined when it does not exist. */
  version(appId: Types.ObjectId, version: number): Promise<StoredSchema | undefined>;
  /** Returns all versions, newest first, from a cursor. */
  history(appId: Types.ObjectId): AsyncIterable<SchemaVersion>;
  /**
   * Adds a version. Resolves with the id of its document; rejects with a duplicate-key error when
   * the version exists.
   */
  add(appId: Types.ObjectId, schema: AppSchema, details?: VersionDetails): Promise<Types.ObjectId>;
  /** Removes the document with that id. */
  remove(id: Types.ObjectId): Promise<void>;
  /** The ids of the apps of which a version has an indexed field. */
  appsWithIndexes(): Promise<Types.ObjectId[]>;
  /** The fields of the newest version of each of these apps, by its id in hexadecimal. */
  newestFields(appIds: readonly Types.ObjectId[]): Promise<Map<string, NewestFields>>;
}

export function createSchemaStore(schemas: SchemaCollection): SchemaStore {
  const add = async (
    appId: Types.ObjectId,
    schema: AppSchema,
    { author, renames = [], moving }: VersionDetails = {},
  ): Promise<Types.ObjectId> => {
    const _id = new Types.ObjectId();
    await schemas.insertOne({
      ...{ _id, appId, ...schema, createdAt: new Date() },
      ...(author !== undefined && { author }),
      ...(renames.length > 0 && { renames: [...renames] }),
      ...(moving && { moving }),
    });
    return _id;
  };
  const read = async (
    filter: Pick<SchemaDocument, 'appId'> & { version?: number },
    readConcern: 'local' | 'majority' = 'local',
  ): Promise<StoredSchema | undefined> => {
    const found = await schemas.findOne(filter, { sort: { version: -1 }, readConcern });
    if (!found) return undefined;
    const { _id, version, rejectUnknown, fields, moving } = found;
    return { id: _id, schema: { version, rejectUnknown, fields }, moving };
  };
  return {
    async prepare(appId) {
      try {
        await add(appId, DEFAULT_SCHEMA);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error; // else an earlier attempt stored it
      }
    },
    removeAll: async (appId, since) =>
      (await schemas.deleteMany({ appId, ...(since && { createdAt: { $gte: since } }) })).deletedCount,
    has: async (appId, made, time) =>
      (await schemas.findOne({ appId, createdAt: { [made === 'before' ? '$lt' : '$gte']: time } })) !== null,
    newest: (appId, readConcern) => read({ appId }, readConcern),
    version: (appId, version) => read({ appId, version }),
    // Uses the index appId_1_version_-1, like all reads in this file.
    history: (appId) =>
      schemas
        .find({ appId })
        .project<SchemaVersion>({
          ...{ _id: 0, version: 1, createdAt: 1, author: 1, renames: 1 },
          fields: { $size: '$fields' },
        })
        .sort({ version: -1 }),
    add,
    async remove(_id) {
      await schemas.deleteOne({ _id });
    },
    appsWithIndexes: () => schemas.distinct('appId', { 'fields.indexed': true }),
    async newestFields(appIds) {
      const newest = schemas.aggregate<{ _id: Types.ObjectId } & NewestFields>([
        { $match: { appId: { $in: [...appIds] } } },
        { $sort: { appId: 1, version: -1 } },
        {
          $group: {
            ...{ _id: '$appId', version: { $first: '$version' } },
            ...{ fields: { $first: '$fields' }, moving: { $first: '$moving' } },
          },
        },
      ]);
      const byApp = new Map<string, NewestFields>();
      // `$first` of a missing member is null.
      for await (const { _id, version, fields, moving } of newest) {
        byApp.set(_id.toHexString(), { version, fields, moving: moving ?? undefined });
      }
      return byApp;
    },
  };
}
