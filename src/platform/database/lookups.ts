import type { Filter, Document as MongoDocument } from 'mongodb';
import type { Collection } from './collections.ts';

/** Documents of which one is looked for. */
export interface Lookup {
  collection: Collection<MongoDocument>;
  filter: MongoDocument;
}

/** Names documents by their collection and a filter, which an index serves. */
export const lookup = <Document extends MongoDocument>(
  collection: Collection<Document>,
  filter: Filter<Document>,
): Lookup => ({ collection: collection as unknown as Collection<MongoDocument>, filter });

/** Resolves with whether a document of one of the lookups exists. */
export type HasAny = (lookups: readonly Lookup[]) => Promise<boolean>;

/** Resolves with whether a document exists, by a statement of its own. */
export const findAny: HasAny = async (lookups) => (await findEach(lookups)).length > 0;

interface Asked {
  lookups: readonly Lookup[];
  answer: { resolve(hasAny: boolean): void; reject(reason: unknown): void };
}

/**
 * Creates a function that looks for documents in collections of one database. All calls in one turn
 * of the event loop share one statement, because the jobs of a server call it once a second. They
 * reject together when that statement fails.
 */
export function createLookups(): HasAny {
  let waiting: Asked[] = [];

  async function answerAll(): Promise<void> {
    const asked = waiting;
    waiting = [];
    try {
      const found = await findEach(asked.flatMap(({ lookups }) => lookups));
      let first = 0;
      for (const { lookups, answer } of asked) {
        const end = first + lookups.length;
        answer.resolve(found.some((index) => index >= first && index < end));
        first = end;
      }
    } catch (error) {
      for (const { answer } of asked) answer.reject(error);
    }
  }

  return (lookups) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(answerAll);
      waiting.push({ lookups, answer: { resolve, reject } });
    });
}

/** Resolves with the indexes of the lookups that have a document. */
async function findEach([first, ...others]: readonly Lookup[]): Promise<number[]> {
  if (!first) return [];
  const one = (filter: MongoDocument, index: number): MongoDocument[] => [
    { $match: filter },
    { $limit: 1 },
    { $project: { _id: 0, index: { $literal: index } } },
  ];
  const united = others.map(({ collection, filter }, index) => ({
    $unionWith: { coll: collection.collectionName, pipeline: one(filter, index + 1) },
  }));
  const found = await first.collection.aggregate<{ index: number }>([...one(first.filter, 0), ...united]).toArray();
  return found.map(({ index }) => index);
}
