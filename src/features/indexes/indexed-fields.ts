import type { ObjectId } from 'mongodb';
import type { SchemaPart } from '../../core/schemas/schema-part.ts';
import type { SchemaDocument, SchemaModel } from '../../core/schemas/schemas.model.ts';

/** The index that finds the apps that have indexed fields, or had them. */
export const indexedFieldPart: SchemaPart = {
  indexes: [[{ 'fields.indexed': 1 }, { partialFilterExpression: { 'fields.indexed': true } }]],
};

/** The newest version of an app for the job that builds indexes. */
type NewestFields = Pick<SchemaDocument, 'version' | 'fields' | 'moving'>;

export type IndexedFields = ReturnType<typeof createIndexedFields>;

/** Reads which fields have indexes. */
export const createIndexedFields = ({ collection }: SchemaModel) => ({
  /** The ids of the apps of which a version has an indexed field. */
  apps: (): Promise<ObjectId[]> => collection.distinct('appId', { 'fields.indexed': true }),

  /** The fields of the newest version of each of these apps, by its id in hexadecimal. */
  async newest(appIds: readonly ObjectId[]): Promise<Map<string, NewestFields>> {
    const newest = collection.aggregate<{ _id: ObjectId } & NewestFields>([
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
      byApp.set(_id.toHexString(), { version, fields, ...(moving && { moving }) });
    }
    return byApp;
  },
});
