import type { mongo, Types } from 'mongoose';
import type { Collection } from '../database/collections.ts';
import type { ImportCollection, ImportDocument } from './imports.model.ts';

/** The most bytes of one statement, by the sizes that callers estimate: MongoDB takes 16 MB. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Where documents are inserted, and the unique index that refuses them. */
export interface Target {
  into: string;
  on: string[];
}

/** The target of a collection with a unique index beside that on `_id`. */
export function targetOf<Document extends mongo.Document>(
  { collectionName }: Collection<Document>,
  on: readonly string[] = ['_id'],
): Target {
  return { into: collectionName, on: [...on] };
}

/**
 * Inserts documents into another collection if an import matches. MongoDB reads the import and
 * inserts in one statement. So a statement that is late, because this process or the network
 * stalled, inserts nothing when the import has changed meanwhile; only one that began before the
 * change goes on, until its time limit. The driver does not repeat it.
 *
 * Resolves also when the import does not match. A caller that does not hold the matching state for
 * good has to check it afterwards, with an update that has the same filter.
 *
 * @param filter matches at most one import
 * @param bytesOf estimates the size of a document
 * @throws {MongoServerError} with the code of a duplicate key when a document was refused; any of
 *   the others may be stored
 */
export async function insertWhile<Document extends mongo.Document>(
  imports: ImportCollection,
  filter: mongo.Filter<ImportDocument> & { _id: Types.ObjectId },
  { into, on }: Target,
  documents: readonly Document[],
  bytesOf: (document: Document) => number,
): Promise<void> {
  for (const part of partsOf(documents, bytesOf)) {
    await imports
      .aggregate([
        { $match: filter },
        { $project: { _id: 0, document: { $literal: part } } },
        { $unwind: '$document' },
        { $replaceRoot: { newRoot: '$document' } },
        { $merge: { into, on, whenMatched: 'fail', whenNotMatched: 'insert' } },
      ])
      .toArray();
  }
}

function* partsOf<Document>(
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
