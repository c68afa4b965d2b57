import { ObjectId, UUID } from 'mongodb';
import type { Connection } from '../../platform/database/client.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { createModel, type DocumentOf, type Model, only, schema, schemaOf } from '../../platform/database/mongoose.ts';
import { ownedBy } from '../feature.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { PendingRenames, Rename } from '../fields/renames.ts';

const renameSchema = schemaOf<Rename>(
  {
    from: { type: String, required: true },
    to: { type: String, required: true },
  },
  { _id: false },
);

const pendingRenamesSchema = schemaOf<PendingRenames>(
  {
    version: { type: Number, required: true },
    pairs: { type: [renameSchema], required: true },
    reserved: [String],
  },
  { _id: false },
);

/** How far the job has moved the values of renamed fields (features/renames/record-moves.ts). */
const progressSchema = schema(
  {
    /** When every server knew of the renames, by MongoDB's clock. Absent while that is not sure. */
    knownAt: Date,
    /** The place of the pass: 0 (absent) is in the records, 1 in the kept submissions. */
    part: Number,
    /** Those of the part from the newest one to this id were visited. */
    position: UUID,
    /** Whether this pass began when no write of an earlier version was in flight any more. */
    isFinal: Boolean,
    /** The records that were moved in this pass. */
    moved: Number,
    /** The visited records of the first pass, and those that there were when it began. */
    done: Number,
    total: Number,
  },
  { _id: false },
);
type StoredProgress = DocumentOf<typeof progressSchema>;
export type MoveProgress = StoredProgress & Required<Pick<StoredProgress, 'done' | 'total'>>;

/** A search for late writes under the old keys of renamed fields. */
const checkSchema = schema(
  {
    /** When it begins, by MongoDB's clock. */
    at: { type: Date, required: true },
    /** The number of those that are done. */
    done: { type: Number, required: true },
    /** Its place, as in {@link MoveProgress}. */
    part: Number,
    position: UUID,
  },
  { _id: false },
);
export type RenameCheck = DocumentOf<typeof checkSchema>;

/** One version of a schema. It does not change, except that `moving`, `progress`, `check` end. */
const versionSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    version: { type: Number, required: true },
    rejectUnknown: { type: Boolean, required: true },
    fields: { type: [only<FieldDefinition>(Object)], required: true },
    createdAt: { type: Date, required: true },
    /** The app whose session stored it, or "command line". Absent in the first version. */
    author: String,
    /** The id of the account, or of the API key, that stored it. Neither: a shared log-in. */
    account: String,
    key: String,
    /** The fields that this version renamed. */
    renames: [renameSchema],
    /**
     * The renames whose values are being moved. Versions that follow meanwhile have them too. One
     * document holds the schema and its renames, so both take effect at once.
     */
    moving: pendingRenamesSchema,
    /** In the version that named the renames in `moving`; at first it has `knownAt` only. */
    progress: progressSchema,
    /** In a version whose renames have ended: the next search for values under the old keys. */
    check: checkSchema,
  },
  { collection: 'schema_versions', placement: 'grows with changes of schemas only' },
)
  .index({ appId: 1, version: -1 }, { unique: true })
  // For the apps that have indexed fields, or had them (features/indexes/slots.ts).
  .index({ 'fields.indexed': 1 }, { partialFilterExpression: { 'fields.indexed': true } })
  // For the apps whose renames are in progress: none, as a rule.
  .index({ 'moving.version': 1 }, { sparse: true })
  .index({ 'check.at': 1 }, { sparse: true });
export type SchemaDocument = DocumentOf<typeof versionSchema>;

export type SchemaModel = Model<SchemaDocument>;

export const createSchemaModel = (connection: Connection): SchemaModel => createModel(connection, versionSchema);

export type ReadConcern = 'local' | 'majority';

/** A schema as responses contain it (spec 2.3). */
export type AppSchema = Pick<SchemaDocument, 'version' | 'rejectUnknown' | 'fields'>;

/**
 * A schema with the id of its document. A version number can identify two schemas when a change of
 * primary rolled one of them back; the id identifies one.
 */
export interface StoredSchema {
  id: ObjectId;
  schema: AppSchema;
  /** The renames whose values are being moved, if any. */
  moving?: PendingRenames | undefined;
}

