import type { Filter, Document as MongoDocument } from 'mongodb';
import { type Collection, untilEnded } from './collections.ts';

/** The most bytes of one statement, by the sizes that callers estimate: MongoDB takes 16 MB. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The document that has to exist when MongoDB begins an insert into another collection. */
export interface Guard<Document extends MongoDocument> {
  collection: Collection<Document>;
  /** Matches at most one document. */
  filter: Filter<Document> & { _id: unknown };
  /** A second document that has to exist. */
  also?: { collection: { collectionName: string }; filter: object };
}

/** Where documents are inserted, and the unique index that refuses them. */
interface InsertTarget {
  into: string;
  on: string[];
}

/** The target of a collection with a unique index beside that on `_id`. */
export function insertTarget<Document extends MongoDocument>(
  { collectionName }: Collection<Document>,
  on: readonly string[] = ['_id'],
): InsertTarget {
  return { into: collectionName, on: [...on] };
}

/**
 * Inserts documents into a collection if the document of the guard exists, in another one. MongoDB
 * reads the guard and inserts in one statement. So a statement that is late, because this process
 * or the network stalled, inserts nothing when the guard has changed meanwhile; only one that began
 * before the change continues, until its time limit. The driver does not repeat it.
 *
 * Resolves also when the guard does not match. A caller that does not hold the matching state for
 * good has to check it afterwards, with an update that has the same filter.
 *
 * @param bytesOf estimates the size of a document
 * @param whenMatched `replace`: a document that exists is replaced, not refused
 * @throws {MongoServerError} with the code of a duplicate key when a document was refused; any of
 *   the others may be stored
 */
export async function insertGuarded<Guarding extends MongoDocument, Document extends MongoDocument>(
  { collection, filter, also }: Guard<Guarding>,
  { into, on }: InsertTarget,
  documents: readonly Document[],
  bytesOf: (document: Document) => number,
  whenMatched: 'fail' | 'replace' = 'fail',
): Promise<void> {
  for (const part of splitParts(documents, bytesOf)) {
    const stages = [
      { $match: filter },
      ...(also ? bothExist(also) : []),
      { $project: { _id: 0, document: { $literal: part } } },
      { $unwind: '$document' },
      { $replaceRoot: { newRoot: '$document' } },
      { $merge: { into, on, whenMatched, whenNotMatched: 'insert' } },
    ];
    await untilEnded((signal) => collection.aggregate(stages, { signal }).toArray());
  }
}

const bothExist = ({ collection, filter }: NonNullable<Guard<MongoDocument>['also']>): object[] => [
  { $lookup: { from: collection.collectionName, pipeline: [{ $match: filter }], as: 'also' } },
  { $match: { 'also.0': { $exists: true } } },
];

function* splitParts<Document>(
  documents: readonly Document[],
  bytesOf: (document: Document) => number,
): Generator<Document[]> {
  let part: Document[] = [];
  let bytes = 0;
  for (const document of documents) {
    const size = bytesOf(document);
    if (part.length > 0 && bytes + size > MAX_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(document);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
