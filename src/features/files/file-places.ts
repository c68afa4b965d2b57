import type { ObjectId, ReadConcernLevel, UUID } from 'mongodb';
import type { RecordId, UserCollection, UserDocument } from '../../core/users/users.model.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import type { FileDocument } from './files.model.ts';

/**
 * What names a file. `record`: the data of its record, under any key; `past`: only an entry of the
 * history, or a kept submission, of its record; `held`: a held submission; `no record`: its record
 * does not exist, or not yet.
 */
export type FilePlace = 'record' | 'past' | 'held' | 'nowhere' | 'no record';

/** Whether documents of a record, or a held submission, name a file by its id as text. */
type Names = (appId: ObjectId, of: UUID, id: string, readConcern: ReadConcernLevel) => Promise<boolean>;

export type FindPlace = (
  file: Pick<FileDocument, '_id' | 'metadata'>,
  readConcern: 'majority' | 'local',
) => Promise<FilePlace>;

/** The expression that tells whether an object, such as `$data`, names a file under any key. */
export const namesFile = (object: string, id: string): object => ({
  $in: [
    true,
    {
      $map: {
        input: { $objectToArray: object },
        // The ids of the objects in a list.
        in: { $in: [id, { $cond: [{ $isArray: '$$this.v.id' }, '$$this.v.id', []] }] },
      },
    },
  ],
});

/**
 * Creates the search for what names a file. It follows the way of a value, from the data to the
 * history of the record and on to moved entries, so that it misses none that is moved meanwhile.
 */
export function createFilePlaces(deps: {
  users: UserCollection;
  movedNames: Names;
  keptNames: Names;
  heldNames: Names;
}): FindPlace {
  const { users, movedNames, keptNames, heldNames } = deps;

  async function inRecord(appId: ObjectId, _id: RecordId, id: string, level: ReadConcernLevel): Promise<FilePlace> {
    const project = { isNamed: namesFile('$data', id), movedHistory: 1 };
    const [found] = await users
      .aggregate<{ isNamed: boolean; movedHistory?: true }>([{ $match: { _id, appId } }, { $project: project }], {
        readConcern: { level },
      })
      .toArray();
    if (found?.isNamed) return 'record';
    if (found) {
      const inHistory = typedFilter<UserDocument>({ _id, appId, $or: changesName('history', id) });
      const options = { projection: { _id: 1 }, readConcern: { level } } as const;
      if (await users.findOne(inHistory, options)) return 'past';
      if (await movedNames(appId, _id, id, level)) return 'past';
    }
    if (await keptNames(appId, _id, id, level)) return 'past';
    return found ? 'nowhere' : 'no record';
  }

  return async ({ _id, metadata: { appId, record, held } }, level) => {
    const id = _id.toString();
    const place = record ? await inRecord(appId, record, id, level) : 'nowhere';
    if (place === 'record' || place === 'past' || !held) return place;
    return (await heldNames(appId, held, id, level)) ? 'held' : place;
  };
}

/** Matches entries of a history at `path` whose values name a file. */
export const changesName = (path: string, id: string): object[] => [
  { [`${path}.changes.before.id`]: id },
  { [`${path}.changes.after.id`]: id },
];

/** The values that name a file without its mark, with it. */
export function markedFiles(data: Readonly<Record<string, unknown>>, id: string): Record<string, unknown> {
  const isUnmarked = (one: { id?: unknown; infected?: unknown } | null): boolean => one?.id === id && !one.infected;
  const lists = Object.entries(data).filter((entry): entry is [string, unknown[]] => {
    const [, value] = entry;
    return Array.isArray(value) && value.some(isUnmarked);
  });
  return Object.fromEntries(
    lists.map(([key, list]) => [
      key,
      list.map((one) => (isUnmarked(one as object) ? { ...(one as object), infected: true } : one)),
    ]),
  );
}
