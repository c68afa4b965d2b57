import { ObjectId } from 'mongodb';
import type { Connection } from '../../platform/database/client.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import type { Members } from '../../platform/database/members.ts';
import {
  createModel,
  type Definition,
  type IndexDeclaration,
  type MembersOf,
  type Model,
  only,
  schemaOf,
} from '../../platform/database/mongoose.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import type { FieldDefinition } from '../fields/definition.ts';

/** The members of a version without features. */
export const CORE_MEMBERS = {
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
} as const;

/**
 * One version of a schema. Its core members do not change. Features add their members
 * (schema-part.ts).
 */
export interface SchemaDocument extends MembersOf<typeof CORE_MEMBERS> {}

/** What features add to the model (schema-part.ts). */
interface ModelParts {
  members: Members;
  indexes: readonly IndexDeclaration[];
}

const versionSchema = ({ members, indexes }: ModelParts) => {
  const declared = schemaOf<SchemaDocument>(members as Definition<SchemaDocument>, {
    collection: 'schema_versions',
    placement: 'grows with changes of schemas only',
  }).index({ appId: 1, version: -1 }, { unique: true });
  for (const [keys, options] of indexes) declared.index(keys, options);
  return declared;
};

export type SchemaModel = Model<SchemaDocument>;

/** The model of `schema_versions`, with the members and indexes of parts. */
export const createSchemaModel = (connection: Connection, parts: ModelParts): SchemaModel =>
  createModel(connection, versionSchema(parts));

export type ReadConcern = 'local' | 'majority';

/** A schema as responses contain it (spec 2.3). */
export type AppSchema = Pick<SchemaDocument, 'version' | 'rejectUnknown' | 'fields'>;

/**
 * A schema with the id of its document. A version number can identify two schemas when a change of
 * primary rolled one of them back; the id identifies one. Features add what they read of it.
 */
export interface StoredSchema {
  id: ObjectId;
  schema: AppSchema;
}

/** Who stores a version. */
export type VersionAuthor = Required<Pick<SchemaDocument, 'author'>> & Pick<SchemaDocument, 'account' | 'key'>;

/** The schema of a new app (spec 2.3). */
const DEFAULT_SCHEMA: AppSchema = {
  version: 1,
  rejectUnknown: false,
  fields: [{ key: 'name', label: 'Name', kind: 'text', required: false }],
};

export type SchemaStore = ReturnType<typeof createSchemaStore>;

/** The stored schema versions of apps. */
export function createSchemaStore(
  schemas: SchemaModel,
  parts: { read(stored: SchemaDocument): Partial<StoredSchema> },
) {
  /** Adds a version and resolves with the id of its document. @throws a duplicate-key error */
  const add = async (appId: ObjectId, schema: AppSchema, others?: Partial<SchemaDocument>): Promise<ObjectId> => {
    const _id = new ObjectId();
    await schemas.insertOne({ ...others, _id, appId, ...schema, createdAt: new Date() });
    return _id;
  };
  const read = async (
    filter: Pick<SchemaDocument, 'appId'> & { version?: number },
    readConcern: ReadConcern = 'local',
  ): Promise<StoredSchema | undefined> => {
    const found = await schemas.findOne(filter, { sort: { version: -1 }, readConcern });
    if (!found) return undefined;
    const { _id, version, rejectUnknown, fields } = found;
    return { ...parts.read(found), id: _id, schema: { version, rejectUnknown, fields } };
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
    /** Resolves with the keys that were fields of the staff in any version. */
    async staffKeysOf(appId: ObjectId): Promise<ReadonlySet<string>> {
      const stages = [
        { $match: { appId, 'fields.writers': 'staff' } },
        { $unwind: '$fields' },
        { $match: { 'fields.writers': 'staff' } },
        { $group: { _id: '$fields.key' } },
      ];
      const found = await schemas.collection.aggregate<{ _id: string }>(stages).toArray();
      return new Set(found.map(({ _id }) => _id));
    },
    /** Resolves with that version, or undefined when it does not exist. */
    version: (appId: ObjectId, version: number) => read({ appId, version }),
    /** Removes the document with that id. */
    async remove(_id: ObjectId): Promise<void> {
      await schemas.deleteOne({ _id });
    },
  };
}
