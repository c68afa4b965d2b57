import type { Filter, Document as MongoDocument, UpdateFilter } from 'mongodb';
import type { Collection } from '../database/collections.ts';
import { isMissingIndex } from '../database/failures.ts';
import type { MigrationPart } from './migration.ts';

/**
 * Updates all documents that match, in the order of their ids. Each step reads ids from the index
 * and fetches only these documents, so it takes the same time however few of them match.
 * @param outdated must no longer match a document that was updated
 * @param most the most documents of a step, for large ones
 */
export function updateAll<Document extends MongoDocument>(
  collection: Collection<Document>,
  outdated: Filter<Document>,
  update: UpdateFilter<Document> | MongoDocument[],
  most = Number.POSITIVE_INFINITY,
): MigrationPart {
  return {
    async step({ position, limit, fence }) {
      const count = Math.min(limit, most);
      const after = (position === undefined ? {} : { _id: { $gt: position } }) as Filter<Document>;
      const found = await collection.find(after, { projection: { _id: 1 }, sort: { _id: 1 }, limit: count }).toArray();
      const ids = found.map(({ _id }) => _id);
      const filter = { $and: [{ _id: { $in: ids } }, outdated, fence] } as Filter<Document>;
      const changed = ids.length === 0 ? 0 : (await collection.updateMany(filter, update)).modifiedCount;
      return { changed, ...(ids.length === count && { position: ids.at(-1) }) };
    },
    pending: (limit) => collection.countDocuments(outdated, { limit }),
  };
}

/** Drops an index that only earlier releases use. They create it again when they start. */
export function dropIndex<Document extends MongoDocument>(
  collection: Collection<Document>,
  name: string,
): MigrationPart {
  const unlessMissing = (result: Promise<number | boolean>): Promise<number> =>
    result.then(Number, (error: unknown) => {
      if (isMissingIndex(error)) return 0;
      throw error;
    });
  return {
    step: async () => ({ changed: await unlessMissing(collection.dropIndex(name).then(() => 1)) }),
    pending: () => unlessMissing(collection.indexExists(name)),
  };
}

/** Parts one after the other. The position names the part. */
export function inTurn(...parts: readonly [MigrationPart, ...MigrationPart[]]): MigrationPart {
  return {
    async step({ position, ...context }) {
      const [index, inner] = (position ?? [0, undefined]) as [number, unknown];
      const part = parts[index] ?? parts[0];
      const result = await part.step({ ...context, position: inner ?? undefined });
      const next = result.position === undefined ? [index + 1, null] : [index, result.position];
      return { changed: result.changed, ...((next[0] as number) < parts.length && { position: next }) };
    },
    async pending(limit) {
      let sum = 0;
      for (const part of parts) sum += await part.pending(limit);
      return Math.min(sum, limit);
    },
  };
}