/** Who stores a version. */
export type VersionAuthor = Required<Pick<SchemaDocument, 'author'>> & Pick<SchemaDocument, 'account' | 'key'>;

/** The properties of a version besides its schema. `moving` includes its own renames. */
interface VersionDetails extends Partial<VersionAuthor> {
  renames?: readonly Rename[] | undefined;
  moving?: PendingRenames | undefined;
}

/** The newest version of an app for the job that builds indexes. */
type NewestFields = Pick<SchemaDocument, 'version' | 'fields'> & Pick<StoredSchema, 'moving'>;

/** An entry of the version history. `fields` is their number. */
export type SchemaVersion = Pick<SchemaDocument, 'version' | 'createdAt' | 'renames'> &
  Partial<VersionAuthor> & { fields: number };

/** The schema of a new app (spec 2.3). */
const DEFAULT_SCHEMA: AppSchema = {
  version: 1,
  rejectUnknown: false,
  fields: [{ key: 'name', label: 'Name', kind: 'text', required: false }],
};

export type SchemaStore = ReturnType<typeof createSchemaStore>;

/** The stored schema versions of apps. By the collection: a cursor, and aggregations. */
export function createSchemaStore(schemas: SchemaModel) {
  /** Adds a version and resolves with the id of its document. @throws a duplicate-key error */
  const add = async (
    appId: ObjectId,
    schema: AppSchema,
    { renames = [], moving, ...author }: VersionDetails = {},
  ): Promise<ObjectId> => {
    const _id = new ObjectId();
    await schemas.insertOne({
      _id,
      appId,
      ...schema,
      createdAt: new Date(),
      ...author,
      ...(renames.length > 0 && { renames: [...renames] }),
      ...(moving && { moving }),
    });
    return _id;
  };
  const read = async (
    filter: Pick<SchemaDocument, 'appId'> & { version?: number },
    readConcern: ReadConcern = 'local',
  ): Promise<StoredSchema | undefined> => {
    const found = await schemas.findOne(filter, { sort: { version: -1 }, readConcern });
    if (!found) return undefined;
    const { _id, version, rejectUnknown, fields, moving } = found;
    return { id: _id, schema: { version, rejectUnknown, fields }, moving };
  };
  return {
    async prepare(appId: ObjectId): Promise<void> {
      try {
        await add(appId, DEFAULT_SCHEMA);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error; // else an earlier attempt stored it
      }
    },
    ...ownedBy(schemas.collection, 'createdAt'),
    add,
    /** Resolves with the newest version, or undefined when the app is deleted. */
    newest: (appId: ObjectId, readConcern?: ReadConcern) => read({ appId }, readConcern),
    /** Resolves with the fields of the newest version; none when the app is deleted. */
    fieldsOf: async (appId: ObjectId): Promise<readonly FieldDefinition[]> =>
      (await read({ appId }))?.schema.fields ?? [],
    /** Resolves with that version, or undefined when it does not exist. */
    version: (appId: ObjectId, version: number) => read({ appId, version }),
    /** Returns all versions, newest first, from a cursor. */
    history: (appId: ObjectId): AsyncIterable<SchemaVersion> =>
      // Uses the index appId_1_version_-1, like all reads in this file.
      schemas.collection
        .find({ appId })
        .project<SchemaVersion>({
          _id: 0,
          version: 1,
          createdAt: 1,
          author: 1,
          account: 1,
          key: 1,
          renames: 1,
          fields: { $size: '$fields' },
        })
        .sort({ version: -1 }),
    /** Removes the document with that id. */
    async remove(_id: ObjectId): Promise<void> {
      await schemas.deleteOne({ _id });
    },
    /** The ids of the apps of which a version has an indexed field. */
    appsWithIndexes: (): Promise<ObjectId[]> => schemas.collection.distinct('appId', { 'fields.indexed': true }),
    /** The fields of the newest version of each of these apps, by its id in hexadecimal. */
    async newestFields(appIds: readonly ObjectId[]): Promise<Map<string, NewestFields>> {
      const newest = schemas.collection.aggregate<{ _id: ObjectId } & NewestFields>([
        { $match: { appId: { $in: [...appIds] } } },
        { $sort: { appId: 1, version: -1 } },
        {
          $group: {
            _id: '$appId',
            version: { $first: '$version' },
            fields: { $first: '$fields' },
            moving: { $first: '$moving' },
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
