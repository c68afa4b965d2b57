import { mongo, Types } from 'mongoose';
import { Unavailable } from '../core/errors.ts';
import type { Collection } from '../database/collections.ts';
import { isDuplicateKey } from '../database/failures.ts';
import type { LineMark, UserCollection, UserDocument } from '../records/record.ts';
import type { RecordId } from '../records/record-id.ts';
import { type Insert, insertOf, upsertOf } from '../records/record-upsert.ts';
import type { Submission } from '../records/submission.ts';
import { type RunningImport, whileRunBy } from './import-store.ts';
import type { ImportCollection, ImportDocument } from './imports.model.ts';
import type { BatchLine, RecordFacts, UpdatePlan } from './line-planner.ts';

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

const BY_EMAIL = { appId: 1, email: 1 } as const;
/**
 * MongoDB applies the updates of a statement one after the other. So as many lines as this are sent
 * in two statements, which it applies at the same time. A batch beside submissions has fewer lines.
 */
const LINES_OF_TWO_STATEMENTS = 100;

/** A line that creates a record. */
export interface PlannedInsert {
  line: BatchLine;
  submission: Submission;
}

/** A line that changes a record. */
export interface PlannedUpdate extends PlannedInsert {
  plan: UpdatePlan;
  /** The record as it was read. */
  facts: RecordFacts;
}

export type LineWrites = ReturnType<typeof createLineWrites>;

/**
 * The statements that write lines of an import to records, each with the mark of its line. Each may
 * reach MongoDB late, when another run has taken the import over, and has no effect then
 * (decision 28).
 */
export function createLineWrites(deps: {
  users: UserCollection;
  imports: ImportCollection;
  maxArrayItems: number;
  newId: (createdAt: Date) => RecordId;
}) {
  const { users, imports, maxArrayItems, newId } = deps;
  const records = targetOf(users, Object.keys(BY_EMAIL));

  function changeOf({ line, submission, plan, facts }: PlannedUpdate, importId: Types.ObjectId) {
    const { exactBound } = plan;
    const view = { keyEpoch: 0, ...(exactBound && { exactBound }) };
    const { filter, update } = upsertOf(submission, newId(submission.now), maxArrayItems, view);
    const { $setOnInsert: _, ...rest } = update;
    const mark: LineMark = { id: importId, line: line.number, result: 'updated' };
    const { _id, updatedAt, import: lastMark = null } = facts;
    return {
      updateOne: {
        filter: { ...filter, _id, updatedAt, import: lastMark } as mongo.Filter<UserDocument>,
        update: { ...rest, $set: { ...rest.$set, import: mark } } as mongo.UpdateFilter<UserDocument>,
        // Without it MongoDB compares plans for each write.
        hint: BY_EMAIL,
      },
    };
  }

  /** Sends one statement; resolves with whether all records were changed. */
  async function updateSome(lines: readonly PlannedUpdate[], importId: Types.ObjectId): Promise<boolean> {
    try {
      const operations = lines.map((line) => changeOf(line, importId));
      const { matchedCount } = await users.bulkWrite(operations, { ordered: false });
      return matchedCount === operations.length;
    } catch (error) {
      // A stored value has another type since it was read; another attempt reads it again.
      const failures = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
      if (failures.length === 0) throw error;
      if ((error as mongo.MongoBulkWriteError).result.getWriteConcernError()) throw new Unavailable();
      return false;
    }
  }

  return {
    /**
     * Inserts a record for each line, if the run may still write: the commit of the batch tells.
     * Resolves with false when a person of a line has a record; then any of the others is stored.
     * @throws {Unavailable} when a result is unknown
     */
    async insert(lines: readonly PlannedInsert[], run: RunningImport): Promise<boolean> {
      const inserts = lines.map(({ line, submission }) => {
        const { record, bytes }: Insert = insertOf(submission, newId(submission.now));
        const mark: LineMark = { id: run._id, line: line.number, result: 'created' };
        return { document: { ...record, import: mark }, bytes };
      });
      const sizes = new Map(inserts.map(({ document, bytes }) => [document, bytes]));
      try {
        await insertWhile(imports, whileRunBy(run), records, [...sizes.keys()], (document) => sizes.get(document) ?? 0);
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },

    /**
     * Changes the record of each line, if it is as it was read; resolves with whether all were
     * changed.
     * @throws {Unavailable} when a result is unknown
     */
    async update(lines: readonly PlannedUpdate[], importId: Types.ObjectId): Promise<boolean> {
      if (lines.length === 0) return true;
      const half = lines.length < LINES_OF_TWO_STATEMENTS ? lines.length : Math.ceil(lines.length / 2);
      const parts = [lines.slice(0, half), lines.slice(half)].filter(({ length }) => length > 0);
      const results = await Promise.all(parts.map((part) => updateSome(part, importId)));
      return results.every(Boolean);
    },

    /**
     * Makes all updates without effect that another run has sent, or will send, for records of
     * these emails. Otherwise the records stay as they are, so it does no harm when it is late.
     */
    async fence(appId: Types.ObjectId, emails: readonly string[]): Promise<void> {
      const filter = { appId, email: { $in: [...emails] } };
      await users.updateMany(filter, { $set: { 'import.fence': new Types.ObjectId() } }, { hint: BY_EMAIL });
    },
  };
}
